// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace evenkey::detail {

inline constexpr std::string_view base64url_digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Bytes as URL-safe text (RFC 4648, section 5), without padding.
inline std::string to_base64url(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() * 4 + 2) / 3);
  std::uint32_t bits = 0;
  unsigned held = 0;
  for (const char byte : bytes) {
    bits = bits << 8U | static_cast<unsigned char>(byte);
    for (held += 8; held >= 6;) {
      held -= 6;
      text.push_back(base64url_digits[bits >> held & 63U]);
    }
  }
  if (held != 0) text.push_back(base64url_digits[bits << (6 - held) & 63U]);
  return text;
}

/// The bytes of a text that `to_base64url` gave; nothing for any other text, so that bytes have one text
/// only.
inline std::optional<std::string> from_base64url(std::string_view text) {
  if (text.size() % 4 == 1) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() * 3 / 4);
  std::uint32_t bits = 0;
  unsigned held = 0;
  for (const char digit : text) {
    const std::size_t value = base64url_digits.find(digit);
    if (value == std::string_view::npos) return std::nullopt;
    bits = bits << 6U | static_cast<std::uint32_t>(value);
    held += 6;
    if (held >= 8) {
      held -= 8;
      bytes.push_back(static_cast<char>(static_cast<unsigned char>(bits >> held)));
    }
  }
  if ((bits & ((1U << held) - 1)) != 0) return std::nullopt;  // bits that no byte uses must be zero
  return bytes;
}

}  // namespace evenkey::detail
