// SPDX-License-Identifier: BSL-1.0
// expect: KeyFormat::width is too small for the number of the last shard
#include <evenkey/key.hpp>

#ifdef EVENKEY_REJECT
constexpr evenkey::KeyFormat format{.width = 1};
#else
constexpr evenkey::KeyFormat format{.width = 2};
#endif

static_assert(!evenkey::ShardedKey<"A", evenkey::ShardPolicy<11>, format>::of("person-42").empty());
