// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/testing/memory_table.hpp>

#include <string>

#include "audit_log.hpp"

namespace audit_log {

/// The table in memory as `AuditLog` wants it, for unit tests.
class MemoryStore {
 public:
  using StartKey = std::string;

  auto query(const evenkey::QueryRequest<StartKey>& request) { return table_.query<Index>(request); }
  bool put_new(const Event& event) {
    return table_.put_if(event, [](const Event* stored) { return stored == nullptr; }).applied;
  }

 private:
  using Index = EventsOfDay<StartKey>;

  // One definition stands for the index: the table goes by the stored key, whatever the tenant and the day.
  evenkey::testing::MemoryTable<Event, Index> table_{Index{evenkey::DynamicShardedKey("any", 1)}};
};

}  // namespace audit_log
