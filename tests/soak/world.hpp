// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/composite_key.hpp>
#include <evenkey/key/dynamic_sharded_key.hpp>
#include <evenkey/migrate/migration.hpp>
#include <evenkey/testing/memory_table.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <random>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

// What the soak is about: a table in memory, a reference beside it, time that is virtual, and chance by a seed.
namespace soak {

using std::chrono::milliseconds;

/// Something was lost, doubled or made up.
struct Broken : std::runtime_error {
  using std::runtime_error::runtime_error;
};
inline void require(bool holds, const std::string& that) {
  if (!holds) throw Broken("it does not hold that " + that);
}

/// The standard's distributions differ from library to library; a seed means the same run everywhere.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : bits_(seed) {}
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(bits_() % n); }
  bool one_in(std::size_t n) { return below(n) == 0; }
  std::uint64_t number() { return bits_(); }

 private:
  std::mt19937_64 bits_;
};

struct Row {
  std::string id;
  std::string person;
  std::string opened;
  std::string key;  // of the index
  std::uint64_t version = 0;
  bool operator==(const Row&) const = default;
};

struct Rows {
  static constexpr std::string_view name = "soak-index";
  using PartitionKey = evenkey::DynamicShardedKey;
  using SortKey = evenkey::CompositeKey<evenkey::Text, evenkey::Text>;
  using Item = Row;
  using StartKey = std::string;

  PartitionKey keys;

  const PartitionKey& partition_keys() const { return keys; }
  static std::string sort_key(const Row& row) { return SortKey::encode(row.person, row.opened); }
  static std::string_view primary_key(const Row& row) { return row.id; }
  static std::string_view shard_by(const Row& row) { return row.person; }
  static std::string_view partition_key(const Row& row) { return row.key; }
};

using Table = evenkey::testing::MemoryTable<Row, Rows>;
using Migration = evenkey::Migration<Rows, evenkey::DynamicShardedKey, evenkey::DynamicShardedKey>;

/// The table's virtual time, as evenkey's verbs wait by it. Waiting costs nothing.
struct Time {
  evenkey::testing::VirtualClock* clock;
  using Steady = std::chrono::steady_clock::time_point;

  Steady now() const {
    return Steady(std::chrono::duration_cast<Steady::duration>(clock->now().time_since_epoch()));
  }
  bool wait_until(Steady until, const std::stop_token& stop) const {
    if (stop.stop_requested()) return false;
    if (until > now()) clock->advance(until - now());
    return true;
  }
  std::chrono::system_clock::time_point system_now() const {
    return std::chrono::system_clock::time_point(std::chrono::hours(24 * 365 * 50)) +
           std::chrono::duration_cast<std::chrono::system_clock::duration>(clock->now().time_since_epoch());
  }
};

/// What the table must hold, and since when: kept by the simplest means.
class Reference {
 public:
  using Moment = evenkey::testing::VirtualClock::time_point;

  struct Entry {
    Row row;
    Moment created;
  };

  std::map<std::string, Entry, std::less<>> rows;

  void create(Row row, Moment now) {
    std::string id = row.id;
    rows.insert_or_assign(std::move(id), Entry{std::move(row), now});
  }
  void erase(const std::string& id, Moment now) {
    const auto found = rows.find(id);
    gone_.insert_or_assign(id, std::pair(std::move(found->second), now));
    rows.erase(found);
  }
  /// Rows that readers may still see for a while after they are gone.
  bool may_be_seen(const std::string& id, Moment read_began, milliseconds lag) const {
    const auto found = gone_.find(id);
    return found != gone_.end() && found->second.second + lag >= read_began;
  }
  void forget(Moment before) {
    std::erase_if(gone_, [&](const auto& entry) { return entry.second.second < before; });
  }

 private:
  std::map<std::string, std::pair<Entry, Moment>, std::less<>> gone_;
};

}  // namespace soak
