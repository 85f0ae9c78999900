// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/hash.hpp>
#include <evenkey/index.hpp>
#include <evenkey/read/base64url.hpp>
#include <evenkey/read/options.hpp>
#include <evenkey/read/position.hpp>
#include <evenkey/read/start_key_traits.hpp>

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace evenkey {

/// A page token that evenkey did not give out for this query: damaged, of another index, order, direction,
/// range or tag.
///
/// Errors: thrown before any request. Start again without a token.
class token_error : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

namespace detail {

/// What a token belongs to; each part is stored as its hash, so that a token stays small and says which part
/// differs.
struct TokenBinding {
  std::uint64_t index = 0;
  std::uint64_t range = 0;
  std::uint64_t tag = 0;
  Order order = Order::by_sort_key;
  Direction direction = Direction::ascending;
  std::uint64_t layout = 0;  // by shard only: of the partitions' keys
};

/// Writes numbers and text into a token: big-endian, lengths first.
/// Source: docs/format/page-token.md.
class TokenWriter {
 public:
  void byte(std::uint8_t value) { bytes_.push_back(static_cast<char>(value)); }
  void u32(std::uint64_t value) { number(value, 4); }
  void u64(std::uint64_t value) { number(value, 8); }
  void text(std::string_view text) {
    u32(text.size());
    bytes_ += text;
  }
  std::string take() && { return std::move(bytes_); }
  std::string_view bytes() const noexcept { return bytes_; }

 private:
  void number(std::uint64_t value, unsigned size) {
    for (unsigned shift = 8 * size; shift != 0;) {
      shift -= 8;
      bytes_.push_back(static_cast<char>(static_cast<unsigned char>(value >> shift)));
    }
  }
  std::string bytes_;
};

/// Reads what `TokenWriter` wrote, from bytes of which nothing is trusted: a length is compared with what is
/// there before it is used.
class TokenReader {
 public:
  explicit TokenReader(std::string_view bytes) : bytes_(bytes) {}
  std::uint8_t byte() { return static_cast<std::uint8_t>(number(1)); }
  std::uint64_t u64() { return number(8); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(number(4)); }
  std::string_view text() {
    const std::uint32_t size = u32();
    return take(size);
  }
  void end() const {
    if (!bytes_.empty()) damaged();
  }
  [[noreturn]] static void damaged() {
    throw token_error(
        "evenkey: the page token is damaged or was not made by evenkey; start again without a token");
  }

 private:
  std::string_view take(std::size_t size) {
    if (size > bytes_.size()) damaged();
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }
  std::uint64_t number(std::size_t size) {
    std::uint64_t value = 0;
    for (const char byte : take(size))
      value = value << 8U | static_cast<unsigned char>(byte);
    return value;
  }
  std::string_view bytes_;
};

inline constexpr std::uint8_t token_version = 1;     // stored: do not change
inline constexpr std::uint8_t token_by_shard = 1;    // flag: stored, do not change
inline constexpr std::uint8_t token_descending = 2;  // flag: stored, do not change
inline constexpr std::uint8_t token_has_place = 4;   // flag: stored, do not change
inline constexpr std::uint8_t token_type_shift = 3;  // of the sort key: 0 text, 1 integer, 2 double
inline constexpr std::size_t token_checksum_size = 8;

template <class Key>
constexpr std::uint8_t token_key_type = std::same_as<Key, std::int64_t> ? 1
                                        : std::same_as<Key, double>     ? 2
                                                                        : 0;

inline void write_sort_key(TokenWriter& writer, const std::string& key) { writer.text(key); }
inline void write_sort_key(TokenWriter& writer, std::int64_t key) {
  writer.u64(static_cast<std::uint64_t>(key));
}
inline void write_sort_key(TokenWriter& writer, double key) { writer.u64(std::bit_cast<std::uint64_t>(key)); }
inline void write_sort_key(TokenWriter&, std::monostate) {}

inline void read_sort_key(TokenReader& reader, std::string& key) {
  key = reader.text();
  // It becomes a value of a condition: what DynamoDB would refuse was in no token of ours. Bytes of any kind,
  // since a sort key of type Binary need not be UTF-8.
  if (key.empty() || key.size() > 1024) TokenReader::damaged();
}
inline void read_sort_key(TokenReader& reader, std::int64_t& key) {
  key = static_cast<std::int64_t>(reader.u64());
}
inline void read_sort_key(TokenReader& reader, double& key) {
  key = std::bit_cast<double>(reader.u64());
  if (!(key == key)) TokenReader::damaged();
}
inline void read_sort_key(TokenReader&, std::monostate) {}

inline std::uint64_t hash_range(const SortKeyCondition& range, std::string_view id) {
  TokenWriter writer;
  writer.byte(static_cast<std::uint8_t>(range.form()));
  for (const SortKeyValue* value : {&range.value(), &range.upper()}) {
    writer.byte(static_cast<std::uint8_t>(value->index()));
    std::visit([&](const auto& v) { write_sort_key(writer, v); }, *value);
  }
  writer.text(id);
  return Xxh3_64{}(writer.bytes());
}

inline std::uint8_t token_flags(const TokenBinding& binding) {
  return static_cast<std::uint8_t>((binding.order == Order::by_shard ? token_by_shard : 0) |
                                   (binding.direction == Direction::descending ? token_descending : 0));
}

inline TokenWriter begin_token(const TokenBinding& binding, unsigned flags) {
  TokenWriter writer;
  writer.byte(token_version);
  writer.byte(static_cast<std::uint8_t>(token_flags(binding) | flags));
  writer.u64(binding.index);
  writer.u64(binding.range);
  writer.u64(binding.tag);
  return writer;
}

inline std::string end_token(TokenWriter writer, const TokenSeal* seal) {
  writer.u64(Xxh3_64{}(writer.bytes()));
  const std::string bytes = std::move(writer).take();
  return to_base64url(seal == nullptr ? bytes : seal->seal(bytes));
}

/// The token that names a place in the total order, or the beginning of it.
template <class Index>
std::string write_token(const TokenBinding& binding, const std::optional<ReadPosition<Index>>& place,
                        const TokenSeal* seal) {
  constexpr auto type = token_key_type<OwnedKey<SortKeyOf<Index>>>;
  TokenWriter writer =
      begin_token(binding, (place ? token_has_place : 0U) | unsigned{type} << token_type_shift);
  if (place) {
    write_sort_key(writer, place->sort_key);
    writer.text(place->primary_key);
  }
  return end_token(std::move(writer), seal);
}

/// The token that names a place in a listing by shard.
template <class Index>
std::string write_token(const TokenBinding& binding, const ShardPosition<Index>& place,
                        const TokenSeal* seal) {
  TokenWriter writer = begin_token(binding, place.start_key ? token_has_place : 0U);
  writer.u64(binding.layout);
  writer.u32(place.partition);
  if (place.start_key) writer.text(encode_start_key(*place.start_key));
  return end_token(std::move(writer), seal);
}

/// The opened token, its checksum and binding verified; the reader stands behind them.
struct OpenedToken {
  std::string bytes;
  std::uint8_t flags = 0;
  TokenReader body() const {
    constexpr std::size_t head = 2 + 3 * 8;
    return TokenReader(std::string_view(bytes).substr(head, bytes.size() - head - token_checksum_size));
  }
};

inline OpenedToken open_token(std::string_view token, const TokenBinding& binding, const TokenSeal* seal) {
  std::optional<std::string> bytes = from_base64url(token);
  if (bytes && seal != nullptr) bytes = seal->open(*bytes);
  constexpr std::size_t least = 2 + 3 * 8 + token_checksum_size;
  if (!bytes || bytes->size() < least) TokenReader::damaged();
  const std::string_view covered = std::string_view(*bytes).substr(0, bytes->size() - token_checksum_size);
  TokenReader checksum(std::string_view(*bytes).substr(covered.size()));
  if (checksum.u64() != Xxh3_64{}(covered)) TokenReader::damaged();
  TokenReader head(covered);
  if (head.byte() != token_version)
    throw token_error(
        "evenkey: the page token is of another version of evenkey; start again without a token");
  OpenedToken opened;
  opened.flags = head.byte();
  const auto refuse = [](const char* part) {
    throw token_error("evenkey: the page token belongs to another " + std::string(part) +
                      "; go on with the query that gave it, or start again without a token");
  };
  if (head.u64() != binding.index) refuse("index");
  if (head.u64() != binding.range) refuse("range of the sort key, or another id");
  if (head.u64() != binding.tag) refuse("tag (a server-side filter, say)");
  constexpr unsigned own = token_by_shard | token_descending;
  if (((opened.flags ^ token_flags(binding)) & own) != 0) refuse("order or direction");
  opened.bytes = *std::move(bytes);
  return opened;
}

/// The place in the total order that a token names; nothing: the beginning.
/// Errors: `token_error`.
template <class Index>
std::optional<ReadPosition<Index>> read_token(std::string_view token, const TokenBinding& binding,
                                              const TokenSeal* seal) {
  const OpenedToken opened = open_token(token, binding, seal);
  constexpr unsigned type = token_key_type<OwnedKey<SortKeyOf<Index>>>;
  if (opened.flags >> token_type_shift != type) TokenReader::damaged();
  TokenReader reader = opened.body();
  std::optional<ReadPosition<Index>> place;
  if ((opened.flags & token_has_place) != 0) {
    place.emplace();
    read_sort_key(reader, place->sort_key);
    place->primary_key = reader.text();
  }
  reader.end();
  return place;
}

/// The place in a listing by shard that a token names.
/// Errors: `token_error`.
template <class Index>
ShardPosition<Index> read_shard_token(std::string_view token, const TokenBinding& binding,
                                      std::size_t partitions, const TokenSeal* seal) {
  const OpenedToken opened = open_token(token, binding, seal);
  TokenReader reader = opened.body();
  if (reader.u64() != binding.layout)
    throw token_error(
        "evenkey: the page token belongs to another layout (shard count, hash or key format); a listing by "
        "shard cannot go on across a change of it: start again without a token");
  ShardPosition<Index> place;
  place.partition = reader.u32();
  if (place.partition > partitions || opened.flags >> token_type_shift != 0) TokenReader::damaged();
  if ((opened.flags & token_has_place) != 0) {
    place.start_key = decode_start_key<typename Index::StartKey>(reader.text());
    if (!place.start_key) TokenReader::damaged();
  }
  reader.end();
  return place;
}

}  // namespace detail
}  // namespace evenkey
