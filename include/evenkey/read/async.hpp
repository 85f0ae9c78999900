// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/index.hpp>
#include <evenkey/read/async_driver.hpp>
#include <evenkey/read/extras.hpp>
#include <evenkey/read/gather.hpp>
#include <evenkey/read/options.hpp>
#include <evenkey/read/prepare.hpp>
#include <evenkey/read/read_page.hpp>
#include <evenkey/read/result.hpp>

#include <coroutine>
#include <cstddef>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <utility>

namespace evenkey {

/// What an asynchronous read ends with: a result, or the error that a blocking one would have thrown.
template <class Item>
struct AsyncResult {
  std::exception_ptr error;  ///< null: `result` is there
  ReadResult<Item> result;   ///< empty where there is an error

  /// The result, or throws the error.
  ReadResult<Item> get() && {
    if (error) std::rethrow_exception(error);
    return std::move(result);
  }
};

/// A read that is ready to start: take its result by a callback, a `std::future`, or `co_await`.
///
/// Make it in one statement and await it in the next, `auto read = find_async(…); co_await std::move(read);`:
/// g++ 12 destroys temporaries wrongly, such as options, that are made within a `co_await` expression.
///
/// Shape: nothing is asked before one of the three is chosen, once. It owns copies of what it was given, the
/// index and the predicate too; only a seal of tokens must live until it ends.
/// Threads: the callback runs, and the coroutine goes on, in the thread that completes the last request.
template <class Item>
class AsyncRead {
 public:
  /// Called once, with what came of the read.
  using Done = std::function<void(AsyncResult<Item>&&)>;
  /// Begins the read.
  using Start = std::function<void(Done)>;
  /// For evenkey's own verbs.
  explicit AsyncRead(Start start) : start_(std::move(start)) {}

  /// Starts it; `done(AsyncResult)` is called once, when every request has ended. It must not throw.
  void then(Done done) && { start_(std::move(done)); }

  /// Starts it; the future gives the result or throws.
  std::future<ReadResult<Item>> as_future() && {
    auto promise = std::make_shared<std::promise<ReadResult<Item>>>();
    std::future<ReadResult<Item>> future = promise->get_future();
    start_([promise](AsyncResult<Item>&& outcome) {
      if (outcome.error) {
        promise->set_exception(outcome.error);
      } else {
        promise->set_value(std::move(outcome.result));
      }
    });
    return future;
  }

  /// Starts it when awaited; gives the result or throws.
  auto operator co_await() && {
    struct Awaiter {
      Start start;
      std::optional<AsyncResult<Item>> outcome;
      bool await_ready() const noexcept { return false; }
      void await_suspend(std::coroutine_handle<> waiting) {
        // The coroutine may go on, and this awaiter end, before start returns: nothing of it is used after.
        const Start begin = std::move(start);
        begin([this, waiting](AsyncResult<Item>&& result) {
          outcome.emplace(std::move(result));
          waiting.resume();
        });
      }
      ReadResult<Item> await_resume() { return (*std::move(outcome)).get(); }
    };
    return Awaiter{std::move(start_), std::nullopt};
  }

