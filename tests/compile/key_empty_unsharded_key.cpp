// SPDX-License-Identifier: BSL-1.0
// expect: the partition key is empty
#include <evenkey/key.hpp>

#ifdef EVENKEY_REJECT
using Key = evenkey::UnshardedKey<"">;
#else
using Key = evenkey::UnshardedKey<"A">;
#endif

static_assert(Key::size() == 1);
