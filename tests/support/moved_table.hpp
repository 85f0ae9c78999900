// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/composite_key.hpp>
#include <evenkey/key.hpp>
#include <evenkey/migrate/checkpoint.hpp>
#include <evenkey/migrate/migration.hpp>
#include <evenkey/migrate/restamp.hpp>
#include <evenkey/page.hpp>
#include <evenkey/shard_policy.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace support {

/// A row of a table whose index moves.
struct Moved {
  std::string id;
  std::string person;
  std::string key;  // of the index
  std::string sort_key = "s";
  int version = 1;
};

struct MovedIndex {
  static constexpr std::string_view name = "moved";
  using PartitionKey = evenkey::ShardedKey<"S", evenkey::ShardPolicy<4>>;
  using SortKey = evenkey::CompositeKey<evenkey::Text, evenkey::Text>;
  using Item = Moved;
  using StartKey = std::string;
  static std::string_view sort_key(const Moved& row) { return row.sort_key; }
  static std::string_view primary_key(const Moved& row) { return row.id; }
  static std::string_view shard_by(const Moved& row) { return row.person; }
  static std::string_view partition_key(const Moved& row) { return row.key; }
};

using ToShards = evenkey::Migration<MovedIndex, evenkey::UnshardedKey<"S">>;
inline constexpr ToShards to_shards{evenkey::insert_visible_first};

/// A base table in memory, in the order of its keys; segments take rows by turns of their ids' hash.
///
/// Threads: safe, but for `rows` and the hooks.
class MovedTable {
 public:
  using Request = evenkey::Restamp<Moved>;

  std::map<std::string, Moved, std::less<>> rows;
  std::size_t page_size = 3;
  std::map<std::string, std::size_t, std::less<>> moves;  // by id, those that were applied
  std::size_t scans = 0;
  std::size_t restamps = 0;
  /// Called before a restamp is applied; may throw.
  std::function<void(const Request&)> before;
  /// Called after a restamp was applied; may throw, so that its answer is lost.
  std::function<void(const Request&)> after;

  explicit MovedTable(std::size_t count = 0) {
    for (std::size_t i = 0; i < count; ++i)
      put(i);
  }
  static std::string id_of(std::size_t number) {
    std::string digits = std::to_string(number);
    return "r" + std::string(4 - digits.size(), '0') + digits;
  }
  void put(std::size_t number) { put({id_of(number), "p" + std::to_string(number), "S"}); }
  void put(Moved row) {
    std::string id = row.id;
    rows.insert_or_assign(std::move(id), std::move(row));
  }

  evenkey::Page<Moved> scan(const evenkey::ScanRequest<std::string>& request) {
    const std::lock_guard lock(mutex_);
    ++scans;
    evenkey::Page<Moved> page;
    auto row = request.exclusive_start_key ? rows.upper_bound(*request.exclusive_start_key) : rows.begin();
    const std::size_t most = request.limit ? *request.limit : page_size;
    for (; row != rows.end(); ++row) {
      if (std::hash<std::string>{}(row->first) % request.total_segments != request.segment) continue;
      if (page.items.size() == most) {
        page.last_evaluated_key = page.items.back().id;
        break;
      }
      page.items.push_back(row->second);
    }
    return page;
  }

  evenkey::RestampResult restamp(const Request& request) {
    const std::lock_guard lock(mutex_);
    ++restamps;
    if (before) before(request);
    const auto row = rows.find(request.item.id);
    if (row == rows.end()) return evenkey::RestampResult::gone();
    if (row->second.key != request.from) return evenkey::RestampResult::found(row->second.key);
    row->second.key = request.to;
    ++moves[row->first];
    if (after) after(request);
    return evenkey::RestampResult::moved();
  }

  auto scan_functor() {
    return [this](const evenkey::ScanRequest<std::string>& request) { return scan(request); };
  }
  auto restamp_functor() {
    return [this](const Request& request) { return restamp(request); };
  }

  std::size_t on_source() const {
    return static_cast<std::size_t>(
        std::count_if(rows.begin(), rows.end(), [](const auto& row) { return row.second.key == "S"; }));
  }
  std::size_t in_place() const {
    return static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), [](const auto& row) {
      return row.second.key == MovedIndex::PartitionKey::of(row.second.person);
    }));
  }
  std::size_t most_moves_of_a_row() const {
    std::size_t most = 0;
    for (const auto& [id, count] : moves)
      most = (std::max)(most, count);
    return most;
  }

 private:
  std::mutex mutex_;
};

struct Notebook : evenkey::CheckpointStore {
  std::optional<std::string> text;
  std::size_t saves = 0;
  std::function<void()> before_save;
  std::function<void()> after_save;
  std::optional<std::string> load() override { return text; }
  void save(std::string_view checkpoint) override {
    if (before_save) before_save();
    text = std::string(checkpoint);
    ++saves;
    if (after_save) after_save();
  }
};

/// Time that passes only when somebody waits for it.
struct WaitedTime {
  using Time = std::chrono::steady_clock::time_point;
  Time time{};
  Time now() const { return time; }
  bool wait_until(Time until, const std::stop_token& stop) {
    if (stop.stop_requested()) return false;
    time = (std::max)(time, until);
    return true;
  }
};

inline const std::chrono::system_clock::time_point long_drained{std::chrono::hours(24 * 365 * 50)};

}  // namespace support
