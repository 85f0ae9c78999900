// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/migrate/backfill/move_cost.hpp>
#include <evenkey/migrate/backfill/mover.hpp>
#include <evenkey/migrate/backfill/options.hpp>
#include <evenkey/migrate/backfill/report.hpp>
#include <evenkey/migrate/backfill/rows.hpp>
#include <evenkey/page.hpp>
#include <evenkey/read/observer.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace evenkey::detail {

/// What is told of a run beside its counts: samples, costs, progress, and events to an observer.
///
/// Threads: one at a time.
template <class Index, class Observer>
class Tally {
 public:
  using Item = typename Index::Item;

  Tally(const Index& index, Observer& observer, const BackfillOptions& options, RateTime started)
      : index_(index), observer_(observer), options_(options), samples_(options.samples), started_(started) {}

  void sample(std::string_view what, const Item& item, std::string detail) {
    if (samples_.wants(what))
      samples_.add(what, std::string(primary_key_of(index_, item)), std::move(detail));
  }
  void sample_key(std::string_view what, const std::string& primary_key, std::string detail) {
    samples_.add(what, primary_key, std::move(detail));
  }
  void take_in(PageRows<Item>& page) {
    for (BackfillSample& sample : page.samples)
      samples_.add(sample.what, std::move(sample.primary_key), std::move(sample.detail));
    for (const RowToMove<Item>& row : page.rows)
      estimate_.add(row.from, row.to, row.units);
  }

  void on_attempt(const Attempt& attempt) {
    throttled_ += attempt.throttled;
    if constexpr (observes_throttling<Observer>) {
      if (attempt.throttled != 0)
        observer_.on_throttled(ThrottleEvent{
            index_.name,
            {},
            {},
            attempt.hot_partition ? ThrottleEvent::Cause::hot_partition : ThrottleEvent::Cause::unknown});
    }
  }
  void on_settled(const Attempt& attempt, const Item& item) {
    if (attempt.end == RowEnd::changed) sample("changed", item, attempt.detail);
    if (attempt.end == RowEnd::deleted) sample("deleted", item, {});
  }
  void on_page(std::size_t items, std::size_t scanned_count, double consumed_read_units) {
    if constexpr (observes_pages<Observer>) {
      PageEvent event;
      event.index_name = index_.name;
      event.items = items;
      event.scanned_count = (std::max)(scanned_count, items);
      event.consumed_read_units = consumed_read_units;
      observer_.on_page(std::as_const(event));
    }
  }

  void tell_progress(const BackfillCounts& run, const BackfillCounts& overall, RateTime now) const {
    if (!options_.on_progress) return;
    BackfillProgress progress;
    progress.done = overall.scanned;
    progress.moved = run.moved;
    const std::chrono::duration<double> passed = now - started_;
    if (passed.count() > 0) progress.rows_per_second = static_cast<double>(run.scanned) / passed.count();
    if (options_.expected_rows != 0) {
      progress.total = options_.expected_rows;
      const std::uint64_t left = options_.expected_rows - (std::min)(progress.done, options_.expected_rows);
      if (progress.rows_per_second > 0)
        progress.eta = std::chrono::seconds(
            std::llround((std::min)(static_cast<double>(left) / progress.rows_per_second, 1e15)));
    }
    options_.on_progress(progress);
  }

  void finish(BackfillReport& report) && {
    report.table_write_units = estimate_.table_units();
    report.index_write_units = estimate_.index_units();
    report.time_at_allowed_rate = estimate_.time(options_);
    report.throttled = throttled_;
    report.samples = std::move(samples_).take();
  }

 private:
  const Index& index_;
  Observer& observer_;
  const BackfillOptions& options_;
  Samples samples_;
  MoveEstimate estimate_;
  RateTime started_;
  std::uint64_t throttled_ = 0;
};

}  // namespace evenkey::detail
