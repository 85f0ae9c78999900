// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/page.hpp>
#include <evenkey/shard_policy.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <random>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace support {

/// A row of a moving store, and what it is called.
struct MovingRow {
  std::string id;        // the base table's key
  std::string person;    // what is sharded by
  std::string sort_key;  // of the index
  std::string stored;    // index partition key in the base table
};

/// An index whose rows move between partitions while it is read: every move is seen in the index as a delete
/// and an insert, each at a time of its own.
class MovingStore {
 public:
  using Nanoseconds = std::chrono::nanoseconds;
  using Time = std::chrono::steady_clock::time_point;

  void add(MovingRow row) {
    entries_.push_back({row, row.stored, Time::min(), Time::max()});
    rows_.push_back(std::move(row));
  }

  const std::vector<MovingRow>& rows() const noexcept { return rows_; }
  Time now() const noexcept { return now_; }
  /// What reads wait by.
  bool wait_until(Time time, const std::stop_token&) {
    now_ = (std::max)(now_, time);
    return true;
  }
  void pass(Nanoseconds time) { now_ += time; }

  /// Re-keys a row: the old entry vanishes after `vanishes`, the new one appears after `appears`.
  void move(std::size_t row, std::string to, Nanoseconds vanishes, Nanoseconds appears) {
    for (Entry& entry : entries_)
      if (entry.row.id == rows_[row].id && entry.until == Time::max()) entry.until = now_ + vanishes;
    rows_[row].stored = to;
    entries_.push_back({rows_[row], std::move(to), now_ + appears, Time::max()});
  }

  evenkey::Page<MovingRow, std::string> query(const evenkey::QueryRequest<std::string>& request,
                                              std::size_t page_size) const {
    std::vector<const Entry*> seen;
    for (const Entry& entry : entries_)
      if (entry.partition == request.partition_key && entry.from <= now_ && now_ < entry.until &&
          request.sort_key.matches(entry.row.sort_key))
        seen.push_back(&entry);
    // Ties in an order that is not the primary key's.
    const auto place = [](const Entry& entry) {
      return std::pair(entry.row.sort_key, std::string(entry.row.id.rbegin(), entry.row.id.rend()));
    };
    const bool ascending = request.direction == evenkey::Direction::ascending;
    std::sort(seen.begin(), seen.end(), [&](const Entry* a, const Entry* b) {
      return ascending ? place(*a) < place(*b) : place(*b) < place(*a);
    });
    evenkey::Page<MovingRow, std::string> page;
    std::size_t size = page_size;
    if (request.limit) size = (std::min<std::size_t>)(size, *request.limit);
    for (const Entry* entry : seen) {
      const std::string key = place(*entry).first + '\x01' + place(*entry).second;
      if (request.exclusive_start_key &&
          !(ascending ? *request.exclusive_start_key < key : key < *request.exclusive_start_key))
        continue;
      page.items.push_back(entry->row);
      if (page.items.size() < size) continue;
      page.last_evaluated_key = key;  // also where nothing follows, as DynamoDB's limit does
      break;
    }
    return page;
  }

 private:
  struct Entry {
    MovingRow row;
    std::string partition;
    Time from;
    Time until;
  };
  std::vector<MovingRow> rows_;
  std::vector<Entry> entries_;
  Time now_{};
};

}  // namespace support
