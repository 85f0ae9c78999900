// SPDX-License-Identifier: BSL-1.0
#include <doctest/doctest.h>

#include <sstream>

#include "layout_table.hpp"
#include "outbox/dynamodb_store.hpp"
#include "outbox/play.hpp"

TEST_SUITE_BEGIN("layouts");

TEST_CASE("an outbox is worked off by three dispatchers, as on the table in memory") {
  const servers::LayoutTable table("outbox", {"outbox_pk", "outbox_sk"}, "S");
  outbox::DynamoDbStore store(table.client(), table.name());
  std::ostringstream out;
  outbox::play(store, out);
  CHECK(out.str() == servers::expected_lines("outbox"));
}

TEST_SUITE_END();
