// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/page/error_kind.hpp>
#include <evenkey/page/store_error.hpp>
#include <evenkey/read/retry/budget.hpp>
#include <evenkey/read/retry/classify.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <type_traits>

namespace evenkey {

/// Whether and when a request that failed is made again. The order of members is API.
///
/// It is off by default, because DynamoDB clients retry by themselves, and attempts multiply: an SDK's 4
/// times evenkey's 4 are 16 requests to a shard that is throttled already, and each of the outer 4 begins
/// anew with the shortest delay. Turn it on where the functor's client does not retry, or turn the client's
/// off first (AWS SDKs: `max_attempts` 1). Here it knows more than the client does: one budget over all
/// shards, the deadline of the whole read, and what is throttled. A hot key is not cured by retrying: it
/// waits for capacity that one partition does not have.
/// Source: AWS SDKs and Tools Reference Guide, "Retry behavior".
struct RetryOptions {
  /// How often a request is made in all, at least 1; 1 is off, 4 is what AWS's clients do.
  std::size_t max_attempts = 1;
  /// The longest first delay after any error but throttling.
  std::chrono::nanoseconds base_delay = std::chrono::milliseconds(25);
  /// The longest first delay after throttling.
  std::chrono::nanoseconds throttled_base_delay = std::chrono::seconds(1);
  /// The longest delay of all.
  std::chrono::nanoseconds max_delay = std::chrono::seconds(20);
  /// What retries are paid from, shared by whoever holds it; empty: `default_retry_budget()`.
  std::shared_ptr<RetryBudget> budget = {};
};

/// Refuses options that no read could follow.
/// Errors: `std::invalid_argument` for no attempts at all and for a negative delay.
inline void check_retry_options(const RetryOptions& options) {
  if (options.max_attempts == 0)
    throw std::invalid_argument(
        "evenkey: max_attempts is 0, so no request could ever be made; 1 is no retry");
  constexpr std::chrono::nanoseconds zero{0};
  if (options.base_delay < zero || options.throttled_base_delay < zero || options.max_delay < zero)
    throw std::invalid_argument("evenkey: a retry delay is negative; give zero or more");
}

/// How long to wait before a retry: full jitter, `random · min(max_delay, base · 2^retry)`.
///
/// Units: nanoseconds, so that callers who fail together do not come back together.
/// Errors: none, for any number of retries and any delays.
/// @param retry 0 for the first retry
/// @param random_unit from [0, 1), such as `random_unit()`; what is outside of it is taken as its nearest end
inline std::chrono::nanoseconds retry_delay(const RetryOptions& options, ErrorKind kind, std::size_t retry,
                                            double random_unit) noexcept {
  using Nanoseconds = std::chrono::nanoseconds;
  const auto base =
      (kind == ErrorKind::throttled ? options.throttled_base_delay : options.base_delay).count();
  const auto cap = options.max_delay.count();
  if (base <= 0 || cap <= 0 || !(random_unit > 0)) return Nanoseconds(0);
  // Asked by a right shift of the cap, since base · 2^retry may be beyond any number.
  const bool capped = retry >= 63 || base > (cap >> retry);
  const auto longest = capped ? cap : base << retry;
  const double drawn = static_cast<double>(longest) * random_unit;
  return drawn < static_cast<double>(longest) ? Nanoseconds(static_cast<Nanoseconds::rep>(drawn))
                                              : Nanoseconds(longest);
}

/// The delay before the next attempt, or nothing where there must be none: the error is not one to retry, the
/// attempts are used up, the delay would reach the deadline, or the budget cannot pay. Then the error itself
/// is the answer, at once: no waiting for a deadline that would only replace it by a bare time-out.
///
/// Shape: pure but for the budget, which pays for the retry when there is one, and only then.
/// @param attempts how many were made so far, the one that failed included
/// @param now when it failed
/// @param random_unit from [0, 1), such as `random_unit()`
template <class Clock, class Duration>
std::optional<std::chrono::nanoseconds> next_retry(
    const RetryOptions& options, RetryBudget& budget, ErrorKind kind, std::size_t attempts,
    std::chrono::time_point<Clock, Duration> now,
    std::optional<std::type_identity_t<std::chrono::time_point<Clock, Duration>>> deadline,
    double random_unit) noexcept {
  if (!is_retryable(kind) || attempts >= options.max_attempts) return std::nullopt;
  const auto delay = retry_delay(options, kind, attempts == 0 ? 0 : attempts - 1, random_unit);
  if (deadline) {
    // As floating point, since a deadline of "never" minus a time before the clock's zero would overflow.
    using Exact = std::chrono::duration<long double, std::nano>;
    if (Exact(delay) >= Exact(deadline->time_since_epoch()) - Exact(now.time_since_epoch()))
      return std::nullopt;
  }
  if (!budget.try_spend(kind)) return std::nullopt;
  return delay;
}

namespace detail {

/// The budget that the options name, or else the process's.
inline RetryBudget& budget_of(const RetryOptions& options) noexcept {
  return options.budget ? *options.budget : default_retry_budget();
}

}  // namespace detail

/// The same, paid from the budget that the options name.
template <class Clock, class Duration>
std::optional<std::chrono::nanoseconds> next_retry(
    const RetryOptions& options, ErrorKind kind, std::size_t attempts,
    std::chrono::time_point<Clock, Duration> now,
    std::optional<std::type_identity_t<std::chrono::time_point<Clock, Duration>>> deadline,
    double random_unit) noexcept {
  return next_retry(options, detail::budget_of(options), kind, attempts, now, deadline, random_unit);
}

/// A number from [0, 1) for `retry_delay`, from a generator of the thread's own, seeded by the system.
/// Errors: `std::system_error` where the system has no random numbers.
inline double random_unit() {
  thread_local std::minstd_rand generator = [] {
    std::random_device device;
    return std::minstd_rand(device());
  }();
  return std::generate_canonical<double, 53>(generator);
}

}  // namespace evenkey
