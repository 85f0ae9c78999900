// SPDX-License-Identifier: BSL-1.0
// A row whose shard was drawn at random cannot be found by its id.
// expect: calculates_shard_from_id
#include <evenkey/key.hpp>
#include <evenkey/shard_policy/random.hpp>

#ifdef EVENKEY_REJECT
using Policy = evenkey::RandomShardPolicy<16>;
#else
using Policy = evenkey::ShardPolicy<16>;
#endif

std::string_view key_of(std::string_view id) { return evenkey::ShardedKey<"A", Policy>::of(id); }
