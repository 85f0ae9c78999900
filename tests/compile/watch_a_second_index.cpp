// SPDX-License-Identifier: BSL-1.0
// expect: rows without the new key are in no partition that could be polled
#include <evenkey/migrate/watch.hpp>

#include "migrate_parts.hpp"

int main() {
#ifdef EVENKEY_REJECT
  using From = evenkey::Unstamped;
#else
  using From = evenkey::UnshardedKey<"Row">;
#endif
  const evenkey::Migration<parts::Rows, From> migration{evenkey::insert_visible_first};
  const auto restamp = [](const evenkey::Restamp<parts::Row>&) { return evenkey::RestampResult::moved(); };
  return evenkey::watch_source(migration, parts::query, restamp).quiet() ? 0 : 1;
}
