// SPDX-License-Identifier: BSL-1.0
// expect: no matching (function|constructor)
#include "migrate_parts.hpp"

int main() {
  // AWS promises neither an order nor a bound, so there is no default.
  const evenkey::Migration<parts::Rows, evenkey::UnshardedKey<"Row">> migration
#ifdef EVENKEY_REJECT
      ;
#else
      {evenkey::insert_visible_first};
#endif
  return migration.id().empty() ? 1 : 0;
}
