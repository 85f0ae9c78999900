// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/fields/utf8.hpp>
#include <evenkey/testing/memory_table/error.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace evenkey::testing {

/// What text keys may hold: an attribute of type String must be valid UTF-8, one of type Binary may hold any
/// bytes.
enum class KeyText : std::uint8_t { string, binary };

inline constexpr std::size_t max_partition_key_bytes = 2048;
inline constexpr std::size_t max_sort_key_bytes = 1024;

}  // namespace evenkey::testing

namespace evenkey::testing::detail {

inline bool is_ascii(std::string_view text) noexcept {
  std::uint64_t word = 0;
  for (; text.size() >= sizeof word; text.remove_prefix(sizeof word)) {
    std::memcpy(&word, text.data(), sizeof word);
    if ((word & 0x8080808080808080U) != 0) return false;
  }
  word = 0;
  std::memcpy(&word, text.data(), text.size());
  return (word & 0x8080808080808080U) == 0;
}

inline void check_key_text(RequestKind request, std::string_view what, std::string_view value,
                           std::size_t max_bytes, KeyText text) {
  if (value.empty())
    throw validation_error(request, std::string(what) + " is empty: a key cannot be an empty string");
  if (value.size() > max_bytes)
    throw validation_error(request, std::string(what) + " has " + std::to_string(value.size()) +
                                        " bytes; at most " + std::to_string(max_bytes) + " are allowed");
  if (text == KeyText::string && !is_ascii(value) && !evenkey::detail::is_utf8(value))
    throw validation_error(request, std::string(what) + " is not valid UTF-8");
}

inline void check_partition_key(RequestKind request, std::string_view value, KeyText text) {
  check_key_text(request, "the partition key", value, max_partition_key_bytes, text);
}

inline void check_sort_value(RequestKind request, std::string_view value, KeyText text) {
  check_key_text(request, "the sort key", value, max_sort_key_bytes, text);
}
inline void check_sort_value(RequestKind, std::int64_t, KeyText) {}
inline void check_sort_value(RequestKind request, double value, KeyText) {
  if (!std::isfinite(value)) throw validation_error(request, "the sort key is not a number that can be kept");
}

}  // namespace evenkey::testing::detail
