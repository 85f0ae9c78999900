// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/capacity/draws.hpp>
#include <evenkey/capacity/expected_lift.hpp>
#include <evenkey/capacity/physical_partitions.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

namespace evenkey::capacity {

/// When a physical partition is split for heat. AWS documents that it takes minutes of sustained heat,
/// and no figure: these are assumptions.
struct SplitRules {
  double hot_at = 0.9;                    ///< the part of a limit that counts as heat
  std::uint32_t after_minutes = 5;        ///< of heat without a break
  SortKeys sort_keys = SortKeys::rising;  ///< rising ones cannot be divided
};

/// The physical partitions of one index, as keys fall on them and heat splits them: minute by minute.
///
/// Use it where `expected_ceiling` has no formula: how a ceiling rises while a load goes on. The keys'
/// places in the key space are drawn at random, as DynamoDB's own hash would place them; a split
/// divides a partition between two of its keys where the heat is divided best, never merges, and never
/// separates a partition with a single key: only where sort keys are not rising can that key's rows be
/// divided, in two halves.
/// Shape: holds its loads and partitions; the load is in times what one physical partition serves.
/// Threads: none of its own; one object, one thread.
class SplitSimulation {
 public:
  /// @param loads of each partition key, in any unit: only their proportions matter
  /// Errors: `std::invalid_argument` for no partitions, no load, or a load negative or not finite.
  SplitSimulation(std::span<const double> loads, std::uint32_t physical_partition_count, std::uint64_t seed,
                  const SplitRules& rules = {})
      : rules_(rules) {
    if (physical_partition_count == 0)
      throw std::invalid_argument("evenkey: an index has at least one physical partition");
    double total = 0;
    for (const double load : loads) {
      detail::check_amount(load, "a key's load");
      total += load;
    }
    detail::check_amount(total, "the sum of the keys' loads");
    if (total == 0) throw std::invalid_argument("evenkey: without load there is no heat to split for");
    std::vector<Key> keys;
    detail::Draws draws(seed);
    for (const double load : loads)
      keys.push_back({draws.unit(), load / total});
    std::sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) { return a.place < b.place; });
    partitions_.resize(physical_partition_count);
    for (const Key& key : keys)
      partitions_[static_cast<std::size_t>(key.place * physical_partition_count)].shares.push_back(key.share);
  }

  /// One minute of a load of that many partitions' worth passes; splits take effect at its end.
  void minute(double load) {
    const std::size_t before = partitions_.size();
    for (std::size_t at = 0; at < before; ++at) {
      if (partitions_[at].share() * load < rules_.hot_at) {
        partitions_[at].hot_minutes = 0;
      } else if (++partitions_[at].hot_minutes >= rules_.after_minutes) {
        split(at);
      }
    }
  }

  /// The load that fills the fullest partition: what the index bears now.
  double lift() const {
    double most = 0;
    for (const Partition& partition : partitions_)
      most = (std::max)(most, partition.share());
    return 1 / most;
  }

  /// How many there are by now.
  std::size_t physical_partition_count() const noexcept { return partitions_.size(); }

 private:
  struct Key {
    double place;
    double share;
  };
  struct Partition {
    std::vector<double> shares;  // of its keys, in the order of their places
    std::uint32_t hot_minutes = 0;

    double share() const {
      double sum = 0;
      for (const double key : shares)
        sum += key;
      return sum;
    }
  };

  void split(std::size_t at) {
    Partition& hot = partitions_[at];
    hot.hot_minutes = 0;
    Partition other;
    if (hot.shares.size() == 1) {
      if (rules_.sort_keys == SortKeys::rising) return;
      hot.shares[0] /= 2;
      other.shares = hot.shares;
    } else {
      const double half = hot.share() / 2;
      double below = 0, best = (std::numeric_limits<double>::max)();
      std::size_t cut = 1;
      for (std::size_t i = 1; i < hot.shares.size(); ++i) {
        below += hot.shares[i - 1];
        const double off = below > half ? below - half : half - below;
        if (off < best) {
          best = off;
          cut = i;
        }
      }
      const auto middle = hot.shares.begin() + static_cast<std::ptrdiff_t>(cut);
      other.shares.assign(middle, hot.shares.end());
      hot.shares.erase(middle, hot.shares.end());
    }
    partitions_.push_back(std::move(other));
  }

  SplitRules rules_;
  std::vector<Partition> partitions_;
};

/// The ceiling of `expected_ceiling`, by placing keys at random and splitting until nothing is hot any
/// more.
///
/// Use it to check the formula, and for keys of any load. Splitting stops where no partition with two
/// keys is hot: rising sort keys are assumed, as the formula does.
/// Units: the means of `simulation.rounds` placements.
inline Ceiling simulated_ceiling(std::span<const double> loads, std::uint32_t physical_partition_count,
                                 const Simulation& simulation = {}) {
  detail::check(simulation);
  detail::Draws seeds(simulation.seed);
  Ceiling sum{0, 0};
  for (std::uint32_t round = 0; round < simulation.rounds; ++round) {
    SplitSimulation partitions(loads, physical_partition_count, seeds.next(), {.after_minutes = 1});
    sum.lift_before_splits += partitions.lift();
    // So hot that every partition with more than one key divides; each minute halves them at least by one
    // key.
    for (std::size_t count = 0; count != partitions.physical_partition_count();) {
      count = partitions.physical_partition_count();
      partitions.minute(static_cast<double>(loads.size()) * 1e6);
    }
    sum.lift_after_splits += partitions.lift();
  }
  return {sum.lift_before_splits / simulation.rounds, sum.lift_after_splits / simulation.rounds};
}

}  // namespace evenkey::capacity
