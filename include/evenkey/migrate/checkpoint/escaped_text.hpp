// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace evenkey::detail {

/// Any bytes as one word of printable ASCII: `=`, then the bytes, of which `%` and all outside of
/// `!`–`~` are `%` and two digits.
/// Source: docs/format/checkpoint.md.
inline std::string to_escaped(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string text = "=";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > 0x20 && byte < 0x7F && c != '%') {
      text.push_back(c);
    } else {
      text.push_back('%');
      text.push_back(digits[byte >> 4U]);
      text.push_back(digits[byte & 15U]);
    }
  }
  return text;
}

/// The bytes of a word; nothing where it is none. That it is the only spelling of these bytes is seen by
/// writing them again.
inline std::optional<std::string> from_escaped(std::string_view word) {
  if (!word.starts_with('=')) return std::nullopt;
  word.remove_prefix(1);
  const auto digit = [](char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
  };
  std::string bytes;
  while (!word.empty()) {
    if (word[0] != '%') {
      bytes.push_back(word[0]);
      word.remove_prefix(1);
      continue;
    }
    if (word.size() < 3 || digit(word[1]) < 0 || digit(word[2]) < 0) return std::nullopt;
    bytes.push_back(static_cast<char>(static_cast<unsigned char>(digit(word[1]) * 16 + digit(word[2]))));
    word.remove_prefix(3);
  }
  return bytes;
}

}  // namespace evenkey::detail
