// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/testing/memory_table.hpp>

#include <string>

#include "outbox.hpp"

namespace outbox {

/// The table in memory as `Topic` wants it, for unit tests.
class MemoryStore {
 public:
  using StartKey = std::string;

  auto query(const evenkey::QueryRequest<StartKey>& request) { return table_.query<Index>(request); }
  bool put_new(const Message& message) {
    return table_.put_if(message, [](const Message* stored) { return stored == nullptr; }).applied;
  }
  bool claim(const std::string& id, const std::string& now, const std::string& claim) {
    const auto is_free = [&](const Message& stored) {
      return !stored.outbox_pk.empty() && (stored.claim < now || stored.claim == claim);
    };
    return table_.update(id, is_free, [&](Message& stored) { stored.claim = claim; }).applied;
  }
  bool finish(const std::string& id, const std::string& claim) {
    const auto is_ours = [&](const Message& stored) { return !claim.empty() && stored.claim == claim; };
    const auto leave = [](Message& stored) { stored.claim = stored.outbox_pk = ""; };
    return table_.update(id, is_ours, leave).applied;
  }

 private:
  using Index = WaitingOfTopic<StartKey>;

  // One definition stands for the index: the table goes by the stored key, whatever the topic.
  evenkey::testing::MemoryTable<Message, Index> table_{Index{Keys::bind("any")}};
};

}  // namespace outbox
