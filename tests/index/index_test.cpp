// SPDX-License-Identifier: BSL-1.0
#include <evenkey/index.hpp>
#include <evenkey/shard_policy/random.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

using evenkey::ShardId;
using evenkey::SortKeyCondition;
using Texts = std::vector<std::string>;

namespace {

struct Row {
  std::string id;
  std::string key;
  std::int64_t number = 0;
};

/// A definition that is right; those below differ from it in one thing each.
struct Good {
  static constexpr std::string_view name = "good";
  using PartitionKey = evenkey::ShardedKey<"P", evenkey::ShardPolicy<3>>;
  using SortKey = evenkey::CompositeKey<evenkey::Text, evenkey::Text>;
  using Item = Row;
  using StartKey = std::string;
  static std::string_view sort_key(const Row& row) { return row.key; }
  static std::string_view primary_key(const Row& row) { return row.id; }
  static std::string_view shard_by(const Row& row) { return row.id; }
};
static_assert(evenkey::index_definition<Good>);
static_assert(evenkey::index_with_order<Good>);
static_assert(evenkey::index_by_id<Good>);

// What an accessor may return, and how it may take its item.
struct MemberAccessors : Good {
  std::string prefix = "x";
  const std::string& sort_key(const Row& row) const { return row.key; }
  std::string primary_key(Row row) const { return prefix + row.id; }  // by value, but it owns what it returns
  const char* shard_by(const Row& row) const noexcept { return row.id.c_str(); }
};
static_assert(evenkey::index_definition<MemberAccessors>);

struct GenericAccessors : Good {
  template <class T>
  static std::string_view sort_key(const T& row) {
    return row.key;
  }
  static auto primary_key(const auto& row) { return std::string_view(row.id); }
};
static_assert(evenkey::index_definition<GenericAccessors>);

struct RuntimeName : Good {
  std::string name;
};
static_assert(evenkey::index_definition<RuntimeName>);

struct MoveOnlyItems : Good {
  using Item = std::unique_ptr<Row>;
  static std::string_view sort_key(const Item& row) { return row->key; }
  static std::string_view primary_key(const Item& row) { return row->id; }
  static std::string_view shard_by(const Item& row) { return row->id; }
};
static_assert(evenkey::index_definition<MoveOnlyItems>);

// Numbers.
struct Numbers : Good {
  using SortKey = evenkey::NumberKey;
  static std::int64_t sort_key(const Row& row) { return row.number; }
};
struct Doubles : Numbers {
  static double sort_key(const Row& row) { return static_cast<double>(row.number); }
};
struct Shorts : Numbers {
  static std::int16_t sort_key(const Row&) { return 1; }
};
struct NumberAsText : Numbers {
  static std::string_view sort_key(const Row& row) { return row.key; }
};
struct TextAsNumber : Good {
  static std::int64_t sort_key(const Row& row) { return row.number; }
};
struct Unsigned64 : Numbers {
  static std::uint64_t sort_key(const Row&) { return 1; }
};
struct Boolean : Numbers {
  static bool sort_key(const Row&) { return true; }
};
static_assert(evenkey::index_definition<Numbers> && evenkey::index_definition<Doubles> &&
              evenkey::index_definition<Shorts>);
static_assert(!evenkey::has_sort_key<NumberAsText> && !evenkey::index_definition<NumberAsText>);
static_assert(!evenkey::has_sort_key<TextAsNumber> && !evenkey::has_sort_key<Unsigned64> &&
              !evenkey::has_sort_key<Boolean>);

// No sort key.
struct Unsorted {
  static constexpr std::string_view name = "unsorted";
  using PartitionKey = evenkey::ShardedKey<"P", evenkey::ShardPolicy<3>>;
  using SortKey = evenkey::NoSortKey;
  using Item = Row;
  using StartKey = std::string;
  static std::string_view primary_key(const Row& row) { return row.id; }
  static std::string_view shard_by(const Row& row) { return row.id; }
};
static_assert(evenkey::index_definition<Unsorted> && evenkey::index_by_id<Unsorted>);
static_assert(!evenkey::index_with_order<Unsorted>);

// Partition keys.
struct Unsharded : Good {
  using PartitionKey = evenkey::UnshardedKey<"P">;
};
struct Random : Good {
  using PartitionKey = evenkey::ShardedKey<"P", evenkey::RandomShardPolicy<3>>;
};
struct RandomWithoutId {
  static constexpr std::string_view name = "random";
  using PartitionKey = evenkey::ShardedKey<"P", evenkey::RandomShardPolicy<3>>;
  using SortKey = evenkey::NoSortKey;
  using Item = Row;
  using StartKey = std::string;
  static std::string_view primary_key(const Row& row) { return row.id; }
};
using Family = evenkey::ShardedKeyFamily<evenkey::ShardPolicy<2>, evenkey::Text>;
struct Bound : Good {
  using PartitionKey = Family::Bound;
  Family::Bound keys = Family::bind("topic");
  const Family::Bound& partition_keys() const { return keys; }
};
struct BoundWithoutObject : Good {
  using PartitionKey = Family::Bound;
};
struct OwningTemporary : Good {
  using PartitionKey = Family::Bound;
  Family::Bound keys = Family::bind("topic");
  Family::Bound partition_keys() const { return keys; }
};
struct EmptyByValue : Good {
  PartitionKey partition_keys() const { return {}; }  // it has no state: its keys are constants
};
static_assert(evenkey::index_by_id<Unsharded> && evenkey::index_by_id<Bound> &&
              evenkey::index_by_id<EmptyByValue>);
static_assert(evenkey::index_definition<Random> && !evenkey::index_by_id<Random>);
static_assert(evenkey::index_definition<RandomWithoutId>);
static_assert(!evenkey::has_partition_keys<BoundWithoutObject> &&
              !evenkey::has_partition_keys<OwningTemporary>);

// What is missing or wrong is found by the concept that names it, and by no other.
struct NoName {
  using PartitionKey = Good::PartitionKey;
  using SortKey = Good::SortKey;
  using Item = Row;
  using StartKey = std::string;
  static std::string_view sort_key(const Row& row) { return row.key; }
  static std::string_view primary_key(const Row& row) { return row.id; }
  static std::string_view shard_by(const Row& row) { return row.id; }
};
static_assert(!evenkey::names_its_index<NoName> && evenkey::has_item_types<NoName> &&
              evenkey::has_key_types<NoName> && evenkey::has_partition_keys<NoName> &&
              evenkey::has_primary_key<NoName> && evenkey::has_sort_key<NoName> &&
              evenkey::has_sharding_id<NoName> && evenkey::views_outlive_the_call<NoName>);
struct PrivateAccessor : Good {
 private:
  static std::string_view primary_key(const Row& row) { return row.id; }
};
static_assert(!evenkey::has_primary_key<PrivateAccessor> && evenkey::has_sort_key<PrivateAccessor>);
struct NonConstAccessor : Good {
  std::string_view shard_by(const Row& row) { return row.id; }
};
static_assert(!evenkey::has_sharding_id<NonConstAccessor>);
struct DanglingSortKey : Good {
  static std::string_view sort_key(Row row) { return row.key; }
};
struct DanglingPrimaryKey : Good {
  static const char* primary_key(Row row) noexcept { return row.id.c_str(); }
};
struct DanglingShardBy : Good {
  std::string_view shard_by(Row row) const { return row.id; }
};
static_assert(!evenkey::views_outlive_the_call<DanglingSortKey> && evenkey::has_sort_key<DanglingSortKey>);
static_assert(!evenkey::views_outlive_the_call<DanglingPrimaryKey> &&
              !evenkey::views_outlive_the_call<DanglingShardBy>);
static_assert(!evenkey::index_definition<int> && !evenkey::index_definition<Row>);

/// A definition that plans for itself, as one on the move does.
struct OwnPlan : Good {
  static evenkey::ReadPlan read_plan() { return {{{{{"old", std::nullopt}}}, {{{"new", ShardId{0}}}}}}; }
  static evenkey::ReadPlan read_plan(std::string_view) { return {{{{{"one", ShardId{7}}}}}}; }
};

Texts partitions(const evenkey::ReadPlan& plan) {
  Texts keys;
  for (const evenkey::PlannedGroup& group : plan.groups)
    for (const evenkey::PlannedPartition& partition : group.partitions)
      keys.emplace_back(partition.partition_key);
  return keys;
}

}  // namespace

