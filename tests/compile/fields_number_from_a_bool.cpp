// SPDX-License-Identifier: BSL-1.0
// expect: Number and SignedNumber take integers of up to 64 bits
#include <evenkey/composite_key.hpp>

#include <string>

#ifdef EVENKEY_REJECT
std::string key() { return evenkey::CompositeKey<evenkey::SignedNumber<10>>::encode(true); }
#else
std::string key() { return evenkey::CompositeKey<evenkey::SignedNumber<10>>::encode(1); }
#endif
