// SPDX-License-Identifier: BSL-1.0
#include <evenkey/read.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <optional>
#include <set>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "support/rows.hpp"
#include "support/scripted_store.hpp"
#include "support/sorted_store.hpp"

using evenkey::Direction;
using evenkey::EnumerateOptions;
using evenkey::OnFailure;
using evenkey::Order;
using support::keys_of;
using support::NumberedRow;
using support::Row;
using support::ScriptedStore;
using support::SortedStore;
using Keys = std::vector<std::int64_t>;
using Texts = std::vector<std::string>;

namespace {

template <class Error>
bool is(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const Error&) {
    return true;
  } catch (...) {
    return false;
  }
}

Texts failed_partitions(const std::vector<evenkey::Failure>& failures) {
  Texts partitions;
  for (const evenkey::Failure& failure : failures)
    partitions.push_back(failure.partition_key);
  return partitions;
}

/// A scripted index of which one accessor throws for one row.
struct Brittle : support::ScriptedIndex<> {
  static inline std::string bad_sort_key;
  static inline std::string bad_primary_key;
  static std::int64_t sort_key(const NumberedRow& row) {
    if (row.primary == bad_sort_key) throw std::out_of_range("no sort key in " + row.primary);
    return row.key;
  }
  static std::string_view primary_key(const NumberedRow& row) {
    if (row.primary == bad_primary_key) throw std::out_of_range("no primary key in " + row.primary);
    return row.primary;
  }
};

/// A row index whose shard_by throws for one row.
struct BrittleShards : support::ByNumber {
  using ByNumber::ByNumber;
  static std::string_view shard_by(const Row& row) {
    if (row.primary == "bad") throw 42;
    return row.id;
  }
};

}  // namespace

