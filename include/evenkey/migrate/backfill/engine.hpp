// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/migrate/backfill/failed_rows.hpp>
#include <evenkey/migrate/backfill/guard.hpp>
#include <evenkey/migrate/backfill/journal.hpp>
#include <evenkey/migrate/backfill/mover.hpp>
#include <evenkey/migrate/backfill/options.hpp>
#include <evenkey/migrate/backfill/report.hpp>
#include <evenkey/migrate/backfill/rows.hpp>
#include <evenkey/migrate/backfill/scanner.hpp>
#include <evenkey/migrate/backfill/state.hpp>
#include <evenkey/migrate/backfill/tally.hpp>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace evenkey::detail {

/// Runs a backfill: pages of several segments are in hand at once, their rows are moved by up to
/// `max_concurrency` threads, and each page that is done becomes a checkpoint before the segment's next page
/// is read.
///
/// Rows that fail wait in a list, and are tried again when the scan is over or the list is full: then nothing
/// else runs.
template <class Migration, class Scanner, class Mover, class Clock, class Observer>
class BackfillEngine {
 public:
  using Index = typename Migration::Definition;
  using Item = typename Index::Item;
  using StartKey = typename Scanner::StartKey;
  using State = BackfillState<Item, StartKey>;

  BackfillEngine(const Migration& migration, Scanner& scanner, Mover& mover, Clock& clock, Observer& observer,
                 const BackfillOptions& options, State& state, Journal* journal, CheckpointPlan plan,
                 std::int64_t drained_ms)
      : migration_(migration),
        scanner_(scanner),
        mover_(mover),
        clock_(clock),
        options_(options),
        state_(state),
        journal_(journal),
        plan_(std::move(plan)),
        drained_ms_(drained_ms),
        tally_(migration.index(), observer, options, clock.now()),
        failed_rows_(migration, scanner, mover, clock, state, tally_, options) {}

  /// Errors: what the scan or the checkpoint store threw.
  BackfillReport run() {
    try {
      const BackfillEnd end = run_to_the_end();
      if (journal_ != nullptr)
        journal_->save(write_checkpoint(state_.checkpoint(plan_, drained_ms_)), ++version_);
      return report(end);
    } catch (const LeaseLost&) {
      return report(BackfillEnd::lease_lost);
    }
  }

 private:
  BackfillEnd run_to_the_end() {
    failed_rows_.find_again_and_retry();
    for (;;) {
      run_crew();
      if (options_.stop.stop_requested()) break;
      if (!list_is_full() || state_.scanned_all()) {
        failed_rows_.retry_to_the_end();
        break;
      }
      failed_rows_.retry();
      if (list_is_full()) break;
    }
    // A stop that came when all was done took nothing away.
    if (state_.scanned_all() && state_.failed.empty()) return BackfillEnd::finished;
    if (options_.stop.stop_requested()) return BackfillEnd::stopped;
    return state_.scanned_all() ? BackfillEnd::rows_failed : BackfillEnd::too_many_failed;
  }

  // --- pages and rows, by several threads ---

  void run_crew() {
    std::vector<std::thread> helpers;
    try {
      while (helpers.size() + 1 < options_.max_concurrency)
        helpers.emplace_back([this] { work(); });
    } catch (const std::system_error&) {  // no more threads to be had: those there are do the work
    }
    work();
    for (std::thread& helper : helpers)
      helper.join();
    if (error_) std::rethrow_exception(error_);
  }

  void work() noexcept {
    std::unique_lock lock(mutex_);
    try {
      while (!ended()) {
        if (!lanes_with_rows_.empty()) {
          move_row(lock);
        } else if (const std::optional<std::size_t> lane = lane_to_read()) {
          read_page(*lane, lock);
        } else if (under_way_ == 0) {
          break;
        } else {
          changed_.wait(lock);
        }
      }
    } catch (...) {
      if (!lock.owns_lock()) lock.lock();
      if (!error_) error_ = std::current_exception();
    }
    changed_.notify_all();
  }

  bool ended() const { return error_ || options_.stop.stop_requested() || list_is_full(); }
  bool list_is_full() const { return state_.failed.size() >= options_.max_failed; }

  /// As many pages are in hand as there are threads, and no more, however many segments there are.
  std::optional<std::size_t> lane_to_read() const {
    if (pages_in_hand_ >= options_.max_concurrency) return std::nullopt;
    for (std::size_t i = 0; i < state_.lanes.size(); ++i) {
      const auto& lane = state_.lanes[i];
      if (!lane.at_end && !lane.busy && !lane.has_page) return i;
    }
    return std::nullopt;
  }

