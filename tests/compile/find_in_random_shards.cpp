// SPDX-License-Identifier: BSL-1.0
// expect: index_by_id
#include <evenkey/shard_policy/random.hpp>

#include "index_parts.hpp"

struct Index : parts::WithName,
               parts::WithTypes,
               parts::WithSortKey,
               parts::WithPrimaryKey,
               parts::WithShardBy {
  using PartitionKey = evenkey::ShardedKey<"Row", evenkey::RandomShardPolicy<4>>;
};

int main() {
#ifdef EVENKEY_REJECT
  // Nothing says in which shard an id's rows are.
  (void)evenkey::find(Index{}, parts::query, "id");
#else
  (void)evenkey::enumerate(Index{}, parts::query);
#endif
}
