// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/testing/memory_table/virtual_clock.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace evenkey::testing {

/// What one partition can bear.
struct ThroughputCaps {
  double read_units_per_second = 3000;   ///< RCU
  double write_units_per_second = 1000;  ///< WCU
};

/// The tokens of one partition, in capacity units.
///
/// It is filled at each full second of the clock and holds one second's worth. What a second does not use is
/// lost, so that no second, as a monitor counts seconds, goes above the cap by more than one request. A
/// request is admitted while anything is left, pays all that it costs and may leave a debt, which later
/// seconds pay off: what a query costs is known only when it is done.
class TokenBucket {
 public:
  /// Full to begin with. Errors: `std::invalid_argument` for what is not a number from 0 up.
  explicit TokenBucket(double units_per_second) : tokens_(0), units_per_second_(units_per_second) {
    if (!(units_per_second >= 0)) throw std::invalid_argument("evenkey: a cap is a number from 0 up");
    tokens_ = units_per_second_;
  }

  /// Whether anything is left.
  bool admits(VirtualClock::time_point now) noexcept {
    refill(now);
    return tokens_ > 0;
  }
  /// Takes what a request cost, into debt where it must.
  void charge(double units) noexcept { tokens_ -= units; }
  /// Below zero: the debt.
  double tokens(VirtualClock::time_point now) noexcept {
    refill(now);
    return tokens_;
  }

 private:
  void refill(VirtualClock::time_point now) noexcept {
    const auto second = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch());
    if (second <= filled_) return;
    const auto passed = static_cast<double>((second - filled_).count());
    tokens_ = (std::min)(units_per_second_, tokens_ + passed * units_per_second_);
    filled_ = second;
  }

  double tokens_;
  double units_per_second_;
  std::chrono::seconds filled_{0};
};

}  // namespace evenkey::testing
