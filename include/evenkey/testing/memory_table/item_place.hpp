// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/page.hpp>
#include <evenkey/testing/memory_table/key_limits.hpp>

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

// Where an item stands in an index, by the index definition's accessors: which partition, which sort key, or
// not at all.
namespace evenkey::testing::detail {

template <class T>
constexpr bool is_optional = false;
template <class T>
constexpr bool is_optional<std::optional<T>> = true;

template <class Index, class Item>
concept has_sort_key_accessor = requires(const Index& index, const Item& item) {
  index.sort_key(item);
};

template <class Index, class Item>
concept has_stored_partition_key = requires(const Index& index, const Item& item) {
  index.partition_key(item);
};

template <class Index>
concept has_partition_keys_object = requires(const Index& index) {
  index.partition_keys();
};

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
  if constexpr (has_sort_key_accessor<Index, Item>) {
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
  if constexpr (has_stored_partition_key<Index, Item>) {
    return kept_text(index.partition_key(item));
  } else if constexpr (has_partition_keys_object<Index>) {
    return kept_text(index.partition_keys().of(index.shard_by(item)));
  } else if constexpr (requires { Index::PartitionKey::value(); }) {
    return kept_text(Index::PartitionKey::value());
  } else {
    return kept_text(Index::PartitionKey::of(index.shard_by(item)));
  }
}

template <class Index, class Item>
std::string item_primary_key(const Index& index, const Item& item) {
  return kept_text(index.primary_key(item));
}

/// A place in an index.
template <class SortKey>
struct Place {
  std::string partition_key;
  SortKey sort_key;

  friend bool operator==(const Place&, const Place&) = default;
};

/// Empty: the item is not in the index. Errors: a key that DynamoDB would refuse is a ValidationException.
template <class Index, class Item>
std::optional<Place<sort_key_type<Index, Item>>> place_of(const Index& index, const Item& item,
                                                          RequestKind request, KeyText text) {
  std::string partition_key = item_partition_key(index, item);
  if (partition_key.empty()) return std::nullopt;
  check_partition_key(request, partition_key, text);
  auto sort_key = item_sort_key(index, item);
  if (!sort_key) return std::nullopt;
  if constexpr (!std::same_as<sort_key_type<Index, Item>, std::monostate>)
    check_sort_value(request, *sort_key, text);
  return Place<sort_key_type<Index, Item>>{std::move(partition_key), *std::move(sort_key)};
}

}  // namespace evenkey::testing::detail
