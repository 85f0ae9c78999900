// SPDX-License-Identifier: BSL-1.0
//
// What the page's reader has around its snippets.
#include <evenkey/read/find.hpp>
#include <evenkey/testing/memory_table.hpp>

#include <string>
#include <string_view>

struct Saga {
  std::string id, person_id, opened_at, gsi4pk, gsi4sk;
};
struct RenewalSagas {
  static constexpr std::string_view name = "renewal-saga-person-index";
  using PartitionKey = evenkey::ShardedKey<"RenewalSaga", evenkey::ShardPolicy<16>>;
  using SortKey = evenkey::CompositeKey<evenkey::Text, evenkey::Text>;
  using Item = Saga;
  using StartKey = std::string;
  static std::string_view sort_key(const Saga& saga) { return saga.gsi4sk; }
  static std::string_view primary_key(const Saga& saga) { return saga.id; }
  static std::string_view shard_by(const Saga& saga) { return saga.person_id; }
  static std::string_view partition_key(const Saga& saga) { return saga.gsi4pk; }
};

namespace first {
// snippet 1 until "Table table;"
void use() {
  // snippet 1 from "Table table;"
}
}  // namespace first

void move(first::Table& table, std::string_view key, std::string_view from, std::string_view to) {
  // snippet 2
}

using evenkey::testing::Fault;
using evenkey::testing::RequestKind;
void break_things(first::Table& table) {
  // snippet 3
}
