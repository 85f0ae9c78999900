// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

namespace evenkey {

/// The canonical text of an id that is not text, in a small buffer of its own: hash this, and store this.
///
/// Shape: owns its bytes and converts to a view of them, which must not outlive it.
class CanonicalId {
 public:
  /// To be hashed as a text.
  constexpr operator std::string_view() const noexcept { return view(); }
  /// The text.
  constexpr std::string_view view() const noexcept { return {text_.data(), size_}; }

  friend constexpr bool operator==(const CanonicalId& a, const CanonicalId& b) noexcept {
    return a.view() == b.view();
  }
  friend constexpr bool operator==(const CanonicalId& id, std::string_view text) noexcept {
    return id.view() == text;
  }

  /// Adds one character; `canonical_id` and `canonical_uuid` never add more than fit.
  constexpr void push_back(char character) noexcept { text_[size_++] = character; }

 private:
  std::array<char, 36> text_{};
  std::uint8_t size_ = 0;
};

/// An integer that can be an id: not `bool`, not a character, at most 64 bits.
template <class Integer>
concept integer_id = std::integral<Integer> && sizeof(Integer) <= 8 &&
                     !std::same_as<std::remove_cv_t<Integer>, bool> &&
                     !std::same_as<std::remove_cv_t<Integer>, char> &&
                     !std::same_as<std::remove_cv_t<Integer>, wchar_t> &&
                     !std::same_as<std::remove_cv_t<Integer>, char8_t> &&
                     !std::same_as<std::remove_cv_t<Integer>, char16_t> &&
                     !std::same_as<std::remove_cv_t<Integer>, char32_t>;

/// The decimal digits of an integer id, with `-` before a negative one and no other sign, padding or
/// separator.
///
/// Use it for ids that are numbers: `Policy::shard_of(canonical_id(42))`. The choice of bytes decides the
/// shard, so a program in another language must hash the same text.
/// Cost: no allocation; independent of the locale.
/// Source: docs/format/hash.md, "Canonical bytes".
template <integer_id Integer>
constexpr CanonicalId canonical_id(Integer id) noexcept {
  std::array<char, 20> digits{};
  std::size_t count = 0;
  // In unsigned arithmetic, where the negative of the smallest integer exists.
  std::uint64_t rest = static_cast<std::uint64_t>(id);
  if (id < 0) rest = 0 - rest;
  do {
    digits[count++] = static_cast<char>('0' + rest % 10);
    rest /= 10;
  } while (rest != 0);
  CanonicalId text;
  if (id < 0) text.push_back('-');
  while (count != 0)
    text.push_back(digits[--count]);
  return text;
}

/// The lowercase 8-4-4-4-12 text of the 16 bytes of a UUID, in network order.
///
/// Use it where ids are UUIDs in binary form, so that they share their shard with the same UUID as text.
/// Cost: no allocation.
/// Source: RFC 9562, section 4; docs/format/hash.md, "Canonical bytes".
constexpr CanonicalId canonical_uuid(std::span<const std::byte, 16> bytes) noexcept {
  constexpr std::string_view hex = "0123456789abcdef";
  CanonicalId text;
  for (std::size_t at = 0; at < 16; ++at) {
    if (at == 4 || at == 6 || at == 8 || at == 10) text.push_back('-');
    const auto byte = std::to_integer<std::size_t>(bytes[at]);
    text.push_back(hex[byte / 16]);
    text.push_back(hex[byte % 16]);
  }
  return text;
}

/// The canonical text of a UUID that is text already: upper case becomes lower case.
///
/// Use it when ids come from several sources that do not agree on the case.
/// Errors: what is not a UUID of the form 8-4-4-4-12 is `std::nullopt`; braces, `urn:uuid:` and bare hex are
/// not.
/// Source: RFC 9562, section 4; docs/format/hash.md, "Canonical bytes".
constexpr std::optional<CanonicalId> canonical_uuid(std::string_view uuid) noexcept {
  if (uuid.size() != 36) return std::nullopt;
  CanonicalId text;
  for (std::size_t at = 0; at < 36; ++at) {
    char character = uuid[at];
    if (at == 8 || at == 13 || at == 18 || at == 23) {
      if (character != '-') return std::nullopt;
    } else {
      if (character >= 'A' && character <= 'F') character = static_cast<char>(character - 'A' + 'a');
      const bool digit = character >= '0' && character <= '9';
      if (!digit && !(character >= 'a' && character <= 'f')) return std::nullopt;
    }
    text.push_back(character);
  }
  return text;
}

}  // namespace evenkey
