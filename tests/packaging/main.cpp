// SPDX-License-Identifier: BSL-1.0
// A user's program, built against evenkey in each of the ways that users get it. All must print the same
// shards.
#include <evenkey/evenkey.hpp>

#include <cstdio>
#include <string>

using Key = evenkey::ShardedKey<"RenewalSaga", evenkey::ShardPolicy<16>>;

int main(int argc, char**) {
  std::string id = "person-";  // not known to the compiler, so that xxHash's own code is called
  id += argc > 1 ? "1" : "42";
  const auto key = Key::of(id);
  std::printf("evenkey %s: %.*s\n", evenkey::version_string, static_cast<int>(key.size()), key.data());
#ifdef XXHASH_OF_THE_TEST
  std::puts("xxHash of the test");
#endif
}