TEST_SUITE("index") {
  TEST_CASE("the plan of a listing has every partition once, by shard, in one group") {
    const Good index;
    const evenkey::ReadPlan plan = evenkey::read_plan(index);
    REQUIRE(plan.groups.size() == 1);
    CHECK(partitions(plan) == Texts{"P#0", "P#1", "P#2"});
    for (std::uint32_t shard = 0; shard < 3; ++shard)
      CHECK(plan.groups[0].partitions[shard].shard == ShardId{shard});
  }

  TEST_CASE("the plan of an id has its one partition") {
    const Good index;
    const evenkey::ReadPlan plan = evenkey::read_plan(index, "person-42");
    CHECK(partitions(plan) == Texts{std::string(Good::PartitionKey::of("person-42"))});
    CHECK(plan.groups[0].partitions[0].shard == Good::PartitionKey::shard_of("person-42"));
  }

  TEST_CASE("a key that is not sharded is planned without a shard") {
    const Unsharded index;
    CHECK(partitions(evenkey::read_plan(index)) == Texts{"P"});
    CHECK_FALSE(evenkey::read_plan(index).groups[0].partitions[0].shard.has_value());
    CHECK_FALSE(evenkey::read_plan(index, "x").groups[0].partitions[0].shard.has_value());
  }

  TEST_CASE("an index of random shards is planned as a whole") {
    CHECK(partitions(evenkey::read_plan(Random{})) == Texts{"P#0", "P#1", "P#2"});
    CHECK(partitions(evenkey::read_plan(RandomWithoutId{})) == Texts{"P#0", "P#1", "P#2"});
  }

  TEST_CASE("keys that are an object are taken from it, and a copy of the definition has the same") {
    const Bound index;
    const Bound copy = index;
    CHECK(partitions(evenkey::read_plan(index)) == Texts{"topic#0", "topic#1"});
    CHECK(partitions(evenkey::read_plan(copy)) == Texts{"topic#0", "topic#1"});
    CHECK(partitions(evenkey::read_plan(EmptyByValue{}, "a")).size() == 1);
  }

  TEST_CASE("a definition's own plan goes before the one made from its keys") {
    const OwnPlan index;
    CHECK(partitions(evenkey::read_plan(index)) == Texts{"old", "new"});
    CHECK(partitions(evenkey::read_plan(index, "any")) == Texts{"one"});
  }

  TEST_CASE("find narrows by what the sort key is made of") {
    struct Single : Good {
      using SortKey = evenkey::CompositeKey<evenkey::Text>;
    };
    struct Escaped : Good {
      using SortKey = evenkey::CompositeKey<evenkey::Literal<"S">, evenkey::EscapedText, evenkey::Timestamp>;
    };
    struct TimeFirst : Good {
      using SortKey = evenkey::CompositeKey<evenkey::Timestamp, evenkey::Text>;
    };
    struct Hooked : Good {
      static SortKeyCondition find_condition(std::string_view id) { return SortKeyCondition::less(id); }
    };
    CHECK(evenkey::find_condition(Good{}, "p1") == SortKeyCondition::begins_with("p1#"));
    CHECK(evenkey::find_condition(Single{}, "p1") == SortKeyCondition::equal("p1"));
    CHECK(evenkey::find_condition(Escaped{}, "p#1") == SortKeyCondition::begins_with("S#p%231#"));
    CHECK(evenkey::find_condition(TimeFirst{}, "p1") == SortKeyCondition{});
    CHECK(evenkey::find_condition(Numbers{}, "p1") == SortKeyCondition{});
    CHECK(evenkey::find_condition(Unsorted{}, "p1") == SortKeyCondition{});
    CHECK(evenkey::find_condition(Hooked{}, "p1") == SortKeyCondition::less("p1"));
    CHECK_THROWS_AS((void)evenkey::find_condition(Hooked{}, ""), evenkey::key_error);
    CHECK_THROWS_AS((void)evenkey::find_condition(Numbers{}, ""), evenkey::key_error);
    CHECK_THROWS_AS((void)evenkey::find_condition(Good{}, "a#b"), evenkey::key_error);
  }
}
