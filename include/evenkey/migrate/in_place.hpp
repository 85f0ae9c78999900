// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/key.hpp>
#include <evenkey/shard_policy.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace evenkey::detail {

/// Partition keys that are all known to the compiler.
template <class Keys>
concept static_keys = has_key_of_id<Keys> && requires {
  { Keys::at(ShardId{0}) } -> std::same_as<std::string_view>;
  { Keys::of(std::string_view()) } -> std::same_as<std::string_view>;
};

/// Whether source and destination have a key in common: rows of it may stay where they are.
template <class From, class To>
constexpr bool share_names(const From& from, const To& to) {
  const auto size = static_cast<std::uint32_t>(to.size());
  for (std::uint32_t shard = 0; shard < size; ++shard)
    if (from.parse(to.at(ShardId{shard}))) return true;
  return false;
}

/// Where the blank of a layout is, before which its policy's fingerprint stands; the size where it has none.
/// (string_view::find is no constant expression to g++ 12 under its undefined-behaviour sanitizer.)
constexpr std::size_t fingerprint_size(std::string_view layout) noexcept {
  std::size_t size = 0;
  while (size < layout.size() && layout[size] != ' ')
    ++size;
  return size;
}
/// Hash and placement of a policy's fingerprint, without N: `xxh3_64/mod/`.
constexpr std::string_view method_of(std::string_view layout) noexcept {
  std::size_t size = fingerprint_size(layout);
  while (size != 0 && layout[size - 1] != '/')
    --size;
  return layout.substr(0, size);
}
/// What follows the prefix in a key, as the layout has it.
constexpr std::string_view format_of(std::string_view layout) noexcept {
  return layout.substr(fingerprint_size(layout));
}

/// Whether every row that moves between two sets of keys with names in common goes from a shard that only one
/// of them has, or to one: then there is an order of reading that no move escapes.
///
/// With `hash % N` that is so when one N divides the other: i stays or becomes i + kN. Otherwise rows move in
/// cycles between shards that both have (4 → 6: 0 → 2, 1 → 3, 2 → 0, 3 → 1), and no single pass in any order
/// is safe. With jump hash, and where one side has one key only, it is always so.
template <class From, class To>
constexpr bool moves_one_way(const From& from, const To& to) {
  if (from.size() == 1 || to.size() == 1) return true;
  const std::string_view method = method_of(from.layout());
  if (method != method_of(to.layout()) || format_of(from.layout()) != format_of(to.layout())) return false;
  const std::size_t n = from.size();
  const std::size_t m = to.size();
  if (method.ends_with("/jump/")) return true;
  return method.ends_with("/mod/") && (n % m == 0 || m % n == 0);
}

template <class From, class To>
constexpr bool can_migrate(const From& from, const To& to) {
  return !share_names(from, to) || moves_one_way(from, to);
}

}  // namespace evenkey::detail
