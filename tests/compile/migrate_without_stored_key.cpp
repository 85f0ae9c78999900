// SPDX-License-Identifier: BSL-1.0
// expect: tells_stored_key|migratable_index
#include "migrate_parts.hpp"

struct Index : parts::WithName,
               parts::WithTypes,
               parts::WithSortKey,
               parts::WithPrimaryKey,
               parts::WithShardBy {
#ifndef EVENKEY_REJECT
  static std::string_view partition_key(const parts::Row& row) { return row.key; }
#endif
};

int main() {
  // What is stored now must be seen, or a mover could not tell what is left to move.
  const evenkey::Migration<Index, evenkey::UnshardedKey<"Row">> migration{evenkey::insert_visible_first};
  return migration.id().empty() ? 1 : 0;
}
