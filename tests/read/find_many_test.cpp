// SPDX-License-Identifier: BSL-1.0
#include <evenkey/read.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <list>
#include <map>
#include <ranges>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/rows.hpp"
#include "support/sorted_store.hpp"

using evenkey::Direction;
using evenkey::FindManyOptions;
using evenkey::OnFailure;
using support::primary_keys;
using support::SortedStore;
using Texts = std::vector<std::string>;

namespace {

template <class Index>
struct Filled : SortedStore<Index> {
  Filled() : SortedStore<Index>(Index(4), {.page_size = 2}) {
    for (int person = 0; person < 12; ++person)
      for (int i = 0; i < 3; ++i)
        this->put({"p" + std::to_string(person), std::to_string(i), i,
                   "p" + std::to_string(person) + "/" + std::to_string(i)});
  }
};

/// A string type that is not the standard's.
struct SdkString {
  std::string bytes;
  operator std::string_view() const { return bytes; }
};

/// A range that can be walked once only, and whose ids are gone when the next is read.
struct OnePass {
  std::vector<std::string> words;

  struct Iterator {
    using value_type = std::string;
    using difference_type = std::ptrdiff_t;
    const std::vector<std::string>* words;
    std::size_t at = 0;
    std::string operator*() const { return (*words)[at]; }
    Iterator& operator++() {
      ++at;
      return *this;
    }
    void operator++(int) { ++at; }
    friend bool operator==(const Iterator& i, std::default_sentinel_t) { return i.at == i.words->size(); }
  };
  Iterator begin() const { return {&words}; }
  std::default_sentinel_t end() const { return {}; }
};
static_assert(std::ranges::input_range<OnePass> && !std::ranges::forward_range<OnePass>);

/// On the way from one number of shards to another; nothing of it has moved.
struct OnTheMove : support::ByPerson {
  evenkey::DynamicShardedKey source;
  OnTheMove(std::uint32_t from, std::uint32_t to) : ByPerson(to), source("S", from) {}
  evenkey::ReadPlan read_plan() const { return {}; }
  evenkey::ReadPlan read_plan(std::string_view id) const {
    return {{{{{source.of(id), source.shard_of(id)}}}, {{{keys.of(id), keys.shard_of(id)}}}}};
  }
};

}  // namespace

