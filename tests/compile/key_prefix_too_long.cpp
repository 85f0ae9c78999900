// SPDX-License-Identifier: BSL-1.0
// F11: with this prefix #9 fits 2048 bytes and #10 does not.
// expect: the key of the last shard is longer than DynamoDB's 2048 bytes: shorten the prefix
#include <evenkey/key.hpp>

constexpr auto long_prefix = [] {
  char text[2047]{};
  for (int i = 0; i < 2046; ++i)
    text[i] = 'x';
  return evenkey::FixedString<2046>(text);
}();

#ifdef EVENKEY_REJECT
using Keys = evenkey::ShardedKey<long_prefix, evenkey::ShardPolicy<11>>;
#else
using Keys = evenkey::ShardedKey<long_prefix, evenkey::ShardPolicy<10>>;
#endif

static_assert(!Keys::of("person-42").empty());
