// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/index.hpp>
#include <evenkey/page.hpp>
#include <evenkey/read/engine.hpp>
#include <evenkey/read/failure.hpp>
#include <evenkey/read/outcome.hpp>

#include <atomic>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace evenkey {

/// Where an asynchronous query functor reports its answer: call it once, from any thread, with a page, an
/// outcome that holds one, or a `std::exception_ptr`.
///
/// Shape: copyable, as callbacks want. A second call changes nothing. If the last copy is gone without a
/// call, the request has failed: nothing waits for ever.
/// Threads: any; also from within the functor's call.
template <class Item, class StartKey>
class Completion {
 public:
  /// Hears one error or one page.
  using Report = std::function<void(std::exception_ptr, Page<Item, StartKey>&&)>;
  /// For evenkey's own drivers.
  explicit Completion(Report report) : once_(std::make_shared<Once>(std::move(report))) {}

  /// The request failed.
  void operator()(std::exception_ptr error) const {
    if (!error)  // an empty page would look like the end of a partition
      error = std::make_exception_ptr(
          std::runtime_error("evenkey: the query functor completed with an error that is null"));
    once_->tell(std::move(error), {});
  }
  /// The request was answered.
  template <class Answer>
  requires detail::is_page_answer<std::remove_cvref_t<Answer>, Item, StartKey>
  void operator()(Answer&& answer) const {
    Page<Item, StartKey> page;
    std::exception_ptr error;
    try {
      page = detail::page_of<Item, StartKey>(std::forward<Answer>(answer));
    } catch (...) {
      error = std::current_exception();
    }
    once_->tell(std::move(error), std::move(page));
  }

 private:
  struct Once {
    explicit Once(Report report_to) : report(std::move(report_to)) {}
    Once(const Once&) = delete;
    Once& operator=(const Once&) = delete;
    ~Once() {
      tell(std::make_exception_ptr(std::runtime_error("evenkey: the query functor dropped its completion")),
           {});
    }
    void tell(std::exception_ptr error, Page<Item, StartKey>&& page) {
      if (told.exchange(true)) return;
      // Let go of before it is called: a client that keeps its completions would keep the whole read.
      const Report once = std::exchange(report, nullptr);
      once(std::move(error), std::move(page));
    }
    Report report;
    std::atomic<bool> told{false};
  };
  std::shared_ptr<Once> once_;
};

/// An asynchronous query functor: `query(request, completion)` starts the request and returns; the request
/// lives until the completion is called.
template <class Query, class Item, class StartKey>
concept async_query_functor =
    std::invocable<Query&, detail::ConstRef<QueryRequest<StartKey>>, Completion<Item, StartKey>>;

/// An asynchronous query functor for an index; the read keeps a copy of it.
template <class Query, class Index>
concept async_query_of =
    (async_query_functor<std::decay_t<Query>, typename Index::Item, typename Index::StartKey>);

namespace detail {

/// Drives an engine with an asynchronous functor: no thread of its own, at most `max_concurrency` requests
/// under way. `sink(item)` takes the items in order, `done(error)` is called once, when every request has
/// ended.
///
/// It keeps itself alive while requests are under way.
template <class Index, class Query, class Sink, class Done>
class AsyncDriver : public std::enable_shared_from_this<AsyncDriver<Index, Query, Sink, Done>> {
 public:
  using Item = typename Index::Item;
  using StartKey = typename Index::StartKey;

  AsyncDriver(std::unique_ptr<ReadEngine<Index>> engine, Query query, std::size_t max_concurrency, Sink sink,
              Done done)
      : engine_(std::move(engine)),
        query_(std::move(query)),
        max_concurrency_(max_concurrency),
        sink_(std::move(sink)),
        done_(std::move(done)) {}

  /// Makes what requests it may; called at the start and by each answer. Answers that come while it runs,
  /// also from within the functor's own call, are left to the loop that is running.
  void pump() {
    std::unique_lock lock(mutex_);
    if (pumping_ || finished_) return;
    pumping_ = true;
    for (;;) {
      take_in_answers();
      if (const std::exception_ptr why = reason_to_end(engine_->settings(), std::chrono::steady_clock::now());
          why && engine_->cancel(why))
        continue;
      std::optional<Request> request;
      if (!fatal_ && in_flight_ < max_concurrency_) request = engine_->next_request();
      if (!request) {
        if (!answers_.empty()) continue;
        break;
      }
      ++in_flight_;
      lock.unlock();
      start(std::make_shared<const Request>(*std::move(request)));
      lock.lock();
    }
    pumping_ = false;
    if (in_flight_ != 0 || finished_) return;
    finished_ = true;
    lock.unlock();
    done_(*engine_, fatal_);
  }

 private:
  using Request = typename ReadEngine<Index>::Request;
  struct Answer {
    std::size_t lane;
    std::exception_ptr error;
    Page<Item, StartKey> page;
  };

  void start(std::shared_ptr<const Request> request) {
    const Completion<Item, StartKey> completion(
        [self = this->shared_from_this(), request](std::exception_ptr error, Page<Item, StartKey>&& page) {
          {
            const std::lock_guard lock(self->mutex_);
            self->answers_.push_back({request->lane, std::move(error), std::move(page)});
            --self->in_flight_;
          }
          self->pump();
        });
    try {
      std::invoke(query_, request->query, completion);
    } catch (...) {
      completion(std::current_exception());
    }
  }

  void take_in_answers() {
    try {
      while (!answers_.empty()) {
        Answer answer = std::move(answers_.front());
        answers_.pop_front();
        if (answer.error) {
          engine_->on_failure(answer.lane, std::move(answer.error));
        } else {
          engine_->on_page(answer.lane, std::move(answer.page));
        }
      }
      while (!fatal_) {
        std::optional<Item> item = engine_->pop();
        if (!item) break;
        sink_(*engine_, *std::move(item));
      }
    } catch (...) {
      if (!fatal_) fatal_ = std::current_exception();
    }
  }

  std::unique_ptr<ReadEngine<Index>> engine_;
  Query query_;
  std::size_t max_concurrency_;
  Sink sink_;
  Done done_;
  std::mutex mutex_;  // guards all below, and the engine
  std::deque<Answer> answers_;
  std::size_t in_flight_ = 0;
  bool pumping_ = false;
  bool finished_ = false;
  std::exception_ptr fatal_;
};

}  // namespace detail
}  // namespace evenkey
