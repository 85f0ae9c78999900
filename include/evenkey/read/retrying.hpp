// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/page.hpp>
#include <evenkey/read/clock.hpp>
#include <evenkey/read/retry.hpp>

#include <chrono>
#include <cstddef>
#include <exception>
#include <optional>
#include <stop_token>

namespace evenkey::detail {

/// What a call threw, which may be anything; null where it threw nothing.
template <class Call>
std::exception_ptr error_of_calling(const Call& call) noexcept {
  try {
    call();
    return nullptr;
  } catch (...) {
    return std::current_exception();
  }
}

/// Makes one request again and again, as the options allow, until it succeeds: the one place where retries
/// are paid for, waited for and paid back.
///
/// Errors: what `kind_of` and `retried` throw.
/// @param attempt `attempt()` makes the request, and gives what made it fail, or null
/// @param kind_of `kind_of(error)` says whether another attempt may help
/// @param retried `retried(attempts, delay)` is told that so many were made, and that it waited
/// @returns what the last attempt gave: null where it succeeded
template <class Clock, class Attempt, class KindOf, class Retried>
std::exception_ptr retrying(const RetryOptions& options, Clock& clock,
                            const std::optional<Deadline>& deadline, const std::stop_token& stop,
                            const Attempt& attempt, const KindOf& kind_of, const Retried& retried) {
  std::optional<ErrorKind> last_retry;
  for (std::size_t attempts = 1;; ++attempts) {
    std::exception_ptr error = attempt();
    if (!error) {
      // A request that may not be retried neither takes from the budget nor gives.
      if (options.max_attempts > 1) budget_of(options).pay_back(last_retry);
      return error;
    }
    const ErrorKind kind = kind_of(error);
    if (stop.stop_requested()) return error;  // before the budget pays for a retry that is not made
    const std::optional<std::chrono::nanoseconds> delay =
        next_retry(options, kind, attempts, clock.now(), deadline, random_unit());
    if (!delay || !clock.wait_until(clock.now() + *delay, stop)) return error;
    retried(attempts, *delay);
    last_retry = kind;
  }
}

}  // namespace evenkey::detail
