// SPDX-License-Identifier: BSL-1.0
// expect: a ShardPolicy needs at least one shard
#include <evenkey/shard_policy.hpp>

#ifdef EVENKEY_REJECT
constexpr unsigned shard_count = 0;
#else
constexpr unsigned shard_count = 1;
#endif

static_assert(evenkey::ShardPolicy<shard_count>::shard_of("person-42") == evenkey::ShardId{0});
