// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>

namespace evenkey::testing {

/// The most bytes that an item may have.
inline constexpr std::size_t max_item_bytes = 409'600;

/// What a number takes: one byte, one per two digits before the point, one per two digits after it, and one
/// for a minus; zeros at either end are not stored.
/// Errors: text that is not a decimal number is `std::invalid_argument`.
/// Source: measured against the real service; the Developer Guide says "approximately".
inline std::size_t number_bytes(std::string_view decimal) {
  const auto refuse = [] { throw std::invalid_argument("evenkey: not a decimal number"); };
  const bool negative = decimal.starts_with('-');
  if (negative || decimal.starts_with('+')) decimal.remove_prefix(1);
  long point = -1;  // digits before the point
  long digits = 0;
  long first = -1;  // of the digits that are not zero, counted from the left
  long last = -1;
  long exponent = 0;
  for (std::size_t at = 0; at < decimal.size(); ++at) {
    const char c = decimal[at];
    if (c == '.' && point < 0) {
      point = digits;
    } else if (c >= '0' && c <= '9') {
      if (c != '0') {
        if (first < 0) first = digits;
        last = digits;
      }
      ++digits;
    } else if ((c == 'e' || c == 'E') && digits > 0) {
      std::string_view power = decimal.substr(at + 1);
      if (power.starts_with('+')) power.remove_prefix(1);
      const auto [end, error] = std::from_chars(power.data(), power.data() + power.size(), exponent);
      if (error != std::errc{} || end != power.data() + power.size() || exponent < -200 || exponent > 200)
        refuse();
      break;
    } else {
      refuse();
    }
  }
  if (digits == 0) refuse();
  if (first < 0) return 1;  // zero
  if (point < 0) point = digits;
  point += exponent;
  const auto within = [&](long value) { return value < first ? first : value > last + 1 ? last + 1 : value; };
  const long whole = within(point) - first;
  const long fraction = last + 1 - within(point);
  return static_cast<std::size_t>(1 + (whole + 1) / 2 + (fraction + 1) / 2 + (negative ? 1 : 0));
}
template <std::integral T>
std::size_t number_bytes(T value) {
  return number_bytes(std::to_string(value));
}

/// Adds up an item's bytes by DynamoDB's count, attribute by attribute, for `ItemFunctions::size_of`:
/// `ItemSize{}.text("pk", saga.id).number("version", saga.version).boolean("open").bytes()`.
///
/// Source: AWS Developer Guide, "DynamoDB item sizes and formats".
class ItemSize {
 public:
  /// String and Binary: their bytes.
  ItemSize& text(std::string_view name, std::string_view value) { return attribute(name, value.size()); }
  /// A number: about half a byte for each significant digit, and one more.
  template <class Number>
  ItemSize& number(std::string_view name, const Number& value) {
    return attribute(name, number_bytes(value));
  }
  /// A boolean: one byte.
  ItemSize& boolean(std::string_view name) { return attribute(name, 1); }
  /// A null: one byte.
  ItemSize& null(std::string_view name) { return attribute(name, 1); }
  /// A list whose elements take so many bytes each.
  ItemSize& list(std::string_view name, std::initializer_list<std::size_t> elements) {
    std::size_t bytes = 3;
    for (const std::size_t element : elements)
      bytes += 1 + element;
    return attribute(name, bytes);
  }
  /// A map that holds these attributes.
  ItemSize& map(std::string_view name, const ItemSize& content) {
    return attribute(name, 3 + content.attributes_ + content.bytes_);
  }
  /// Anything else: its name and so many bytes.
  ItemSize& attribute(std::string_view name, std::size_t value_bytes) {
    ++attributes_;
    bytes_ += name.size() + value_bytes;
    return *this;
  }

  /// What DynamoDB would count.
  std::size_t bytes() const noexcept { return bytes_; }

 private:
  std::size_t bytes_ = 0;
  std::size_t attributes_ = 0;
};

}  // namespace evenkey::testing
