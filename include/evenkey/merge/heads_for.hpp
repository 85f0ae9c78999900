// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/merge/number_heads.hpp>
#include <evenkey/merge/plain_heads.hpp>
#include <evenkey/merge/text_heads.hpp>
#include <evenkey/page.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <ranges>
#include <string_view>
#include <type_traits>
#include <utility>

// Which heads suit a type of key and an order.
namespace evenkey::detail {

template <class Compare, class Key>
concept natural_ascending = std::same_as<Compare, std::ranges::less> || std::same_as<Compare, std::less<>> ||
    std::same_as<Compare, std::less<Key>>;

template <class Compare, class Key>
concept natural_descending = std::same_as<Compare, std::ranges::greater> ||
    std::same_as<Compare, std::greater<>> || std::same_as<Compare, std::greater<Key>>;

/// An order that is known for what it is, so that codes can stand for it.
template <class Compare, class Key>
concept natural_order =
    natural_ascending<Compare, Key> || natural_descending<Compare, Key> || std::same_as<Compare, Direction>;

template <class Key, class Compare>
constexpr Direction direction_of(const Compare& compare) noexcept {
  if constexpr (std::same_as<Compare, Direction>) {
    return compare;
  } else {
    return natural_ascending<Compare, Key> ? Direction::ascending : Direction::descending;
  }
}

/// `Direction` for a type that has an order and no codes.
struct DirectedLess {
  Direction direction;
  template <class T>
  constexpr bool operator()(const T& a, const T& b) const {
    return direction == Direction::ascending ? std::ranges::less{}(a, b) : std::ranges::less{}(b, a);
  }
};

template <class Key, class Compare>
auto heads_for(std::size_t leaves, Compare compare) {
  if constexpr (sort_key_text<Key> && natural_order<Compare, Key>) {
    return TextHeads(leaves, direction_of<Key>(compare));
  } else if constexpr (number_with_code<Key> && natural_order<Compare, Key>) {
    return NumberHeads<Key>(leaves, direction_of<Key>(compare));
  } else if constexpr (std::same_as<Compare, Direction>) {
    return PlainHeads<Key, DirectedLess>(leaves, DirectedLess{compare});
  } else {
    return PlainHeads<Key, Compare>(leaves, std::move(compare));
  }
}

/// A key as the heads take it. @param key stays where it is
template <class Heads, class Key>
typename Heads::Key head_of(const Key& key) noexcept {
  if constexpr (std::same_as<typename Heads::Key, const Key*>) {
    return &key;
  } else {
    return typename Heads::Key(key);
  }
}

}  // namespace evenkey::detail
