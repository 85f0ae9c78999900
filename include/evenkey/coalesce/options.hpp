// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <version>
#if !defined(__cpp_lib_jthread)
#error "evenkey/coalesce.hpp needs std::stop_token: libc++ 20, or 18 and 19 with -fexperimental-library"
#endif

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stop_token>

namespace evenkey {

/// How long and how much a `Coalescer` keeps. The order of members is API.
struct CoalesceOptions {
  /// How long an answer is given again, counted from when its load *began*; zero: never, so that only loads
  /// under way are shared.
  std::chrono::nanoseconds time_to_live = std::chrono::seconds(1);
  /// The most answers kept, at least 1; the one that was not asked for the longest goes first.
  std::size_t max_entries = 1024;
};

/// When a caller gives up waiting for another's load. The order of members is API.
struct CoalesceWait {
  /// Never, unless it is set. Not an optional: g++ 12 takes reading an empty one for a fault of the caller's.
  std::chrono::steady_clock::time_point deadline = (std::chrono::steady_clock::time_point::max)();
  std::stop_token stop = {};  ///< the caller no longer waits once it is requested
};

/// What a `Coalescer` did since it was made. Calls of `get` that got an answer: hits + joined + loads, less
/// those that failed or left.
struct CoalesceStatistics {
  /// Answered from what was kept.
  std::uint64_t hits = 0;
  /// Waited for a load under way.
  std::uint64_t joined = 0;
  /// Loads begun: the reads that the store saw.
  std::uint64_t loads = 0;
  /// Of the loads, those that threw.
  std::uint64_t failed = 0;
  /// Of the joined, those that left before the load had ended.
  std::uint64_t left = 0;
  /// Answers dropped before their time because there were too many.
  std::uint64_t evicted = 0;
};

/// The steady clock as a callable.
struct SteadyNow {
  /// The time now.
  std::chrono::steady_clock::time_point operator()() const noexcept {
    return std::chrono::steady_clock::now();
  }
};

}  // namespace evenkey
