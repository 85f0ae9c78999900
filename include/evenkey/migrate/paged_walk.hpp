// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/page.hpp>
#include <evenkey/read/failure.hpp>
#include <evenkey/read/options.hpp>
#include <evenkey/read/retry.hpp>
#include <evenkey/read/retrying.hpp>
#include <evenkey/read/start_key_traits.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <stop_token>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

// How drift and parity go through a table's segments and an index's partitions: page after page of each, in
// no order between them, with a place for each to go on from. Where items must come in order, read.hpp's
// engine does it.
namespace evenkey::detail {

/// Where one segment or partition stands.
template <class StartKey>
struct WalkLane {
  std::optional<StartKey> next = {};
  bool ended = false;
};

struct WalkOptions {
  std::size_t max_concurrency = 1;
  double max_read_units_per_second = 0;  // 0: no bound
  std::optional<Deadline> deadline = {};
  std::stop_token stop = {};
  RetryOptions retry = {};
};

/// Read units spread over time: whoever has spent more than the rate allows waits before the next request. An
/// answer that tells no units counts one an item.
class ReadPace {
 public:
  explicit ReadPace(double rate) : rate_(rate) {}

  bool is_bounded() const noexcept { return rate_ > 0; }
  /// When the next request may start.
  Deadline next() const noexcept { return next_; }
  void spent(double units, Deadline now) {
    if (!is_bounded()) return;
    const double seconds = (std::min)(units / rate_, 86'400.0);
    next_ = (std::max)(next_, now) +
            std::chrono::duration_cast<Deadline::duration>(std::chrono::duration<double>(seconds));
  }

 private:
  double rate_;
  Deadline next_{};
};

/// Walks lanes by several threads.
///
/// `ask(lane, start_key)` makes one request and returns a page; it is called by several threads at once.
/// `take(lane, page)` is called by one thread at a time, and the lane stands behind the page only when it has
/// returned: a place that is kept never passes a page that was not taken. Then `after()` is called, also by
/// one thread at a time.
template <class Item, class Clock, class Classifier>
class PagedWalk {
 public:
  PagedWalk(const WalkOptions& options, Clock& clock, Classifier classifier)
      : options_(options),
        clock_(clock),
        classifier_(std::move(classifier)),
        pace_(options.max_read_units_per_second) {}

  std::size_t requests() const noexcept { return requests_.load(); }
  double consumed_read_units() const noexcept { return units_; }

  /// Walks the lanes [first, last) to their ends, or until a stop or the deadline.
  /// Errors: what `ask` threw and no retry mended, or what `take` threw; of several, one.
  template <class StartKey, class Ask, class Take, class After>
  void run(std::vector<WalkLane<StartKey>>& lanes, std::size_t first, std::size_t last, Ask ask, Take take,
           After after) {
    claimed_ = first;
    const auto work = [&] { walk(lanes, last, ask, take, after); };
    std::vector<std::thread> helpers;
    const std::size_t width = (std::min)(options_.max_concurrency, last - first);
    try {
      helpers.reserve(width);
      while (helpers.size() + 1 < width)
        helpers.emplace_back(work);
    } catch (const std::system_error&) {
      // No thread to be had: those there are do the work.
    }
    work();
    for (std::thread& helper : helpers)
      helper.join();
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }

  /// A stop was requested, or the deadline has passed.
  bool must_end() const {
    return options_.stop.stop_requested() || (options_.deadline && clock_.now() >= *options_.deadline);
  }

  /// Waits; false where a stop or the deadline came first.
  bool wait(std::chrono::nanoseconds time) const { return wait_until(clock_.now() + time); }

 private:
  template <class StartKey, class Ask, class Take, class After>
  void walk(std::vector<WalkLane<StartKey>>& lanes, std::size_t last, Ask& ask, Take& take,
            After& after) noexcept {
    std::unique_lock lock(mutex_);
    try {
      while (claimed_ < last) {
        const std::size_t lane = claimed_++;
        while (!lanes[lane].ended) {
          if (error_ || must_end() || !keep_pace(lock)) return;
          const std::optional<StartKey> start = lanes[lane].next;
          lock.unlock();
          Page<Item, StartKey> page = ask_again(ask, lane, start);
          lock.lock();
          if (error_) return;
          if (stands_still(start, page.last_evaluated_key)) throw_no_progress("a segment or partition");
          const double units = page.consumed_read_units;
          units_ += units;
          pace_.spent(
              units > 0 ? units : static_cast<double>((std::max)(page.items.size(), page.scanned_count)),
              clock_.now());
          std::optional<StartKey> next = std::move(page.last_evaluated_key);
          take(lane, std::move(page));
          lanes[lane].ended = !leads_on(next);
          lanes[lane].next = std::move(next);
          after();
        }
      }
    } catch (...) {
      if (!lock.owns_lock()) lock.lock();
      if (!error_) error_ = std::current_exception();
    }
  }

  /// One request, with the retries that the options allow.
  template <class StartKey, class Ask>
  Page<Item, StartKey> ask_again(Ask& ask, std::size_t lane, const std::optional<StartKey>& start) {
    Page<Item, StartKey> page;
    const std::exception_ptr error = retrying(
        options_.retry, clock_, options_.deadline, options_.stop,
        [&] {
          requests_.fetch_add(1, std::memory_order_relaxed);
          return error_of_calling([&] { page = ask(lane, start); });
        },
        [&](const std::exception_ptr& failed) { return classify(failed, classifier_).kind; },
        [](auto&&...) {});
    if (error) std::rethrow_exception(error);
    return page;
  }

  // The pace may be set back by another's answer while this one waits.
  bool keep_pace(std::unique_lock<std::mutex>& lock) {
    while (pace_.is_bounded() && clock_.now() < pace_.next()) {
      const Deadline when = pace_.next();
      lock.unlock();
      const bool go_on = wait_until(when);
      lock.lock();
      if (!go_on || error_) return false;
    }
    return true;
  }

  bool wait_until(Deadline when) const {
    if (options_.deadline && *options_.deadline <= when) return false;  // it would be cut short
    return clock_.wait_until(when, options_.stop);
  }

  const WalkOptions options_;
  Clock& clock_;
  Classifier classifier_;
  std::atomic<std::size_t> requests_ = 0;
  std::mutex mutex_;  // guards the lanes and all below
  ReadPace pace_;
  std::size_t claimed_ = 0;
  double units_ = 0;
  std::exception_ptr error_;
};

}  // namespace evenkey::detail
