// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/shard_policy.hpp>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string_view>

namespace evenkey {

/// One page came: what it held and how long it took.
struct PageEvent {
  std::string_view index_name;     ///< of the definition
  std::string_view partition_key;  ///< that was asked
  std::optional<ShardId> shard;    ///< that it stands for, if any
  std::size_t items = 0;           ///< handed out
  std::size_t scanned_count = 0;   ///< evaluated, before a server-side filter
  /// Read capacity units.
  double consumed_read_units = 0;
  /// How long the request waited for a shared cap before it was made.
  std::chrono::nanoseconds queued{};
  /// How long the functor took, retries and their waits included.
  std::chrono::nanoseconds served{};
};

/// A request was refused for lack of capacity.
struct ThrottleEvent {
  std::string_view index_name;     ///< of the definition
  std::string_view partition_key;  ///< that was asked
  std::optional<ShardId> shard;    ///< that it stands for, if any
  /// Whether the store says that this one partition is too hot (KeyRangeThroughputExceeded), not the table.
  enum class Cause { unknown, hot_partition };
  Cause cause = Cause::unknown;  ///< as far as the store told
};

/// A request is made again after a wait.
struct RetryEvent {
  std::string_view index_name;       ///< of the definition
  std::string_view partition_key;    ///< that was asked
  std::optional<ShardId> shard;      ///< that it stands for, if any
  std::size_t attempt = 1;           ///< the attempt that failed, from 1
  std::chrono::nanoseconds delay{};  ///< how long it waits
};

/// A read is over.
struct FinishEvent {
  std::string_view index_name;         ///< of the definition
  std::size_t requests = 0;            ///< made, those that failed included
  std::size_t items = 0;               ///< handed out
  std::size_t failures = 0;            ///< partitions that failed
  std::size_t duplicates_dropped = 0;  ///< rows of a migration that both sides showed
  double consumed_read_units = 0;      ///< of all pages together
};

/// It has `on_page(const PageEvent&)`.
template <class Observer>
concept observes_pages = requires(Observer& observer, const PageEvent& event) {
  observer.on_page(event);
};
/// It has `on_throttled(const ThrottleEvent&)`.
template <class Observer>
concept observes_throttling = requires(Observer& observer, const ThrottleEvent& event) {
  observer.on_throttled(event);
};
/// It has `on_retried(const RetryEvent&)`.
template <class Observer>
concept observes_retries = requires(Observer& observer, const RetryEvent& event) {
  observer.on_retried(event);
};
/// It has `on_finished(const FinishEvent&)`; not told where the read throws anything but `fan_out_error`.
template <class Observer>
concept observes_finish = requires(Observer& observer, const FinishEvent& event) {
  observer.on_finished(event);
};

/// Something with one or more of `on_page`, `on_throttled`, `on_retried`, `on_finished`: a trailing argument
/// of a read, by reference, for logs and metrics.
///
/// Cost: none where it is not given; clocks are read only for `on_page`.
/// Errors: it must not throw: an exception ends the read as it is.
/// Threads: called by one thread at a time, while the read is locked: it must not use the stream that it
/// observes.
template <class Observer>
concept read_observer = observes_pages<Observer> || observes_throttling<Observer> ||
    observes_retries<Observer> || observes_finish<Observer>;

namespace detail {

struct NoObserver {};

}  // namespace detail
}  // namespace evenkey
