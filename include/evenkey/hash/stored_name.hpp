// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string_view>
#include <type_traits>

namespace evenkey {

namespace detail {

/// Lower-case letters, digits, `_`, `-` and `.` only: no separator of a fingerprint, of a key or of a page
/// token.
constexpr bool is_stored_name(std::string_view name) noexcept {
  for (const char character : name) {
    const bool letter = character >= 'a' && character <= 'z';
    const bool digit = character >= '0' && character <= '9';
    if (!letter && !digit && character != '_' && character != '-' && character != '.') return false;
  }
  return !name.empty();
}

}  // namespace detail

/// `static constexpr std::string_view name`, of `a-z 0-9 _ - .`: it is written down beside the data.
template <class Named>
concept has_stored_name = std::bool_constant<detail::is_stored_name(Named::name)>::value;

}  // namespace evenkey
