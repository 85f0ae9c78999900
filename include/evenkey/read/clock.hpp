// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <concepts>
#include <condition_variable>
#include <mutex>
#include <stop_token>

namespace evenkey {

/// The time that a blocking read waits by: `clock.now()`, and `clock.wait_until(time, stop)`, which gives
/// false where a stop was requested before the time came.
///
/// Use it as a trailing argument of a read, where a test or a simulation has a time of its own.
/// Threads: called from every thread that makes requests.
template <class Clock>
concept read_clock = requires(Clock& clock, std::chrono::steady_clock::time_point time,
                              const std::stop_token& stop) {
  { clock.now() } -> std::same_as<std::chrono::steady_clock::time_point>;
  { clock.wait_until(time, stop) } -> std::same_as<bool>;
};

/// The system's steady clock: what reads wait by where they are not told otherwise.
struct SteadyClock {
  /// The time now.
  std::chrono::steady_clock::time_point now() const { return std::chrono::steady_clock::now(); }
  /// Sleeps until then, or a stop. @returns false where it was stopped
  bool wait_until(std::chrono::steady_clock::time_point time, const std::stop_token& stop) const {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    never.wait_until(lock, stop, time, [] { return false; });
    return !stop.stop_requested();
  }
};

}  // namespace evenkey
