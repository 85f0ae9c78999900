// SPDX-License-Identifier: BSL-1.0
// Report F33: with EVENKEY_REJECT a header that says it is xxHash 0.7.4, else the one that is installed.
#pragma GCC system_header
#ifdef EVENKEY_REJECT
#define XXH_VERSION_MAJOR 0
#define XXH_VERSION_MINOR 7
#define XXH_VERSION_RELEASE 4
#define XXH_VERSION_NUMBER (XXH_VERSION_MAJOR * 100 * 100 + XXH_VERSION_MINOR * 100 + XXH_VERSION_RELEASE)
#include <stddef.h>
static inline unsigned long long XXH3_64bits(const void*, size_t) { return 0; }
static inline unsigned long long XXH64(const void*, size_t, unsigned long long) { return 0; }
#else
#include_next <xxhash.h>
#endif
