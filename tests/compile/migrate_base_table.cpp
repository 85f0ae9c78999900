// SPDX-License-Identifier: BSL-1.0
// expect: the keys of a base table cannot be migrated in place
#include "migrate_parts.hpp"

struct Table : parts::Rows {
#ifdef EVENKEY_REJECT
  static constexpr bool is_base_table = true;
#endif
};

int main() {
  const evenkey::Migration<Table, evenkey::UnshardedKey<"Row">> migration{evenkey::insert_visible_first};
  return migration.id().empty() ? 1 : 0;
}
