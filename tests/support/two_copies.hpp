// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/composite_key.hpp>
#include <evenkey/key.hpp>
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
#include <utility>
#include <vector>

namespace support {

/// A row that is kept twice: in a base table, and as an index shows it.
struct Copy {
  std::string id;
  std::string person;
  std::string sort_key;
  std::string stored;  // index partition key
  std::string payload = {};
  std::string marker = {};
};

/// The definition of `TwoCopies`' index.
template <std::uint32_t N = 16>
struct CopiesBy {
  static constexpr std::string_view name = "copies";
  using PartitionKey = evenkey::ShardedKey<"C", evenkey::ShardPolicy<N>>;
  using SortKey = evenkey::CompositeKey<evenkey::Text, evenkey::Text>;
  using Item = Copy;
  using StartKey = std::string;
  static std::string_view sort_key(const Copy& row) { return row.sort_key; }
  static std::string_view primary_key(const Copy& row) { return row.id; }
  static std::string_view shard_by(const Copy& row) { return row.person; }
  static std::string_view partition_key(const Copy& row) { return row.stored; }
};

/// A base table and what its index shows, each set by the test, so that they can differ in any way.
///
/// Pages are of `page_size`; a scan's segments are by a hash of the id. Every request calls `before` first.
/// The time is the test's own: a wait takes none, and calls `on_wait`.
class TwoCopies {
 public:
  using Time = std::chrono::steady_clock::time_point;

  std::map<std::string, Copy> table;
  std::map<std::string, std::map<std::string, Copy>> index;  // partition, then id
  std::size_t page_size = 3;
  double read_units = 0;  // that a page says it consumed
  std::function<void()> before = {};
  std::function<void()> on_wait = {};
  std::size_t scans = 0;
  std::size_t queries = 0;
  std::chrono::nanoseconds waited{0};
  std::chrono::system_clock::time_point day{std::chrono::hours(500'000)};

  /// In both, in the partition that the row says.
  void put(const Copy& row) {
    table[row.id] = row;
    index[row.stored][row.id] = row;
  }
  /// A row of a person, in its place.
  template <class Keys>
  Copy row(std::string id, std::string person, std::string payload = {}) const {
    const std::string sort_key = person + "#" + id;
    std::string stored(Keys::of(person));
    return {std::move(id), std::move(person), sort_key, std::move(stored), std::move(payload)};
  }

  auto scan() {
    return [this](const evenkey::ScanRequest<std::string>& request) {
      const std::lock_guard lock(mutex_);
      ++scans;
      if (before) before();
      return page(table, request.exclusive_start_key, request.limit, [&](const std::string& id) {
        return evenkey::Xxh3_64{}(id) % request.total_segments == request.segment;
      });
    };
  }
  auto query() {
    return [this](const evenkey::QueryRequest<std::string>& request) {
      const std::lock_guard lock(mutex_);
      ++queries;
      if (before) before();
      return page(index[std::string(request.partition_key)], request.exclusive_start_key, request.limit,
                  [](const std::string&) { return true; });
    };
  }

  // The clock.
  Time now() const {
    const std::lock_guard lock(mutex_);
    return now_;
  }
  bool wait_until(Time time, const std::stop_token& stop) {
    if (stop.stop_requested()) return false;
    const std::lock_guard lock(mutex_);
    if (time > now_) waited += time - now_;
    now_ = (std::max)(now_, time);
    if (on_wait) on_wait();
    return !stop.stop_requested();
  }
  std::chrono::system_clock::time_point system_now() { return day += std::chrono::seconds(1); }

 private:
  template <class Wanted>
  evenkey::Page<Copy> page(const std::map<std::string, Copy>& rows, const std::optional<std::string>& start,
                           std::optional<std::uint32_t> limit, Wanted wanted) const {
    evenkey::Page<Copy> page;
    page.consumed_read_units = read_units;
    const std::size_t size = limit ? (std::min<std::size_t>)(*limit, page_size) : page_size;
    for (auto row = start ? rows.upper_bound(*start) : rows.begin(); row != rows.end(); ++row) {
      if (!wanted(row->first)) continue;
      if (page.items.size() == size) {
        page.last_evaluated_key = page.items.back().id;
        break;
      }
      page.items.push_back(row->second);
    }
    return page;
  }

  mutable std::mutex mutex_;
  Time now_{std::chrono::hours(1)};
};

}  // namespace support