  /// Counts a thread as under way while it holds no lock, also where the call throws.
  template <class Call>
  auto unlocked(std::unique_lock<std::mutex>& lock, Call call) {
    struct Count {
      BackfillEngine& engine;
      std::unique_lock<std::mutex>& lock;
      Count(BackfillEngine& e, std::unique_lock<std::mutex>& l) : engine(e), lock(l) {
        ++engine.under_way_;
        lock.unlock();
      }
      ~Count() {
        lock.lock();
        --engine.under_way_;
      }
    } count(*this, lock);
    return call();
  }

  void read_page(std::size_t number, std::unique_lock<std::mutex>& lock) {
    auto& lane = state_.lanes[number];
    lane.busy = true;
    ++pages_in_hand_;
    PageRows<Item> sorted;
    std::optional<StartKey> next;
    const bool came = unlocked(lock, [&] {
      auto page = scanner_.read(lane.segment, lane.place, options_.page_limit);
      if (!page) return false;
      {
        const std::lock_guard telling(mutex_);
        tally_.on_page(page->items.size(), page->scanned_count, page->consumed_read_units);
      }
      sorted = sort_page(migration_, std::move(page->items), options_);
      next = std::move(page->last_evaluated_key);
      return true;
    });
    lane.busy = false;
    if (!came) {
      --pages_in_hand_;
      return;
    }
    tally_.take_in(sorted);
    if (options_.dry_run) sorted.rows.clear();
    if (state_.begin_page(number, std::move(sorted), next)) {
      lanes_with_rows_.push_back(number);
      changed_.notify_all();
    } else {
      end_page(number, lock);
    }
  }

  void move_row(std::unique_lock<std::mutex>& lock) {
    const std::size_t number = lanes_with_rows_.front();
    auto& lane = state_.lanes[number];
    RowToMove<Item>& row = lane.rows[lane.taken++];
    if (lane.taken == lane.rows.size()) lanes_with_rows_.pop_front();
    Attempt attempt = unlocked(lock, [&] { return mover_.move(row); });
    tally_.on_attempt(attempt);
    if (attempt.end == RowEnd::untouched) return;  // the page stays as it is: a stop was requested
    if (attempt.end == RowEnd::failing) {
      std::string key(primary_key_of(migration_.index(), row.item));
      state_.add_failed(number, std::move(row), std::move(key), std::move(attempt.detail));
    } else {
      state_.settle(number, attempt.end, false);
      tally_.on_settled(attempt, row.item);
    }
    if (--lane.open == 0) end_page(number, lock);
  }

  void end_page(std::size_t number, std::unique_lock<std::mutex>& lock) {
    auto& lane = state_.lanes[number];
    state_.end_page(number);
    --pages_in_hand_;
    tally_.tell_progress(state_.run, state_.durable, clock_.now());
    if (journal_ != nullptr) {
      lane.busy = true;  // the next page waits until this one's end is durable
      const std::string text = write_checkpoint(state_.checkpoint(plan_, drained_ms_));
      const std::uint64_t version = ++version_;
      unlocked(lock, [&] { journal_->save(text, version); });
      lane.busy = false;
    }
    changed_.notify_all();
  }

  // --- what is told ---

  BackfillReport report(BackfillEnd end) {
    BackfillReport report;
    static_cast<BackfillCounts&>(report) = state_.run;
    report.overall = state_.durable;
    report.migration = plan_.migration;
    report.layout = plan_.layout;
    report.coverage = state_.scanned_all() ? Coverage::whole : Coverage::partial;
    report.requests = scanner_.requests();
    report.consumed_read_units = scanner_.consumed_read_units();
    report.end = end;
    report.finished = end == BackfillEnd::finished;
    for (const auto& row : state_.failed) {
      ++(row.tried_again ? report.failed : report.to_retry);
      tally_.sample_key(row.tried_again ? "failed" : "to_retry", row.primary_key, row.error);
    }
    std::move(tally_).finish(report);
    return report;
  }

  const Migration& migration_;
  Scanner& scanner_;
  Mover& mover_;
  Clock& clock_;
  const BackfillOptions& options_;

  std::mutex mutex_;  // guards all below while the crew is at work
  std::condition_variable changed_;
  State& state_;
  Journal* journal_;
  CheckpointPlan plan_;
  std::int64_t drained_ms_;
  std::deque<std::size_t> lanes_with_rows_;  // that nobody has taken
  std::size_t pages_in_hand_ = 0;
  std::size_t under_way_ = 0;
  std::uint64_t version_ = 0;
  Tally<Index, Observer> tally_;
  FailedRows<Migration, Scanner, Mover, Clock, State, Tally<Index, Observer>> failed_rows_;
  std::exception_ptr error_;
};

}  // namespace evenkey::detail
