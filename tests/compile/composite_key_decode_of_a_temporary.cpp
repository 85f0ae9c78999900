// SPDX-License-Identifier: BSL-1.0
// The views of a decoded Text would point into a string that is gone.
// expect: text_outlives_its_views
#include <evenkey/composite_key.hpp>

#include <string>

using Key = evenkey::CompositeKey<evenkey::Text, evenkey::Text>;

bool read(const std::string& text) {
#ifdef EVENKEY_REJECT
  return Key::decode(std::string(text)).has_value();
#else
  return Key::decode(text).has_value();
#endif
}
