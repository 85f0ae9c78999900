// SPDX-License-Identifier: BSL-1.0
#include <evenkey/read.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "support/rows.hpp"
#include "support/scripted_store.hpp"
#include "support/sorted_store.hpp"

using evenkey::Direction;
using evenkey::EnumerateOptions;
using evenkey::OnFailure;
using evenkey::Order;
using support::Limits;
using support::primaries_of;
using support::ScriptedStore;
using Texts = std::vector<std::string>;

namespace {

auto listed(ScriptedStore<>& store, const EnumerateOptions& options = {}) {
  return evenkey::enumerate(store.index(), store, options);
}

/// `count` rows of one sort key, over three partitions, one page each or many.
std::string run_of(std::size_t count, const char* page_end) {
  std::string script;
  for (std::size_t shard = 0; shard < 3; ++shard) {
    script += "s" + std::to_string(shard) + ": [";
    bool first = true;
    for (std::size_t i = shard; i < count; i += 3) {
      if (!first) script += page_end;
      script += "7";
      first = false;
    }
    script += "].  ";
  }
  return script;
}

}  // namespace

TEST_SUITE("read") {
  TEST_CASE("equal sort keys are put in the order of their primary keys, over shards and within one") {
    for (const Limits limits : {Limits::honoured, Limits::ignored}) {
      ScriptedStore store("s0: [1/m,5/z,5/b]>L [5/q,9/a].  s1: [5/a]>L [5/y]>L [5/c].  s2: [5/k].", limits);
      const Texts expected{"m", "a", "b", "c", "k", "q", "y", "z", "a"};
      CHECK(primaries_of(listed(store).items) == expected);
      CHECK(primaries_of(listed(store, {.direction = Direction::descending}).items) ==
            Texts(expected.rbegin(), expected.rend()));
      for (std::size_t limit = 1; limit <= expected.size(); ++limit) {
        const auto cut = static_cast<std::ptrdiff_t>(limit);
        CHECK(primaries_of(listed(store, {.limit = limit}).items) ==
              Texts(expected.begin(), expected.begin() + cut));
        CHECK(primaries_of(listed(store, {.limit = limit, .direction = Direction::descending}).items) ==
              Texts(expected.rbegin(), expected.rbegin() + cut));
      }
      CHECK(store.log().every_limit_is_positive());
    }
  }

  TEST_CASE("a tie that goes on behind empty pages is one run all the same") {
    ScriptedStore store("s0: [5/z]>L []>L []>L [5/a].  s1: []>L [5/k]>L [].");
    CHECK(primaries_of(listed(store).items) == Texts{"a", "k", "z"});
    CHECK(primaries_of(listed(store, {.limit = 1}).items) == Texts{"a"});
  }

  TEST_CASE("a run of exactly max_tie_run passes, one more is a tie_run_error in every mode") {
    for (const char* page_end : {",", "]>L ["}) {
      for (const OnFailure mode : {OnFailure::raise, OnFailure::collect}) {
        for (const std::size_t at_once : {1u, 4u}) {
          const EnumerateOptions options{.on_failure = mode, .max_concurrency = at_once, .max_tie_run = 9};
          ScriptedStore fits(run_of(9, page_end));
          CHECK(listed(fits, options).items.size() == 9);
          ScriptedStore over(run_of(10, page_end));
          CHECK_THROWS_AS((void)listed(over, options), evenkey::tie_run_error);
          CHECK(over.log().in_flight() == 0);
          ScriptedStore by_shard(run_of(10, page_end));
          EnumerateOptions swept = options;
          swept.order = Order::by_shard;
          CHECK(listed(by_shard, swept).items.size() == 10);
        }
      }
    }
  }

  TEST_CASE("a max_tie_run of 1 lets through what has no ties") {
    ScriptedStore unique("s0: [1,3]>L [5].  s1: [2,4].");
    CHECK(listed(unique, {.max_tie_run = 1}).items.size() == 5);
    for (const char* script :
         {"s0: [1,1].", "s0: [1]>L [1].", "s0: [1].  s1: [1].", "s0: [0,1]>L []>L [1]."}) {
      ScriptedStore tied(script);
      CHECK_THROWS_AS((void)listed(tied, {.max_tie_run = 1}), evenkey::tie_run_error);
    }
  }

  TEST_CASE("a tie_run_error says which index it is and what to do") {
    ScriptedStore store(run_of(4, ","));
    try {
      (void)listed(store, {.max_tie_run = 3});
      FAIL("no error");
    } catch (const evenkey::tie_run_error& error) {
      const std::string what = error.what();
      for (const char* part : {"scripted", "3", "max_tie_run", "suffix", "by_shard"})
        CHECK(what.find(part) != std::string::npos);
    }
  }

  TEST_CASE("the default max_tie_run puts ten thousand equal sort keys in order") {
    support::SortedStore store(support::ByNumber(4), {.page_size = 1000});
    Texts expected;
    for (std::size_t i = 0; i < evenkey::default_max_tie_run; ++i) {
      expected.push_back("row" + std::to_string(i));
      store.put({expected.back(), "", 0, expected.back()});
    }
    std::sort(expected.begin(), expected.end());
    CHECK(support::primary_keys(evenkey::enumerate(store.index(), store).items) == expected);
    store.put({"one more", "", 0, "one more"});
    CHECK_THROWS_AS((void)evenkey::enumerate(store.index(), store), evenkey::tie_run_error);
  }

  TEST_CASE("a row that is seen in two partitions is given once, and the copy is counted") {
    for (const Direction direction : {Direction::ascending, Direction::descending}) {
      ScriptedStore store("s0: [1/a,2/b]>L [2/c].  s1: [2/b]>L [2/d].  s2: [2/b,3/e].");
      Texts expected{"a", "b", "c", "d", "e"};
      if (direction == Direction::descending) std::reverse(expected.begin(), expected.end());
      const auto result = listed(store, {.direction = direction});
      CHECK(primaries_of(result.items) == expected);
      CHECK(result.duplicates_dropped == 2);
      CHECK(result.complete());
    }
  }

  TEST_CASE("a copy does not count toward the limit") {
    ScriptedStore store("s0: [2/b,5/c].  s1: [2/b,4/d].", Limits::honoured);
    CHECK(primaries_of(listed(store, {.limit = 2}).items) == Texts{"b", "d"});
    CHECK(primaries_of(listed(store, {.limit = 2, .direction = Direction::descending}).items) ==
          Texts{"c", "d"});
  }

  TEST_CASE("the same primary key at another sort key is another row") {
    ScriptedStore store("s0: [1/a].  s1: [2/a].");
    const auto result = listed(store);
    CHECK(result.items.size() == 2);
    CHECK(result.duplicates_dropped == 0);
  }

  TEST_CASE("two rows of one partition with one primary key are both kept") {
    ScriptedStore store("s0: [2/b,2/b]>L [2/b].  s1: [3/c].");
    const auto result = listed(store);
    CHECK(primaries_of(result.items) == Texts{"b", "b", "b", "c"});
    CHECK(result.duplicates_dropped == 0);
    ScriptedStore backward("s0: [2/b]>L [2/b].");
    CHECK(listed(backward, {.direction = Direction::descending}).items.size() == 2);
  }

  TEST_CASE("by shard, the copies of a moved row are both given: it promises at least once") {
    ScriptedStore store("s0: [2/b].  s1: [2/b].");
    CHECK(listed(store, {.order = Order::by_shard}).items.size() == 2);
  }

  TEST_CASE("a store that answers out of order is a failure of its partition, the others are all there") {
    for (const char* wrong : {"s1: [4,2].", "s1: [2,1]>L [5].", "s1: [4]>L [2].", "s1: [4]>L []>L [2,6]."}) {
      for (const std::size_t at_once : {1u, 2u, 16u}) {
        const std::string script = std::string("s0: [1/a,3/b]>L [5/c].  ") + wrong + "  s2: [0/d]>L [9/e].";
        ScriptedStore store(script);
        const auto result = listed(store, {.on_failure = OnFailure::collect, .max_concurrency = at_once});
        CAPTURE(script);
        REQUIRE(result.failures.size() == 1);
        CHECK(result.failures[0].partition_key == "S#1");
        CHECK_THROWS_AS(std::rethrow_exception(result.failures[0].error), evenkey::order_error);
        CHECK_FALSE(result.complete());
        CHECK(std::is_sorted(result.items.begin(), result.items.end(),
                             [](const auto& a, const auto& b) { return a.key < b.key; }));
        const Texts given = primaries_of(result.items);
        for (const char* other : {"a", "b", "c", "d", "e"})
          CHECK(std::count(given.begin(), given.end(), other) == 1);
        CHECK_THROWS_AS((void)listed(store), evenkey::fan_out_error);
      }
    }
  }

  TEST_CASE("a functor that forgets the direction is found out, not sorted wrongly") {
    const ScriptedStore script("s0: [1,2].  s1: [3].");
    const auto forgetful = [&](evenkey::QueryRequest<std::string> request) {
      request.direction = Direction::ascending;
      return script.answer(request);
    };
    const auto result = evenkey::enumerate(
        script.index(), forgetful, {.direction = Direction::descending, .on_failure = OnFailure::collect});
    REQUIRE(result.failures.size() == 1);
    CHECK_THROWS_AS(std::rethrow_exception(result.failures[0].error), evenkey::order_error);
  }
}
