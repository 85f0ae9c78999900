// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/testing/memory_table.hpp>

#include <string>
#include <vector>

#include "leaderboard.hpp"

namespace leaderboard {

/// The table in memory as `Board` wants it, for unit tests.
class MemoryStore {
 public:
  using StartKey = std::string;

  auto query(const evenkey::QueryRequest<StartKey>& request) { return table_.query<Index>(request); }
  void put(const std::vector<Player>& players) {
    for (const Player& player : players)
      (void)table_.put(player);
  }
  bool set_score(const std::string& id, std::int64_t from, std::int64_t to) {
    return table_
        .update(
            id, [&](const Player& stored) { return stored.score == from; },
            [&](Player& stored) { stored.score = to; })
        .applied;
  }

 private:
  using Index = PlayersByScore<StartKey>;

  evenkey::testing::MemoryTable<Player, Index> table_;
};

}  // namespace leaderboard
