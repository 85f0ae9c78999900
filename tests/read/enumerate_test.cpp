// SPDX-License-Identifier: BSL-1.0
#include <evenkey/read.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "support/rows.hpp"
#include "support/scripted_store.hpp"
#include "support/sorted_store.hpp"

using evenkey::Direction;
using evenkey::EnumerateOptions;
using evenkey::Order;
using support::keys_of;
using support::Limits;
using support::primary_keys;
using support::ScriptedStore;
using support::SortedStore;

using Keys = std::vector<std::int64_t>;
using Texts = std::vector<std::string>;

namespace {

template <class Store>
auto listed(Store& store, const EnumerateOptions& options = {}) {
  return evenkey::enumerate(store.index(), store, options);
}

}  // namespace

TEST_SUITE("read") {
  TEST_CASE("shards are merged into one order, and read backward it is the exact reverse") {
    ScriptedStore store("s0: [1,3]>L [5].  s1: [2,4,6].");
    const auto up = listed(store);
    CHECK(keys_of(up.items) == Keys{1, 2, 3, 4, 5, 6});
    CHECK(up.complete());
    CHECK(up.requests == 3);
    CHECK(up.scanned_count == 6);
    CHECK(up.consumed_read_units == 1.5);
    const auto down = listed(store, {.direction = Direction::descending});
    CHECK(keys_of(down.items) == Keys{6, 5, 4, 3, 2, 1});
  }

  TEST_CASE_TEMPLATE("F07: an empty page is not the end, its last_evaluated_key is followed", Key,
                     std::string, std::map<std::string, std::string>) {
    for (const Direction direction : {Direction::ascending, Direction::descending}) {
      const EnumerateOptions options{.direction = direction};
      ScriptedStore<Key> store("s0: []>L []>L [1].  s1: [2].");
      auto result = listed(store, options);
      Keys expected{1, 2};
      if (direction == Direction::descending) std::reverse(expected.begin(), expected.end());
      CHECK(keys_of(result.items) == expected);
      CHECK(result.requests == 4);
      CHECK(store.log().every_limit_is_positive());
    }
  }

  TEST_CASE_TEMPLATE("F07: a limit that spans many small pages is met", Key, std::string,
                     std::map<std::string, std::string>) {
    for (const Limits limits : {Limits::honoured, Limits::ignored}) {
      ScriptedStore<Key> store("s0: [1]>L [2]>L [3].  s1: [10,11].", limits);
      const auto five = listed(store, {.limit = 5});
      CHECK(keys_of(five.items) == Keys{1, 2, 3, 10, 11});
      CHECK(five.complete());
      CHECK(keys_of(listed(store, {.limit = 2}).items) == Keys{1, 2});
      CHECK(keys_of(listed(store, {.limit = 4, .direction = Direction::descending}).items) ==
            Keys{11, 10, 3, 2});
      CHECK(store.log().every_limit_is_positive());
    }
  }

  TEST_CASE_TEMPLATE("F07: an empty page after the last item is a clean end", Key, std::string,
                     std::map<std::string, std::string>) {
    for (const Limits limits : {Limits::honoured, Limits::ignored}) {
      for (const std::size_t limit : {3u, 4u, 0u}) {
        ScriptedStore<Key> store("s0: [1,2,3]>L [].", limits);
        const auto result = listed(store, {.limit = limit});
        CHECK(keys_of(result.items) == Keys{1, 2, 3});
        CHECK(result.complete());
        CHECK(store.log().every_limit_is_positive());
      }
    }
  }

  TEST_CASE_TEMPLATE("F07: a start key that is there but empty is the end, not a new beginning", Key,
                     std::string, std::map<std::string, std::string>) {
    ScriptedStore<Key> store("s0: [1,2]>{}.  s1: []>{}.  s2: [0]>L [3]>{}.");
    const auto result = listed(store);
    CHECK(keys_of(result.items) == Keys{0, 1, 2, 3});
    CHECK(result.requests == 4);
    CHECK(listed(store, {.order = Order::by_shard}).requests == 4);
  }

  TEST_CASE("F07: a filter that keeps one of five is read on until the limit is met") {
    SortedStore store(support::ByNumber(3), {.page_size = 4});
    for (int i = 0; i < 100; ++i)
      store.put({"id" + std::to_string(i), "", i, "row" + std::to_string(i)});
    store.filter([](const support::Row& row) { return row.number % 5 == 0; });
    for (const std::size_t limit : {1u, 7u, 20u, 21u}) {
      const auto result = listed(store, {.limit = limit});
      REQUIRE(result.items.size() == (std::min<std::size_t>)(limit, 20));
      for (std::size_t i = 0; i < result.items.size(); ++i)
        CHECK(result.items[i].number == static_cast<std::int64_t>(5 * i));
      CHECK(result.scanned_count >= result.items.size());
      CHECK(result.complete());
    }
    CHECK(listed(store).scanned_count == 100);
    CHECK(store.log().every_limit_is_positive());
  }

  TEST_CASE("F02: no request asks for a limit of nothing, whatever is left of the caller's") {
    for (const Limits limits : {Limits::honoured, Limits::ignored}) {
      for (const Direction direction : {Direction::ascending, Direction::descending}) {
        for (std::size_t limit = 1; limit <= 9; ++limit) {
          for (const Order order : {Order::by_sort_key, Order::by_shard}) {
            ScriptedStore store("s0: [1,3,5]>L [7].  s1: [2,4,6].", limits);
            const auto result = listed(store, {.limit = limit, .order = order, .direction = direction});
            CHECK(result.items.size() == (std::min<std::size_t>)(limit, 7));
            CHECK(store.log().every_limit_is_positive());
            for (const support::Asked& asked : store.log().asked())
              CHECK(asked.limit.has_value());
          }
        }
      }
    }
  }

  TEST_CASE("an unlimited listing sends no limit, so that a page holds what fits it") {
    ScriptedStore store("s0: [1]>L [2].  s1: [3].");
    (void)listed(store);
    for (const support::Asked& asked : store.log().asked())
      CHECK_FALSE(asked.limit.has_value());
  }

  TEST_CASE("F30: text is ordered by the unsigned bytes of the whole key, as the store does") {
    SortedStore store(support::ByPerson(4), {.page_size = 2});
    const Texts ordered{"a!#t", "a#t", "z#t", "\x7F#t", "\xC3\xA9#t", "\xE4\xB8\xAD#t", "\xF0\x9F\x98\x80#t"};
    for (const std::string& text : ordered)
      store.put({text.substr(0, text.find('#')), "t", 0, text});
    CHECK(primary_keys(listed(store).items) == ordered);
    const auto down = listed(store, {.direction = Direction::descending});
    CHECK(primary_keys(down.items) == Texts(ordered.rbegin(), ordered.rend()));
    CHECK(primary_keys(listed(store, {.limit = 3}).items) == Texts(ordered.begin(), ordered.begin() + 3));
  }

  TEST_CASE("F30: primary keys of equal sort keys are compared by unsigned bytes too") {
    SortedStore store(support::ByNumber(3));
    for (const char* primary : {"\xC3\xA9", "z", "\xF0\x9F\x98\x80", "a#", "a!"})
      store.put({primary, "", 7, primary});
    CHECK(primary_keys(listed(store).items) == Texts{"a!", "a#", "z", "\xC3\xA9", "\xF0\x9F\x98\x80"});
  }

  TEST_CASE("numbers are ordered by value, negative ones first") {
    SortedStore store(support::ByNumber(4), {.page_size = 1});
    for (const std::int64_t number : {9, -10, 100, 0, -9, 10, -100})
      store.put({"id" + std::to_string(number), "", number, std::to_string(number)});
    CHECK(primary_keys(listed(store).items) == Texts{"-100", "-10", "-9", "0", "9", "10", "100"});
  }

  TEST_CASE("by shard, each partition comes in the store's own order, one after the other") {
    ScriptedStore store("s0: [5,5,9]>L [10].  s1: [].  s2: [1]>L []>L [2].");
    const auto up = listed(store, {.order = Order::by_shard});
    CHECK(up.items == store.rows());
    auto backward = listed(store, {.order = Order::by_shard, .direction = Direction::descending});
    CHECK(keys_of(backward.items) == Keys{10, 9, 5, 5, 2, 1});
    for (std::size_t limit = 1; limit <= 6; ++limit) {
      auto expected = store.rows();
      expected.resize(limit);
      CHECK(listed(store, {.limit = limit, .order = Order::by_shard}).items == expected);
    }
  }

  TEST_CASE("by shard, one partition is read at a time, whatever the concurrency is") {
    ScriptedStore store("s0: [1]>L [2].  s1: [3].  s2: [4].");
    (void)listed(store, {.order = Order::by_shard, .max_concurrency = 8});
    CHECK(store.log().peak() == 1);
    std::vector<std::string> partitions;
    for (const support::Asked& asked : store.log().asked())
      partitions.push_back(asked.partition);
    CHECK(partitions == Texts{"S#0", "S#0", "S#1", "S#2"});
  }

  TEST_CASE("by shard, a met limit ends the reading: later partitions are not asked") {
    ScriptedStore store("s0: [1,2]>L [3].  s1: [4].", Limits::honoured);
    const auto result = listed(store, {.limit = 2, .order = Order::by_shard});
    CHECK(keys_of(result.items) == Keys{1, 2});
    CHECK(store.log().of("S#1") == 0);
    CHECK(result.complete());
  }

  TEST_CASE(
      "by shard, a functor that does not pass on the start key fails its partition, and is not asked for "
      "ever") {
    SortedStore store(support::ByPerson(2), {.page_size = 2});
    for (int i = 0; i < 20; ++i)
      store.put({"p" + std::to_string(i), "t", i, std::to_string(i)});
    const auto query = [&](evenkey::QueryRequest<std::string> request) {
      request.exclusive_start_key.reset();
      return store(request);
    };
    const auto result = evenkey::enumerate(
        store.index(), query, {.order = Order::by_shard, .on_failure = evenkey::OnFailure::collect});
    REQUIRE(result.failures.size() == 2);
    CHECK_THROWS_AS(std::rethrow_exception(result.failures.front().error), evenkey::order_error);
    CHECK(result.requests == 4);
  }

  TEST_CASE("an index without a sort key lists by shard, and has no other order") {
    SortedStore store(support::Unsorted(3));
    for (int i = 0; i < 20; ++i)
      store.put({"id" + std::to_string(i), "", 0, "row" + std::to_string(i)});
    std::vector<std::string> expected;
    for (const std::string& partition : store.partition_keys())
      for (const support::Row& row : store.rows(partition, Direction::ascending))
        expected.push_back(row.primary);
    CHECK(primary_keys(listed(store, {.order = Order::by_shard}).items) == expected);
    store.log().clear();
    CHECK_THROWS_AS((void)listed(store), std::invalid_argument);
    CHECK(store.log().size() == 0);
  }

  TEST_CASE("every request says which index, partition, shard and direction it is of") {
    ScriptedStore store("s0: [1]>L [2].  s1: [3].");
    (void)listed(store, {.direction = Direction::descending, .max_concurrency = 1});
    const auto asked = store.log().asked();
    REQUIRE(asked.size() >= 2);
    for (const support::Asked& one : asked) {
      CHECK(one.index_name == "scripted");
      CHECK(store.index().keys.parse(one.partition) == one.shard);
      CHECK(one.condition == evenkey::SortKeyCondition{});
      CHECK(one.direction == Direction::descending);
    }
    CHECK_FALSE(asked.front().start.has_value());
  }

  TEST_CASE("an option out of range is refused before any request") {
    ScriptedStore store("s0: [1].  s1: [2].");
    for (const Order order : {Order::by_sort_key, Order::by_shard}) {
      CHECK_THROWS_AS((void)listed(store, {.order = order, .max_concurrency = 0}), std::invalid_argument);
      CHECK_THROWS_AS((void)listed(store, {.order = order, .max_tie_run = 0}), std::invalid_argument);
    }
    CHECK(store.log().size() == 0);
  }

  TEST_CASE("the greatest limit there is means all, too") {
    ScriptedStore store("s0: [1]>L [3].  s1: [2].", Limits::honoured);
    const auto result = listed(store, {.limit = (std::numeric_limits<std::size_t>::max)()});
    CHECK(keys_of(result.items) == Keys{1, 2, 3});
    CHECK(store.log().every_limit_is_positive());
  }

  TEST_CASE("an empty index gives an empty and complete answer, and was asked everywhere") {
    ScriptedStore store("s0: [].  s1: [].  s2: []>L [].");
    for (const std::size_t limit : {0u, 5u}) {
      store.log().clear();
      const auto result = listed(store, {.limit = limit});
      CHECK(result.items.empty());
      CHECK(result.complete());
      CHECK(result.requests == 4);
    }
  }

  TEST_CASE("the cost is the sum of all pages, and a store that tells no scanned count is not counted as 0") {
    const support::ScriptedStore script("s0: [1,2]>L [3].  s1: [].");
    const auto query = [&](const evenkey::QueryRequest<std::string>& request) {
      auto page = script.answer(request);
      page.scanned_count = 0;
      page.consumed_read_units = request.shard->value == 0 ? 1.25 : 0.5;
      return page;
    };
    const auto result = evenkey::enumerate(script.index(), query);
    CHECK(result.scanned_count == 3);
    CHECK(result.requests == 3);
    CHECK(result.consumed_read_units == 3.0);
  }
}
