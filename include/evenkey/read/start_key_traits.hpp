// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/page.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace evenkey {

/// How a client's start key becomes bytes in a token of a listing by shard, and back. Specialise it for a
/// client's own type; text and maps of text to text are known.
///
/// Shape: `static std::string encode(const StartKey&)`, `static std::optional<StartKey>
/// decode(std::string_view)`.
template <class StartKey>
struct start_key_traits;

/// A start key that is a text is its own bytes.
template <>
struct start_key_traits<std::string> {
  /// The start key as bytes, for a token.
  static std::string encode(const std::string& key) { return key; }
  /// The start key of such bytes; nothing for any that `encode` does not give.
  static std::optional<std::string> decode(std::string_view bytes) { return std::string(bytes); }
};

/// A map of attribute names to texts, as many SDK wrappers have it.
template <class Map>
concept text_map = std::constructible_from<typename Map::key_type, const char*, std::size_t> &&
    std::constructible_from<typename Map::mapped_type, const char*, std::size_t> &&
    requires(Map map, typename Map::key_type key, typename Map::mapped_type value) {
  { key } -> std::convertible_to<std::string_view>;
  { value } -> std::convertible_to<std::string_view>;
  map.emplace(std::move(key), std::move(value));
};

/// A start key that is a map of texts.
template <text_map Map>
struct start_key_traits<Map> {
  /// The start key as bytes, for a token.
  static std::string encode(const Map& map) {
    std::string bytes;
    for (const auto& [name, value] : map) {
      append(bytes, name);
      append(bytes, value);
    }
    return bytes;
  }
  /// The start key of such bytes; nothing for any that `encode` does not give.
  static std::optional<Map> decode(std::string_view bytes) {
    Map map;
    while (!bytes.empty()) {
      const std::optional<std::string_view> name = take(bytes);
      const std::optional<std::string_view> value = take(bytes);
      if (!name || !value) return std::nullopt;
      map.emplace(typename Map::key_type(name->data(), name->size()),
                  typename Map::mapped_type(value->data(), value->size()));
    }
    return map;
  }

 private:
  // Lengths are four bytes, the highest first.
  static void append(std::string& bytes, std::string_view text) {
    for (unsigned shift = 32; shift != 0;) {
      shift -= 8;
      bytes.push_back(static_cast<char>(static_cast<unsigned char>(text.size() >> shift)));
    }
    bytes += text;
  }
  static std::optional<std::string_view> take(std::string_view& bytes) {
    if (bytes.size() < 4) return std::nullopt;
    std::size_t size = 0;
    for (const char byte : bytes.substr(0, 4))
      size = size << 8U | static_cast<unsigned char>(byte);
    bytes.remove_prefix(4);
    if (size > bytes.size()) return std::nullopt;
    const std::string_view text = bytes.substr(0, size);
    bytes.remove_prefix(size);
    return text;
  }
};

namespace detail {

template <class StartKey>
concept has_start_key_traits = requires(const StartKey& key, std::string_view bytes) {
  { start_key_traits<StartKey>::encode(key) } -> std::convertible_to<std::string>;
  { start_key_traits<StartKey>::decode(bytes) } -> std::same_as<std::optional<StartKey>>;
};

/// Whether the order is by shard is known at run time only, so this is too.
template <class StartKey>
void require_start_key_traits() {
  if constexpr (!has_start_key_traits<StartKey>)
    throw std::invalid_argument(
        "evenkey: paging by shard needs evenkey::start_key_traits for the index's StartKey; specialise it");
}

template <class StartKey>
std::string encode_start_key(const StartKey& key) {
  require_start_key_traits<StartKey>();
  if constexpr (has_start_key_traits<StartKey>) return start_key_traits<StartKey>::encode(key);
  return {};
}

/// Whether a page that was asked for from a start key leads back to that very key, so that the next request
/// would be the same again, for ever. By their bytes: not every client's keys can be compared.
template <class StartKey>
bool stands_still(const std::optional<StartKey>& asked, const std::optional<StartKey>& next) {
  if constexpr (has_start_key_traits<StartKey>) {
    if (!asked || !leads_on(next)) return false;
    const std::string asked_bytes = start_key_traits<StartKey>::encode(*asked);
    return asked_bytes == std::string(start_key_traits<StartKey>::encode(*next));
  } else {
    return false;
  }
}

template <class StartKey>
std::optional<StartKey> decode_start_key(std::string_view bytes) {
  require_start_key_traits<StartKey>();
  if constexpr (has_start_key_traits<StartKey>) return start_key_traits<StartKey>::decode(bytes);
  return std::nullopt;
}

}  // namespace detail
}  // namespace evenkey
