// SPDX-License-Identifier: BSL-1.0
// expect: encode takes one value for each field but Literals
#include <evenkey/composite_key.hpp>

#include <string>

using Key = evenkey::CompositeKey<evenkey::Text, evenkey::Text>;

#ifdef EVENKEY_REJECT
std::string key() { return Key::encode("p1"); }
#else
std::string key() { return Key::encode("p1", "T1"); }
#endif
