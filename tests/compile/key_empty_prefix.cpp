// SPDX-License-Identifier: BSL-1.0
// expect: the prefix is empty
#include <evenkey/key.hpp>

#ifdef EVENKEY_REJECT
using Keys = evenkey::ShardedKey<"", evenkey::ShardPolicy<16>>;
#else
using Keys = evenkey::ShardedKey<"A", evenkey::ShardPolicy<16>>;
#endif

static_assert(Keys::size() == 16);
