// SPDX-License-Identifier: BSL-1.0
// expect: the prefix is not valid UTF-8, which DynamoDB refuses
#include <evenkey/key.hpp>

#ifdef EVENKEY_REJECT
using Keys = evenkey::ShardedKey<"caf\xE9", evenkey::ShardPolicy<16>>;
#else
using Keys = evenkey::ShardedKey<"caf\xC3\xA9", evenkey::ShardPolicy<16>>;
#endif

static_assert(Keys::size() == 16);
