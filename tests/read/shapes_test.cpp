// SPDX-License-Identifier: BSL-1.0
// The shapes that index definitions, items and functors have in real programs.
#include <evenkey/read.hpp>
#include <evenkey/shard_policy/random.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "support/rows.hpp"
#include "support/sorted_store.hpp"

using evenkey::Direction;
using evenkey::Order;
using evenkey::Page;
using evenkey::QueryRequest;
using support::primary_keys;
using support::Row;
using support::SortedStore;
using Texts = std::vector<std::string>;

namespace {

/// What an SDK gives: a string type of its own, by value, from maps.
struct SdkString {
  std::string bytes;
  operator std::string_view() const { return bytes; }
  friend bool operator<(const SdkString& a, const SdkString& b) { return a.bytes < b.bytes; }
};
using Attributes = std::map<std::string, std::string>;

struct SdkOrders {
  static constexpr std::string_view name = "orders-by-customer";
  using PartitionKey = evenkey::ShardedKey<"Order", evenkey::ShardPolicy<4>>;
  using SortKey = evenkey::CompositeKey<evenkey::Text, evenkey::Text>;
  using Item = Attributes;
  using StartKey = Attributes;
  static SdkString sort_key(const Item& item) { return {item.at("gsi1sk")}; }
  static SdkString primary_key(const Item& item) { return {item.at("pk")}; }
  static SdkString shard_by(const Item& item) { return {item.at("customer")}; }
};

/// Sort key and primary key are made up for each call, in types that own their bytes.
struct OwningKeys : support::RowIndexBase {
  using RowIndexBase::RowIndexBase;
  static constexpr std::string_view name = "owning";
  using SortKey = evenkey::CompositeKey<evenkey::Number<4>, evenkey::Text>;
  static std::string sort_key(const Row& row) {
    return SortKey::encode(static_cast<std::uint64_t>(row.number), row.time);
  }
  static std::string primary_key(const Row& row) {
    return "a long prefix that no short string holds/" + row.primary;
  }
  static std::string shard_by(const Row& row) { return row.id; }
};

/// A list that is known by its topic at run time.
struct Outbox {
  static constexpr std::string_view name = "outbox";
  using Keys = evenkey::ShardedKeyFamily<evenkey::ShardPolicy<3>, evenkey::Literal<"OUTBOX">, evenkey::Text>;
  using PartitionKey = Keys::Bound;
  using SortKey = evenkey::CompositeKey<evenkey::Text, evenkey::Text>;
  using Item = Row;
  using StartKey = std::string;
  PartitionKey key;
  const PartitionKey& partition_keys() const { return key; }
  static std::string sort_key(const Row& row) { return SortKey::encode(row.time, row.id); }
  static std::string_view primary_key(const Row& row) { return row.primary; }
  static std::string_view shard_by(const Row& row) { return row.id; }
  static evenkey::SortKeyCondition find_condition(std::string_view) { return {}; }
};

/// A static definition over any partition key.
template <class Keys>
struct Fixed {
  static constexpr std::string_view name = "fixed";
  using PartitionKey = Keys;
  using SortKey = evenkey::CompositeKey<evenkey::Text, evenkey::Text>;
  using Item = Row;
  using StartKey = std::string;
  static std::string sort_key(const Row& row) { return row.id + "#" + row.time; }
  static std::string_view primary_key(const Row& row) { return row.primary; }
  static std::string_view shard_by(const Row& row) { return row.id; }
};

/// Rows that are only written and swept: no id, no shard_by.
struct Events {
  static constexpr std::string_view name = "events";
  using PartitionKey = evenkey::ShardedKey<"Event", evenkey::RandomShardPolicy<4>>;
  using SortKey = evenkey::NumberKey;
  using Item = Row;
  using StartKey = std::string;
  static double sort_key(const Row& row) { return static_cast<double>(row.number) / 2; }
  static std::string_view primary_key(const Row& row) { return row.primary; }
};
static_assert(evenkey::index_with_order<Events> && !evenkey::index_by_id<Events>);

template <class Index>
void fill(SortedStore<Index>& store, int people) {
  for (int person = 0; person < people; ++person)
    for (int i = 0; i < 2; ++i)
      store.put({"p" + std::to_string(100 + person), std::to_string(i), person,
                 std::to_string(100 + person) + "/" + std::to_string(i)});
}

Texts all_primary_keys(int people) {
  Texts keys;
  for (int person = 0; person < people; ++person)
    for (int i = 0; i < 2; ++i)
      keys.push_back(std::to_string(100 + person) + "/" + std::to_string(i));
  return keys;
}

}  // namespace

