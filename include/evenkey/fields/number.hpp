// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/fields/digits.hpp>
#include <evenkey/fields/key_error.hpp>
#include <evenkey/fields/key_field.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace evenkey {

namespace detail {

struct SignedMagnitude {
  std::uint64_t magnitude;
  bool negative;
};

template <class Value>
constexpr SignedMagnitude take_integer(const Value& value) noexcept {
  static_assert(
      plain_integer<Value>,
      "evenkey: Number and SignedNumber take integers of up to 64 bits; a char, a bool or a floating-point "
      "number is not one: convert it, and say how");
  if constexpr (!plain_integer<Value>) {
    return {0, false};
  } else if constexpr (std::signed_integral<Value>) {
    const auto bits = static_cast<std::uint64_t>(value);
    return value < 0 ? SignedMagnitude{0 - bits, true} : SignedMagnitude{bits, false};
  } else {
    return {static_cast<std::uint64_t>(value), false};
  }
}

}  // namespace detail

/// A whole number from 0 up, in `Width` decimal digits, zeros in front: 42 is `0000000042`.
///
/// Use it for counters, versions and amounts that are never negative, where keys must sort by value.
/// Shape: integers but bool and the character types → digits → `std::uint64_t`.
/// Order: by value.
/// Errors: negative, or more than `Width` digits → `key_error`.
/// Source: docs/format/keys.md.
/// @tparam Width 1 to 20; it is part of the stored bytes.
template <std::size_t Width>
struct Number {
  static_assert(Width >= 1 && Width <= 20, "evenkey: Number has 1 to 20 digits, as many as 64 bits can need");
  using argument_type = detail::SignedMagnitude;
  using value_type = std::uint64_t;
  static constexpr std::string_view name = "Number";
  static constexpr std::string_view takes = "integers from 0 up with no more digits than its width";

  static constexpr bool separable_by(char separator) noexcept { return !detail::is_digit(separator); }

  template <class Value>
  static constexpr argument_type take(const Value& value) noexcept {
    return detail::take_integer(value);
  }

  static constexpr std::optional<KeyErrorReason> fault(const argument_type& number, char) noexcept {
    if (number.negative) return KeyErrorReason::negative;
    if (number.magnitude > detail::largest_of_digits(Width)) return KeyErrorReason::out_of_range;
    return std::nullopt;
  }

  static constexpr std::size_t size(const argument_type&, char) noexcept { return Width; }

  static constexpr char* write(const argument_type& number, char, char* out) noexcept {
    return detail::write_digits(number.magnitude, Width, out);
  }

  static constexpr std::optional<std::uint64_t> read(std::string_view text, char) noexcept {
    if (text.size() != Width) return std::nullopt;
    return detail::read_digits(text);
  }
};

/// A whole number in `p` or `n` and `Width` digits, so that the text sorts by value, negative numbers too.
///
/// Use it for balances, offsets and scores that may be negative.
/// Shape: integers but bool and the character types → `p` and the digits from 0 up, `n` and the nines'
/// complement of the digits below 0 (9 is `p0009`, -2 is `n9997`, -10 is `n9989`) → `std::int64_t`.
/// Order: by value.
/// Errors: more than `Width` digits, or beyond `std::int64_t` → `key_error`.
/// Source: docs/format/keys.md.
/// @tparam Width 1 to 19 digits, the sign not counted; it is part of the stored bytes.
template <std::size_t Width>
struct SignedNumber {
  static_assert(Width >= 1 && Width <= 19,
                "evenkey: SignedNumber has 1 to 19 digits, as many as 64 bits can need");
  using argument_type = detail::SignedMagnitude;
  using value_type = std::int64_t;
  static constexpr std::string_view name = "SignedNumber";
  static constexpr std::string_view takes = "integers of std::int64_t with no more digits than its width";

  static constexpr bool separable_by(char separator) noexcept {
    return !detail::is_digit(separator) && separator != 'n' && separator != 'p';
  }

  template <class Value>
  static constexpr argument_type take(const Value& value) noexcept {
    return detail::take_integer(value);
  }

  static constexpr std::optional<KeyErrorReason> fault(const argument_type& number, char) noexcept {
    if (number.magnitude > detail::largest_of_digits(Width)) return KeyErrorReason::out_of_range;
    if (number.magnitude > largest_ + (number.negative ? 1 : 0)) return KeyErrorReason::out_of_range;
    return std::nullopt;
  }

  static constexpr std::size_t size(const argument_type&, char) noexcept { return Width + 1; }

  static constexpr char* write(const argument_type& number, char, char* out) noexcept {
    *out++ = number.negative ? 'n' : 'p';  // 'n' < 'p'
    const std::uint64_t nines = detail::largest_of_digits(Width);
    return detail::write_digits(number.negative ? nines - number.magnitude : number.magnitude, Width, out);
  }

  static constexpr std::optional<std::int64_t> read(std::string_view text, char separator) noexcept {
    if (text.size() != Width + 1 || (text[0] != 'p' && text[0] != 'n')) return std::nullopt;
    const std::optional<std::uint64_t> digits = detail::read_digits(text.substr(1));
    if (!digits) return std::nullopt;
    const bool negative = text[0] == 'n';
    const argument_type number{negative ? detail::largest_of_digits(Width) - *digits : *digits, negative};
    if (fault(number, separator)) return std::nullopt;
    if (!negative) return static_cast<std::int64_t>(number.magnitude);
    if (number.magnitude == 0) return std::nullopt;  // -0 is no number of its own
    return -static_cast<std::int64_t>(number.magnitude - 1) - 1;
  }

 private:
  static constexpr auto largest_ = static_cast<std::uint64_t>((std::numeric_limits<std::int64_t>::max)());
};

}  // namespace evenkey
