// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/migrate/backfill/options.hpp>
#include <evenkey/migrate/backfill/rate.hpp>
#include <evenkey/migrate/scan_source.hpp>
#include <evenkey/page.hpp>
#include <evenkey/read/clock.hpp>
#include <evenkey/read/failure.hpp>
#include <evenkey/read/outcome.hpp>
#include <evenkey/read/retry.hpp>
#include <evenkey/read/start_key_traits.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

namespace evenkey::detail {

/// Reads pages of a scan at a limited rate, and makes requests again that failed for a while.
///
/// Threads: safe.
template <class Index, class Scan, class Classifier, class Clock>
class Scanner {
 public:
  using Item = typename Index::Item;
  using StartKey = ScanStartKey<Scan, Index>;

  Scanner(Scan& scan, const Classifier& classifier, Clock& clock, RateLimiter& rate,
          const BackfillOptions& options, std::uint32_t total_segments)
      : scan_(scan),
        classifier_(classifier),
        clock_(clock),
        rate_(rate),
        options_(options),
        total_segments_(total_segments) {}

  /// One page; nothing where a stop came first.
  /// Errors: what the functor throws, where asking again did not help or cannot.
  std::optional<Page<Item, StartKey>> read(std::uint32_t segment, const std::optional<StartKey>& start_key,
                                           std::optional<std::uint32_t> limit) {
    ScanRequest<StartKey> request;
    request.exclusive_start_key = start_key;
    request.limit = limit;
    request.segment = segment;
    request.total_segments = total_segments_;
    request.stop = options_.stop;
    if (!wait_until(rate_.take_read(0, clock_.now()))) return std::nullopt;
    for (std::size_t times = 1;; ++times) {
      const RateTime asked = clock_.now();
      ErrorKind kind{};
      try {
        const ScanRequest<StartKey>& asked_for = request;
        Page<Item, StartKey> page = page_of<Item, StartKey>(std::invoke(scan_, asked_for));
        account(page.consumed_read_units);
        if (stands_still(start_key, page.last_evaluated_key))
          throw_no_progress("segment " + std::to_string(segment));
        return page;
      } catch (...) {
        kind = classify(std::current_exception(), classifier_).kind;
        if (kind == ErrorKind::throttled) rate_.on_throttled(asked, clock_.now());
        if (!is_retryable(kind) || times >= options_.retry.max_attempts) throw;
      }
      if (!wait_until(clock_.now() + retry_delay(options_.retry, kind, times - 1, random_unit())))
        return std::nullopt;
    }
  }

  std::size_t requests() {
    const std::lock_guard lock(mutex_);
    return requests_;
  }
  double consumed_read_units() {
    const std::lock_guard lock(mutex_);
    return consumed_;
  }

 private:
  // What a page costs is known when it is there: the pages after it wait for it.
  void account(double units) {
    rate_.take_read(units, clock_.now());
    const std::lock_guard lock(mutex_);
    ++requests_;
    consumed_ += units;
  }
  bool wait_until(RateTime time) {
    if (options_.stop.stop_requested()) return false;
    return time <= clock_.now() || clock_.wait_until(time, options_.stop);
  }

  Scan& scan_;
  const Classifier& classifier_;
  Clock& clock_;
  RateLimiter& rate_;
  const BackfillOptions& options_;
  std::uint32_t total_segments_;
  std::mutex mutex_;  // guards all below
  double consumed_ = 0;
  std::size_t requests_ = 0;
};

}  // namespace evenkey::detail
