// SPDX-License-Identifier: BSL-1.0
// expect: a prefix of no fields is empty and says nothing
#include <evenkey/composite_key.hpp>

#include <string>

#ifdef EVENKEY_REJECT
using Key = evenkey::CompositeKey<evenkey::Text, evenkey::Text>;
#else
using Key = evenkey::CompositeKey<evenkey::Literal<"SAGA">, evenkey::Text>;
#endif

std::string prefix() { return Key::prefix(); }
