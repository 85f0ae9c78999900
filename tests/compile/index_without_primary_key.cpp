// SPDX-License-Identifier: BSL-1.0
// expect: has_primary_key
#include "index_parts.hpp"

#ifdef EVENKEY_REJECT
struct Index : parts::WithName, parts::WithTypes, parts::WithSortKey, parts::WithShardBy {};
#else
struct Index : parts::WithName,
               parts::WithTypes,
               parts::WithSortKey,
               parts::WithPrimaryKey,
               parts::WithShardBy {};
#endif

int main() { (void)evenkey::enumerate(Index{}, parts::query); }
