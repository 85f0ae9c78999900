// SPDX-License-Identifier: BSL-1.0
#include <evenkey/read.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/gate.hpp"
#include "support/rows.hpp"
#include "support/scripted_store.hpp"
#include "support/sorted_store.hpp"

using evenkey::Order;
using evenkey::PageOptions;
using support::Row;
using Names = std::vector<std::string>;

namespace {

std::unique_ptr<support::SortedStore<support::ByNumber>> numbers(std::int64_t rows,
                                                                 std::size_t page_size = 2) {
  auto store = std::make_unique<support::SortedStore<support::ByNumber>>(
      support::ByNumber(3), support::StoreSettings{.page_size = page_size});
  for (std::int64_t i = 0; i < rows; ++i)
    store->put({std::string(1, static_cast<char>('a' + i % 20)), "", i, "r" + std::to_string(100 + i)});
  return store;
}

}  // namespace

TEST_SUITE("read") {
  TEST_CASE("a stream gives what enumerate gives, in both orders, from any number of threads") {
    const auto owned_store = numbers(50);
    auto& store = *owned_store;
    for (const Order order : {Order::by_sort_key, Order::by_shard}) {
      const Names whole =
          support::primary_keys(evenkey::enumerate(store.index(), store, {.order = order}).items);
      for (const std::size_t at_once : {1u, 2u, 16u}) {
        Names given;
        auto query = [&store](const auto& request) { return store(request); };
        auto stream = evenkey::stream(store.index(), query, {.order = order, .max_concurrency = at_once});
        for (Row& row : stream)
          given.push_back(std::move(row.primary));  // items can be moved out
        CHECK(given == whole);
        CHECK(stream.complete());
        CHECK(stream.token().empty());
        CHECK(stream.cost().scanned_count == 50);
      }
    }
  }

  TEST_CASE("the first item is there after one page of each partition") {
    const auto owned_store = numbers(60);
    auto& store = *owned_store;
    auto stream = evenkey::stream(store.index(), [&store](const auto& request) { return store(request); },
                                  {.max_concurrency = 1});
    CHECK(store.log().size() == 3);
    CHECK(stream.begin()->number == 0);
  }

  TEST_CASE("at most one page ahead is asked of each partition") {
    const auto owned_store = numbers(60);
    auto& store = *owned_store;
    auto stream = evenkey::stream(store.index(), [&store](const auto& request) { return store(request); },
                                  {.max_concurrency = 1});
    std::size_t given = 0;
    for (const Row& row : stream) {
      (void)row;
      ++given;
      CHECK(store.log().size() <= 3 * 2 + given);
    }
    CHECK(given == 60);
  }

  TEST_CASE("a stream goes on from the token of another, at any item") {
    const auto owned_store = numbers(21);
    auto& store = *owned_store;
    const auto query = [&store](const auto& request) { return store(request); };
    const Names whole = support::primary_keys(evenkey::enumerate(store.index(), store).items);
    for (std::size_t stop = 0; stop < 21; ++stop) {
      Names given;
      std::string token;
      {
        auto stream = evenkey::stream(store.index(), query);
        for (const Row& row : stream) {
          given.push_back(row.primary);
          token = stream.token();
          if (given.size() == stop + 1) break;
        }
      }
      if (!token.empty())
        for (const Row& row : evenkey::stream(store.index(), query, {}, token))
          given.push_back(row.primary);
      CHECK(given == whole);
    }
  }

  TEST_CASE("by shard, a stream's token names the page: nothing is left out") {
    const auto owned_store = numbers(21, 4);
    auto& store = *owned_store;
    const auto query = [&store](const auto& request) { return store(request); };
    for (std::size_t stop = 1; stop < 21; ++stop) {
      std::vector<std::string> given;
      std::string token;
      {
        auto stream = evenkey::stream(store.index(), query, {.order = Order::by_shard});
        for (const Row& row : stream) {
          given.push_back(row.primary);
          token = stream.token();
          if (given.size() == stop) break;
        }
      }
      for (const Row& row : evenkey::stream(store.index(), query, {.order = Order::by_shard}, token))
        given.push_back(row.primary);
      std::sort(given.begin(), given.end());
      given.erase(std::unique(given.begin(), given.end()), given.end());
      CHECK(given.size() == 21);
    }
  }

  TEST_CASE("abandoning a stream at any step asks the client to stop and waits for what is under way") {
    for (std::size_t steps = 0; steps < 12; ++steps) {
      const auto owned_store = numbers(40, 1);
      auto& store = *owned_store;
      std::atomic<int> under_way{0};
      {
        auto stream = evenkey::stream(store.index(), [&](const auto& request) {
          ++under_way;
          auto page = store(request);
          --under_way;
          return page;
        });
        auto it = stream.begin();
        for (std::size_t i = 0; i < steps; ++i)
          ++it;
      }
      CHECK(under_way == 0);
      CHECK(store.log().in_flight() == 0);
    }
  }

  TEST_CASE("abandoning a stream passes a stop on to a request that would not end") {
    const auto owned_store = numbers(40, 2);
    auto& store = *owned_store;
    support::Gate first_pages;
    std::atomic<int> stopped{0};
    {
      auto stream = evenkey::stream(store.index(), [&](const evenkey::QueryRequest<std::string>& request) {
        if (!request.exclusive_start_key) return store(request);
        first_pages.arrive();
        while (!request.stop.stop_requested())
          std::this_thread::yield();
        ++stopped;
        throw std::runtime_error("given up");
      });
      CHECK(first_pages.wait_for(1));
    }
    CHECK(stopped >= 1);
  }

  TEST_CASE("a partition that fails ends a stream after all requests have ended, or is told in failures") {
    const auto owned_store = numbers(40);
    auto& store = *owned_store;
    store.fail(store.partition_keys()[1], 2, std::runtime_error("throttled"));
    const auto query = [&store](const auto& request) { return store(request); };
    std::size_t given = 0;
    const auto walk = [&] {
      for (const Row& row : evenkey::stream(store.index(), query))
        given += row.primary.size();
    };
    CHECK_THROWS_AS(walk(), evenkey::fan_out_error);
    CHECK(store.log().in_flight() == 0);
    auto partial = evenkey::stream(store.index(), query, {.on_failure = evenkey::OnFailure::collect});
    for (const Row& row : partial)
      CHECK_FALSE(row.primary.empty());
    CHECK_FALSE(partial.complete());
    CHECK(partial.failures().at(0).partition_key == store.partition_keys()[1]);
    CHECK_FALSE(partial.token().empty());
  }

  TEST_CASE("a stream owns its functor and its predicate, and can be moved") {
    std::shared_ptr<support::SortedStore<support::ByNumber>> store = numbers(10);
    const support::ByNumber index = store->index();
    auto made = evenkey::stream(
        index, [store](const auto& request) { return (*store)(request); }, {}, {},
        evenkey::where([](const Row& row) { return row.number % 2 == 0; }));
    store.reset();
    auto stream = std::move(made);
    std::vector<std::int64_t> given;
    for (const Row& row : stream)
      given.push_back(row.number);
    CHECK(given == std::vector<std::int64_t>{0, 2, 4, 6, 8});
  }

  TEST_CASE("a stream or page of an index without a sort key has no order to merge by, and says so") {
    support::SortedStore<support::Unsorted> store(support::Unsorted(2), {});
    const auto query = [&store](const auto& request) { return store(request); };
    CHECK_THROWS_WITH_AS((void)evenkey::stream(store.index(), query), doctest::Contains("no order"),
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS((void)evenkey::read_page(store.index(), query), doctest::Contains("no order"),
                         std::invalid_argument);
    CHECK(store.log().size() == 0);
  }

  TEST_CASE("an empty stream has no first item; a bad token is refused when it is made") {
    const auto owned_store = numbers(0);
    auto& store = *owned_store;
    const auto query = [&store](const auto& request) { return store(request); };
    auto stream = evenkey::stream(store.index(), query);
    CHECK(stream.begin() == stream.end());
    CHECK_THROWS_AS((void)evenkey::stream(store.index(), query, {}, "bad"), evenkey::token_error);
    CHECK_THROWS_AS((void)evenkey::stream(store.index(), query, {.max_concurrency = 0}),
                    std::invalid_argument);
  }
}
