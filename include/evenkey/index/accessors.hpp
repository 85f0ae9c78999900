// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/composite_key.hpp>
#include <evenkey/fields.hpp>
#include <evenkey/key.hpp>
#include <evenkey/page.hpp>

#include <concepts>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

// How the engine looks at an item through an index definition. Accessors may return a view into the item, a
// reference to a member, an owning string (SDK getters do) or a number; here each becomes one of four types
// that can be kept: std::string_view (into the item), std::string, std::int64_t or double.
namespace evenkey::detail {

template <class Index>
concept text_sort_key_index = !std::same_as<typename Index::SortKey, NumberKey> &&
                              requires(const Index& index, const typename Index::Item& item) {
  { index.sort_key(item) } -> sort_key_text;
};

template <class Index>
concept number_sort_key_index = std::same_as<typename Index::SortKey, NumberKey> &&
    requires(const Index& index, const typename Index::Item& item) {
  { index.sort_key(item) } -> sort_key_number;
};

/// Text that does not own its bytes: it is valid as long as what it was made from.
template <class T>
concept text_view = sort_key_text<T> &&
    (std::is_lvalue_reference_v<T> || std::is_pointer_v<std::remove_cvref_t<T>> ||
     std::same_as<std::remove_cvref_t<T>, std::string_view>);

/// The text as a view where it lives in the item, else as a string of our own.
template <sort_key_text T>
constexpr auto keep_text(T&& text) {
  if constexpr (text_view<T>) {
    return std::string_view(text);
  } else if constexpr (std::same_as<std::remove_cvref_t<T>, std::string>) {
    return std::string(std::forward<T>(text));
  } else {
    return std::string(std::string_view(text));  // an SDK's string type may be another one
  }
}

template <class Index>
constexpr auto sort_key_of(const Index& index, const typename Index::Item& item) {
  if constexpr (std::same_as<typename Index::SortKey, NoSortKey>) {
    return std::monostate{};
  } else if constexpr (number_sort_key_index<Index>) {
    const auto number = widen(index.sort_key(item));
    if (number != number)  // it would compare as equal to every other, and be merged anywhere
      throw std::invalid_argument("evenkey: sort_key(item) is NaN, which is not a DynamoDB number");
    return number;
  } else {
    return keep_text(index.sort_key(item));
  }
}

template <class Index>
constexpr auto primary_key_of(const Index& index, const typename Index::Item& item) {
  return keep_text(index.primary_key(item));
}

template <class Index>
using SortKeyOf =
    decltype(sort_key_of(std::declval<const Index&>(), std::declval<const typename Index::Item&>()));

// Partition keys. The object that has them: what the definition gives, else the key type itself, all static.
template <class Index>
decltype(auto) partition_keys_of(const Index& index) {
  if constexpr (requires { index.partition_keys(); }) {
    return index.partition_keys();
  } else {
    return typename Index::PartitionKey{};
  }
}

template <class Index>
using PartitionKeysOf = std::remove_cvref_t<decltype(partition_keys_of(std::declval<const Index&>()))>;

template <class Index>
concept shards_by_id = has_key_of_id<PartitionKeysOf<Index>>;

/// A key of one constant value stands for no shard.
template <class Keys>
concept names_shards = !requires(const Keys& keys) {
  keys.value();
};

// An accessor `std::string_view sort_key(Item item)` compiles and returns a view into its own parameter.
// Overloaded accessors cannot be looked at this way and pass.
template <class Result, class Parameter>
constexpr bool dangles =
    text_view<Result> && !std::is_reference_v<Parameter> && !std::is_pointer_v<Parameter>;

template <class Accessor>
constexpr bool keeps_view = true;
template <class R, class P>
constexpr bool keeps_view<R (*)(P)> = !dangles<R, P>;
template <class R, class P>
constexpr bool keeps_view<R (*)(P) noexcept> = !dangles<R, P>;
template <class R, class C, class P>
constexpr bool keeps_view<R (C::*)(P) const> = !dangles<R, P>;
template <class R, class C, class P>
constexpr bool keeps_view<R (C::*)(P) const noexcept> = !dangles<R, P>;

template <class Index>
consteval bool accessors_keep_views_impl() {
  bool keep = true;
  if constexpr (requires { &Index::sort_key; }) keep = keep && keeps_view<decltype(&Index::sort_key)>;
  if constexpr (requires { &Index::primary_key; }) keep = keep && keeps_view<decltype(&Index::primary_key)>;
  if constexpr (requires { &Index::shard_by; }) keep = keep && keeps_view<decltype(&Index::shard_by)>;
  if constexpr (requires { &Index::partition_key; })
    keep = keep && keeps_view<decltype(&Index::partition_key)>;
  return keep;
}
template <class Index>
constexpr bool accessors_keep_views = accessors_keep_views_impl<Index>();

}  // namespace evenkey::detail
