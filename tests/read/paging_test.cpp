// SPDX-License-Identifier: BSL-1.0
#include <evenkey/read.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/rows.hpp"
#include "support/scripted_store.hpp"
#include "support/seed.hpp"
#include "support/sorted_store.hpp"

using evenkey::Direction;
using evenkey::Order;
using evenkey::PageOptions;
using support::Row;
using Names = std::vector<std::string>;

namespace {

/// A store of random rows with a tiny alphabet, so that sort keys tie within and across shards.
template <class Index>
std::unique_ptr<support::SortedStore<Index>> random_store(std::mt19937_64& random, std::uint32_t shards) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  support::StoreSettings settings;
  settings.page_size = 1 + below(5);
  settings.varies_page_size = below(2) == 0;
  settings.empty_pages_in_ten = static_cast<unsigned>(below(4));
  settings.key_after_the_last = below(2) == 0;
  settings.seed = random();
  auto store = std::make_unique<support::SortedStore<Index>>(Index(shards), settings);
  const std::size_t rows = below(40);
  for (std::size_t i = 0; i < rows; ++i) {
    Row row;
    row.id = std::string(1, static_cast<char>('a' + below(6)));
    row.time = std::string(1, static_cast<char>('0' + below(4)));
    row.number = static_cast<std::int64_t>(below(5)) - 2;
    row.primary = "r" + std::to_string(below(1000)) + "-" + std::to_string(i);
    store->put(row);
  }
  return store;
}

template <class Store>
Names all_pages(Store& store, const PageOptions& options) {
  Names given;
  std::string token;
  do {
    const auto page = evenkey::read_page(store.index(), store, options, token);
    if (options.limit != 0) REQUIRE(page.items.size() <= options.limit);
    for (const Row& row : page.items)
      given.push_back(row.primary);
    token = page.next_token;
  } while (!token.empty());
  return given;
}

}  // namespace

