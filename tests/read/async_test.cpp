// SPDX-License-Identifier: BSL-1.0
#include <evenkey/read.hpp>

#include <doctest/doctest.h>

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/rows.hpp"
#include "support/seed.hpp"
#include "support/sorted_store.hpp"

using evenkey::Order;
using support::Row;
using Names = std::vector<std::string>;
using Request = evenkey::QueryRequest<std::string>;
using Completion = evenkey::Completion<Row, std::string>;

namespace {

std::unique_ptr<support::SortedStore<support::ByNumber>> numbers(std::int64_t rows) {
  auto store = std::make_unique<support::SortedStore<support::ByNumber>>(
      support::ByNumber(4), support::StoreSettings{.page_size = 2});
  for (std::int64_t i = 0; i < rows; ++i)
    store->put({std::string(1, static_cast<char>('a' + i % 20)), "", i, "r" + std::to_string(100 + i)});
  return store;
}

/// Holds requests until the test answers them, in any order: an event loop under the test's hand.
struct EventLoop {
  explicit EventLoop(support::SortedStore<support::ByNumber>& from) : store(from) {}
  support::SortedStore<support::ByNumber>& store;
  std::deque<std::pair<const Request*, Completion>> waiting;
  std::size_t most_waiting = 0;

  auto query() {
    return [this](const Request& request, Completion completion) {
      waiting.emplace_back(&request, std::move(completion));
      most_waiting = std::max(most_waiting, waiting.size());
    };
  }
  void answer(std::size_t which) {
    auto [request, completion] = std::move(waiting[which]);
    waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(which));
    evenkey::Page<Row> page;
    try {
      page = store(*request);
    } catch (...) {
      completion(std::current_exception());
      return;
    }
    completion(std::move(page));
  }
};

/// The least coroutine that can wait.
struct Task {
  struct promise_type {
    Task get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};

}  // namespace

