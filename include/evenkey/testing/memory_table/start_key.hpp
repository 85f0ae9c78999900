// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/read/start_key_traits.hpp>

#include <bit>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

namespace evenkey::testing {

/// A sort key of any type; `std::monostate` in an index without one.
using MemorySortKey = std::variant<std::monostate, std::string, std::int64_t, double>;

/// Where a page of the table in memory ended: the index keys and the table's key, as DynamoDB gives them.
///
/// A definition whose `StartKey` is this type, `std::string` or a map from string to string needs nothing
/// more. Any other type needs two functions in the definition: `StartKey start_key(const MemoryStartKey&)`
/// and `MemoryStartKey memory_start_key(const StartKey&)`, which throws what it likes for a key that is not
/// one.
struct MemoryStartKey {
  /// Empty in a scan of the base table.
  std::string partition_key;
  MemorySortKey sort_key;  ///< of the index
  /// Empty only in a key that an injected empty page gave: a place before all items of that sort key.
  std::string primary_key;

  friend bool operator==(const MemoryStartKey&, const MemoryStartKey&) = default;
};

}  // namespace evenkey::testing

namespace evenkey::testing::detail {

template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if (std::to_string(number) != text) return std::nullopt;  // "007" and "-0" are not what we wrote
  return number;
}

// A sort key as text that shows its type: n, t<text>, i<integer>, d<bits of the double>.
inline std::string sort_key_text_of(const MemorySortKey& key) {
  if (const auto* text = std::get_if<std::string>(&key)) return "t" + *text;
  if (const auto* integer = std::get_if<std::int64_t>(&key)) return "i" + std::to_string(*integer);
  if (const auto* real = std::get_if<double>(&key))
    return "d" + std::to_string(std::bit_cast<std::uint64_t>(*real));
  return "n";
}

inline std::optional<MemorySortKey> parse_sort_key_text(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const char type = text.front();
  text.remove_prefix(1);
  if (type == 't') return MemorySortKey(std::string(text));
  if (type == 'n' && text.empty()) return MemorySortKey();
  if (type == 'i') {
    if (const auto integer = parse_number<std::int64_t>(text)) return MemorySortKey(*integer);
  }
  if (type == 'd') {
    if (const auto bits = parse_number<std::uint64_t>(text))
      return MemorySortKey(std::bit_cast<double>(*bits));
  }
  return std::nullopt;
}

// <length>:<partition key><length>:<sort key><primary key>. Lengths make it injective whatever the keys hold.
inline std::string start_key_text(const MemoryStartKey& key) {
  const std::string sort = sort_key_text_of(key.sort_key);
  return std::to_string(key.partition_key.size()) + ":" + key.partition_key + std::to_string(sort.size()) +
         ":" + sort + key.primary_key;
}

inline std::optional<std::string> take_counted(std::string_view& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto length = parse_number<std::size_t>(text.substr(0, colon));
  text.remove_prefix(colon + 1);
  if (!length || *length > text.size()) return std::nullopt;
  std::string taken(text.substr(0, *length));
  text.remove_prefix(*length);
  return taken;
}

inline std::optional<MemoryStartKey> parse_start_key_text(std::string_view text) {
  auto partition_key = take_counted(text);
  if (!partition_key) return std::nullopt;
  const auto sort = take_counted(text);
  if (!sort) return std::nullopt;
  auto sort_key = parse_sort_key_text(*sort);
  if (!sort_key) return std::nullopt;
  return MemoryStartKey{std::move(*partition_key), std::move(*sort_key), std::string(text)};
}

template <class Map>
concept string_map = requires(Map map, const Map& as_const, typename Map::key_type key) {
  requires std::constructible_from<typename Map::key_type, const char*>;
  requires std::constructible_from<typename Map::mapped_type, std::string>;
  requires std::convertible_to<const typename Map::mapped_type&, std::string_view>;
  map.emplace(key, std::string());
  as_const.find(key) != as_const.end();
};

