// SPDX-License-Identifier: BSL-1.0
#include <doctest/doctest.h>

#include <sstream>

#include "audit_log/dynamodb_store.hpp"
#include "audit_log/play.hpp"
#include "layout_table.hpp"

TEST_SUITE_BEGIN("layouts");

TEST_CASE("an audit log is read across midnight and another N, as on the table in memory") {
  const servers::LayoutTable table("audit-by-day", {"audit_pk", "audit_sk"}, "S");
  audit_log::DynamoDbStore store(table.client(), table.name());
  std::ostringstream out;
  audit_log::play(store, out);
  CHECK(out.str() == servers::expected_lines("audit_log"));
}

TEST_SUITE_END();
