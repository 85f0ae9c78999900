// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/fields.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace evenkey {

/// What the store compares sort keys by: unsigned bytes, value, or nothing.
enum class SortKeyKind : std::uint8_t { text, number, none };

/// The type says what its sort keys are compared by: a `CompositeKey`, `NumberKey` or `NoSortKey`.
template <class SortKey>
concept sort_key_type = requires {
  { SortKey::compares_by } -> std::convertible_to<SortKeyKind>;
};

/// Text whose bytes are there after the call: an lvalue, a literal, a view; not a temporary `std::string`.
template <class T>
concept text_that_stays = std::convertible_to<T, std::string_view> &&
    (std::is_lvalue_reference_v<T> || std::is_pointer_v<std::remove_reference_t<T>> ||
     std::ranges::borrowed_range<std::remove_cvref_t<T>>);

/// Text to decode to `Values`: where these are views into it, a temporary would be gone before they are used.
/// Keep it in a variable first.
template <class T, class Values>
concept text_outlives_its_views = std::convertible_to<T, std::string_view> &&
    (text_that_stays<T> || !detail::holds_views<Values>);

/// A sort key made of fields, joined by a separator: ADR-0085's `{personId}#{openedAt}` is
/// `CompositeKey<Text, Text>`, or with times as such `CompositeKey<Text, Timestamp>`.
///
/// Use it as an index definition's `SortKey`, and to stamp the rows. `CompositeKey<Fields…>` has the
/// separator `#`.
/// Shape: values → text of at most 1024 bytes that no other values share → the same values. `Literal`s take
/// no value.
/// Order: as its fields', from left to right, where their texts have a fixed width; else of the joined bytes.
/// Cost: `encode` and `prefix` allocate at most once, `decode` only for `EscapedText`.
/// Errors: a field that refuses its value, or more than 1024 bytes → `key_error`.
/// Source: docs/format/keys.md.
/// @tparam Separator printable ASCII, no letter or digit, and in the text of no field.
template <char Separator, key_field... Fields>
class BasicCompositeKey {
  static_assert(
      is_key_separator(Separator),
      "evenkey: a separator is printable ASCII and no letter or digit, or fields could not be told apart");
  static_assert(sizeof...(Fields) > 0, "evenkey: a CompositeKey has at least one field");

  static_assert(
      (detail::separable_field<Fields, Separator> && ...),
      "evenkey: a field's own text can contain the separator, so it could not be read back: take another");

  using List = detail::FieldList<Separator, Fields...>;

 public:
  /// The most that DynamoDB takes for a sort key, in bytes.
  static constexpr std::size_t max_size = 1024;
  static constexpr char separator = Separator;                   ///< the byte between two fields
  static constexpr SortKeyKind compares_by = SortKeyKind::text;  ///< by unsigned bytes
  /// How many values `encode` takes: one for each field that is no `Literal`.
  static constexpr std::size_t value_count = List::value_count;
  /// What `decode` gives: one value for each field that is no `Literal`.
  using Values = typename List::Values;

  /// The key of these values.
  template <class... Given>
  [[nodiscard]] static constexpr std::string encode(const Given&... given) {
    static_assert(sizeof...(Given) == value_count,
                  "evenkey: encode takes one value for each field but Literals");
    if constexpr (sizeof...(Given) == value_count) {
      return List::template join<sizeof...(Fields), detail::Ending::none>(max_size, given...);
    } else {
      return {};
    }
  }

  /// What all keys that begin with these values begin with, and no others: it ends in the separator, so that
  /// `p1` does not match `p10`. Literals that follow the values are part of it.
  template <class... Given>
  [[nodiscard]] static constexpr std::string prefix(const Given&... given) {
    constexpr std::size_t fields = List::fields_settled_by(sizeof...(Given));
    constexpr bool fits = sizeof...(Given) < value_count && fields > 0;
    static_assert(
        sizeof...(Given) < value_count,
        "evenkey: the values of all fields are a whole key and no prefix: ask for equality with encode");
    static_assert(fields > 0,
                  "evenkey: a prefix of no fields is empty and says nothing: ask without a condition");
    if constexpr (fits) {
      return List::template join<fields, detail::Ending::separator>(max_size, given...);
    } else {
      return {};
    }
  }

  /// The values of a key that `encode` gave; nothing for any other text.
  ///
  /// Shape: `Text` comes as a view into `text`, so then a temporary string does not compile.
  template <text_outlives_its_views<typename List::Values> T>
  [[nodiscard]] static constexpr std::optional<Values> decode(T&& text) {
    return List::split(std::string_view(text), max_size);
  }
};

template <key_field... Fields>
using CompositeKey = BasicCompositeKey<'#', Fields...>;

/// The sort key is a DynamoDB Number: an index definition's `sort_key(item)` gives the number.
///
/// Use it as an index definition's `SortKey`.
/// Order: by value.
struct NumberKey {
  static constexpr SortKeyKind compares_by = SortKeyKind::number;  ///< by value
};

/// The index has no sort key: it can be listed shard by shard, not merged.
///
/// Use it as an index definition's `SortKey`.
struct NoSortKey {
  static constexpr SortKeyKind compares_by = SortKeyKind::none;  ///< nothing to compare by
};

/// The first value of the key is text, and others follow: `prefix(id)` finds all rows of an id that comes
/// first.
template <class SortKey>
inline constexpr bool begins_with_text = false;
template <char Separator, class... Fields>
inline constexpr bool begins_with_text<BasicCompositeKey<Separator, Fields...>> =
    detail::first_is_text<Fields...>&& BasicCompositeKey<Separator, Fields...>::value_count > 1;

/// The only value of the key is text: `encode(id)` is the whole key of an id.
template <class SortKey>
inline constexpr bool is_single_text = false;
template <char Separator, class... Fields>
inline constexpr bool is_single_text<BasicCompositeKey<Separator, Fields...>> =
    detail::first_is_text<Fields...>&& BasicCompositeKey<Separator, Fields...>::value_count == 1;

}  // namespace evenkey
