// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/page.hpp>
#include <evenkey/read/concurrency_limit.hpp>
#include <evenkey/read/engine.hpp>
#include <evenkey/read/executor.hpp>
#include <evenkey/read/failure.hpp>
#include <evenkey/read/observer.hpp>
#include <evenkey/read/outcome.hpp>
#include <evenkey/read/request_caller.hpp>

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace evenkey::detail {

/// How many requests a read has under way at once: at most the caller's cap, fewer after throttling.
class Pace {
 public:
  explicit Pace(std::size_t most) : most_(most), allowed_(most) {}
  std::size_t allowed() const noexcept { return allowed_; }
  void on_throttled() noexcept {
    allowed_ = (std::max<std::size_t>)(1, allowed_ / 2);
    served_ = 0;
  }
  /// One more at a time after as many good answers as are under way: the store is asked, not pushed.
  void on_served() noexcept {
    if (allowed_ < most_ && ++served_ >= allowed_) {
      ++allowed_;
      served_ = 0;
    }
  }

 private:
  std::size_t most_;
  std::size_t allowed_;
  std::size_t served_ = 0;
};

/// Whether the one who takes items wants more of them now.
enum class Enough { no, yes };

/// Drives an engine with blocking calls of the query functor: the thread that wants the items makes requests
/// itself, and an executor's threads help while there are requests to make. Nothing waits for a helper that
/// has not started, so a read inside a read on one executor goes on, if need be alone.
template <class Index, class Caller, class Executor>
class Crew {
 public:
  using Item = typename Index::Item;

  Crew(ReadEngine<Index>& engine, Caller& caller, Executor& executor, std::size_t max_concurrency)
      : engine_(engine),
        caller_(caller),
        executor_(executor),
        desk_(std::make_shared<Desk>()),
        max_concurrency_(max_concurrency),
        pace_(max_concurrency) {
    widen();
  }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  ~Crew() { close(); }

  /// The engine has got its merges: as many helpers as they can use.
  void widen() {
    most_helpers_ = (std::min)(max_concurrency_, (std::max<std::size_t>)(engine_.width(), 1)) - 1;
  }

  /// Looks at the engine while helpers may be at work.
  template <class Look>
  auto locked(Look look) {
    const std::lock_guard lock(desk_->mutex);
    return look();
  }

  /// Hands items to `sink` in order until it returns `Enough::yes` or there are no more; returns only then.
  /// Errors: `tie_run_error`, what the sink or an observer throws. Requests under way are waited for by
  /// `close`.
  template <class Sink>
  void run(Sink sink) {
    std::unique_lock lock(desk_->mutex);
    if (!std::exchange(begun_, true)) engine_.begin(caller_.time());
    for (;;) {
      while (std::optional<Item> item = engine_.pop())
        if (sink(*std::move(item)) == Enough::yes) {
          summon(lock);  // what is read ahead goes on meanwhile
          return;
        }
      if (fatal_) std::rethrow_exception(fatal_);
      // Only here, after all items that are there: a stop takes nothing away from an answer that is whole.
      if (const std::exception_ptr why = reason_to_end(engine_.settings(), caller_.time());
          why && engine_.cancel(why))
        continue;
      if (make_request(lock, Need::awaited)) continue;
      if (in_flight_ == 0) return;
      desk_->changed.wait(lock);
    }
  }

  /// Waits for all requests under way; no other starts.
  void close() noexcept {
    std::unique_lock lock(desk_->mutex);
    desk_->closed = true;
    desk_->changed.wait(lock, [this] { return desk_->helpers == 0; });
  }

 private:
  // What helpers share with the crew; a helper that starts late finds it closed and touches nothing else.
  struct Desk {
    std::mutex mutex;  // guards the engine too
    std::condition_variable changed;
    bool closed = false;
    std::size_t helpers = 0;  // at work
  };

  /// Makes one request, if one is of use; the lock is held but during the call.
  bool make_request(std::unique_lock<std::mutex>& lock, Need need) {
    if (fatal_ || in_flight_ >= pace_.allowed()) return false;
    auto request = engine_.next_request(need);
    if (!request) return false;
    ++in_flight_;
    summon(lock);
    lock.unlock();
    auto answer = caller_.ask(request->query, request->not_before);
    lock.lock();
    --in_flight_;
    take_in(request->lane, std::move(answer));
    desk_->changed.notify_all();
    return true;
  }

  template <class Answer>
  void take_in(std::size_t lane, Answer&& answer) noexcept {
    try {
      caller_.report(answer);
      if (answer.throttled) {
        pace_.on_throttled();
      } else {
        pace_.on_served();
      }
      if (answer.error) {
        engine_.on_failure(lane, std::move(answer.error), answer.calls);
      } else {
        engine_.on_page(lane, std::move(answer.page), answer.calls, caller_.time());
      }
    } catch (...) {
      if (!fatal_) fatal_ = std::current_exception();
    }
  }

  /// Asks the executor for as many helpers as there are requests to make. The lock is held but while they are
  /// started: those that are up first need it to get to work.
  void summon(std::unique_lock<std::mutex>& lock) {
    const std::size_t wanted = (std::min)(engine_.requests_at_hand(), most_helpers_);
    if (summoned_ >= wanted) return;
    const std::size_t more = wanted - summoned_;
    summoned_ = wanted;
    lock.unlock();
    std::size_t started = 0;
    try {
      for (; started < more; ++started)
        executor_.execute([desk = desk_, crew = this] {
          std::unique_lock at_desk(desk->mutex);
          if (!desk->closed) crew->help(at_desk);
        });
    } catch (...) {  // no thread to be had: those there are do the work
    }
    lock.lock();
    if (started == more) return;
    summoned_ -= more - started;
    most_helpers_ = (std::max)(summoned_, started);  // those that have ended meanwhile may be had again
  }

  void help(std::unique_lock<std::mutex>& lock) noexcept {
    ++desk_->helpers;
    try {
      while (!desk_->closed && !reason_to_end(engine_.settings(), caller_.time()) &&
             make_request(lock, Need::any)) {
      }
    } catch (...) {
      if (!fatal_) fatal_ = std::current_exception();
    }
    --summoned_;
    --desk_->helpers;
    desk_->changed.notify_all();
  }

  ReadEngine<Index>& engine_;
  Caller& caller_;
  Executor& executor_;
  std::shared_ptr<Desk> desk_;
  std::size_t max_concurrency_;
  std::size_t most_helpers_ = 0;
  std::size_t summoned_ = 0;
  std::size_t in_flight_ = 0;
  bool begun_ = false;
  Pace pace_;
  std::exception_ptr fatal_;
};

}  // namespace evenkey::detail
