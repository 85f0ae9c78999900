// SPDX-License-Identifier: BSL-1.0
// What a clock gives is finer than what is stored: the caller says how to round.
// expect: Timestamp takes std::chrono::sys_time of milliseconds or coarser whole units
#include <evenkey/composite_key.hpp>

#include <chrono>
#include <string>

using Key = evenkey::CompositeKey<evenkey::Timestamp>;

std::string key() {
  const auto now = std::chrono::system_clock::now();
#ifdef EVENKEY_REJECT
  return Key::encode(now);
#else
  return Key::encode(std::chrono::floor<std::chrono::milliseconds>(now));
#endif
}
