// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <utility>

#include "audit_log.hpp"
#include "conditional_write.hpp"
#include "dynamodb/functors.hpp"

namespace audit_log {

/// DynamoDB, by the wire client, as `AuditLog` wants it.
class DynamoDbStore {
 public:
  using StartKey = dynamodb::Item;

  DynamoDbStore(dynamodb::Client client, std::string table)
      : client_(std::move(client)), table_(std::move(table)) {}

  auto query(const evenkey::QueryRequest<StartKey>& request) const {
    return dynamodb::query_functor(client_, table_, {"audit_pk", "audit_sk"}, event_of)(request);
  }
  bool put_new(const Event& event) const {
    const dynamodb::Item item{{"id", event.id},
                              {"actor", event.actor},
                              {"action", event.action},
                              {"audit_pk", event.audit_pk},
                              {"audit_sk", event.audit_sk}};
    return applied(
        [&] { client_.put({.table = table_, .item = item, .condition = "attribute_not_exists(id)"}); });
  }

 private:
  static Event event_of(dynamodb::Item&& item) {
    const auto text = [&item](std::string_view name) { return std::string(dynamodb::text_of(item, name)); };
    return {text("id"), text("actor"), text("action"), text("audit_pk"), text("audit_sk")};
  }

  dynamodb::Client client_;
  std::string table_;
};

}  // namespace audit_log
