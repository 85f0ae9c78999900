// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "conditional_write.hpp"
#include "dynamodb/functors.hpp"
#include "leaderboard.hpp"

namespace leaderboard {

/// DynamoDB, by the wire client, as `Board` wants it.
class DynamoDbStore {
 public:
  using StartKey = dynamodb::Item;

  DynamoDbStore(dynamodb::Client client, std::string table)
      : client_(std::move(client)), table_(std::move(table)) {}

  auto query(const evenkey::QueryRequest<StartKey>& request) const {
    return dynamodb::query_functor(client_, table_, {"board_pk", "score"}, player_of)(request);
  }
  void put(const std::vector<Player>& players) const {
    std::vector<dynamodb::Item> items;
    for (const Player& player : players)
      items.push_back(
          {{"id", player.id}, {"score", dynamodb::number(player.score)}, {"board_pk", player.board_pk}});
    client_.batch_write(table_, items);
  }
  bool set_score(const std::string& id, std::int64_t from, std::int64_t to) const {
    return applied([&] {
      client_.update(
          {.table = table_,
           .item = {{"id", id}},
           .update = "SET score = :to",
           .condition = "score = :from",
           .placeholders = {{}, {{":from", dynamodb::number(from)}, {":to", dynamodb::number(to)}}}});
    });
  }

 private:
  static Player player_of(dynamodb::Item&& item) {
    return {std::string(dynamodb::text_of(item, "id")),
            std::stoll(std::string(dynamodb::text_of(item, "score"))),
            std::string(dynamodb::text_of(item, "board_pk"))};
  }

  dynamodb::Client client_;
  std::string table_;
};

}  // namespace leaderboard
