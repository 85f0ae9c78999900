// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/testing/memory_table/error.hpp>
#include <evenkey/testing/memory_table/virtual_clock.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace evenkey::testing {

/// What is known of a request before it is answered. Its views live as long as the request.
struct RequestInfo {
  /// 1 for the table's first request.
  std::uint64_t number = 0;
  RequestKind kind = RequestKind::query;  ///< Query, PutItem …
  /// Empty for the base table.
  std::string_view index_name = {};
  /// Of the index, or of the base table; empty for a scan.
  std::string_view partition_key = {};
  /// Empty for a query and a scan.
  std::string_view primary_key = {};
  std::string_view caller = {};        ///< the request's tag; empty: none
  VirtualClock::time_point time = {};  ///< when it was asked
};

/// How a request ended.
enum class RequestOutcome : std::uint8_t { answered, condition_failed, throttled, failed };

/// One line of the request log.
struct RequestRecord {
  std::uint64_t number = 0;                           ///< 1 for the table's first request
  RequestKind kind = RequestKind::query;              ///< Query, PutItem …
  RequestOutcome outcome = RequestOutcome::answered;  ///< how it ended
  std::string index_name = {};                        ///< empty for the base table
  std::string partition_key = {};  ///< of the index, or of the base table; empty for a scan
  std::string caller = {};         ///< the request's tag; empty: none
  /// When it was asked, and how long it took, in the virtual clock's time.
  VirtualClock::time_point time = {};
  VirtualClock::duration latency{0};  ///< how long it took
  /// Handed out by a read; evaluated before the filter.
  std::size_t items = 0;
  std::size_t scanned = 0;  ///< evaluated before the filter
  double read_units = 0;    ///< consumed
  /// Of the base table; of all indexes together.
  double write_units = 0;
  double index_write_units = 0;  ///< of all indexes together
};

/// Tags all requests of this thread while it lives, for the log and the counters. The text must outlive it.
/// Scopes may nest; a tag given with a call goes first.
class CallerScope {
 public:
  /// The request's tag; empty: none.
  explicit CallerScope(std::string_view caller) noexcept : before_(std::exchange(current_, caller)) {}
  ~CallerScope() { current_ = before_; }
  CallerScope(const CallerScope&) = delete;
  CallerScope& operator=(const CallerScope&) = delete;

  /// The innermost tag of this thread; empty: none.
  static std::string_view current() noexcept { return current_; }

 private:
  inline static thread_local std::string_view current_;
  std::string_view before_;
};

}  // namespace evenkey::testing

namespace evenkey::testing::detail {

/// The last requests; older ones are dropped and counted.
class RequestLog {
 public:
  explicit RequestLog(std::size_t capacity) : capacity_(capacity) {}

  bool enabled() const noexcept { return capacity_ != 0; }
  void add(RequestRecord record) {
    if (records_.size() == capacity_) {
      records_.pop_front();
      ++dropped_;
    }
    records_.push_back(std::move(record));
  }
  std::vector<RequestRecord> records() const { return {records_.begin(), records_.end()}; }
  std::uint64_t dropped() const noexcept { return dropped_; }
  void clear() noexcept {
    records_.clear();
    dropped_ = 0;
  }

 private:
  std::size_t capacity_;
  std::deque<RequestRecord> records_;
  std::uint64_t dropped_ = 0;
};

}  // namespace evenkey::testing::detail
