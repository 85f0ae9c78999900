// SPDX-License-Identifier: BSL-1.0
// A program's file that uses xxHash itself. CMakeLists.txt compiles it in every mode, with xxhash.h included
// before evenkey and after it, and links all of them: none may notice another.
#ifdef EVENKEY_FIRST
#include <evenkey/shard_policy.hpp>
#endif
#include "users_xxhash.hpp"
#ifndef EVENKEY_FIRST
#include <evenkey/shard_policy.hpp>
#endif

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#define EVENKEY_TEXT_OF(name) #name
#define EVENKEY_TEXT(name) EVENKEY_TEXT_OF(name)

namespace {

// What the program's own XXH64 is, as the mode makes it.
constexpr std::string_view their_symbol() {
#if EVENKEY_MODE == EVENKEY_LINKED || EVENKEY_MODE == EVENKEY_ADVANCED
  return "XXH64";
#elif EVENKEY_MODE == EVENKEY_NAMESPACED || EVENKEY_MODE == EVENKEY_NAMESPACED_BY_FLAG
  return EVENKEY_TEXT(EVENKEY_THEIR_PREFIX) "XXH64";
#else
  return "XXH_INLINE_XXH64";
#endif
}

}  // namespace

TEST_SUITE("hash") {
  TEST_CASE(EVENKEY_TITLE) {
    CHECK(EVENKEY_TEXT(XXH64) == their_symbol());
    CHECK(XXH_versionNumber() >= 800);

    for (std::size_t size = 0; size < 1100; ++size) {
      CAPTURE(size);
      const std::string id(size, 'x');
      const std::uint64_t hash = evenkey::Xxh3_64{}(id);
      CHECK(hash == XXH3_64bits(id.data(), id.size()));
      CHECK(evenkey::Xxh64{}(id) == XXH64(id.data(), id.size(), 0));

      XXH3_state_t* state = XXH3_createState();
      const XXH_errorcode reset = XXH3_64bits_reset(state);
      const XXH_errorcode update = XXH3_64bits_update(state, id.data(), id.size());
      CHECK((reset == XXH_OK && update == XXH_OK));
      CHECK(XXH3_64bits_digest(state) == hash);
      XXH3_freeState(state);
    }

    const XXH128_hash_t wide = XXH3_128bits("id", 2);
    CHECK(XXH128_isEqual(wide, XXH3_128bits("id", 2)) == 1);
#if EVENKEY_MODE != EVENKEY_LINKED && EVENKEY_MODE != EVENKEY_LINKED_THEN_INLINED
    XXH64_state_t on_the_stack;  // complete only in the advanced modes
    CHECK(XXH64_reset(&on_the_stack, 0) == XXH_OK);
    CHECK(XXH64_digest(&on_the_stack) == evenkey::Xxh64{}(""));
#endif
    static_assert(evenkey::ShardPolicy<16>::shard_of("person-42") == evenkey::ShardId{13});
  }
}
