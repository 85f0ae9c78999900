// SPDX-License-Identifier: BSL-1.0
#include <xxhash.h>
//
#include <evenkey/hash.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

XXH3_state_t* make_state(std::string_view bytes);

TEST_SUITE("hash") {
  TEST_CASE("files that include xxHash and evenkey in different orders share xxHash's types") {
    const std::string bytes(500, 'b');
    XXH3_state_t* state = make_state(bytes);
    CHECK(XXH3_64bits_digest(state) == evenkey::Xxh3_64{}(bytes));
    XXH3_freeState(state);
  }
}
