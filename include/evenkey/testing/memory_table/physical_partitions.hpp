// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/hash.hpp>
#include <evenkey/testing/memory_table/token_bucket.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace evenkey::testing {

/// The physical partitions that partition keys fall on, in the base table and in each index.
///
/// Use it to see what N partition keys really bear: several share one physical partition, and its caps, until
/// heat has split it. By default each partition key has one to itself, which is the most that can be had.
/// Units: `hot_at` in parts of a cap, over a minute of the virtual clock.
/// Source: AWS Database Blog, "Scaling DynamoDB: How partitions, hot keys, and split for heat impact
/// performance". AWS gives no figures for heat: these are assumptions, those of `capacity::SplitRules`.
struct PhysicalPartitions {
  /// Of the base table, and of each index, to begin with. 0: one for each partition key.
  std::uint32_t count = 0;
  double hot_at = 0.9;              ///< the part of a limit that counts as heat
  std::uint32_t after_minutes = 5;  ///< of heat without a break
};

}  // namespace evenkey::testing

namespace evenkey::testing::detail {

/// A bucket that remembers what was drawn on it.
class MeteredBucket {
 public:
  explicit MeteredBucket(double units_per_second) : bucket_(units_per_second), cap_(units_per_second) {}

  bool admits(VirtualClock::time_point now) noexcept { return bucket_.admits(now); }
  void charge(double units) noexcept {
    bucket_.charge(units);
    drawn_ += units;
  }
  /// In parts of what a second gives, since it was last asked.
  double take_drawn() noexcept {
    const double seconds = cap_ > 0 ? drawn_ / cap_ : 0;
    drawn_ = 0;
    return seconds;
  }

 private:
  TokenBucket bucket_;
  double cap_;
  double drawn_ = 0;
};

struct Buckets {
  explicit Buckets(ThroughputCaps caps)
      : read(caps.read_units_per_second), write(caps.write_units_per_second) {}
  MeteredBucket read;
  MeteredBucket write;
};

/// The key space of one table or index, divided among its physical partitions.
///
/// A partition is split between two of its keys, where its heat is divided best, after minutes of heat
/// without a break. The rows of one key are never divided, as DynamoDB does not where a single item is hot or
/// the sort key rises; nor is anything merged.
class PhysicalSpace {
 public:
  PhysicalSpace(const PhysicalPartitions& rules, std::string_view name, std::uint64_t seed)
      : rules_(rules), salt_(std::to_string(seed).append(1, '/').append(name).append(1, '/')) {
    const std::uint64_t width = (std::numeric_limits<std::uint64_t>::max)() / rules.count;
    for (std::uint64_t number = 0; number < rules.count; ++number)
      partitions_.try_emplace(number * width);
  }

  /// Null: nothing limits it. A split that is due takes place now. @param caps of those that have none yet
  Buckets* find(std::string_view key, const std::optional<ThroughputCaps>& caps,
                VirtualClock::time_point now) {
    const std::uint64_t place = place_of(key);
    auto found = at(place);
    note_drawn(found->second);
    const auto minute = std::chrono::floor<std::chrono::minutes>(now.time_since_epoch()).count();
    if (minute != found->second.minute) {
      end_minute(found, minute);
      found = at(place);
    }
    Partition& partition = found->second;
    if (!partition.buckets && caps) limit(partition, *caps);
    partition.last_key = place;
    return partition.buckets ? &*partition.buckets : nullptr;
  }

  void set_caps(std::string_view key, ThroughputCaps caps) { limit(at(place_of(key))->second, caps); }
  void forget_caps() noexcept {
    for (auto& [begin, partition] : partitions_)
      partition.buckets.reset();
  }

  std::size_t size() const noexcept { return partitions_.size(); }
  std::size_t number_of(std::string_view key) {
    return static_cast<std::size_t>(std::distance(partitions_.begin(), at(place_of(key))));
  }

 private:
  struct Partition {
    std::optional<Buckets> buckets = std::nullopt;
    ThroughputCaps caps = {};
    std::int64_t minute = 0;
    double read_seconds = 0;  // drawn in this minute, in parts of what a second gives
    double write_seconds = 0;
    std::uint32_t hot_minutes = 0;
    std::uint64_t last_key = 0;
    std::map<std::uint64_t, double> heat = {};  // of each key, since it has been hot
  };
  using Partitions = std::map<std::uint64_t, Partition>;  // by where each begins

  std::uint64_t place_of(std::string_view key) const {
    std::string text = salt_;
    return Xxh3_64{}(text.append(key));
  }
  typename Partitions::iterator at(std::uint64_t place) { return std::prev(partitions_.upper_bound(place)); }

  static void limit(Partition& partition, ThroughputCaps caps) {
    partition.caps = caps;
    partition.buckets.emplace(caps);
  }

  /// Whoever found the partition last has drawn on it since.
  static void note_drawn(Partition& partition) {
    if (!partition.buckets) return;
    const double read = partition.buckets->read.take_drawn(), write = partition.buckets->write.take_drawn();
    if (read + write == 0) return;
    partition.read_seconds += read;
    partition.write_seconds += write;
    partition.heat[partition.last_key] += read + write;
  }

  void end_minute(typename Partitions::iterator found, std::int64_t minute) {
    Partition& partition = found->second;
    const bool hot = (std::max)(partition.read_seconds, partition.write_seconds) >= 60 * rules_.hot_at;
    // A minute in which nobody came was cold.
    partition.hot_minutes = hot ? partition.hot_minutes + 1 : 0;
    const bool split_now = partition.hot_minutes >= rules_.after_minutes;
    if (minute > partition.minute + 1) partition.hot_minutes = 0;
    partition.minute = minute;
    partition.read_seconds = partition.write_seconds = 0;
    if (split_now) {
      partition.hot_minutes = 0;
      split(found);
    }
    if (partition.hot_minutes == 0) partition.heat.clear();
  }

  void split(typename Partitions::iterator found) {
    const Partition& hot = found->second;
    if (hot.heat.size() < 2) return;  // one key alone: DynamoDB cannot divide it either
    double total = 0;
    for (const auto& [key, heat] : hot.heat)
      total += heat;
    double below = 0, best = total;
    std::uint64_t cut = 0;
    for (auto key = hot.heat.begin(), next = std::next(key); next != hot.heat.end(); key = next++) {
      below += key->second;
      const double off = below > total / 2 ? below - total / 2 : total / 2 - below;
      if (off >= best) continue;
      best = off;
      cut = next->first;
    }
    Partition& upper = partitions_.try_emplace(cut).first->second;
    upper.minute = hot.minute;
    if (hot.buckets) limit(upper, hot.caps);
  }

  PhysicalPartitions rules_;
  std::string salt_;
  Partitions partitions_;
};

inline void check(const PhysicalPartitions& rules) {
  if (!(rules.hot_at > 0 && rules.hot_at <= 1) || rules.after_minutes == 0)
    throw std::invalid_argument(
        "evenkey: a physical partition is hot at a part of its caps, above 0 and at most 1, for at least a "
        "minute");
}

}  // namespace evenkey::testing::detail
