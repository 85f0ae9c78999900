// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/page.hpp>
#include <evenkey/read/clock.hpp>
#include <evenkey/read/concurrency_limit.hpp>
#include <evenkey/read/failure.hpp>
#include <evenkey/read/observer.hpp>
#include <evenkey/read/outcome.hpp>
#include <evenkey/read/result.hpp>
#include <evenkey/read/retry.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace evenkey::detail {

/// One request made by calling the query functor: with the shared cap, retries and their waits, clocks for
/// the observer, and the one place where what the functor throws is caught, which may be anything.
template <class Index, class Query, class Observer, class Classifier, class WaitClock>
class RequestCaller {
 public:
  using Item = typename Index::Item;
  using StartKey = typename Index::StartKey;

  RequestCaller(Query& query, Observer& observer, Classifier classifier, WaitClock& clock,
                ConcurrencyLimit* limit, RetryOptions retry)
      : query_(query),
        observer_(observer),
        classifier_(std::move(classifier)),
        clock_(clock),
        limit_(limit),
        retry_(std::move(retry)) {}

  struct Answer {
    Page<Item, StartKey> page;
    std::exception_ptr error;
    bool throttled = false;
    bool throttled_last = false;  // by the attempt made last
    bool hot_partition = false;
    std::vector<RetryEvent> retries;
    PageEvent event;
    std::size_t calls = 0;  // of the functor
  };

  /// The time that the read waits by.
  Deadline time() { return clock_.now(); }

  /// @param not_before when the request may be made
  Answer ask(const QueryRequest<StartKey>& request, const std::optional<Deadline>& not_before) noexcept {
    Answer answer;
    answer.event.index_name = request.index_name;
    answer.event.partition_key = request.partition_key;
    answer.event.shard = request.shard;
    std::optional<ErrorKind> last_retry;
    try {
      if (not_before && !wait_until(*not_before, request)) {
        answer.error = gave_up(request, nullptr, "while a change of partition keys was waited for");
        return answer;
      }
      for (std::size_t attempt = 1;; ++attempt) {
        if (call(request, answer)) {
          if (!answer.error && retry_.max_attempts > 1) budget().pay_back(last_retry);
          break;
        }
        const std::optional<std::chrono::nanoseconds> delay = next_delay(request, answer, attempt);
        if (!delay) break;
        last_retry = answer.throttled_last ? ErrorKind::throttled : ErrorKind::transient;
        if (!clock_.wait_until(time() + *delay, request.stop)) break;
        answer.retries.push_back({request.index_name, request.partition_key, request.shard, attempt, *delay});
      }
    } catch (...) {
      answer.error = std::current_exception();  // of a classifier, or no memory
    }
    return answer;
  }

  /// Tells the observer of an answer. Called by one thread at a time.
  void report(Answer& answer) {
    if constexpr (observes_throttling<Observer>) {
      if (answer.throttled)
        observer_.on_throttled(ThrottleEvent{
            answer.event.index_name, answer.event.partition_key, answer.event.shard,
            answer.hot_partition ? ThrottleEvent::Cause::hot_partition : ThrottleEvent::Cause::unknown});
    }
    if constexpr (observes_retries<Observer>)
      for (const RetryEvent& retry : answer.retries)
        observer_.on_retried(retry);
    if constexpr (observes_pages<Observer>) {
      if (answer.error) return;
      answer.event.items = answer.page.items.size();
      answer.event.scanned_count = (std::max)(answer.page.scanned_count, answer.page.items.size());
      answer.event.consumed_read_units = answer.page.consumed_read_units;
      observer_.on_page(std::as_const(answer.event));
    }
  }

  /// Tells the observer that the read is over.
  template <class Engine>
  void report_finish(const Engine& engine) {
    if constexpr (observes_finish<Observer>) {
      const ReadCost cost = engine.cost();
      observer_.on_finished(FinishEvent{engine.index().name, cost.requests, engine.given(),
                                        engine.failures().size(), cost.duplicates_dropped,
                                        cost.consumed_read_units});
    }
  }

 private:
  bool call(const QueryRequest<StartKey>& request, Answer& answer) {
    std::optional<ConcurrencyLimit::Permit> permit;
    const Deadline queued = now();
    if (limit_ != nullptr) {
      permit = limit_->acquire(request.deadline, request.stop);
      if (!permit) {
        answer.error = gave_up(request, answer.error, "while waiting for the shared cap");
        return true;
      }
    }
    const Deadline started = now();
    answer.event.queued += started - queued;
    answer.error = nullptr;
    ++answer.calls;
    try {
      answer.page = page_of<Item, StartKey>(std::invoke(query_, request));
    } catch (...) {
      answer.error = std::current_exception();
    }
    answer.event.served += now() - started;
    return !answer.error;
  }

  std::optional<std::chrono::nanoseconds> next_delay(const QueryRequest<StartKey>& request, Answer& answer,
                                                     std::size_t attempt) {
    const ErrorDetails details = classify(answer.error, classifier_);
    answer.throttled_last = details.kind == ErrorKind::throttled;
    if (answer.throttled_last) {
      answer.throttled = true;
      answer.hot_partition = answer.hot_partition || is_hot_key(details);
    }
    if (request.stop.stop_requested()) return std::nullopt;
    return next_retry(retry_, details.kind, attempt, time(), request.deadline, random_unit());
  }

  /// The error that explains most: what the store said, where it said something.
  static std::exception_ptr gave_up(const QueryRequest<StartKey>& request, const std::exception_ptr& before,
                                    const std::string& when) {
    if (before) return before;
    if (request.stop.stop_requested())
      return std::make_exception_ptr(stopped_error("evenkey: a stop was requested " + when));
    return std::make_exception_ptr(deadline_error("evenkey: the deadline passed " + when));
  }

  // A wait that the deadline would cut short is not begun.
  bool wait_until(Deadline when, const QueryRequest<StartKey>& request) {
    if (when <= time()) return true;
    if (request.deadline && *request.deadline <= when) return false;
    return clock_.wait_until(when, request.stop);
  }

  RetryBudget& budget() const { return retry_.budget ? *retry_.budget : default_retry_budget(); }

  Deadline now() {
    if constexpr (observes_pages<Observer>) {
      return clock_.now();
    } else {
      return {};
    }
  }

  Query& query_;
  Observer& observer_;
  Classifier classifier_;
  WaitClock& clock_;
  ConcurrencyLimit* limit_;
  RetryOptions retry_;
};

}  // namespace evenkey::detail
