// SPDX-License-Identifier: BSL-1.0
// expect: KeyFormat::separator must be printable ASCII and no letter or digit
#include <evenkey/key.hpp>

#ifdef EVENKEY_REJECT
constexpr evenkey::KeyFormat format{.separator = '0'};
#else
constexpr evenkey::KeyFormat format{.separator = '.'};
#endif

static_assert(!evenkey::ShardedKey<"A", evenkey::ShardPolicy<16>, format>::of("person-42").empty());
