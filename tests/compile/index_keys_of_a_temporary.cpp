// SPDX-License-Identifier: BSL-1.0
// expect: has_partition_keys
#include "index_parts.hpp"

using Keys = evenkey::ShardedKeyFamily<evenkey::ShardPolicy<4>, evenkey::Literal<"OUTBOX">, evenkey::Text>;

struct Index : parts::WithName,
               parts::WithTypes,
               parts::WithSortKey,
               parts::WithPrimaryKey,
               parts::WithShardBy {
  using PartitionKey = Keys::Bound;
  Keys::Bound keys = Keys::bind("invoices");
#ifdef EVENKEY_REJECT
  // Plans and requests hold views into the keys, so they may not be those of a copy.
  Keys::Bound partition_keys() const { return keys; }
#else
  const Keys::Bound& partition_keys() const { return keys; }
#endif
};

int main() { (void)evenkey::enumerate(Index{}, parts::query); }
