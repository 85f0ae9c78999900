// SPDX-License-Identifier: BSL-1.0
#include <evenkey/read/hydrate.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "test_table.hpp"

using namespace servers;

TEST_SUITE_BEGIN("hydrate");

TEST_CASE("entries of an index get their rows, in order, over more than one batch") {
  const TestTable table;
  std::vector<Item> rows, entries;
  for (int i = 0; i < 230; ++i) {
    entries.push_back(row("o" + std::to_string(i), "ann", "Saga#3", std::to_string(1000 + i)));
    rows.push_back(entries.back());
    rows.back().emplace("payload", "of " + std::to_string(i));
  }
  table.client().batch_write(table.name(), rows);
  table.client().remove({.table = table.name(), .item = {{"id", "o7"}}});
  Item moved = rows[150];
  moved.insert_or_assign("gsi_sk", "9999");
  table.client().put({.table = table.name(), .item = moved});
  entries.push_back(entries[2]);

  const auto result =
      evenkey::hydrate(entries, dynamodb::batch_get_functor(table.client(), table.name()),
                       dynamodb::TableKey({"id"}), {.consistency = evenkey::Consistency::strong},
                       evenkey::unchanged_if(dynamodb::SameAttributes({"gsi_pk", "gsi_sk"})));
  CHECK(result.requests == 3);
  CHECK(result.consumed_read_units >= 229);
  REQUIRE(result.items.size() == 231);
  CHECK(result.count(evenkey::Hydration::found) == 229);
  CHECK(result.items[7].state == evenkey::Hydration::missing);
  CHECK(result.items[150].state == evenkey::Hydration::changed);
  CHECK(result.items[150].row == moved);
  CHECK(result.items[100].row == rows[100]);
  CHECK(result.items[230].row == rows[2]);
}

TEST_CASE("a batch of a table that is not there fails as itself") {
  const TestTable table;
  const auto batch_get = dynamodb::batch_get_functor(table.client(), "evenkey-no-such-table");
  const std::vector<Item> entries{row("o1", "ann", "Saga#3", "1")};
  try {
    evenkey::hydrate(entries, batch_get, dynamodb::TableKey({"id"}));
    FAIL("nothing was thrown");
  } catch (const evenkey::hydrate_error& error) {
    CHECK(evenkey::classify(error.failure().error).kind == evenkey::ErrorKind::fatal);
    CHECK(std::string(error.what()).find("ResourceNotFoundException") != std::string::npos);
  }
}

TEST_SUITE_END();