TEST_SUITE("read") {
  TEST_CASE("a functor that completes callbacks gives the same answer in whatever order it answers") {
    const auto owned_store = numbers(30);
    auto& store = *owned_store;
    const Names whole = support::primary_keys(evenkey::enumerate(store.index(), store).items);
    std::mt19937_64 random(support::seed());
    for (int i = 0; i < 50; ++i) {
      EventLoop loop(store);
      std::optional<evenkey::AsyncResult<Row>> outcome;
      evenkey::enumerate_async(store.index(), loop.query(), {.max_concurrency = 3})
          .then([&](evenkey::AsyncResult<Row>&& result) { outcome.emplace(std::move(result)); });
      while (!loop.waiting.empty())
        loop.answer(random() % loop.waiting.size());
      REQUIRE(outcome);
      CHECK(loop.most_waiting == 3);
      CHECK(support::primary_keys(std::move(*outcome).get().items) == whole);
    }
  }

  TEST_CASE("answers from within the call do not pile up on the stack") {
    const auto owned_store = numbers(2000);
    auto& store = *owned_store;
    const auto at_once = [&store](const Request& request, const Completion& completion) {
      completion(store(request));
    };
    auto future = evenkey::enumerate_async(store.index(), at_once, {.order = Order::by_shard}).as_future();
    CHECK(future.get().items.size() == 2000);
  }

  TEST_CASE("answers from other threads at once") {
    const auto owned_store = numbers(200);
    auto& store = *owned_store;
    std::vector<std::thread> threads;
    std::mutex mutex;
    const auto query = [&](const Request& request, const Completion& completion) {
      const std::scoped_lock lock(mutex);
      threads.emplace_back([&store, &request, completion] { completion(store(request)); });
    };
    auto future = evenkey::enumerate_async(store.index(), query).as_future();
    CHECK(future.get().items.size() == 200);
    for (std::thread& thread : threads)
      thread.join();
  }

  TEST_CASE("co_await gives the result, or throws what the blocking verb would") {
    const auto owned_store = numbers(30);
    auto& store = *owned_store;
    EventLoop loop(store);
    std::size_t found = 0;
    bool failed = false;
    const auto work = [&]() -> Task {
      auto finding = evenkey::find_async(store.index(), loop.query(), "c");
      found = (co_await std::move(finding)).items.size();
      auto listing = evenkey::enumerate_async(store.index(), loop.query());
      try {
        (void)co_await std::move(listing);
      } catch (const evenkey::fan_out_error&) {
        failed = true;
      }
    };
    work();
    while (found == 0)
      loop.answer(0);
    CHECK(found == 2);
    store.fail(store.partition_keys()[2], 0, std::runtime_error("throttled"));
    while (!loop.waiting.empty())
      loop.answer(0);
    CHECK(failed);
  }

  TEST_CASE("pages and their tokens are those of read_page") {
    const auto owned_store = numbers(30);
    auto& store = *owned_store;
    std::string token;
    std::string other;
    std::size_t given = 0;
    do {
      EventLoop loop(store);
      std::optional<evenkey::ReadResult<Row>> page;
      evenkey::read_page_async(store.index(), loop.query(), {.limit = 7}, token)
          .then([&](evenkey::AsyncResult<Row>&& result) { page.emplace(std::move(result).get()); });
      while (!loop.waiting.empty())
        loop.answer(loop.waiting.size() - 1);
      REQUIRE(page);
      given += page->items.size();
      token = page->next_token;
      other = evenkey::read_page(store.index(), store, {.limit = 7}, other).next_token;
      CHECK(token == other);
    } while (!token.empty());
    CHECK(given == 30);
  }

  TEST_CASE("a functor that throws, completes twice or drops its completion never hangs and never doubles") {
    const auto owned_store = numbers(12);
    auto& store = *owned_store;
    const auto throwing = [](const Request&, const Completion&) { throw 42; };
    CHECK_THROWS_AS((void)evenkey::enumerate_async(store.index(), throwing).as_future().get(),
                    evenkey::fan_out_error);
    const auto dropping = [](const Request&, const Completion&) {};
    CHECK_THROWS_AS((void)evenkey::enumerate_async(store.index(), dropping).as_future().get(),
                    evenkey::fan_out_error);
    const auto twice = [&store](const Request& request, const Completion& completion) {
      completion(store(request));
      completion(std::make_exception_ptr(std::runtime_error("again")));
    };
    CHECK(evenkey::enumerate_async(store.index(), twice).as_future().get().items.size() == 12);
  }

  TEST_CASE("an error that is null is an error all the same") {
    auto owned_store = numbers(3);
    auto& store = *owned_store;
    const auto null = [](const Request&, const Completion& completion) { completion(std::exception_ptr()); };
    CHECK_THROWS_AS((void)evenkey::enumerate_async(store.index(), null).as_future().get(),
                    evenkey::fan_out_error);
  }

  TEST_CASE("a client that keeps its completions does not keep the read") {
    auto owned_store = numbers(6);
    auto& store = *owned_store;
    const auto alive = std::make_shared<int>(0);
    std::vector<Completion> kept;
    const auto query = [&, alive](const Request& request, const Completion& completion) {
      kept.push_back(completion);
      completion(store(request));
    };
    CHECK(evenkey::enumerate_async(store.index(), query).as_future().get().items.size() == 6);
    CHECK(alive.use_count() == 2);  // here, and in the functor above
    CHECK(kept.size() >= 4);
  }

  TEST_CASE("a stop ends an asynchronous read when what is under way has ended") {
    const auto owned_store = numbers(30);
    auto& store = *owned_store;
    EventLoop loop(store);
    std::stop_source stop;
    std::optional<evenkey::AsyncResult<Row>> outcome;
    evenkey::enumerate_async(store.index(), loop.query(), {.max_concurrency = 2, .stop = stop.get_token()})
        .then([&](evenkey::AsyncResult<Row>&& result) { outcome.emplace(std::move(result)); });
    stop.request_stop();
    CHECK(loop.waiting.size() == 2);
    loop.answer(0);
    CHECK_FALSE(outcome);
    loop.answer(0);
    REQUIRE(outcome);
    CHECK(loop.waiting.empty());
    CHECK_THROWS_AS((void)std::move(*outcome).get(), evenkey::fan_out_error);
  }

  TEST_CASE("what an asynchronous read cannot do is refused before any request") {
    const auto owned_store = numbers(3);
    auto& store = *owned_store;
    EventLoop loop(store);
    evenkey::ConcurrencyLimit limit(1);
    CHECK_THROWS_AS((void)evenkey::enumerate_async(store.index(), loop.query(), {.shared_limit = &limit}),
                    std::invalid_argument);
    CHECK_THROWS_AS(
        (void)evenkey::enumerate_async(store.index(), loop.query(), {.retry = {.max_attempts = 4}}),
        std::invalid_argument);
    CHECK_THROWS_AS((void)evenkey::read_page_async(store.index(), loop.query(), {}, "bad"),
                    evenkey::token_error);
    CHECK(loop.waiting.empty());
  }

  TEST_CASE("an asynchronous page of an index without a sort key has no order to merge by, and says so") {
    support::SortedStore<support::Unsorted> store(support::Unsorted(2), {});
    const auto query = [](const Request&, const Completion&) { FAIL("asked"); };
    CHECK_THROWS_WITH_AS((void)evenkey::read_page_async(store.index(), query), doctest::Contains("no order"),
                         std::invalid_argument);
  }

  TEST_CASE("copies of an asynchronous read start it once") {
    const auto owned_store = numbers(3);
    auto& store = *owned_store;
    EventLoop loop(store);
    auto read = evenkey::enumerate_async(store.index(), loop.query());
    auto copy = read;
    auto future = std::move(read).as_future();
    CHECK_THROWS_WITH_AS((void)std::move(copy).as_future(), doctest::Contains("starts once"),
                         std::logic_error);
    while (!loop.waiting.empty())
      loop.answer(0);
    CHECK(future.get().items.size() == 3);
  }

  TEST_CASE("a read that is never started asks nothing") {
    const auto owned_store = numbers(3);
    auto& store = *owned_store;
    EventLoop loop(store);
    { const auto never = evenkey::enumerate_async(store.index(), loop.query()); }
    CHECK(loop.waiting.empty());
  }
}