TEST_SUITE("read") {
  TEST_CASE("an SDK's shape: map items, getters by value of another string type, map start keys") {
    SortedStore store(SdkOrders{}, {.page_size = 5});
    for (int i = 0; i < 60; ++i) {
      const std::string customer = "c" + std::to_string(i % 7);
      store.put({{"pk", "ORDER#" + std::to_string(i)},
                 {"customer", customer},
                 {"gsi1sk", SdkOrders::SortKey::encode(customer, "o" + std::to_string(100 + i))}});
    }
    const auto all = evenkey::enumerate(store.index(), store);
    CHECK(all.items.size() == 60);
    CHECK(std::is_sorted(all.items.begin(), all.items.end(), [](const Attributes& a, const Attributes& b) {
      return a.at("gsi1sk") < b.at("gsi1sk");
    }));
    const auto mine = evenkey::find(store.index(), store, "c3");
    CHECK(mine.items.size() == 9);
    for (const Attributes& order : mine.items)
      CHECK(order.at("customer") == "c3");
    CHECK(evenkey::find_many(store.index(), store, Texts{"c6", "c0"}).items.size() == 8 + 9);
    CHECK(evenkey::enumerate(store.index(), store, {.order = Order::by_shard}).items.size() == 60);
  }

  TEST_CASE("accessors may return owning values") {
    SortedStore store(OwningKeys(3), {.page_size = 2, .empty_pages_in_ten = 3});
    for (int i = 0; i < 30; ++i)
      store.put({"id" + std::to_string(i), "t", 7 + i / 10, std::to_string(1000 + i)});
    Texts expected;
    for (int i = 0; i < 30; ++i)
      expected.push_back(std::to_string(1000 + i));
    CHECK(primary_keys(evenkey::enumerate(store.index(), store).items) == expected);
    CHECK(primary_keys(evenkey::enumerate(store.index(), store, {.limit = 11}).items) ==
          Texts(expected.begin(), expected.begin() + 11));
    CHECK(primary_keys(evenkey::find(store.index(), store, "id17").items) == Texts{"1017"});
  }

  TEST_CASE("a prefix known at run time: each topic has its own partitions") {
    const Outbox invoices{Outbox::Keys::bind("invoices")};
    SortedStore store(invoices, {.page_size = 2});
    for (int i = 0; i < 12; ++i)
      store.put({"m" + std::to_string(i), std::to_string(i % 3), 0, std::to_string(100 + i)});
    const auto all = evenkey::enumerate(store.index(), store);
    CHECK(all.items.size() == 12);
    CHECK(primary_keys(evenkey::find(store.index(), store, "m7").items) == Texts{"107"});
    for (const support::Asked& asked : store.log().asked())
      CHECK(asked.partition.starts_with("OUTBOX#invoices#"));
    // The definition may be gone before the answer is looked at: failures hold texts of their own.
    const auto broken = [](const QueryRequest<std::string>&) -> Page<Row> {
      throw std::runtime_error("down");
    };
    const auto failed = evenkey::enumerate(Outbox{Outbox::Keys::bind("payments")}, broken,
                                           {.on_failure = evenkey::OnFailure::collect});
    REQUIRE(failed.failures.size() == 3);
    CHECK(failed.failures[2].partition_key == "OUTBOX#payments#2");
  }

  TEST_CASE("rows of random shards can be listed in order") {
    std::map<std::string, std::vector<Row>, std::less<>> partitions;
    for (std::int64_t i = 0; i < 20; ++i)
      partitions["Event#" + std::to_string(i * 7 % 4)].push_back({"", "", i, std::to_string(100 + i)});
    const auto query = [&](const QueryRequest<std::string>& request) {
      Page<Row> page;
      page.items = partitions[std::string(request.partition_key)];
      return page;
    };
    const auto result = evenkey::enumerate(Events{}, query, {.max_concurrency = 1});
    Texts expected;
    for (int i = 0; i < 20; ++i)
      expected.push_back(std::to_string(100 + i));
    CHECK(primary_keys(result.items) == expected);
  }

  TEST_CASE_TEMPLATE("any number of shards gives the same answer", Keys,
                     evenkey::ShardedKey<"K", evenkey::ShardPolicy<1>>,
                     evenkey::ShardedKey<"K", evenkey::ShardPolicy<10, evenkey::Xxh64, evenkey::Jump>>,
                     evenkey::ShardedKey<"K", evenkey::ShardPolicy<256>>, evenkey::UnshardedKey<"K">) {
    SortedStore store(Fixed<Keys>{}, {.page_size = 3});
    fill(store, 50);
    const Texts expected = all_primary_keys(50);
    const auto all = evenkey::enumerate(store.index(), store);
    CHECK(primary_keys(all.items) == expected);
    CHECK(all.requests >= Keys::size());
    const auto down =
        evenkey::enumerate(store.index(), store, {.limit = 7, .direction = Direction::descending});
    CHECK(primary_keys(down.items) == Texts(expected.rbegin(), expected.rbegin() + 7));
    CHECK(primary_keys(evenkey::find(store.index(), store, "p142").items) == Texts{"142/0", "142/1"});
    CHECK(primary_keys(evenkey::find_many(store.index(), store, Texts{"p149", "p100"}).items) ==
          Texts{"149/0", "149/1", "100/0", "100/1"});
    CHECK(evenkey::enumerate(store.index(), store, {.order = Order::by_shard}).items.size() == 100);
    CHECK(store.log().every_limit_is_positive());
    CHECK(store.log().peak() <= evenkey::default_max_concurrency);
  }

  TEST_CASE("a key that is not sharded stands for no shard, in requests and failures") {
    SortedStore store(Fixed<evenkey::UnshardedKey<"RenewalSaga">>{});
    store.fail("RenewalSaga");
    const auto result = evenkey::enumerate(store.index(), store, {.on_failure = evenkey::OnFailure::collect});
    REQUIRE(result.failures.size() == 1);
    CHECK(result.failures[0].partition_key == "RenewalSaga");
    CHECK_FALSE(result.failures[0].shard.has_value());
    REQUIRE(store.log().size() == 1);
    CHECK_FALSE(store.log().asked()[0].shard.has_value());
  }

  TEST_CASE("a functor may be a function, a const object, a temporary, or one with state of its own") {
    using Index = Fixed<evenkey::UnshardedKey<"K">>;
    struct Counting {
      int calls = 0;
      Page<Row> operator()(const QueryRequest<std::string>&) {
        ++calls;
        return {{{"p", "t", 0, "row"}}, std::nullopt, 1, 0.5};
      }
    };
    Counting counting;
    CHECK(evenkey::enumerate(Index{}, counting).items.size() == 1);
    CHECK(counting.calls == 1);  // it was not copied
    CHECK(evenkey::enumerate(Index{}, Counting{}).items.size() == 1);
    const auto constant = [](const auto&) { return Page<Row>{{{"p", "t", 0, "row"}}, std::nullopt, 1, 0.5}; };
    CHECK(evenkey::find(Index{}, constant, "p").items.size() == 1);
    Page<Row> (*function)(const QueryRequest<std::string>&) =
        +[](const QueryRequest<std::string>&) { return Page<Row>{}; };
    CHECK(evenkey::enumerate(Index{}, function).items.empty());
  }
}
