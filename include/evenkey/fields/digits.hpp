// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

// Characters into a buffer and out of text. No locale, no allocation, the same at compile time.
namespace evenkey::detail {

template <class T, class... Others>
concept none_of = (!std::same_as<T, Others> && ...);

/// An integer of up to 64 bits that is a number, and not a character or a truth value that converts to one.
template <class T>
concept plain_integer = std::integral<T> && sizeof(T) <= sizeof(std::uint64_t) &&
                        none_of<T, bool, char, wchar_t, char8_t, char16_t, char32_t>;

constexpr char* write_bytes(std::string_view bytes, char* out) noexcept {
  std::char_traits<char>::copy(out, bytes.data(), bytes.size());
  return out + bytes.size();
}

/// The largest number of so many decimal digits, or of 64 bits if that is less.
constexpr std::uint64_t largest_of_digits(std::size_t digits) noexcept {
  if (digits >= 20) return (std::numeric_limits<std::uint64_t>::max)();
  std::uint64_t largest = 0;
  for (std::size_t i = 0; i < digits; ++i)
    largest = largest * 10 + 9;
  return largest;
}

/// Writes the last `width` decimal digits, zeros before them. Knows no locale.
constexpr char* write_digits(std::uint64_t number, std::size_t width, char* out) noexcept {
  for (std::size_t i = width; i-- > 0; number /= 10)
    out[i] = static_cast<char>('0' + number % 10);
  return out + width;
}

/// Digits alone, at least one, up to 64 bits. Leading zeros are the caller's to judge.
constexpr std::optional<std::uint64_t> read_digits(std::string_view text) noexcept {
  if (text.empty()) return std::nullopt;
  std::uint64_t number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (number > ((std::numeric_limits<std::uint64_t>::max)() - digit) / 10) return std::nullopt;
    number = number * 10 + digit;
  }
  return number;
}

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

}  // namespace evenkey::detail
