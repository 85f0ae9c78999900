// SPDX-License-Identifier: BSL-1.0
#pragma once

// How a program includes xxHash on its own account. EVENKEY_MODE says which way; by flag means before any
// include.
#define EVENKEY_LINKED 1
#define EVENKEY_ADVANCED 2
#define EVENKEY_INLINED 3
#define EVENKEY_INLINED_BY_FLAG 4
#define EVENKEY_PRIVATE 5
#define EVENKEY_NAMESPACED 6
#define EVENKEY_NAMESPACED_BY_FLAG 7
#define EVENKEY_LINKED_THEN_INLINED 8

#if EVENKEY_MODE == EVENKEY_ADVANCED
#define XXH_STATIC_LINKING_ONLY
#elif EVENKEY_MODE == EVENKEY_INLINED
#define XXH_INLINE_ALL
#elif EVENKEY_MODE == EVENKEY_PRIVATE
#define XXH_PRIVATE_API
#elif EVENKEY_MODE == EVENKEY_NAMESPACED
#define XXH_NAMESPACE EVENKEY_THEIR_PREFIX
#endif
#if EVENKEY_MODE == EVENKEY_NAMESPACED || EVENKEY_MODE == EVENKEY_NAMESPACED_BY_FLAG
#define XXH_STATIC_LINKING_ONLY  // the namespaced functions are in no library: this file defines them
#define XXH_IMPLEMENTATION
#endif

#include <xxhash.h>

#if EVENKEY_MODE == EVENKEY_LINKED_THEN_INLINED
#define XXH_INLINE_ALL
#include <xxhash.h>
#endif
