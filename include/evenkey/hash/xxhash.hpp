// SPDX-License-Identifier: BSL-1.0
#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdint>
#include <string_view>

namespace evenkey::detail {

inline std::uint64_t xxhash_xxh3_64(std::string_view bytes) noexcept {
  return XXH3_64bits(bytes.data(), bytes.size());
}
inline std::uint64_t xxhash_xxh64(std::string_view bytes) noexcept {
  return XXH64(bytes.data(), bytes.size(), 0);
}

}  // namespace evenkey::detail
