// SPDX-License-Identifier: BSL-1.0
// With state_read_before.cpp: xxHash's own type goes from a file that included evenkey first to one that did
// not.
#include <evenkey/hash.hpp>
//
#include <xxhash.h>

#include <string_view>

XXH3_state_t* make_state(std::string_view bytes);

XXH3_state_t* make_state(std::string_view bytes) {
  XXH3_state_t* state = XXH3_createState();
  XXH3_64bits_reset(state);
  XXH3_64bits_update(state, bytes.data(), bytes.size());
  return state;
}
