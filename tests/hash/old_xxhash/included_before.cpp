// SPDX-License-Identifier: BSL-1.0
// expect: evenkey: xxHash 0.8.0 or newer is needed
#include <xxhash.h>
//
#include <evenkey/hash.hpp>

static_assert(evenkey::Xxh3_64{}("") == 0x2d06800538d394c2);
