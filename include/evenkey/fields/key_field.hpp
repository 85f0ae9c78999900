// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/fields/key_error.hpp>

#include <concepts>
#include <cstddef>
#include <optional>
#include <string_view>

namespace evenkey {

/// A separator that no number can contain, and that is one byte of UTF-8: printable ASCII but letters,
/// digits, space.
constexpr bool is_key_separator(char c) noexcept {
  return c > ' ' && c < '\x7F' && !(c >= '0' && c <= '9') && !(c >= 'A' && c <= 'Z') &&
         !(c >= 'a' && c <= 'z');
}

/// The field has a name and a sentence of what it takes, for messages.
template <class Field>
concept names_its_values = requires {
  { Field::name } -> std::convertible_to<std::string_view>;
  { Field::takes } -> std::convertible_to<std::string_view>;
};

/// The field says whether its text can be told from the separator.
template <class Field>
concept knows_its_separators = requires(char separator) {
  { Field::separable_by(separator) } -> std::same_as<bool>;
};

/// The field can check, measure and write an `argument_type`, which its `take(value)` makes of the caller's
/// value.
template <class Field>
concept writes_its_argument = requires(const typename Field::argument_type& value, char separator,
                                       char* out) {
  { Field::fault(value, separator) } -> std::same_as<std::optional<KeyErrorReason>>;
  { Field::size(value, separator) } -> std::same_as<std::size_t>;
  { Field::write(value, separator, out) } -> std::same_as<char*>;
};

/// The field reads back exactly what it writes: anything else is nothing.
template <class Field>
concept reads_its_value = std::default_initializable<typename Field::value_type> &&
    requires(std::string_view text, char separator) {
  { Field::read(text, separator) } -> std::same_as<std::optional<typename Field::value_type>>;
};

/// A field of a key whose text depends on a value: what `CompositeKey` is made of, besides `Literal`.
///
/// Write one of your own where a value has a text that the provided fields do not give. Its text must never
/// contain the separator, must be valid UTF-8, and two values must never share a text.
template <class Field>
concept value_field = names_its_values<Field> && knows_its_separators<Field> && writes_its_argument<Field> &&
    reads_its_value<Field>;

/// A field that is the same in every key, and takes no value: `Literal`.
template <class Field>
concept literal_field = requires {
  { Field::text } -> std::convertible_to<std::string_view>;
};

template <class Field>
concept key_field = value_field<Field> || literal_field<Field>;

}  // namespace evenkey
