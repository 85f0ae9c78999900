// SPDX-License-Identifier: BSL-1.0
// expect: Text and EscapedText take text
#include <evenkey/composite_key.hpp>

#include <string>

#ifdef EVENKEY_REJECT
std::string key() { return evenkey::CompositeKey<evenkey::Text>::encode(42); }
#else
std::string key() { return evenkey::CompositeKey<evenkey::Number<10>>::encode(42); }
#endif
