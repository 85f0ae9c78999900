// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/capacity/load.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

namespace evenkey::capacity {

/// How a client tries again what was throttled: as AWS's SDKs do by their rules of 2026.
///
/// Source: AWS SDKs and Tools Reference Guide, "Retry behavior".
struct RetryRules {
  std::uint32_t attempts = 4;      ///< of one request, the first included
  std::uint32_t base_seconds = 1;  ///< a wait is random, up to this, doubled for each attempt made
  std::uint32_t cap_seconds = 20;  ///< the longest wait
  double tokens = 500;             ///< of one caller, for all its requests: none left, no retry
  double cost = 5;                 ///< of a retry; its success gives it back, any other success gives 1
};

/// Requests, or attempts at them, and what they cost together.
struct Attempts {
  double requests = 0;  ///< how many
  double units = 0;     ///< capacity units of all of them
};

/// What became of a second, or of all of them.
struct ThrottleCount {
  double attempts = 0;   ///< as they reached the partitions
  double throttled = 0;  ///< of these
  double errors = 0;     ///< requests given up: their attempts or their caller's tokens were used up
};

/// Throttling of partitions that each serve so many units a second: second by second, for weeks of traffic.
///
/// Use it to see how a bursty load fares on N partitions where a request-by-request simulation would take too
/// long. Each partition has a bucket of one second's tokens, as `testing::MemoryTable` has: what a second
/// does not use is lost, so that no burst goes above the limit. Beyond that, requests are an even flow: where
/// a second asks for 4,000 units of 3,000, a quarter of each caller's attempts is throttled and comes again.
/// Shape: holds what waits for a retry. Reads and writes have limits of their own: one object for each.
/// Units: fractions of requests occur, being means.
/// Cost: partitions × callers a second; no allocation after construction.
/// Threads: none of its own; one object, one thread.
class ThrottleSimulation {
 public:
  /// Errors: `std::invalid_argument` for no partitions, callers, limit or attempts, for tokens or a cost
  /// that are negative or not finite, and for waits of more than an hour.
  ThrottleSimulation(std::uint32_t partitions, std::uint32_t callers, double units_per_second,
                     const RetryRules& rules = {})
      : rules_(rules), partitions_(partitions), callers_(callers), limit_(units_per_second) {
    detail::check_amount(units_per_second, "units_per_second");
    detail::check_amount(rules.tokens, "RetryRules::tokens");
    detail::check_amount(rules.cost, "RetryRules::cost");
    if (partitions == 0 || callers == 0 || units_per_second == 0 || rules.attempts == 0)
      throw std::invalid_argument("evenkey: partitions, callers, their limit and attempts are at least one");
    if (rules.cap_seconds > 3'600)
      throw std::invalid_argument("evenkey: a retry that waits for more than an hour is not simulated");
    const std::size_t cells = std::size_t{partitions} * callers;
    waiting_.resize((rules.cap_seconds + 2) * cells * rules.attempts);
    waits_.resize(rules.cap_seconds + 2);
    now_.resize(cells * rules.attempts);
    tokens_.resize(callers, rules.tokens);
    earned_.resize(callers);
  }

  /// One second passes, in which this arrives anew: of partition p and caller c at [p * callers + c].
  ///
  /// @pre arrivals.size() == partitions * callers
  ThrottleCount second(std::span<const Attempts> arrivals) {
    ThrottleCount count;
    take_due(arrivals);
    std::fill(earned_.begin(), earned_.end(), 0.0);
    bool full = false;
    for (std::uint32_t partition = 0; partition < partitions_; ++partition)
      full = serve(partition, count) || full;
    for (std::uint32_t caller = 0; caller < callers_; ++caller)
      tokens_[caller] = (std::min)(rules_.tokens, tokens_[caller] + earned_[caller]);
    if (full) {
      for (std::uint32_t partition = 0; partition < partitions_; ++partition)
        send_back(partition, count);
    }
    at_ = (at_ + 1) % waits_.size();
    return count;
  }

  /// Whether anything waits for a retry: without that and without arrivals, a second need not be simulated.
  bool idle() const noexcept { return std::find(waits_.begin(), waits_.end(), char{1}) == waits_.end(); }

 private:
  std::size_t cell(std::uint32_t partition, std::uint32_t caller) const noexcept {
    return (std::size_t{partition} * callers_ + caller) * rules_.attempts;
  }

  /// Puts into `now_` what is attempted in this second: by partition, caller and attempts made before.
  void take_due(std::span<const Attempts> arrivals) {
    const std::size_t size = now_.size();
    if (waits_[at_] != 0) {
      const auto due = waiting_.begin() + static_cast<std::ptrdiff_t>(at_ * size);
      std::copy(due, due + static_cast<std::ptrdiff_t>(size), now_.begin());
      std::fill(due, due + static_cast<std::ptrdiff_t>(size), Attempts{});
      waits_[at_] = 0;
      retries_ = true;
    } else if (retries_) {
      std::fill(now_.begin(), now_.end(), Attempts{});
      retries_ = false;
    }
    for (std::size_t i = 0; i < arrivals.size(); ++i)
      now_[i * rules_.attempts] = arrivals[i];
  }

  /// Serves what the partition can, leaves in `now_` what it cannot; whether there is such.
  bool serve(std::uint32_t partition, ThrottleCount& count) {
    const std::size_t begin = cell(partition, 0), end = cell(partition + 1, 0);
    const std::size_t step = retries_ ? 1 : rules_.attempts;  // without retries, first attempts are all
    double units = 0;
    for (std::size_t i = begin; i < end; i += step)
      units += now_[i].units;
    const double served = units > limit_ ? limit_ / units : 1;
    for (std::uint32_t caller = 0; caller < callers_; ++caller) {
      for (std::uint32_t attempt = 0; attempt < (retries_ ? rules_.attempts : 1); ++attempt) {
        Attempts& attempts = now_[cell(partition, caller) + attempt];
        count.attempts += attempts.requests;
        earned_[caller] += attempts.requests * served * (attempt == 0 ? 1 : rules_.cost);
        attempts.requests *= 1 - served;
        attempts.units *= 1 - served;
      }
    }
    return served < 1;
  }

  /// What is left in `now_` was throttled: it waits for its next attempt, or ends with an error.
  void send_back(std::uint32_t partition, ThrottleCount& count) {
    for (std::uint32_t caller = 0; caller < callers_; ++caller) {
      for (std::uint32_t attempt = 0; attempt < rules_.attempts; ++attempt) {
        const Attempts throttled = now_[cell(partition, caller) + attempt];
        if (throttled.requests == 0) continue;
        count.throttled += throttled.requests;
        double again = 0;
        if (attempt + 1 < rules_.attempts)
          again = rules_.cost > 0 ? (std::min)(throttled.requests, tokens_[caller] / rules_.cost)
                                  : throttled.requests;
        tokens_[caller] -= again * rules_.cost;
        count.errors += throttled.requests - again;
        if (again > 0)
          wait(cell(partition, caller) + attempt + 1, attempt, throttled, again / throttled.requests);
      }
    }
  }

  /// Full jitter: each second of the range is as likely. The bucket runs dry towards the end of a second, so
  /// that a wait below one second already ends in the next.
  void wait(std::size_t to, std::uint32_t attempts_before, Attempts throttled, double part) {
    std::uint64_t range = std::uint64_t{rules_.base_seconds} << (std::min)(attempts_before, 12U);
    range = (std::max)(std::uint64_t{1}, (std::min)(range, std::uint64_t{rules_.cap_seconds}));
    const double each = part / static_cast<double>(range);
    for (std::uint64_t wait = 1; wait <= range; ++wait) {
      const std::size_t slot = (at_ + wait) % waits_.size();
      Attempts& waiting = waiting_[slot * now_.size() + to];
      waiting.requests += throttled.requests * each;
      waiting.units += throttled.units * each;
      waits_[slot] = 1;
    }
  }

  RetryRules rules_;
  std::uint32_t partitions_;
  std::uint32_t callers_;
  double limit_;
  std::vector<Attempts> waiting_;  // a ring of seconds, each as `now_`
  std::vector<char> waits_;        // whether a second of the ring holds anything
  std::vector<Attempts> now_;
  std::vector<double> tokens_, earned_;  // by caller
  std::size_t at_ = 0;
  bool retries_ = false;  // whether `now_` holds some besides arrivals
};

}  // namespace evenkey::capacity
