// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <utility>

#include "conditional_write.hpp"
#include "dynamodb/functors.hpp"
#include "outbox.hpp"

namespace outbox {

/// DynamoDB, by the wire client, as `Topic` wants it.
class DynamoDbStore {
 public:
  using StartKey = dynamodb::Item;

  DynamoDbStore(dynamodb::Client client, std::string table)
      : client_(std::move(client)), table_(std::move(table)) {}

  auto query(const evenkey::QueryRequest<StartKey>& request) const {
    return dynamodb::query_functor(client_, table_, {"outbox_pk", "outbox_sk"}, message_of)(request);
  }
  bool put_new(const Message& message) const {
    const dynamodb::Item item{{"id", message.id},
                              {"topic", message.topic},
                              {"payload", message.payload},
                              {"outbox_pk", message.outbox_pk},
                              {"outbox_sk", message.outbox_sk}};
    return applied(
        [&] { client_.put({.table = table_, .item = item, .condition = "attribute_not_exists(id)"}); });
  }
  bool claim(const std::string& id, const std::string& now, const std::string& claim) const {
    // `= :claim` is for a claim whose answer was lost, and which the client sends again.
    return applied([&] {
      client_.update({.table = table_,
                      .item = {{"id", id}},
                      .update = "SET claim = :claim",
                      .condition = "attribute_exists(outbox_pk) AND "
                                   "(attribute_not_exists(claim) OR claim < :now OR claim = :claim)",
                      .placeholders = {{}, {{":claim", claim}, {":now", now}}}});
    });
  }
  bool finish(const std::string& id, const std::string& claim) const {
    // Without its partition key the item leaves the index; outbox_sk may stay, and tells when it came.
    return applied([&] {
      client_.update({.table = table_,
                      .item = {{"id", id}},
                      .update = "REMOVE outbox_pk, claim",
                      .condition = "claim = :claim",
                      .placeholders = {{}, {{":claim", claim}}}});
    });
  }

 private:
  static Message message_of(dynamodb::Item&& item) {
    const auto text = [&item](std::string_view name) { return std::string(dynamodb::text_of(item, name)); };
    return {text("id"), text("topic"), text("payload"), text("claim"), text("outbox_pk"), text("outbox_sk")};
  }

  dynamodb::Client client_;
  std::string table_;
};

}  // namespace outbox
