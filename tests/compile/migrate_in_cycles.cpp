// SPDX-License-Identifier: BSL-1.0
// expect: share key names, and rows would move in cycles
// expect: give the destination a generation
#include "migrate_parts.hpp"

int main() {
#ifdef EVENKEY_REJECT
  // 4 to 6: rows go 0 to 2, 1 to 3, 2 to 0, 3 to 1, and no order of reading can follow.
  using From = evenkey::ShardedKey<"Row", evenkey::ShardPolicy<4>>;
#else
  using From = evenkey::ShardedKey<"Row", evenkey::ShardPolicy<3>>;
#endif
  const evenkey::Migration<parts::Rows, From> migration{evenkey::insert_visible_first};
  return migration.id().empty() ? 1 : 0;
}