TEST_SUITE("read") {
  TEST_CASE_TEMPLATE("pages of any size, one after the other, are the whole listing", Index,
                     support::ByPerson, support::ByNumber) {
    const std::uint64_t seed = support::seed();
    MESSAGE("EVENKEY_TEST_SEED=" << seed);
    std::mt19937_64 random(seed);
    for (int i = 0; i < 40; ++i) {
      CAPTURE(i);
      const auto owned_store = random_store<Index>(random, static_cast<std::uint32_t>(1 + random() % 5));
      auto& store = *owned_store;
      for (const Direction direction : {Direction::ascending, Direction::descending}) {
        const Names whole =
            support::primary_keys(evenkey::enumerate(store.index(), store, {.direction = direction}).items);
        const Names by_shard = support::primary_keys(
            evenkey::enumerate(store.index(), store, {.order = Order::by_shard, .direction = direction})
                .items);
        for (const std::size_t limit : {0u, 1u, 2u, 3u, 7u, 100u}) {
          CAPTURE(limit);
          REQUIRE(all_pages(store, {.limit = limit, .direction = direction}) == whole);
          REQUIRE(all_pages(store, {.limit = limit, .order = Order::by_shard, .direction = direction}) ==
                  by_shard);
        }
      }
      REQUIRE(store.log().every_limit_is_positive());
    }
  }

  TEST_CASE("a budget ends pages early and truthfully, and always moves on") {
    std::mt19937_64 random(support::seed());
    for (int i = 0; i < 30; ++i) {
      const auto owned_store = random_store<support::ByPerson>(random, 4);
      auto& store = *owned_store;
      const Names whole = support::primary_keys(evenkey::enumerate(store.index(), store).items);
      for (const double units : {0.1, 1.0, 2.5, 100.0}) {
        REQUIRE(all_pages(store, {.max_read_units = units}) == whole);
        REQUIRE(all_pages(store, {.limit = 5, .max_read_units = units}) == whole);
        REQUIRE(all_pages(store, {.order = Order::by_shard, .max_read_units = units}).size() == whole.size());
      }
    }
  }

  TEST_CASE("a budget stops requests: what is over it was under way") {
    support::SortedStore<support::ByPerson> store(support::ByPerson(2), {.page_size = 1});
    for (char id = 'a'; id < 'k'; ++id)
      store.put({std::string(1, id), "1", 0, std::string(1, id)});
    const auto page = evenkey::read_page(store.index(), store, {.max_concurrency = 2, .max_read_units = 3});
    CHECK(page.consumed_read_units >= 3);
    CHECK(page.consumed_read_units <= 4);  // half a unit each, two at once
    CHECK_FALSE(page.next_token.empty());
  }

  TEST_CASE("F02: the cursor never runs ahead with the page that is read ahead") {
    support::ScriptedStore store("s0: [1,3,5]>L [7].  s1: [2,4,6].");
    std::vector<std::int64_t> keys;
    std::vector<std::size_t> sizes;
    std::string token;
    do {
      const auto page = evenkey::read_page(store.index(), store, {.limit = 2}, token);
      sizes.push_back(page.items.size());
      for (const auto& row : page.items)
        keys.push_back(row.key);
      token = page.next_token;
    } while (!token.empty());
    CHECK(keys == std::vector<std::int64_t>{1, 2, 3, 4, 5, 6, 7});
    CHECK(sizes == std::vector<std::size_t>{2, 2, 2, 1});
    CHECK(store.log().every_limit_is_positive());
  }

  TEST_CASE("a token goes on after the number of shards has changed, and after rows have moved") {
    std::mt19937_64 random(support::seed());
    const auto owned_before = random_store<support::ByPerson>(random, 3);
    auto& before = *owned_before;
    for (char id = 'a'; id < 'f'; ++id)
      before.put({std::string(1, id), "9", 0, std::string("x") + id});
    support::SortedStore<support::ByPerson> after(support::ByPerson(7), {.page_size = 2});
    for (const std::string& partition : before.partition_keys())
      for (const Row& row : before.rows(partition, Direction::ascending))
        after.put(row);
    const Names whole = support::primary_keys(evenkey::enumerate(before.index(), before).items);
    const auto first = evenkey::read_page(before.index(), before, {.limit = 4});
    const auto rest = evenkey::read_page(after.index(), after, {}, first.next_token);
    Names given = support::primary_keys(first.items);
    for (const Row& row : rest.items)
      given.push_back(row.primary);
    CHECK(given == whole);
    const auto by_shard = evenkey::read_page(before.index(), before, {.limit = 2, .order = Order::by_shard});
    CHECK_THROWS_AS(
        (void)evenkey::read_page(after.index(), after, {.order = Order::by_shard}, by_shard.next_token),
        evenkey::token_error);
  }

  TEST_CASE(
      "rows that come and go between pages: those that stay are given once, the place needs none of them") {
    support::SortedStore<support::ByPerson> store(support::ByPerson(2), {.page_size = 2});
    for (char id = 'a'; id < 'i'; ++id)
      store.put({std::string(1, id), "1", 0, std::string(1, id)});
    const auto first = evenkey::read_page(store.index(), store, {.limit = 3});
    CHECK(support::primary_keys(first.items) == Names{"a", "b", "c"});
    support::SortedStore<support::ByPerson> later(support::ByPerson(2), {.page_size = 2});
    for (const char id : {'a', 'd', 'e', 'f', 'g', 'h'})
      later.put({std::string(1, id), "1", 0, std::string(1, id)});
    later.put({"b", "0", 0, "new-before"});
    later.put({"g", "0", 0, "new-behind"});
    const auto rest = evenkey::read_page(later.index(), later, {}, first.next_token);
    CHECK(support::primary_keys(rest.items) == Names{"d", "e", "f", "new-behind", "g", "h"});
  }

  TEST_CASE("after a collected failure the token leaves out nothing unread") {
    for (std::size_t failing_page = 0; failing_page < 3; ++failing_page) {
      CAPTURE(failing_page);
      support::SortedStore<support::ByNumber> store(support::ByNumber(3), {.page_size = 2});
      for (std::int64_t i = 0; i < 24; ++i)
        store.put({std::string(1, static_cast<char>('a' + i % 7)), "", i, "r" + std::to_string(100 + i)});
      const std::string partition = store.partition_keys()[1];
      for (const Order order : {Order::by_sort_key, Order::by_shard}) {
        store.fail(partition, failing_page);
        const PageOptions options{.limit = 20, .order = order, .on_failure = evenkey::OnFailure::collect};
        auto page = evenkey::read_page(store.index(), store, options);
        CHECK_FALSE(page.complete());
        REQUIRE_FALSE(page.next_token.empty());
        Names given = support::primary_keys(page.items);
        store.heal();
        for (std::string token = page.next_token; !token.empty(); token = page.next_token) {
          page = evenkey::read_page(store.index(), store, options, token);
          CHECK(page.complete());
          for (const Row& row : page.items)
            given.push_back(row.primary);
        }
        std::sort(given.begin(), given.end());
        given.erase(std::unique(given.begin(), given.end()), given.end());
        CHECK(given.size() == 24);
      }
    }
  }

  TEST_CASE("F15: after a failure that was raised, the same token gives all rows") {
    support::SortedStore<support::ByPerson> store(support::ByPerson(4), {.page_size = 2});
    for (char id = 'a'; id < 'k'; ++id)
      store.put({std::string(1, id), "1", 0, std::string(1, id)});
    const auto first = evenkey::read_page(store.index(), store, {.limit = 4});
    store.fail(store.partition_keys()[2], 0, std::runtime_error("throttled"));
    CHECK_THROWS_AS((void)evenkey::read_page(store.index(), store, {}, first.next_token),
                    evenkey::fan_out_error);
    store.heal();
    CHECK(evenkey::read_page(store.index(), store, {}, first.next_token).items.size() == 6);
  }

  TEST_CASE("a predicate sees each row once, and pages are filled with what passes") {
    support::SortedStore<support::ByNumber> store(support::ByNumber(3), {.page_size = 4});
    for (std::int64_t i = 0; i < 60; ++i)
      store.put({std::string(1, static_cast<char>('a' + i % 9)), "", i, "r" + std::to_string(i)});
    std::size_t seen = 0;
    std::vector<std::int64_t> given;
    std::string token;
    do {
      const auto page =
          evenkey::read_page(store.index(), store, {.limit = 3}, token, evenkey::where([&](const Row& row) {
                               ++seen;
                               return row.number % 5 == 0;
                             }));
      for (const Row& row : page.items)
        given.push_back(row.number);
      token = page.next_token;
    } while (!token.empty());
    CHECK(given == std::vector<std::int64_t>{0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55});
    CHECK(seen == 60);
  }

  TEST_CASE("find_page: one id's rows by pages, and a token of another id is refused") {
    support::SortedStore<support::ByPerson> store(support::ByPerson(2), {.page_size = 2});
    for (int i = 0; i < 7; ++i) {
      store.put({"p1", std::to_string(i), 0, "a" + std::to_string(i)});
      store.put({"p10", std::to_string(i), 0, "b" + std::to_string(i)});
    }
    Names given;
    std::string token;
    do {
      const auto page = evenkey::find_page(store.index(), store, "p1",
                                           {.limit = 3, .direction = Direction::descending}, token);
      for (const Row& row : page.items)
        given.push_back(row.primary);
      token = page.next_token;
    } while (!token.empty());
    CHECK(given == Names{"a6", "a5", "a4", "a3", "a2", "a1", "a0"});
    const auto first = evenkey::find_page(store.index(), store, "p1", {.limit = 3});
    CHECK_THROWS_AS((void)evenkey::find_page(store.index(), store, "p10", {.limit = 3}, first.next_token),
                    evenkey::token_error);
    CHECK_THROWS_AS((void)evenkey::read_page(store.index(), store, {.limit = 3}, first.next_token),
                    evenkey::token_error);
    const auto some = evenkey::find(store.index(), store, "p1",
                                    {.range = evenkey::SortKeyCondition::between("p1#2", "p1#4")});
    CHECK(support::primary_keys(some.items) == Names{"a2", "a3", "a4"});
  }

  TEST_CASE("a listing in a range of the sort key, paged") {
    support::SortedStore<support::ByNumber> store(support::ByNumber(3), {.page_size = 2});
    for (std::int64_t i = -10; i < 10; ++i)
      store.put({std::string(1, static_cast<char>('k' + i)), "", i, "r" + std::to_string(i)});
    for (const Direction direction : {Direction::ascending, Direction::descending}) {
      const PageOptions options{
          .limit = 3, .direction = direction, .range = evenkey::SortKeyCondition::between(-4, 4.5)};
      CHECK(all_pages(store, options).size() == 9);
    }
    CHECK_THROWS_AS(
        (void)evenkey::enumerate(store.index(), store, {.range = evenkey::SortKeyCondition::equal("x")}),
        std::invalid_argument);
    CHECK(store.log().in_flight() == 0);
  }

  TEST_CASE("a functor that answers more than the limit cannot be paged by shard, and says so") {
    support::SortedStore<support::ByNumber> store(support::ByNumber(1),
                                                  {.page_size = 5, .honours_limit = false});
    for (std::int64_t i = 0; i < 9; ++i)
      store.put({"a", "", i, "r" + std::to_string(i)});
    CHECK_THROWS_AS((void)evenkey::read_page(store.index(), store, {.limit = 2, .order = Order::by_shard}),
                    evenkey::fan_out_error);
    CHECK(all_pages(store, {.limit = 2}).size() == 9);  // by value it does not matter
  }

  TEST_CASE("a budget that is negative or no number is refused before any request") {
    support::SortedStore<support::ByNumber> store(support::ByNumber(2), {});
    for (const double none : {-1.0, std::nan("")})
      CHECK_THROWS_WITH_AS((void)evenkey::read_page(store.index(), store, {.max_read_units = none}),
                           doctest::Contains("max_read_units is negative or no number"),
                           std::invalid_argument);
    CHECK(store.log().size() == 0);
  }

  TEST_CASE("count asks for numbers, takes items as well, and refuses a predicate by type") {
    support::SortedStore<support::ByNumber> store(support::ByNumber(3), {.page_size = 4});
    for (std::int64_t i = 0; i < 25; ++i)
      store.put({std::string(1, static_cast<char>('a' + i)), "", i, "r" + std::to_string(i)});
    CHECK(evenkey::count(store.index(), store).count == 25);
    const auto numbers_only = [&](const evenkey::QueryRequest<std::string>& request) {
      CHECK(request.select == evenkey::Select::count);
      auto page = store(request);
      page.count = page.items.size();
      page.items.clear();
      return page;
    };
    const auto counted =
        evenkey::count(store.index(), numbers_only, {.range = evenkey::SortKeyCondition::less(10)});
    CHECK(counted.count == 10);
    CHECK(counted.exact);
    CHECK(counted.complete());
  }
}
