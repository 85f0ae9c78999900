// SPDX-License-Identifier: BSL-1.0
#include <evenkey/read.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "support/rows.hpp"
#include "support/sorted_store.hpp"

using evenkey::Direction;
using evenkey::SortKeyCondition;
using support::primary_keys;
using support::Row;
using support::SortedStore;
using Texts = std::vector<std::string>;

namespace {

using Form = SortKeyCondition::Form;

/// The sort key begins with a state; a hook says that the id's rows are those of the state.
struct ByState : support::RowIndexBase {
  using RowIndexBase::RowIndexBase;
  static constexpr std::string_view name = "by-state";
  using SortKey = evenkey::CompositeKey<evenkey::Text, evenkey::Text>;
  static std::string sort_key(const Row& row) { return row.time + "#" + row.id; }
  static SortKeyCondition find_condition(std::string_view) { return SortKeyCondition::begins_with("open#"); }
};

/// The sort key begins with a state, and nothing narrows.
struct ByStateUnnarrowed : ByState {
  using ByState::ByState;
  static SortKeyCondition find_condition(std::string_view) { return {}; }
};

/// The id is the whole sort key.
struct BySingle : support::RowIndexBase {
  using RowIndexBase::RowIndexBase;
  static constexpr std::string_view name = "by-single";
  using SortKey = evenkey::CompositeKey<evenkey::Text>;
  static std::string_view sort_key(const Row& row) { return row.id; }
};

struct ByLiteral : support::RowIndexBase {
  using RowIndexBase::RowIndexBase;
  static constexpr std::string_view name = "by-literal";
  using SortKey = evenkey::CompositeKey<evenkey::Literal<"SAGA">, evenkey::EscapedText, evenkey::Text>;
  static std::string sort_key(const Row& row) { return SortKey::encode(row.id, row.time); }
};

template <class Index>
struct Filled : SortedStore<Index> {
  explicit Filled(std::uint32_t shards) : SortedStore<Index>(Index(shards), {.page_size = 2}) {
    for (const char* id : {"p1", "p10", "p2", "p"})
      for (int i = 0; i < 5; ++i)
        this->put({id, "t" + std::to_string(i), i, std::string(id) + "/" + std::to_string(i)});
  }
};

template <class Index>
bool refuses_an_empty_id() {
  Filled<Index> store(2);
  try {
    (void)evenkey::find(store.index(), store, "");
  } catch (const evenkey::key_error& error) {
    return error.reason() == evenkey::KeyErrorReason::empty && store.log().size() == 0;
  }
  return false;
}

}  // namespace

