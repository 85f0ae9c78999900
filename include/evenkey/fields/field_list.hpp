// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/fields/digits.hpp>
#include <evenkey/fields/key_error.hpp>
#include <evenkey/fields/key_field.hpp>
#include <evenkey/fields/text.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace evenkey::detail {

/// What follows the last field that is written.
enum class Ending : char { none, separator };

/// The type that decode gives for a field, in a tuple of one or none.
template <class Field>
struct Decoded {
  using type = std::tuple<typename Field::value_type>;
};
template <literal_field Field>
struct Decoded<Field> {
  using type = std::tuple<>;
};

template <class... Fields>
constexpr auto value_indices() noexcept {
  std::array<std::size_t, sizeof...(Fields) + 1> before{};  // [i] = fields with a value before field i
  std::size_t i = 0;
  ((before[i + 1] = before[i] + (literal_field<Fields> ? 0 : 1), ++i), ...);
  return before;
}

/// No text of the field contains the separator, or the field is always the same and matched as it stands.
template <class Field, char Separator>
inline constexpr bool separable_field = Field::separable_by(Separator);
template <literal_field Field, char Separator>
inline constexpr bool separable_field<Field, Separator> = true;

/// Joins values to text and splits text to values: the one piece of code behind `CompositeKey` and
/// `ShardedKeyFamily`.
///
/// Splitting goes from left to right: a literal is matched as it stands, any other field ends at the next
/// separator. So the text is injective although a literal may contain the separator.
template <char Separator, key_field... Fields>
struct FieldList {
  static constexpr std::size_t size = sizeof...(Fields);
  static constexpr std::array<std::size_t, size + 1> values_before = value_indices<Fields...>();
  static constexpr std::size_t value_count = values_before[size];
  using Values = decltype(std::tuple_cat(std::declval<typename Decoded<Fields>::type>()...));

  template <std::size_t I>
  using Field = std::tuple_element_t<I, std::tuple<Fields...>>;

  /// How many fields the first `count` values settle: literals that follow them are the same in every key.
  static constexpr std::size_t fields_settled_by(std::size_t count) noexcept {
    std::size_t fields = size;
    while (values_before[fields] > count)
      --fields;
    return fields;
  }

  /// The first fields as text. Allocates at most once.
  /// @tparam Count fields that `given` settles
  template <std::size_t Count, Ending End, class... Given>
  static constexpr std::string join(std::size_t limit, const Given&... given) {
    return join_arguments<End>(limit, std::make_index_sequence<Count>(),
                               take(std::make_index_sequence<Count>(), std::tie(given...)));
  }

  static constexpr std::optional<Values> split(std::string_view text, std::size_t limit) {
    if (text.size() > limit) return std::nullopt;
    return split_fields(text, std::make_index_sequence<size>());
  }

 private:
  struct Nothing {};

  template <std::size_t I, class Tuple>
  static constexpr auto take_one(const Tuple& given) {
    if constexpr (literal_field<Field<I>>) {
      return Nothing{};
    } else {
      return Field<I>::take(std::get<values_before[I]>(given));
    }
  }

  template <std::size_t... I, class Tuple>
  static constexpr auto take(std::index_sequence<I...>, const Tuple& given) {
    return std::make_tuple(take_one<I>(given)...);
  }

  /// The field's size, after it was checked.
  template <std::size_t I, class Argument>
  static constexpr std::size_t checked_size(const Argument& argument) {
    if constexpr (literal_field<Field<I>>) {
      return std::string_view(Field<I>::text).size();
    } else {
      if (const std::optional<KeyErrorReason> fault = Field<I>::fault(argument, Separator)) {
        refuse_field(*fault, I, Field<I>::name, Field<I>::takes);
      }
      return Field<I>::size(argument, Separator);
    }
  }

  template <std::size_t I, class Argument>
  static constexpr char* write(const Argument& argument, char* out) {
    if constexpr (I > 0) *out++ = Separator;
    if constexpr (literal_field<Field<I>>) {
      return write_bytes(Field<I>::text, out);
    } else {
      return Field<I>::write(argument, Separator, out);
    }
  }

  template <Ending End, std::size_t... I, class Arguments>
  static constexpr std::string join_arguments(std::size_t limit, std::index_sequence<I...>,
                                              const Arguments& arguments) {
    const std::array<std::size_t, sizeof...(I)> sizes{checked_size<I>(std::get<I>(arguments))...};
    std::size_t total = sizeof...(I) - (End == Ending::none ? 1 : 0);  // the separators
    std::size_t longest = 0;                                           // of those that a caller can shorten
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      total += sizes[i];
      const bool has_value = values_before[i] != values_before[i + 1];
      if (has_value && (values_before[longest + 1] == 0 || sizes[i] > sizes[longest])) longest = i;
    }
    if (total > limit) {
      constexpr std::array<std::string_view, sizeof...(I)> names{std::string_view(Field<I>::name)...};
      refuse_length(total, limit, longest, names[longest]);
    }
    std::string text(total, Separator);
    char* out = text.data();
    ((out = write<I>(std::get<I>(arguments), out)), ...);
    return text;
  }

  template <std::size_t... I>
  static constexpr std::optional<Values> split_fields(std::string_view rest, std::index_sequence<I...>) {
    Values found{};
    if (!(split_one<I>(rest, found) && ...)) return std::nullopt;
    return found;
  }

  template <std::size_t I>
  static constexpr bool split_one(std::string_view& rest, Values& found) {
    if constexpr (literal_field<Field<I>>) {
      constexpr std::string_view text = Field<I>::text;
      if (!rest.starts_with(text)) return false;
      return advance<I>(rest, text.size());
    } else {
      const std::size_t end = I + 1 == size ? rest.size() : rest.find(Separator);
      if (end == std::string_view::npos) return false;
      auto value = Field<I>::read(rest.substr(0, end), Separator);
      if (!value) return false;
      std::get<values_before[I]>(found) = *std::move(value);
      return advance<I>(rest, end);
    }
  }

  /// Past the field and its separator; past the last there is nothing.
  template <std::size_t I>
  static constexpr bool advance(std::string_view& rest, std::size_t end) {
    if constexpr (I + 1 == size) {
      return rest.size() == end;
    } else {
      if (end >= rest.size() || rest[end] != Separator) return false;
      rest.remove_prefix(end + 1);
      return true;
    }
  }
};

/// A tuple with a `std::string_view` in it.
template <class Tuple>
inline constexpr bool holds_views = false;
template <class... Values>
inline constexpr bool holds_views<std::tuple<Values...>> = (std::is_same_v<Values, std::string_view> || ...);

/// The first field that takes a value is `Text` or `EscapedText`.
template <class... Fields>
inline constexpr bool first_is_text = false;
template <literal_field First, class... Others>
inline constexpr bool first_is_text<First, Others...> = first_is_text<Others...>;
template <value_field First, class... Others>
inline constexpr bool first_is_text<First, Others...> =
    std::is_same_v<First, Text> || std::is_same_v<First, EscapedText>;

}  // namespace evenkey::detail
