// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/hash.hpp>
#include <evenkey/page.hpp>

#include <compare>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

// The order in which a partition keeps its entries: sort key, then a seeded hash of the primary key, then the
// primary key. DynamoDB promises no order among equal sort keys; the hash makes sure that no test gets used
// to one.
namespace evenkey::testing::detail {

/// A 64-bit hash that is the same in every run and on every platform.
inline std::uint64_t seeded_hash(std::string_view bytes, std::uint64_t seed) noexcept {
  std::uint64_t x = Xxh3_64{}(bytes) ^ (seed * 0x9E3779B97F4A7C15U);
  x = (x ^ (x >> 30)) *
      0xBF58476D1CE4E5B9U;  // the finaliser of splitmix64: a permutation, so no new collisions
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31);
}

inline std::strong_ordering compare_sort_keys(std::monostate, std::monostate) noexcept {
  return std::strong_ordering::equal;
}
inline std::strong_ordering compare_sort_keys(std::string_view left, std::string_view right) noexcept {
  return left.compare(right) <=> 0;  // char_traits<char> compares unsigned bytes
}
template <class Left, class Right>
requires sort_key_number<Left> && sort_key_number<Right> std::strong_ordering compare_sort_keys(Left left,
                                                                                                Right right)
noexcept { return evenkey::detail::compare_numbers(left, right); }

/// Where an entry stands in its partition.
template <class SortKey>
struct EntryKey {
  SortKey sort_key;
  std::uint64_t tie;
  std::string primary_key;

  friend bool operator==(const EntryKey&, const EntryKey&) = default;
};

enum class Side : std::uint8_t { before, after };

/// A place between entries: before or after all that have this sort key.
template <class Value>
struct Edge {
  Value value;
  Side side;
};

/// The place after all entries whose sort key begins with the prefix.
struct PrefixEnd {
  std::string_view prefix;
};

template <class SortKey>
struct EntryOrder {
  using is_transparent = void;

  bool operator()(const EntryKey<SortKey>& left, const EntryKey<SortKey>& right) const noexcept {
    if (const auto order = compare_sort_keys(left.sort_key, right.sort_key); order != 0) return order < 0;
    if (left.tie != right.tie) return left.tie < right.tie;
    return left.primary_key < right.primary_key;
  }
  template <class Value>
  bool operator()(const EntryKey<SortKey>& left, const Edge<Value>& right) const noexcept {
    const auto order = compare_sort_keys(left.sort_key, right.value);
    return order < 0 || (order == 0 && right.side == Side::after);
  }
  template <class Value>
  bool operator()(const Edge<Value>& left, const EntryKey<SortKey>& right) const noexcept {
    return !(*this)(right, left);
  }
  bool operator()(const EntryKey<SortKey>& left, const PrefixEnd& right) const noexcept {
    return std::string_view(left.sort_key).substr(0, right.prefix.size()).compare(right.prefix) <= 0;
  }
  bool operator()(const PrefixEnd& left, const EntryKey<SortKey>& right) const noexcept {
    return !(*this)(right, left);
  }
};

/// So that a map keyed by std::string can be asked with a view.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const noexcept {
    return static_cast<std::size_t>(Xxh3_64{}(text));
  }
};

}  // namespace evenkey::testing::detail
