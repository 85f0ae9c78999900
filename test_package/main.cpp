// SPDX-License-Identifier: BSL-1.0
#include <evenkey/evenkey.hpp>

#include <cstdio>
#include <string>

using Key = evenkey::ShardedKey<"RenewalSaga", evenkey::ShardPolicy<16>>;

int main(int argc, char**) {
  std::string id = "person-";  // not known to the compiler, so that xxHash's own code is called
  id += argc > 1 ? "1" : "42";
  const auto key = Key::of(id);
  std::printf("evenkey %s: %.*s\n", evenkey::version_string, static_cast<int>(key.size()), key.data());
  return key == "RenewalSaga#13" || argc > 1 ? 0 : 1;
}
