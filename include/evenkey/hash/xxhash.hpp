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

// clang-format off

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
#elif defined(__loongarch_asx)
#include <lasxintrin.h>
#include <lsxintrin.h>
#elif defined(__loongarch_sx)
#include <lsxintrin.h>
#elif defined(__riscv_vector)
#include <riscv_vector.h>
#endif
#if defined(_MSC_VER)
#include <intrin.h>
#endif

#include <cstdint>
#include <string_view>

#if !__has_include(<xxhash.h>)
#error "evenkey needs xxhash.h, 0.8.0 or newer, on the include path: Debian's libxxhash-dev, github.com/Cyan4973/xxHash"
#endif

#include <evenkey/hash/xxhash_macros/push.hpp>
#include <evenkey/hash/xxhash_macros/undef.hpp>

#define XXH_INLINE_ALL
#define XXH_DEBUGLEVEL 0  // or DEBUGLEVEL makes it include assert.h, which replaces a program's own assert

#if !defined(__x86_64__) && !defined(__i386__) && !defined(_M_X64) && !defined(_M_IX86) && \
    !defined(__ARM_NEON) && !defined(__ARM_NEON__) && !defined(_M_ARM64) && !defined(_M_ARM64EC)
#define XXH_VECTOR 0  // no intrinsics there, whose headers (altivec.h, …) are not included above
#endif

#if defined(__GNUC__) && !defined(__clang__)
// g++ gives static functions under extern "C" their bare names in assembly code, where those of this copy and of the
// program's own would be defined twice. Read as C, xxhash.h does without extern "C". (clang needs C++ for its NULL.)
#pragma push_macro("__cplusplus")
#undef __cplusplus
#endif

namespace evenkey::detail::xxhash {

// Declared here first, or `typedef struct …` would find those of the program's own copy. xxHash 0.8.0 spells them the
// first way, later versions the second.
struct XXH_INLINE_XXH32_state_s;
struct XXH_INLINE_XXH64_state_s;
struct XXH_INLINE_XXH3_state_s;
struct XXH_NAMESPACEXXH32_state_s;
struct XXH_NAMESPACEXXH64_state_s;
struct XXH_NAMESPACEXXH3_state_s;

#include <xxhash.h>

#if defined(__GNUC__) && !defined(__clang__)
#pragma pop_macro("__cplusplus")
#endif

#if __has_include(<xxhash.h>) && (!defined(XXH_VERSION_NUMBER) || XXH_VERSION_NUMBER < 800)
#error "evenkey: xxHash 0.8.0 or newer is needed; an older XXH3 would put rows into wrong shards"
#endif

inline std::uint64_t xxh3_64(std::string_view bytes) noexcept {
  return XXH3_64bits(bytes.data(), bytes.size());
}

inline std::uint64_t xxh64(std::string_view bytes) noexcept { return XXH64(bytes.data(), bytes.size(), 0); }

}  // namespace evenkey::detail::xxhash

#include <evenkey/hash/xxhash_macros/pop.hpp>
