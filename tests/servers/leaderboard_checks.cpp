// SPDX-License-Identifier: BSL-1.0
#include <doctest/doctest.h>

#include <sstream>

#include "layout_table.hpp"
#include "leaderboard/dynamodb_store.hpp"
#include "leaderboard/play.hpp"

TEST_SUITE_BEGIN("layouts");

TEST_CASE("a leaderboard with a tie of 300 is listed and changed, as on the table in memory") {
  const servers::LayoutTable table("players-by-score", {"board_pk", "score"}, "N");
  leaderboard::DynamoDbStore store(table.client(), table.name());
  std::ostringstream out;
  leaderboard::play(store, out);
  CHECK(out.str() == servers::expected_lines("leaderboard"));
}

TEST_SUITE_END();
