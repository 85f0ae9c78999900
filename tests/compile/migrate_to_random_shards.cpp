// SPDX-License-Identifier: BSL-1.0
// expect: rows of a random shard cannot be found again by the mover
#include <evenkey/shard_policy/random.hpp>

#include "migrate_parts.hpp"

int main() {
#ifdef EVENKEY_REJECT
  using To = evenkey::ShardedKey<"Row", evenkey::RandomShardPolicy<6>>;
#else
  using To = evenkey::ShardedKey<"Row", evenkey::ShardPolicy<6>>;
#endif
  const evenkey::Migration<parts::Rows, evenkey::UnshardedKey<"Row">, To> migration{
      evenkey::insert_visible_first};
  return migration.id().empty() ? 1 : 0;
}