TEST_SUITE("read") {
  TEST_CASE("collect gives what the others gave and names what failed; raise gives nothing") {
    ScriptedStore store("s0: [1]>L [4].  s1: [2]>L !.  s2: !.  s3: [3].");
    const auto result = evenkey::enumerate(store.index(), store, {.on_failure = OnFailure::collect});
    CHECK(keys_of(result.items) == Keys{1, 2, 3, 4});
    CHECK(failed_partitions(result.failures) == Texts{"S#1", "S#2"});
    CHECK(result.failures[0].shard == evenkey::ShardId{1});
    CHECK(result.failures[0].message == "scripted failure");
    CHECK(result.failures[0].id.empty());
    CHECK(is<support::scripted_error>(result.failures[0].error));
    CHECK_FALSE(result.complete());
    CHECK(result.requests == 6);
    CHECK_THROWS_AS((void)evenkey::enumerate(store.index(), store), evenkey::fan_out_error);
  }

  TEST_CASE("a fan_out_error names index, partitions and causes, in the order of the plan") {
    ScriptedStore store("s0: [1].  s1: !42.  s2: [2].  s3: !.");
    for (const std::size_t at_once : {1u, 2u, 16u}) {
      try {
        (void)evenkey::enumerate(store.index(), store, {.max_concurrency = at_once});
        FAIL("no error");
      } catch (const evenkey::fan_out_error& error) {
        CHECK(failed_partitions(error.failures()) == Texts{"S#1", "S#3"});
        CHECK(is<int>(error.failures()[0].error));
        const std::string what = error.what();
        for (const char* part : {"scripted", "2 of 4", "S#1", "S#3", "scripted failure"})
          CHECK(what.find(part) != std::string::npos);
      }
      CHECK(store.log().in_flight() == 0);
    }
  }

  TEST_CASE("a failure by shard ends a raising read, and a collecting one goes on behind it") {
    ScriptedStore store("s0: [5].  s1: [1]>L !.  s2: [3].");
    const auto result = evenkey::enumerate(store.index(), store,
                                           {.order = Order::by_shard, .on_failure = OnFailure::collect});
    CHECK(keys_of(result.items) == Keys{5, 1, 3});
    CHECK(failed_partitions(result.failures) == Texts{"S#1"});
    try {
      (void)evenkey::enumerate(store.index(), store, {.order = Order::by_shard});
      FAIL("no error");
    } catch (const evenkey::fan_out_error& error) {
      CHECK(failed_partitions(error.failures()) == Texts{"S#1"});
    }
  }

  TEST_CASE("all partitions failed: the answer is empty, and not complete") {
    ScriptedStore store("s0: !.  s1: !.  s2: !42.");
    for (const Order order : {Order::by_sort_key, Order::by_shard}) {
      const auto result =
          evenkey::enumerate(store.index(), store, {.order = order, .on_failure = OnFailure::collect});
      CHECK(result.items.empty());
      CHECK(failed_partitions(result.failures) == Texts{"S#0", "S#1", "S#2"});
    }
  }

  TEST_CASE("a limit that is met needs no page that would fail") {
    ScriptedStore store("s0: [1,2,3]>L !.  s1: [4].");
    const auto result = evenkey::enumerate(store.index(), store, {.limit = 2});
    CHECK(keys_of(result.items) == Keys{1, 2});
    CHECK(result.complete());
  }

  TEST_CASE("a limit that is met although a partition failed is not complete: its rows might come first") {
    ScriptedStore store("s0: [1,2,3].  s1: !.");
    const auto result =
        evenkey::enumerate(store.index(), store, {.limit = 2, .on_failure = OnFailure::collect});
    CHECK(keys_of(result.items) == Keys{1, 2});
    CHECK_FALSE(result.complete());
    CHECK_THROWS_AS((void)evenkey::enumerate(store.index(), store, {.limit = 2}), evenkey::fan_out_error);
  }

  TEST_CASE("of many failures a message names four and counts the others, and all can be had") {
    std::vector<evenkey::Failure> failures(6);
    for (std::size_t i = 0; i < failures.size(); ++i) {
      failures[i].partition_key = "S#" + std::to_string(i);
      failures[i].message = "slow down";
    }
    const evenkey::fan_out_error error("sagas", 16, failures);
    const std::string text = error.what();
    CHECK(text.find("6 of 16 partition reads of sagas failed") != std::string::npos);
    CHECK(text.find("S#3: slow down; and 2 more") != std::string::npos);
    CHECK(text.find("S#4") == std::string::npos);
    CHECK(error.failures().size() == 6);
    failures.resize(4);
    CHECK(std::string(evenkey::fan_out_error("sagas", 16, failures).what()) ==
          "evenkey: 4 of 16 partition reads of sagas failed, nothing was returned: S#0: slow down; "
          "S#1: slow down; S#2: slow down; S#3: slow down");
    CHECK(std::string(evenkey::fan_out_error("sagas", 16, {}).what()) ==
          "evenkey: 0 of 16 partition reads of sagas failed, nothing was returned");
  }

  TEST_CASE("a sort_key that throws is a failure of its partition, wherever its row stands") {
    const ScriptedStore script("s0: [1/a,2/b,2/c]>L [2/d,3/e]>L [4/f].  s1: [2/x]>L [3/y,9/z].");
    for (const Order order : {Order::by_sort_key, Order::by_shard}) {
      for (const std::size_t at_once : {1u, 2u}) {
        for (const std::size_t limit : {0u, 20u}) {
          for (const char* bad : {"a", "b", "c", "d", "e", "f"}) {
            CAPTURE(bad);
            Brittle::bad_sort_key = bad;
            const Brittle index{script.index()};
            const auto query = [&](const auto& request) { return script.answer(request); };
            const auto result = evenkey::enumerate(index, query,
                                                   {.limit = limit,
                                                    .order = order,
                                                    .on_failure = OnFailure::collect,
                                                    .max_concurrency = at_once});
            const Texts given = support::primaries_of(result.items);
            for (const char* other : {"x", "y", "z"})
              CHECK(std::count(given.begin(), given.end(), other) == 1);
            CHECK(std::count(given.begin(), given.end(), bad) == 0);
            CHECK(failed_partitions(result.failures) == Texts{"S#0"});
            CHECK(is<std::out_of_range>(result.failures.at(0).error));
          }
        }
      }
    }
    Brittle::bad_sort_key.clear();
  }

  TEST_CASE("the token of a page by shard excludes no row behind one that could not be placed") {
    for (const char* bad : {"a", "b", "c", "d", "e", "f"}) {
      for (const std::size_t limit : {1u, 2u, 3u, 100u}) {
        ScriptedStore script("s0: [1/a,2/b,3/c]>L [4/d,5/e].  s1: [6/f].", support::Limits::honoured);
        const Brittle index{script.index()};
        CAPTURE(bad);
        CAPTURE(limit);
        Brittle::bad_sort_key = bad;
        std::set<std::string> given;
        std::string token;
        std::size_t pages = 0;
        do {
          const auto page = evenkey::read_page(
              index, script, {.limit = limit, .order = Order::by_shard, .on_failure = OnFailure::collect},
              token);
          for (const NumberedRow& row : page.items)
            given.insert(row.primary);
          if (!page.failures.empty())
            Brittle::bad_sort_key.clear();  // the row is mended, and the read goes on
          token = page.next_token;
          REQUIRE(++pages < 20);
        } while (!token.empty());
        CHECK(given == std::set<std::string>{"a", "b", "c", "d", "e", "f"});
      }
    }
    Brittle::bad_sort_key.clear();
  }

  TEST_CASE("a primary_key that throws in a tie is a failure of its partition") {
    const ScriptedStore script("s0: [1/a,2/b,2/c]>L [2/d,3/e]>L [4/f].  s1: [2/x]>L [3/y,9/z].");
    const auto query = [&](const auto& request) { return script.answer(request); };
    for (const std::size_t at_once : {1u, 2u}) {
      for (const std::size_t limit : {0u, 20u}) {
        for (const char* bad : {"b", "c", "d", "e"}) {
          CAPTURE(bad);
          Brittle::bad_primary_key = bad;
          const auto result = evenkey::enumerate(
              Brittle{script.index()}, query,
              {.limit = limit, .on_failure = OnFailure::collect, .max_concurrency = at_once});
          const Texts given = support::primaries_of(result.items);
          for (const char* other : {"x", "y", "z"})
            CHECK(std::count(given.begin(), given.end(), other) == 1);
          CHECK(std::count(given.begin(), given.end(), bad) == 0);
          CHECK(failed_partitions(result.failures) == Texts{"S#0"});
          CHECK_THROWS_AS((void)evenkey::enumerate(Brittle{script.index()}, query), evenkey::fan_out_error);
        }
      }
    }
    Brittle::bad_primary_key.clear();
  }

  TEST_CASE("a shard_by that throws is a failure of its partition, and of no other id's") {
    SortedStore store(BrittleShards(2));
    const std::string first(store.index().keys.at(evenkey::ShardId{0}));
    const std::string second(store.index().keys.at(evenkey::ShardId{1}));
    std::string in_first;
    std::string in_second;
    for (int i = 0; in_first.empty() || in_second.empty(); ++i) {
      const std::string id = "id" + std::to_string(i);
      (store.index().keys.of(id) == first ? in_first : in_second) = id;
    }
    store.put_in(first, {in_first, "", 1, "mine"});
    store.put_in(first, {in_first, "", 2, "bad"});
    store.put_in(second, {in_second, "", 1, "other"});
    const auto one = evenkey::find(store.index(), store, in_first, {.on_failure = OnFailure::collect});
    CHECK(failed_partitions(one.failures) == Texts{first});
    CHECK(is<int>(one.failures.at(0).error));
    const auto both = evenkey::find_many(store.index(), store, Texts{in_first, in_second},
                                         {.on_failure = OnFailure::collect});
    CHECK(failed_partitions(both.failures) == Texts{first});
    CHECK(both.failures.at(0).id == in_first);
    const Texts given = support::primary_keys(both.items);
    CHECK(std::count(given.begin(), given.end(), "other") == 1);
  }

  TEST_CASE("a deadline that has passed fails every partition without a request") {
    SortedStore store(support::ByNumber(4));
    store.put({"p1", "", 1, "row"});
    const auto past = std::chrono::steady_clock::now() - std::chrono::seconds(1);
    const auto is_of_deadline = [](const auto& result, std::size_t partitions) {
      CHECK(result.items.empty());
      CHECK(result.requests == 0);
      CHECK(result.failures.size() == partitions);
      for (const evenkey::Failure& failure : result.failures)
        CHECK(is<evenkey::deadline_error>(failure.error));
    };
    for (const Order order : {Order::by_sort_key, Order::by_shard}) {
      const EnumerateOptions options{.order = order, .on_failure = OnFailure::collect, .deadline = past};
      is_of_deadline(evenkey::enumerate(store.index(), store, options), 4);
      CHECK_THROWS_AS((void)evenkey::enumerate(store.index(), store, {.order = order, .deadline = past}),
                      evenkey::fan_out_error);
    }
    is_of_deadline(
        evenkey::find(store.index(), store, "p1", {.on_failure = OnFailure::collect, .deadline = past}), 1);
    is_of_deadline(evenkey::find_many(store.index(), store, Texts{"p1", "p2", "p3"},
                                      {.on_failure = OnFailure::collect, .deadline = past}),
                   3);
    CHECK(store.log().size() == 0);
  }

  TEST_CASE("deadline and stop token are passed on in every request") {
    SortedStore store(support::ByNumber(2));
    std::stop_source stop;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::hours(1);
    bool passed_on = true;
    store.on_request([&](const auto& request) {
      passed_on = passed_on && request.deadline == deadline && request.stop == stop.get_token();
    });
    (void)evenkey::enumerate(store.index(), store,
                             {.max_concurrency = 1, .deadline = deadline, .stop = stop.get_token()});
    (void)evenkey::find(store.index(), store, "p1", {.deadline = deadline, .stop = stop.get_token()});
    (void)evenkey::find_many(store.index(), store, Texts{"p1"},
                             {.deadline = deadline, .stop = stop.get_token()});
    CHECK(passed_on);
    CHECK(store.log().size() == 4);
  }

  TEST_CASE("a stop before the read starts asks nothing") {
    ScriptedStore store("s0: [1].  s1: [2].");
    std::stop_source stop;
    stop.request_stop();
    const auto result = evenkey::enumerate(store.index(), store,
                                           {.on_failure = OnFailure::collect, .stop = stop.get_token()});
    CHECK(store.log().size() == 0);
    CHECK(failed_partitions(result.failures) == Texts{"S#0", "S#1"});
    for (const evenkey::Failure& failure : result.failures)
      CHECK(is<evenkey::stopped_error>(failure.error));
  }

  TEST_CASE("a stop midway: what is not named as failed is there to the last row") {
    for (const Order order : {Order::by_sort_key, Order::by_shard}) {
      for (const std::size_t at_once : {1u, 3u}) {
        for (std::size_t stop_at = 1; stop_at <= 6; ++stop_at) {
          CAPTURE(at_once);
          CAPTURE(stop_at);
          CAPTURE(static_cast<int>(order));
          ScriptedStore store("s0: [1,2].  s1: [3]>L [4]>L [5].  s2: [0]>L [9].");
          std::stop_source stop;
          const auto query = [&](const evenkey::QueryRequest<std::string>& request) {
            auto page = store(request);
            if (store.log().size() >= stop_at) stop.request_stop();
            return page;
          };
          const auto result = evenkey::enumerate(store.index(), query,
                                                 {.order = order,
                                                  .on_failure = OnFailure::collect,
                                                  .max_concurrency = at_once,
                                                  .stop = stop.get_token()});
          std::set<std::string> failed;
          for (const evenkey::Failure& failure : result.failures) {
            CHECK(is<evenkey::stopped_error>(failure.error));
            failed.insert(failure.partition_key);
          }
          if (at_once == 1) CHECK(result.requests == stop_at);
          std::size_t shard = 0;
          const Texts given = support::primaries_of(result.items);
          for (const char* partition : {"S#0", "S#1", "S#2"}) {
            for (const NumberedRow& row : store.rows_of(shard++))
              if (failed.count(partition) == 0)
                CHECK(std::count(given.begin(), given.end(), row.primary) == 1);
          }
          CHECK(result.complete() == (given.size() == 7));
        }
      }
    }
  }

  TEST_CASE("a stop after the limit is met takes nothing away") {
    ScriptedStore store("s0: [1,2,3]>L [4].");
    std::stop_source stop;
    const auto query = [&](const evenkey::QueryRequest<std::string>& request) {
      stop.request_stop();
      return store(request);
    };
    const auto result = evenkey::enumerate(store.index(), query, {.limit = 2, .stop = stop.get_token()});
    CHECK(keys_of(result.items) == Keys{1, 2});
    CHECK(result.complete());
  }
}
