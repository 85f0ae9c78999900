// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/testing/memory_table.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace lab {

using Clock = evenkey::testing::VirtualClock;
using Time = Clock::time_point;
using Duration = Clock::duration;

constexpr Duration milliseconds(std::uint32_t count) { return std::chrono::milliseconds(count); }

/// The virtual clock for what takes steady time points.
struct SteadyClockOf {
  const Clock* clock;
  std::chrono::steady_clock::time_point operator()() const noexcept {
    return std::chrono::steady_clock::time_point(
        std::chrono::duration_cast<std::chrono::steady_clock::duration>(clock->now().time_since_epoch()));
  }
};

constexpr std::size_t second_of(Time time) {
  return static_cast<std::size_t>(std::chrono::floor<std::chrono::seconds>(time.time_since_epoch()).count());
}

/// The lab begins half a minute before the hour, so that the jobs of the full minute meet a page that is
/// being polled.
inline constexpr std::uint32_t first_full_minute_ms = 30'000;

}  // namespace lab
