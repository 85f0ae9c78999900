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
#include <evenkey/read/retrying.hpp>

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
    bool hot_partition = false;
    bool gave_up = false;  // before the request was made
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
    try {
      if (not_before && !wait_until(*not_before, request)) {
        answer.error = gave_up(request, nullptr, "while a change of partition keys was waited for");
        return answer;
      }
      answer.error = retrying(
          retry_, clock_, request.deadline, request.stop, [&] { return call(request, answer); },
          [&](const std::exception_ptr& error) { return kind_of(error, answer); },
          [&](std::size_t attempts, std::chrono::nanoseconds delay) {
            answer.retries.push_back(
                {request.index_name, request.partition_key, request.shard, attempts, delay});
          });
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
  /// One attempt. @returns what it failed by
  std::exception_ptr call(const QueryRequest<StartKey>& request, Answer& answer) {
    std::optional<ConcurrencyLimit::Permit> permit;
    const Deadline queued = now();
    if (limit_ != nullptr) {
      permit = limit_->acquire(request.deadline, request.stop);
      if (!permit) {
        answer.gave_up = true;
        return gave_up(request, answer.error, "while waiting for the shared cap");
      }
    }
    const Deadline started = now();
    answer.event.queued += started - queued;
    ++answer.calls;
    answer.error =
        error_of_calling([&] { answer.page = page_of<Item, StartKey>(std::invoke(query_, request)); });
    answer.event.served += now() - started;
    return answer.error;
  }

  ErrorKind kind_of(const std::exception_ptr& error, Answer& answer) const {
    if (answer.gave_up) return ErrorKind::fatal;  // whatever the store said before: no permit is to be had
    const ErrorDetails details = classify(error, classifier_);
    if (details.kind == ErrorKind::throttled) {
      answer.throttled = true;
      answer.hot_partition = answer.hot_partition || is_hot_key(details);
    }
    return details.kind;
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
