// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace evenkey::detail {

/// How many bytes the code point at the front of the text takes; 0 if it is not valid UTF-8 (RFC 3629: no
/// overlong forms, no surrogates, nothing above U+10FFFF).
/// @pre !text.empty()
constexpr std::size_t utf8_length(std::string_view text) noexcept {
  const auto byte = [text](std::size_t at) noexcept -> std::uint32_t {
    return at < text.size() ? static_cast<unsigned char>(text[at]) : 0;  // 0 is no continuation byte
  };
  const auto continues = [byte](std::size_t at) noexcept { return (byte(at) & 0xC0) == 0x80; };
  const std::uint32_t first = byte(0);
  if (first < 0x80) return 1;
  if (first < 0xC2) return 0;
  if (first < 0xE0) return continues(1) ? 2 : 0;
  if (first < 0xF0) {
    if (first == 0xE0 && byte(1) < 0xA0) return 0;   // overlong
    if (first == 0xED && byte(1) >= 0xA0) return 0;  // surrogates
    return continues(1) && continues(2) ? 3 : 0;
  }
  if (first > 0xF4) return 0;
  if (first == 0xF0 && byte(1) < 0x90) return 0;   // overlong
  if (first == 0xF4 && byte(1) >= 0x90) return 0;  // above U+10FFFF
  return continues(1) && continues(2) && continues(3) ? 4 : 0;
}

constexpr bool is_utf8(std::string_view text) noexcept {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace evenkey::detail
