// SPDX-License-Identifier: BSL-1.0
// expect: restamp_functor
#include <evenkey/migrate/backfill.hpp>

#include <string>

#include "support/moved_table.hpp"

int main() {
  support::MovedTable table;
#ifdef EVENKEY_REJECT
  // Whether it was applied says neither that the row is gone nor what was found.
  const auto restamp = [](const evenkey::Restamp<support::Moved>&) { return true; };
#else
  const auto restamp = [](const evenkey::Restamp<support::Moved>&) {
    return evenkey::RestampResult::moved();
  };
#endif
  (void)evenkey::backfill(support::to_shards, table.scan_functor(), restamp);
}
