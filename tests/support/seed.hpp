// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

namespace support {

/// The seed of a property test: the same in every run, or EVENKEY_TEST_SEED to look further. Print it with
/// INFO.
inline std::uint64_t seed() {
  const char* const given = std::getenv("EVENKEY_TEST_SEED");
  return given == nullptr ? 85 : std::stoull(given);
}

}  // namespace support