TEST_SUITE("read") {
  TEST_CASE_TEMPLATE("find_many gives ids in the order given, each once, each id's rows in order", Index,
                     support::ByPerson, support::ByTime, support::ByNumber) {
    Filled<Index> store;
    const Texts ids{"p7", "p1", "p7", "nobody", "p11", "p1"};
    for (const std::size_t at_once : {1u, 2u, 16u}) {
      const auto up = evenkey::find_many(store.index(), store, ids, {.max_concurrency = at_once});
      CHECK(primary_keys(up.items) ==
            Texts{"p7/0", "p7/1", "p7/2", "p1/0", "p1/1", "p1/2", "p11/0", "p11/1", "p11/2"});
      CHECK(up.complete());
      const auto down = evenkey::find_many(store.index(), store, ids,
                                           {.direction = Direction::descending, .max_concurrency = at_once});
      CHECK(primary_keys(down.items) ==
            Texts{"p7/2", "p7/1", "p7/0", "p1/2", "p1/1", "p1/0", "p11/2", "p11/1", "p11/0"});
      CHECK(store.log().peak() <= at_once);
      store.log().clear();
    }
  }

  TEST_CASE("an id given twice is asked once") {
    Filled<support::ByPerson> store;
    const auto result = evenkey::find_many(store.index(), store, Texts{"p1", "p1", "p1"});
    CHECK(result.items.size() == 3);
    CHECK(result.requests == 2);
    CHECK(store.log().size() == 2);
  }

  TEST_CASE("no ids give an empty and complete answer without a request") {
    Filled<support::ByPerson> store;
    const auto result = evenkey::find_many(store.index(), store, Texts{});
    CHECK(result.items.empty());
    CHECK(result.complete());
    CHECK(result.requests == 0);
    CHECK(store.log().size() == 0);
  }

  TEST_CASE("one bad id refuses the call before any request, wherever it stands") {
    Filled<support::ByPerson> store;
    for (const std::string& bad : {std::string(), std::string("a#b"), std::string(1024, 'x')}) {
      for (std::size_t at = 0; at < 3; ++at) {
        Texts ids{"p1", "p2"};
        ids.insert(ids.begin() + static_cast<std::ptrdiff_t>(at), bad);
        CHECK_THROWS_AS((void)evenkey::find_many(store.index(), store, ids), evenkey::key_error);
      }
    }
    Filled<support::ByTime> by_time;
    CHECK_THROWS_AS((void)evenkey::find_many(by_time.index(), by_time, Texts{"p1", ""}), evenkey::key_error);
    CHECK_THROWS_AS((void)evenkey::find_many(store.index(), store, Texts{"p1"}, {.max_concurrency = 0}),
                    std::invalid_argument);
    CHECK_THROWS_AS((void)evenkey::find_many(store.index(), store, Texts{"p1"}, {.max_tie_run = 0}),
                    std::invalid_argument);
    CHECK(store.log().size() == 0);
    CHECK(by_time.log().size() == 0);
  }

  TEST_CASE("ids come as any range of text: lists, spans, views, one-pass streams, other string types") {
    Filled<support::ByPerson> store;
    const auto count = [&](auto&& ids) {
      return evenkey::find_many(store.index(), store, std::forward<decltype(ids)>(ids)).items.size();
    };
    CHECK(count(std::list<std::string_view>{"p1", "p2"}) == 6);
    CHECK(count(std::array<const char*, 2>{"p1", "p2"}) == 6);
    const Texts kept{"p1", "p2", "p3"};
    CHECK(count(std::span(kept).first(2)) == 6);
    CHECK(count(std::set<std::string>{"p1"}) == 3);
    CHECK(count(std::vector<SdkString>{{"p1"}, {"p2"}}) == 6);
    CHECK(count(OnePass{{"p1", "p2", "p3"}}) == 9);
  }

  TEST_CASE("on the move, ids whose rows come from different shards are each found once in whole shards") {
    for (const auto& [from, to] : {std::pair{8U, 4U}, {4U, 8U}, {3U, 5U}}) {
      const OnTheMove index(from, to);
      Texts ids;
      std::map<std::string, std::vector<support::Row>, std::less<>> partitions;
      for (int i = 0; i < 40; ++i) {
        const std::string id = ids.emplace_back("p" + std::to_string(i));
        partitions[std::string(index.source.of(id))].push_back({id, "0", 0, id + "/0"});
        partitions[std::string(index.keys.of(id))].push_back({id, "1", 1, id + "/1"});
      }
      const auto query = [&](const evenkey::QueryRequest<std::string>& request) {
        evenkey::Page<support::Row> page;
        for (const support::Row& row : partitions[std::string(request.partition_key)])
          if (request.sort_key.matches(index.sort_key(row))) page.items.push_back(row);
        std::sort(page.items.begin(), page.items.end(),
                  [&](const auto& a, const auto& b) { return index.sort_key(a) < index.sort_key(b); });
        return page;
      };
      const auto result = evenkey::find_many(
          index, query, ids, {.max_concurrency = 1, .expected_rows_per_id = 4, .expected_rows_per_shard = 4});
      CHECK(result.items.size() == 80);
      for (const auto& group : result.groups) {
        CAPTURE(group.id);
        CHECK(primary_keys(result.rows(group)) == Texts{group.id + "/0", group.id + "/1"});
      }
    }
  }

  TEST_CASE("a failure names its id, and the ids of other partitions are all there") {
    Filled<support::ByPerson> store;
    const std::string failing(store.index().keys.of("p1"));
    store.fail(failing);
    Texts ids;
    Texts expected;
    std::set<std::string> lost;
    for (int person = 0; person < 12; ++person) {
      const std::string id = "p" + std::to_string(person);
      ids.push_back(id);
      if (store.index().keys.of(id) == failing) {
        lost.insert(id);
      } else {
        for (int i = 0; i < 3; ++i)
          expected.push_back(id + "/" + std::to_string(i));
      }
    }
    REQUIRE(lost.size() < ids.size());
    const auto result = evenkey::find_many(store.index(), store, ids, {.on_failure = OnFailure::collect});
    CHECK(primary_keys(result.items) == expected);
    CHECK(result.failures.size() == lost.size());
    for (const evenkey::Failure& failure : result.failures) {
      CHECK(failure.partition_key == failing);
      CHECK(lost.count(failure.id) == 1);
    }
    CHECK_THROWS_AS((void)evenkey::find_many(store.index(), store, ids), evenkey::fan_out_error);
  }

  TEST_CASE("more ids than an engine has places for at once are read all the same") {
    SortedStore store(support::ByPerson(3), {.page_size = 1});
    Texts ids;
    for (int i = 0; i < 500; ++i) {
      ids.push_back("id" + std::to_string(i));
      store.put({ids.back(), "t", 0, ids.back()});
    }
    const auto result = evenkey::find_many(store.index(), store, ids);
    CHECK(primary_keys(result.items) == ids);
    CHECK(result.requests == 500);
    CHECK(store.log().peak() <= evenkey::default_max_concurrency);
  }
}
