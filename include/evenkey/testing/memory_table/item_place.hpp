// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/index.hpp>
#include <evenkey/testing/memory_table/key_limits.hpp>

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

// Where an item stands in an index, by the index definition's accessors: which partition, which sort key, or
// not at all. An accessor may also return a std::optional, empty where the item has no such attribute.
namespace evenkey::testing::detail {

template <class T>
constexpr bool is_optional = false;
template <class T>
constexpr bool is_optional<std::optional<T>> = true;

template <class Index>
constexpr bool declares_no_sort_key = false;
template <class Index>
requires requires { typename Index::SortKey; }
constexpr bool declares_no_sort_key<Index> = std::same_as<typename Index::SortKey, NoSortKey>;

template <class Index, class Item>
concept shows_sort_key = !declares_no_sort_key<Index> && requires(const Index& index, const Item& item) {
  index.sort_key(item);
};

template <class Index, class Item>
concept shows_stored_partition_key = requires(const Index& index, const Item& item) {
  index.partition_key(item);
};

/// What the table needs of an index definition.
template <class Index, class Item>
concept shows_its_keys = names_its_index<Index> &&
    (shows_sort_key<Index, Item> || declares_no_sort_key<Index>)&&requires(const Index& index,
                                                                           const Item& item) {
  index.primary_key(item);
};

// Text becomes std::string, an integer std::int64_t, a float double.
template <class Result>
auto kept_sort_key(Result&& result) {
  using Plain = std::remove_cvref_t<Result>;
  if constexpr (is_optional<Plain>) {
    using Kept = decltype(kept_sort_key(*std::forward<Result>(result)));
    return result.has_value() ? Kept(kept_sort_key(*std::forward<Result>(result))) : Kept();
  } else if constexpr (sort_key_number<Plain>) {
    return std::optional(evenkey::detail::widen(Plain(result)));
  } else {
    static_assert(sort_key_text<Plain>,
                  "evenkey: sort_key(item) must give text or a number of at most 64 bits");
    return std::optional(std::string(std::string_view(result)));
  }
}

/// Empty: the item has no such attribute and is not in the index.
template <class Index, class Item>
auto item_sort_key(const Index& index, const Item& item) {
  if constexpr (shows_sort_key<Index, Item>) {
    return kept_sort_key(index.sort_key(item));
  } else {
    return std::optional(std::monostate{});
  }
}

template <class Index, class Item>
using sort_key_type =
    typename decltype(item_sort_key(std::declval<const Index&>(), std::declval<const Item&>()))::value_type;

template <class Result>
std::string kept_text(Result&& result) {
  if constexpr (is_optional<std::remove_cvref_t<Result>>) {
    return result.has_value() ? std::string(std::string_view(*result)) : std::string();
  } else {
    return std::string(std::string_view(result));
  }
}

/// Empty: the item has no such attribute and is not in the index. A definition that does not show the stored
/// key is taken to store the key of its sharding id.
template <class Index, class Item>
std::string item_partition_key(const Index& index, const Item& item) {
  if constexpr (shows_stored_partition_key<Index, Item>) {
    return kept_text(index.partition_key(item));
  } else {
    decltype(auto) keys = evenkey::detail::partition_keys_of(index);
    if constexpr (requires { keys.value(); }) {
      return std::string(keys.value());
    } else {
      static_assert(
          has_key_of_id<std::remove_cvref_t<decltype(keys)>>,
          "evenkey: this key does not follow from an id; give the index definition partition_key(item)");
      return std::string(keys.of(index.shard_by(item)));
    }
  }
}

/// A place in an index.
template <class SortKey>
struct Place {
  std::string partition_key;
  SortKey sort_key;

  friend bool operator==(const Place&, const Place&) = default;
};

/// Empty: the item is not in the index.
/// Errors: a key that DynamoDB would refuse is a ValidationException.
template <class Index, class Item>
std::optional<Place<sort_key_type<Index, Item>>> place_of(const Index& index, const Item& item,
                                                          RequestKind request, KeyText text) {
  using SortKey = sort_key_type<Index, Item>;
  std::string partition_key = item_partition_key(index, item);
  if (partition_key.empty()) return std::nullopt;
  check_partition_key(request, partition_key, text);
  std::optional<SortKey> sort_key = item_sort_key(index, item);
  if (!sort_key) return std::nullopt;
  if constexpr (!std::same_as<SortKey, std::monostate>) check_sort_value(request, *sort_key, text);
  return Place<SortKey>{std::move(partition_key), *std::move(sort_key)};
}

}  // namespace evenkey::testing::detail
