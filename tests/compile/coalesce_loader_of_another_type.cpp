// SPDX-License-Identifier: BSL-1.0
// expect: coalesced_loader
#include <evenkey/coalesce.hpp>

#include <string>

int main() {
  evenkey::Coalescer<std::string, std::string> names;
#ifdef EVENKEY_REJECT
  const auto load = [] { return 42.5 * 2 > 1; };
#else
  const auto load = [] { return "the text"; };
#endif
  return names.get("key", load)->empty() ? 1 : 0;
}