TEST_SUITE("read") {
  TEST_CASE("F24: the prefix ends in its separator, so that p1 matches no stranger") {
    SortedStore store(support::ByPerson(1));
    for (const char* stored : {"p1#T1", "p10#T1", "p1", "p1-b#T1"})
      store.put({"p1", "", 0, stored, stored});
    const auto result = evenkey::find(store.index(), store, "p1");
    CHECK(primary_keys(result.items) == Texts{"p1#T1"});
    REQUIRE(store.log().size() == 1);
    CHECK(store.log().asked()[0].condition == SortKeyCondition::begins_with("p1#"));
  }

  TEST_CASE("find asks the id's own partition only, follows its pages, and gives nobody else's rows") {
    SortedStore<support::ByPerson> store(support::ByPerson(16), {.page_size = 2});
    for (int person = 0; person < 40; ++person)
      for (int i = 0; i < 5; ++i)
        store.put({"person-" + std::to_string(person), std::to_string(i), 0,
                   std::to_string(person) + "/" + std::to_string(i)});
    const auto result = evenkey::find(store.index(), store, "person-4");
    CHECK(primary_keys(result.items) == Texts{"4/0", "4/1", "4/2", "4/3", "4/4"});
    CHECK(result.complete());
    CHECK(result.requests == 3);
    CHECK(result.scanned_count == 5);
    CHECK(result.consumed_read_units == 1.5);
    CHECK(store.log().of(store.index().keys.of("person-4")) == 3);
    for (const support::Asked& asked : store.log().asked())
      CHECK(asked.shard == store.index().keys.shard_of("person-4"));
  }

  TEST_CASE("find meets its limit from either end, and never asks for nothing") {
    Filled<support::ByPerson> store(1);
    for (std::size_t limit = 1; limit <= 6; ++limit) {
      Texts expected{"p1/0", "p1/1", "p1/2", "p1/3", "p1/4"};
      Texts reversed(expected.rbegin(), expected.rend());
      expected.resize((std::min<std::size_t>)(limit, 5));
      reversed.resize((std::min<std::size_t>)(limit, 5));
      CHECK(primary_keys(evenkey::find(store.index(), store, "p1", {.limit = limit}).items) == expected);
      CHECK(primary_keys(evenkey::find(store.index(), store, "p1",
                                       {.limit = limit, .direction = Direction::descending})
                             .items) == reversed);
    }
    CHECK(store.log().every_limit_is_positive());
  }

  TEST_CASE("an id that is the whole sort key is asked for by equality") {
    SortedStore store(BySingle(1));
    for (const char* id : {"p1", "p10", "p"})
      store.put({id, "", 0, id});
    CHECK(primary_keys(evenkey::find(store.index(), store, "p1").items) == Texts{"p1"});
    CHECK(store.log().asked()[0].condition == SortKeyCondition::equal("p1"));
  }

  TEST_CASE("a prefix holds the literals before the id, and an escaped id as it is stored") {
    SortedStore store(ByLiteral(2));
    for (const char* id : {"a#b", "a", "a%23b"})
      store.put({id, "t", 0, id});
    for (const char* id : {"a#b", "a", "a%23b"})
      CHECK(primary_keys(evenkey::find(store.index(), store, id).items) == Texts{id});
    CHECK(store.log().asked()[0].condition == SortKeyCondition::begins_with("SAGA#a%23b#"));
  }

  TEST_CASE_TEMPLATE("a sort key that does not begin with the id is read whole and kept apart by shard_by",
                     Index, support::ByTime, support::ByNumber, support::Unsorted, ByStateUnnarrowed) {
    Filled<Index> store(1);
    const auto result = evenkey::find(store.index(), store, "p1");
    auto found = primary_keys(result.items);
    std::sort(found.begin(), found.end());
    CHECK(found == Texts{"p1/0", "p1/1", "p1/2", "p1/3", "p1/4"});
    CHECK(result.scanned_count == 20);
    CHECK(store.log().asked()[0].condition.form() == Form::none);
    const auto limited = evenkey::find(store.index(), store, "p1", {.limit = 2});
    CHECK(limited.items.size() == 2);
    for (const Row& row : limited.items)
      CHECK(row.id == "p1");
    CHECK(evenkey::find(store.index(), store, "p3").items.empty());
    CHECK(store.log().every_limit_is_positive());
  }

  TEST_CASE("a definition's own find_condition is what the store is asked for") {
    SortedStore store(ByState(1));
    for (const char* state : {"open", "closed"})
      store.put({"p1", state, 0, state});
    CHECK(primary_keys(evenkey::find(store.index(), store, "p1").items) == Texts{"open"});
    CHECK(store.log().asked()[0].condition == SortKeyCondition::begins_with("open#"));
  }

  TEST_CASE("a find_condition wider than the id is kept apart by shard_by") {
    SortedStore store(ByState(1));
    for (const char* id : {"p1", "p2"})
      for (const char* state : {"open", "closed"})
        store.put({id, state, 0, std::string(id) + state});
    CHECK(primary_keys(evenkey::find(store.index(), store, "p1").items) == Texts{"p1open"});
    CHECK(primary_keys(evenkey::find_many(store.index(), store, Texts{"p2", "p1"}).items) ==
          Texts{"p2open", "p1open"});
    CHECK(primary_keys(evenkey::find(store.index(), store, "p2", {.limit = 1}).items) == Texts{"p2open"});
  }

  TEST_CASE("an item that the condition does not match is no answer, though the store gives it") {
    SortedStore store(support::ByPerson(1));
    store.put({"p1", "t", 0, "mine"});
    store.put({"p2", "t", 0, "theirs"});
    const auto careless = [&](evenkey::QueryRequest<std::string> request) {
      request.sort_key = {};
      return store(request);
    };
    const auto result = evenkey::find(store.index(), careless, "p1");
    CHECK(primary_keys(result.items) == Texts{"mine"});
    CHECK(result.scanned_count == 2);
  }

  TEST_CASE("an empty id is refused before any request, in every kind of index") {
    CHECK(refuses_an_empty_id<support::ByPerson>());
    CHECK(refuses_an_empty_id<support::ByTime>());
    CHECK(refuses_an_empty_id<support::ByNumber>());
    CHECK(refuses_an_empty_id<support::Unsorted>());
    CHECK(refuses_an_empty_id<BySingle>());
    CHECK(refuses_an_empty_id<ByState>());
    CHECK(refuses_an_empty_id<ByStateUnnarrowed>());
  }

  TEST_CASE("an id that the sort key's first field refuses is refused before any request") {
    Filled<support::ByPerson> store(2);
    for (const std::string& id : {std::string("p#1"), std::string("\xFF"), std::string(1024, 'x')})
      CHECK_THROWS_AS((void)evenkey::find(store.index(), store, id), evenkey::key_error);
    CHECK(store.log().size() == 0);
  }

  TEST_CASE("find refuses an option out of range before any request") {
    Filled<support::ByPerson> store(2);
    CHECK_THROWS_AS((void)evenkey::find(store.index(), store, "p1", {.max_tie_run = 0}),
                    std::invalid_argument);
    CHECK(store.log().size() == 0);
  }

  TEST_CASE("a partition that fails is never taken for an empty one, and names the id") {
    Filled<support::ByPerson> store(4);
    const std::string partition(store.index().keys.of("p1"));
    store.fail(partition, 1);
    const auto result =
        evenkey::find(store.index(), store, "p1", {.on_failure = evenkey::OnFailure::collect});
    CHECK_FALSE(result.complete());
    REQUIRE(result.failures.size() == 1);
    CHECK(result.failures[0].partition_key == partition);
    CHECK(result.failures[0].shard == store.index().keys.shard_of("p1"));
    CHECK(result.failures[0].id == "p1");
    CHECK(result.failures[0].message == "throttled");
    try {
      (void)evenkey::find(store.index(), store, "p1");
      FAIL("the read failed and did not throw");
    } catch (const evenkey::fan_out_error& error) {
      REQUIRE(error.failures().size() == 1);
      CHECK(error.failures()[0].id == "p1");
    }
  }

  TEST_CASE("find runs on the caller's thread") {
    Filled<support::ByPerson> store(4);
    const auto caller = std::this_thread::get_id();
    bool same = true;
    store.on_request([&](const auto&) { same = same && std::this_thread::get_id() == caller; });
    (void)evenkey::find(store.index(), store, "p1");
    CHECK(same);
  }
}
