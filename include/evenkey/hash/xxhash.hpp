// SPDX-License-Identifier: BSL-1.0
#pragma once

// The only place that includes xxhash.h. evenkey has a copy of its own: xxHash inlined, in evenkey's
// namespace, and no macro of it left behind. So the program may include xxhash.h too, before or after,
// inlined, under a namespace of its own (by -D as well) or linked, in this version or another; what evenkey
// computes never depends on which include came first, on what the program links, or on an old library that is
// found when it starts.

#if defined(__GNUC__)
#pragma GCC system_header  // warnings in xxhash.h are not ours, even when it is reached by -I
#endif

// clang-format off: the order matters

// What xxhash.h itself includes comes first, so that none of it is declared inside our namespace.
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#if __has_include(<inttypes.h>)
#include <inttypes.h>
#endif
#if defined(__ARM_FEATURE_SVE)
#include <arm_sve.h>
#endif
#if defined(__ARM_NEON) || defined(__ARM_NEON__) || defined(_M_ARM64) || defined(_M_ARM64EC)
#include <arm_neon.h>
#elif defined(__wasm_simd128__)
#if __has_include(<arm_neon.h>)
#include <arm_neon.h>
#endif
#elif defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif
#if defined(_MSC_VER)
#include <intrin.h>
#endif

#include <evenkey/hash/xxhash_push_macros.hpp>

#include <cstdint>
#include <string_view>

// As if xxhash.h had never been included …
#undef XXHASH_H_5627135585666179
#undef XXHASH_H_STATIC_13879238742
#undef XXH_INLINE_ALL_31684351384
#undef XXH_IMPLEM_13a8737387
#undef XXH_VERSION_NUMBER
#undef XXH_VERSION_MAJOR
#undef XXH_VERSION_MINOR
#undef XXH_VERSION_RELEASE
// … and whatever the program wants of its own copy.
#undef XXH_IMPLEMENTATION
#undef XXH_INLINE_ALL
#undef XXH_NAMESPACE
#undef XXH_NO_LONG_LONG
#undef XXH_NO_XXH3
#undef XXH_OLD_NAMES
#undef XXH_PRIVATE_API
#undef XXH_STATIC_LINKING_ONLY
#undef XXH_DEBUGLEVEL
#define XXH_DEBUGLEVEL 0  // or it would include assert.h, which replaces a program's own assert
#define XXH_INLINE_ALL

#if !defined(__x86_64__) && !defined(__i386__) && !defined(_M_X64) && !defined(_M_IX86) && \
    !defined(__ARM_NEON) && !defined(__ARM_NEON__) && !defined(_M_ARM64) && !defined(_M_ARM64EC)
#undef XXH_VECTOR
#define XXH_VECTOR 0  // no intrinsics there, whose headers (altivec.h, …) are not included above
#endif

namespace evenkey::detail::xxhash {

#include <xxhash.h>

#if !defined(XXH_VERSION_NUMBER) || XXH_VERSION_NUMBER < 800
#error \
    "evenkey: xxHash 0.8.0 or newer is needed: the xxhash.h found here is older, and its XXH3 gives other hashes, which would put rows into wrong shards"
#endif

inline std::uint64_t xxh3_64(std::string_view bytes) noexcept {
  return XXH3_64bits(bytes.data(), bytes.size());
}

inline std::uint64_t xxh64(std::string_view bytes) noexcept { return XXH64(bytes.data(), bytes.size(), 0); }

}  // namespace evenkey::detail::xxhash

#include <evenkey/hash/xxhash_pop_macros.hpp>
