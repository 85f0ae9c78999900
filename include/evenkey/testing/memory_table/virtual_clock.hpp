// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <stdexcept>

namespace evenkey::testing {

/// A clock that stands still until it is told to go on.
///
/// Buckets, visibility lag and latency of the table in memory follow it, so that hours pass at once and every
/// run is the same. Several tables may share one.
/// Errors: going back is `std::invalid_argument`.
/// Threads: safe.
class VirtualClock {
 public:
  /// As `std::chrono` wants a clock.
  using duration = std::chrono::nanoseconds;
  /// As `std::chrono` wants a clock.
  using rep = duration::rep;
  /// As `std::chrono` wants a clock.
  using period = duration::period;
  /// As `std::chrono` wants a clock.
  using time_point = std::chrono::time_point<VirtualClock, duration>;
  static constexpr bool is_steady = true;  ///< it never goes back

  /// The time now: it stands still until it is advanced.
  time_point now() const noexcept { return time_point(duration(now_.load(std::memory_order_acquire))); }

  /// Moves the time forward. Errors: `std::invalid_argument` for a negative step.
  void advance(duration by) {
    if (by < duration::zero()) throw std::invalid_argument("evenkey: a virtual clock does not go back");
    now_.fetch_add(by.count(), std::memory_order_acq_rel);
  }
  /// Goes on to that moment; does nothing where it is past already.
  void advance_to(time_point moment) noexcept {
    const rep to = moment.time_since_epoch().count();
    rep seen = now_.load(std::memory_order_acquire);
    while (seen < to && !now_.compare_exchange_weak(seen, to, std::memory_order_acq_rel)) {
    }
  }

 private:
  std::atomic<rep> now_{0};
};

}  // namespace evenkey::testing