template <string_map Map>
Map start_key_map(const MemoryStartKey& key) {
  Map map;
  const auto set = [&map](const char* name, std::string value) {
    map.emplace(typename Map::key_type(name), typename Map::mapped_type(std::move(value)));
  };
  set("partition_key", key.partition_key);
  set("sort_key", sort_key_text_of(key.sort_key));
  set("primary_key", key.primary_key);
  return map;
}

template <string_map Map>
std::optional<MemoryStartKey> parse_start_key_map(const Map& map) {
  const auto get = [&map](const char* name) -> std::optional<std::string> {
    const auto found = map.find(typename Map::key_type(name));
    if (found == map.end()) return std::nullopt;
    return std::string(std::string_view(found->second));
  };
  auto partition_key = get("partition_key");
  const auto sort = get("sort_key");
  auto primary_key = get("primary_key");
  if (!partition_key || !sort || !primary_key || map.size() != 3) return std::nullopt;
  auto sort_key = parse_sort_key_text(*sort);
  if (!sort_key) return std::nullopt;
  return MemoryStartKey{std::move(*partition_key), std::move(*sort_key), std::move(*primary_key)};
}

struct NoHooks {};
inline constexpr NoHooks no_hooks{};

template <class Hooks, class StartKey>
concept start_key_hooks = requires(const Hooks& hooks, const MemoryStartKey& memory, const StartKey& key) {
  { hooks.start_key(memory) } -> std::convertible_to<StartKey>;
  { hooks.memory_start_key(key) } -> std::convertible_to<MemoryStartKey>;
};

template <class Hooks, class StartKey>
concept makes_start_key = start_key_hooks<Hooks, StartKey> || std::same_as<StartKey, MemoryStartKey> ||
    std::same_as<StartKey, std::string> || string_map<StartKey>;

/// The first of the index definitions that makes such start keys by itself, or `no_hooks`.
template <class StartKey>
const NoHooks& start_key_hooks_of() {
  return no_hooks;
}
template <class StartKey, class First, class... Rest>
const auto& start_key_hooks_of(const First& first, const Rest&... rest) {
  if constexpr (start_key_hooks<First, StartKey>) {
    return first;
  } else {
    return start_key_hooks_of<StartKey>(rest...);
  }
}

template <class StartKey, class Hooks>
StartKey to_start_key(const Hooks& hooks, MemoryStartKey key) {
  if constexpr (start_key_hooks<Hooks, StartKey>) {
    return hooks.start_key(key);
  } else if constexpr (std::same_as<StartKey, MemoryStartKey>) {
    return key;
  } else if constexpr (std::same_as<StartKey, std::string>) {
    return start_key_text(key);
  } else {
    static_assert(makes_start_key<Hooks, StartKey>,
                  "evenkey: the table in memory cannot make this StartKey; give the index definition "
                  "start_key(const MemoryStartKey&) and memory_start_key(const StartKey&)");
    return start_key_map<StartKey>(key);
  }
}

// Empty: not a start key that the table gave.
template <class StartKey, class Hooks>
std::optional<MemoryStartKey> from_start_key(const Hooks& hooks, const StartKey& key) {
  if constexpr (start_key_hooks<Hooks, StartKey>) {
    return hooks.memory_start_key(key);
  } else if constexpr (std::same_as<StartKey, MemoryStartKey>) {
    return key;
  } else if constexpr (std::same_as<StartKey, std::string>) {
    return parse_start_key_text(key);
  } else {
    return parse_start_key_map(key);
  }
}

}  // namespace evenkey::testing::detail

namespace evenkey {

/// So that pages by shard can carry the table's start keys in their tokens.
template <>
struct start_key_traits<testing::MemoryStartKey> {
  /// The start key as bytes, for a token.
  static std::string encode(const testing::MemoryStartKey& key) {
    return testing::detail::start_key_text(key);
  }
  /// The start key of such bytes; nothing for any that `encode` does not give.
  static std::optional<testing::MemoryStartKey> decode(std::string_view bytes) {
    return testing::detail::parse_start_key_text(bytes);
  }
};

}  // namespace evenkey
