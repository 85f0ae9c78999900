// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/fields.hpp>

#include <optional>
#include <string>

namespace support {

/// The text that a field writes for a value; nothing if it refuses the value.
template <evenkey::value_field Field, class Value>
std::optional<std::string> write(const Value& value, char separator = '#') {
  const auto argument = Field::take(value);
  if (Field::fault(argument, separator)) return std::nullopt;
  std::string text(Field::size(argument, separator), '?');
  const char* const end = Field::write(argument, separator, text.data());
  // A field that writes more or less than it said would be caught here rather than by luck.
  if (end != text.data() + text.size()) return "wrote another number of bytes than it said";
  return text;
}

/// Why a field refuses a value; nothing if it takes it.
template <evenkey::value_field Field, class Value>
std::optional<evenkey::KeyErrorReason> fault(const Value& value, char separator = '#') {
  return Field::fault(Field::take(value), separator);
}

}  // namespace support
