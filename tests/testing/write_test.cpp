// SPDX-License-Identifier: BSL-1.0
#include <doctest/doctest.h>

#include <map>
#include <optional>
#include <stdexcept>
#include <string>

#include "fixture.hpp"

using namespace fixture;

namespace {

using Table = MemoryTable<Row, ByText>;

Ids in_partition(Table& table, std::string_view partition) {
  return ids(table.query<ByText>(request<ByText>(partition)).items);
}

}  // namespace

TEST_SUITE("testing") {
  TEST_CASE("put stores, replaces and says what was there") {
    Table table;
    const auto first = table.put({"1", "P", "a"});
    CHECK(first.applied);
    CHECK_FALSE(first.previous);
    const auto second = table.put({"1", "Q", "b"});
    CHECK(second.applied);
    CHECK(second.previous == Row{"1", "P", "a"});
    CHECK(table.size() == 1);
    CHECK(table.get("1") == Row{"1", "Q", "b"});
    CHECK(in_partition(table, "P").empty());
    CHECK(in_partition(table, "Q") == Ids{"1"});
  }

  TEST_CASE("a conditional put sees what is stored, or that nothing is") {
    Table table;
    const auto absent = [](const Row* stored) { return stored == nullptr; };
    CHECK(table.put_if({"1", "P"}, absent).applied);
    const auto refused = table.put_if({"1", "Q"}, absent);
    CHECK_FALSE(refused.applied);
    CHECK(refused.previous == Row{"1", "P"});  // ALL_OLD where the condition failed
    const auto in_p = [](const Row& row) { return row.pk == "P"; };
    CHECK(table.put_if({"1", "Q"}, in_p).applied);
    CHECK_FALSE(table.put_if({"2", "Q"}, in_p).applied);  // an attribute of nothing equals nothing
    CHECK(table.get("1")->pk == "Q");
    CHECK_FALSE(table.get("2"));
  }

  TEST_CASE("an update changes what is there where the condition holds, and creates nothing") {
    Table table;
    table.put({"1", "P", "a"});
    const auto move = [](Row& row) { row.pk = "Q"; };
    const auto in_p = [](const Row& row) { return row.pk == "P"; };
    const auto moved = table.update("1", in_p, move);
    CHECK(moved.applied);
    CHECK(moved.previous->pk == "P");
    const auto again = table.update("1", in_p, move);
    CHECK_FALSE(again.applied);
    CHECK(again.previous->pk == "Q");
    const auto gone = table.update("2", always, move);
    CHECK_FALSE(gone.applied);
    CHECK_FALSE(gone.previous);
    CHECK(table.size() == 1);
    CHECK(in_partition(table, "P").empty());
    CHECK(in_partition(table, "Q") == Ids{"1"});
  }

  TEST_CASE("an upsert creates, as UpdateItem does") {
    Table table;
    const auto stamp = [](Row& row) {
      row.id = "1";
      if (row.pk.empty()) row.pk = "P";  // if_not_exists
      ++row.number;
    };
    CHECK_FALSE(table.upsert("1", always, stamp).previous);
    CHECK(table.upsert("1", always, stamp).previous->number == 1);
    CHECK(table.get("1")->number == 2);
    CHECK_FALSE(table
                    .upsert(
                        "2", [](const Row& row) { return row.pk == "P"; }, stamp)
                    .applied);
    CHECK(table.size() == 1);
  }

  TEST_CASE("a write cannot change or forget the primary key") {
    Table table;
    table.put({"1", "P"});
    CHECK(error_of([&] { return table.update("1", always, [](Row& row) { row.id = "2"; }); }) == validation);
    CHECK(error_of([&] { return table.upsert("3", always, [](Row& row) { row.pk = "P"; }); }) == validation);
    CHECK(error_of([&] { return table.put({"", "P"}); }) == validation);
    CHECK(table.get("1") == Row{"1", "P"});
    CHECK(table.size() == 1);
  }

  TEST_CASE("erase succeeds of what is not there, and takes a condition") {
    Table table;
    table.put({"1", "P"});
    CHECK_FALSE(table.erase_if("1", [](const Row& row) { return row.pk == "Q"; }).applied);
    CHECK(table.erase("1").previous == Row{"1", "P"});
    CHECK(table.erase("1").applied);
    CHECK(table.size() == 0);
    CHECK(in_partition(table, "P").empty());
  }

  TEST_CASE("an item without the index's attribute is not in the index, and comes and goes with it") {
    Table table;
    table.put({"1", ""});
    CHECK(table.counters<ByText>().writes == 0);
    CHECK(table.update("1", always, [](Row& row) { row.pk = "P"; }).index_write_units == 1);
    CHECK(in_partition(table, "P") == Ids{"1"});
    CHECK(table.update("1", always, [](Row& row) { row.pk = ""; }).index_write_units == 1);
    CHECK(in_partition(table, "P").empty());
    CHECK(table.get("1"));
  }

  struct Sparse {
    static constexpr std::string_view name = "sparse";
    using SortKey = evenkey::NumberKey;
    using Item = Row;
    using StartKey = std::string;
    static std::optional<std::int64_t> sort_key(const Row& row) {
      return row.number == 0 ? std::nullopt : std::optional(row.number);
    }
    static std::optional<std::string> partition_key(const Row& row) {
      return row.pk.empty() ? std::nullopt : std::optional(row.pk);
    }
    static const std::string& primary_key(const Row& row) { return row.id; }
  };

  TEST_CASE("an accessor may say by an optional that the attribute is absent") {
    MemoryTable<Row, Sparse> table;
    table.put({"1", "P", "", 0});
    table.put({"2", "", "", 2});
    table.put({"3", "P", "", 3});
    CHECK(ids(table.query<Sparse>(request<Sparse>("P")).items) == Ids{"3"});
  }

  TEST_CASE("a definition that does not show the stored key is taken to store the key of its id") {
    using Attributes = std::map<std::string, std::string>;
    struct Orders {
      std::string_view name = "orders-by-customer";
      using PartitionKey = evenkey::ShardedKey<"Order", evenkey::ShardPolicy<4>>;
      using SortKey = evenkey::CompositeKey<evenkey::Text, evenkey::Text>;
      using Item = Attributes;
      using StartKey = Attributes;
      static std::string sort_key(const Item& item) { return item.at("gsi1sk"); }
      static std::string primary_key(const Item& item) { return item.at("pk"); }
      static std::string shard_by(const Item& item) { return item.at("customer"); }
    };
    MemoryTable<Attributes, Orders> table({.page_bytes = 900});
    for (int i = 0; i < 60; ++i) {
      const std::string customer = "c" + std::to_string(i % 7);
      table.put({{"pk", "ORDER#" + std::to_string(i)},
                 {"customer", customer},
                 {"gsi1sk", Orders::SortKey::encode(customer, "o" + std::to_string(100 + i))}});
    }
    const auto query = table.query_functor<Orders>();
    CHECK(evenkey::find(Orders{}, query, "c3").items.size() == 9);
    CHECK(evenkey::enumerate(Orders{}, query).items.size() == 60);
    CHECK(table.scan(evenkey::ScanRequest<Attributes>{}).items.size() == 3);
  }

  TEST_CASE("key limits hold for what is written") {
    MemoryTable<Row, ByText, ByNumber, ByReal> table;
    const auto put = [&](Row row) { return error_of([&] { return table.put(std::move(row)); }); };
    CHECK(put({"1", std::string(2048, 'p'), std::string(1024, 's')}).empty());
    CHECK(put({"2", std::string(2049, 'p')}) == validation);
    CHECK(put({"3", "P", std::string(1025, 's')}) == validation);
    CHECK(put({"4", "P", ""}) == validation);
    CHECK(put({"5", "\xC8"}) == validation);
    CHECK(put({std::string(2049, 'i'), "P"}) == validation);
    CHECK(put({"6", "P", "s", 0, 409'601}).empty());  // no size_of: the size is a constant
    MemoryTable<Row, ByText> by_size({}, sized());
    CHECK(error_of([&] { return by_size.put({"7", "P", "s", 0, 409'601}); }) == validation);
    CHECK(error_of([&] { return by_size.put({"7", "P", "s", 0, 409'600}); }).empty());
    CHECK(table.size() == 2);  // a refused write changes nothing, in no index either
    CHECK(table.query<ByNumber>(request<ByNumber>("P")).items.size() == 1);
  }

  TEST_CASE("a write consumes what DynamoDB was measured to consume") {
    MemoryTable<Row, ByText> table({}, sized());
    // put: the new item and its entry
    auto result = table.put({"1", "P", "a", 0, 1025});
    CHECK(result.write_units == 2);
    CHECK(result.index_write_units == 2);
    // the same content: the table pays, the index does not
    result = table.put({"1", "P", "a", 0, 1025});
    CHECK(result.write_units == 2);
    CHECK(result.index_write_units == 0);
    // the same key, other content: the larger of both
    result = table.put({"1", "P", "a", 1, 500});
    CHECK(result.write_units == 2);
    CHECK(result.index_write_units == 2);
    result = table.put({"1", "P", "a", 1, 3000});
    CHECK(result.write_units == 3);
    CHECK(result.index_write_units == 3);
    // another partition key (F34: 1,517 bytes = 2 + 2), each on its own partition
    table.put({"2", "P", "a", 0, 1517});
    const auto before = table.partition_counters<ByText>();
    result = table.update("2", always, [](Row& row) { row.pk = "Q"; });
    CHECK(result.write_units == 2);
    CHECK(result.index_write_units == 4);
    auto after = table.partition_counters<ByText>();
    CHECK(after["P"].write_units - before.at("P").write_units == 2);
    CHECK(after["Q"].write_units == 2);
    CHECK(after["Q"].writes == 1);
    // another sort key: a delete and a put in the same partition
    result = table.update("2", always, [](Row& row) { row.sk = "b"; });
    CHECK(result.index_write_units == 4);
    // delete: the old entry
    result = table.erase("2");
    CHECK(result.write_units == 2);
    CHECK(result.index_write_units == 2);
    // nothing there: one unit
    result = table.erase("2");
    CHECK(result.write_units == 1);
    CHECK(result.index_write_units == 0);
    // a failed condition pays for the item, or one unit if it is missing, and nothing on the index
    result = table.update(
        "1", [](const Row&) { return false; }, [](Row&) {});
    CHECK(result.write_units == 3);
    CHECK(result.index_write_units == 0);
    result = table.update("nobody", always, [](Row&) {});
    CHECK(result.write_units == 1);
    CHECK(table.counters().write_units == 2 + 2 + 2 + 3 + 2 + 2 + 2 + 2 + 1 + 3 + 1);
  }

  TEST_CASE("every index that projects the item pays for itself") {
    MemoryTable<Row, ByText, ByNumber> table({}, sized());
    table.put({"1", "P", "a", 1, 1500});
    const auto result = table.update("1", always, [](Row& row) { row.sk = "b"; });
    CHECK(result.index_write_units == 4 + 2);  // re-keyed in one, changed in the other
    CHECK(table.counters<ByText>().write_units == 2 + 4);
    CHECK(table.counters<ByNumber>().write_units == 2 + 2);
  }

  TEST_CASE("content without == counts as changed, unless a function says otherwise") {
    struct Bare {
      std::string id, pk;
    };
    struct ById {
      std::string_view name = "by-id";
      using SortKey = evenkey::NoSortKey;
      static std::string_view primary_key(const Bare& bare) { return bare.id; }
      static std::string_view partition_key(const Bare& bare) { return bare.pk; }
    };
    MemoryTable<Bare, ById> table;
    table.put({"1", "P"});
    CHECK(table.put({"1", "P"}).index_write_units == 1);
    MemoryTable<Bare, ById> comparing(
        {}, {.same_content = [](const Bare& a, const Bare& b) { return a.pk == b.pk; }});
    comparing.put({"1", "P"});
    CHECK(comparing.put({"1", "P"}).index_write_units == 0);
  }

  TEST_CASE("a read of one item costs by its size and consistency") {
    MemoryTable<Row, ByText> table({}, sized());
    table.put({"1", "P", "a", 0, 4097});
    RequestRecord record;
    CHECK(table.get("1", {.record = &record}));
    CHECK(record.read_units == 2);
    CHECK(table.get("1", {.consistency = Consistency::eventual, .record = &record}));
    CHECK(record.read_units == 1);
    CHECK_FALSE(table.get("2", {.record = &record}));
    CHECK(record.read_units == 1);
  }

  TEST_CASE("a table needs to know primary keys, and indexes of different names") {
    CHECK_THROWS_AS((MemoryTable<Row>{}), std::invalid_argument);
    MemoryTable<Row> bare({}, {.primary_key = [](const Row& row) { return row.id; }});
    bare.put({"1", "P"});
    CHECK(bare.get("1"));
    struct Twin : ByText {};
    CHECK_THROWS_AS((MemoryTable<Row, ByText, Twin>{}), std::invalid_argument);
  }
}
