// SPDX-License-Identifier: BSL-1.0
// expect: the values of all fields are a whole key and no prefix: ask for equality with encode
#include <evenkey/composite_key.hpp>

#include <string>

using Key = evenkey::CompositeKey<evenkey::Text, evenkey::Text>;

#ifdef EVENKEY_REJECT
std::string prefix() { return Key::prefix("p1", "T1"); }
#else
std::string prefix() { return Key::prefix("p1"); }
#endif
