// SPDX-License-Identifier: BSL-1.0
#include <doctest/doctest.h>

#include "test_table.hpp"

using namespace servers;

namespace {

std::optional<Item> stored(const TestTable& table, std::string_view id) {
  return table.client().get(table.name(), {{"id", id}}, dynamodb::Consistency::strong);
}

}  // namespace

TEST_SUITE_BEGIN("restamp");

TEST_CASE("a row is moved once, and a second try finds it at its destination") {
  const TestTable table;
  Item item = row("o1", "ann", "Saga", "2026");
  item.emplace("payload", "kept");
  table.client().put({.table = table.name(), .item = item});
  CHECK(table.restamp()({item, "Saga", "Saga#3"}).is_moved());
  const auto again = table.restamp()({item, "Saga", "Saga#3"});
  CHECK_FALSE(again.is_moved());
  CHECK_FALSE(again.is_gone());
  CHECK(again.stored_key() == "Saga#3");
  item.find("gsi_pk")->second = "Saga#3";
  CHECK(stored(table, "o1") == item);
  evenkey::QueryRequest<Item> request = request_for("Saga");
  CHECK(table.query()(request).items.empty());
  request.partition_key = "Saga#3";
  CHECK(table.query()(request).items.size() == 1);
}

TEST_CASE("a row that has another key by now is left alone, one without a key too") {
  const TestTable table;
  const Item read = row("o1", "ann", "Saga", "2026");
  table.client().put({.table = table.name(), .item = row("o1", "ann", "Elsewhere", "2026")});
  CHECK(table.restamp()({read, "Saga", "Saga#3"}).stored_key() == "Elsewhere");
  table.client().put({.table = table.name(), .item = {{"id", "o1"}, {"person", "ann"}}});
  const auto without = table.restamp()({read, "Saga", "Saga#3"});
  CHECK_FALSE(without.is_gone());
  CHECK(without.stored_key().empty());
  CHECK_FALSE(stored(table, "o1")->contains("gsi_pk"));
}

TEST_CASE("a deleted row is gone, and stays so") {
  const TestTable table;
  const Item read = row("o1", "ann", "Saga", "2026");
  CHECK(table.restamp()({read, "Saga", "Saga#3"}).is_gone());
  CHECK(table.restamp()({read, "", "Saga#3"}).is_gone());
  CHECK_FALSE(stored(table, "o1").has_value());
}

TEST_CASE("a row that has no key yet is stamped for a second index, once") {
  const TestTable table;
  const Item item{{"id", "o1"}, {"person", "ann"}, {"gsi_sk", "2026"}};
  table.client().put({.table = table.name(), .item = item});
  CHECK(table.restamp()({item, "", "Saga#3"}).is_moved());
  CHECK(table.restamp()({item, "", "Saga#4"}).stored_key() == "Saga#3");
}

TEST_CASE("a table with a sort key is moved by both of its keys") {
  const TestTable table("S", "part");
  Item one = row("o1", "ann", "Saga", "2026"), two = one;
  one.emplace("part", "1");
  two.emplace("part", "2");
  table.client().batch_write(table.name(), {one, two});
  CHECK(table.restamp()({two, "Saga", "Saga#3"}).is_moved());
  const auto other =
      table.client().get(table.name(), {{"id", "o1"}, {"part", "1"}}, dynamodb::Consistency::strong);
  REQUIRE(other.has_value());
  CHECK(dynamodb::text_of(*other, "gsi_pk") == "Saga");
}

TEST_SUITE_END();