 private:
  Start start_;
};

namespace detail {

template <class Options>
void check_async_options(const Options& options) {
  if (options.retry.max_attempts != 1)
    throw std::invalid_argument("evenkey: an asynchronous read does not retry; let its client do so");
  if (options.shared_limit != nullptr)
    throw std::invalid_argument(
        "evenkey: a shared cap makes callers wait, an asynchronous read cannot; use its client's");
}

/// `finish(engine, result)` sees the result before it is told.
template <class Index, class Query, class Keep, class Finish>
AsyncRead<typename Index::Item> async_read(std::unique_ptr<ReadEngine<Index>> engine, Query query,
                                           std::size_t max_concurrency, Keep keep, Finish finish) {
  using Item = typename Index::Item;
  if (engine->waits())
    throw std::invalid_argument(
        "evenkey: an asynchronous read cannot wait for a moved row to show (visible_within); use a blocking "
        "read, or insert_visible_first where that holds");
  auto parts = std::make_shared<std::pair<std::unique_ptr<ReadEngine<Index>>, Query>>(std::move(engine),
                                                                                      std::move(query));
  return AsyncRead<Item>([parts, max_concurrency, keep, finish](typename AsyncRead<Item>::Done started_with) {
    if (!parts->first) throw std::logic_error("evenkey: an asynchronous read starts once");
    auto outcome = std::make_shared<AsyncResult<Item>>();
    auto sink = [outcome, keep](ReadEngine<Index>& from, Item&& item) {
      if (!keep(std::as_const(item))) return;
      from.give();
      outcome->result.items.push_back(std::move(item));
    };
    auto end = [outcome, finish, done = std::move(started_with)](ReadEngine<Index>& from,
                                                                 const std::exception_ptr& fatal) {
      outcome->error = fatal;
      try {
        if (!fatal) {
          settle_account(from, outcome->result);
          finish(from, outcome->result);
        }
      } catch (...) {
        outcome->error = std::current_exception();
      }
      done(std::move(*outcome));
    };
    using Driver = AsyncDriver<Index, Query, decltype(sink), decltype(end)>;
    std::make_shared<Driver>(std::move(parts->first), std::move(parts->second), max_concurrency,
                             std::move(sink), std::move(end))
        ->pump();
  });
}

}  // namespace detail

/// `enumerate` with an asynchronous functor. A `where(…)` may follow the options.
///
/// Errors: what is wrong with the call is thrown here, before any request; all else is in the result.
template <index_definition Index, async_query_of<Index> Query, where_clause... Extras>
AsyncRead<typename Index::Item> enumerate_async(const Index& index, Query&& query,
                                                const EnumerateOptions& options = {}, Extras&&... extras) {
  detail::check_async_options(options);
  detail::ReadSettings settings = detail::settings_of(options);
  if (options.order == Order::by_shard) settings.merges_at_once = 1;
  auto engine = std::make_unique<detail::ReadEngine<Index>>(index, std::move(settings));
  detail::add_listing(*engine, options.order, options.range);
  return detail::async_read(std::move(engine), std::decay_t<Query>(std::forward<Query>(query)),
                            options.max_concurrency, detail::predicate_of(extras...),
                            [](const auto&, const auto&) {});
}

/// `find` with an asynchronous functor. A `where(…)` may follow the options.
/// Errors: as `enumerate_async`.
template <index_by_id Index, async_query_of<Index> Query, where_clause... Extras>
AsyncRead<typename Index::Item> find_async(const Index& index, Query&& query, std::string_view id,
                                           const FindOptions& options = {}, Extras&&... extras) {
  detail::check_async_options(options);
  auto engine = std::make_unique<detail::ReadEngine<Index>>(index, detail::settings_of(options));
  detail::add_find(*engine, id, options.range);
  return detail::async_read(std::move(engine), std::decay_t<Query>(std::forward<Query>(query)), 1,
                            detail::predicate_of(extras...), [](const auto&, const auto&) {});
}

/// `read_page` with an asynchronous functor. A `where(…)` may follow the token.
/// Errors: as `enumerate_async`.
template <index_definition Index, async_query_of<Index> Query, where_clause... Extras>
AsyncRead<typename Index::Item> read_page_async(const Index& index, Query&& query,
                                                const PageOptions& options = {}, std::string_view token = {},
                                                Extras&&... extras) {
  detail::check_async_options(options);
  detail::PageTokens<Index> tokens(index, options, {});
  if (tokens.by_shard() && options.order == Order::by_sort_key) detail::refuse_order<Index>();
  auto engine = std::make_unique<detail::ReadEngine<Index>>(index, detail::page_settings(options, tokens));
  detail::ReadScope scope;
  scope.range = detail::range_of<Index>(options.range);
  tokens.begin(*engine, read_plan(engine->index()), std::move(scope), token);
  return detail::async_read(std::move(engine), std::decay_t<Query>(std::forward<Query>(query)),
                            options.max_concurrency, detail::predicate_of(extras...),
                            [tokens](const auto& read, auto& result) {
                              result.next_token = tokens.next(read, !result.complete());
                            });
}

}  // namespace evenkey
