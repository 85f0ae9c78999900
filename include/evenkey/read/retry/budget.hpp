// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/page/error_kind.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>

namespace evenkey {

/// What a bucket of retry tokens holds and what retries cost. The order of members is API.
///
/// Source: AWS SDKs and Tools Reference Guide, "Retry behavior".
struct RetryBudgetOptions {
  /// How many tokens there are at most, and at first.
  std::uint32_t tokens = 500;
  std::uint32_t throttled_cost = 5;   ///< tokens of a retry after throttling
  std::uint32_t transient_cost = 14;  ///< tokens of a retry after another error that may pass
  /// What a request that succeeded without a retry pays in.
  std::uint32_t success_pays = 1;
  /// The most that a request which succeeded after a retry pays back, of what its last retry cost.
  std::uint32_t retry_pays_back = 14;

  /// A plain number of retries, of any kind, that success does not pay back.
  static constexpr RetryBudgetOptions of_retries(std::uint32_t count) noexcept {
    return {
        .tokens = count, .throttled_cost = 1, .transient_cost = 1, .success_pays = 0, .retry_pays_back = 0};
  }
};

/// A bucket of tokens that retries are paid from, shared by the shards of a call and by many calls.
///
/// Use one for all that reads one table, `std::make_shared<RetryBudget>()`: when much fails at once the
/// bucket runs dry, and the retries, which would only add to the load, stop.
/// `RetryBudgetOptions::of_retries(10)` makes it a plain budget of 10 retries.
/// Threads: safe; no locks.
class RetryBudget {
 public:
  /// Full to begin with.
  constexpr explicit RetryBudget(const RetryBudgetOptions& options = {}) noexcept
      : options_(options), tokens_(options.tokens) {}
  RetryBudget(const RetryBudget&) = delete;
  RetryBudget& operator=(const RetryBudget&) = delete;

  /// Pays for one retry.
  /// @returns false, and takes nothing, where the bucket does not hold what it costs, or the kind is not one
  /// to retry
  [[nodiscard]] bool try_spend(ErrorKind kind) noexcept {
    if (!is_retryable(kind)) return false;
    const std::uint32_t cost = cost_of(kind);
    std::uint32_t held = tokens_.load(std::memory_order_relaxed);
    do {
      if (held < cost) return false;
    } while (!tokens_.compare_exchange_weak(held, held - cost, std::memory_order_relaxed));
    return true;
  }

  /// To be called once for each request that succeeded.
  /// @param last_retry why it was last retried; empty where the first attempt succeeded
  void pay_back(std::optional<ErrorKind> last_retry = {}) noexcept {
    const std::uint32_t paid = !last_retry ? options_.success_pays
                               : is_retryable(*last_retry)
                                   ? (std::min)(cost_of(*last_retry), options_.retry_pays_back)
                                   : 0;
    std::uint32_t held = tokens_.load(std::memory_order_relaxed);
    std::uint32_t filled = held;
    do {
      if (paid == 0 || held == options_.tokens) return;  // full, as in good times: nothing to write
      filled = held + (std::min)(paid, options_.tokens - held);
    } while (!tokens_.compare_exchange_weak(held, filled, std::memory_order_relaxed));
  }

  /// What is left, for a gauge.
  std::uint32_t tokens() const noexcept { return tokens_.load(std::memory_order_relaxed); }

 private:
  std::uint32_t cost_of(ErrorKind kind) const noexcept {
    return kind == ErrorKind::throttled ? options_.throttled_cost : options_.transient_cost;
  }

  RetryBudgetOptions options_;
  std::atomic<std::uint32_t> tokens_;  // relaxed throughout: a count that guards no other memory
};

/// The bucket of all reads that name none: one of 500 tokens for the process.
inline RetryBudget& default_retry_budget() noexcept {
  static constinit RetryBudget budget;
  return budget;
}

}  // namespace evenkey
