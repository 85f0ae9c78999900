// SPDX-License-Identifier: BSL-1.0
//
// Fields, sort keys and partition keys: what is decoded is encoded to the same bytes, what is encoded is decoded
// to the same values, order is kept where the format says so, and all else is refused by a `key_error`.
#include <evenkey/composite_key.hpp>
#include <evenkey/key.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "fuzz/fuzz.hpp"

namespace {

using namespace evenkey;
using fuzz::require;

using PersonKey = CompositeKey<Text, Timestamp>;
using EscapedKey = BasicCompositeKey<'|', EscapedText, EscapedText>;
using MixedKey = CompositeKey<Literal<"SAGA#1">, EscapedText, Number<6>, SignedNumber<4>, Text>;
using WideKey = CompositeKey<Number<20>, SignedNumber<19>>;

template <class Key>
void decode(std::string_view text) {
  std::optional<typename Key::Values> values;
  {
    const fuzz::LinearMemory linear(text.size());
    values = Key::decode(text);
  }
  if (!values) return;
  const std::string again = std::apply([](const auto&... value) { return Key::encode(value...); }, *values);
  require(again == text, "a key has one text only");
  require(text.size() <= Key::max_size, "a key that is decoded is not too long");
  if constexpr (Key::value_count > 1)
    require(text.starts_with(Key::prefix(std::get<0>(*values))), "a key begins with its prefix");
}

/// The key of values, if they have one; it must give them back.
template <class Key, class... Values>
std::optional<std::string> encode(const Values&... values) {
  std::string text;
  try {
    text = Key::encode(values...);
  } catch (const key_error&) {
    return std::nullopt;
  }
  require(text.size() <= Key::max_size, "no key is longer than DynamoDB takes");
  const auto decoded = Key::decode(text);
  require(decoded.has_value(), "what was encoded is decoded");
  require(*decoded == std::tie(values...), "the values come back as they were");
  return text;
}

template <class Key, class Value>
void keeps_order(const Value& a, const Value& b) {
  const auto left = encode<Key>(a);
  const auto right = encode<Key>(b);
  if (left && right) require((*left <=> *right) == (a <=> b), "keys are in the order of their values");
}

void sharded_keys(fuzz::Input& input) {
  const KeyFormat format{.separator = static_cast<char>(static_cast<unsigned char>(input.byte())),
                         .width = static_cast<std::uint32_t>(input.below(8)),
                         .generation = static_cast<std::uint32_t>(input.below(4))};
  const auto shards = static_cast<std::uint32_t>(input.below(70));
  const std::string prefix(input.text());
  const std::string_view id = input.text();
  const std::string_view other = input.rest();
  try {
    const DynamicShardedKey keys(prefix, shards, format);
    for (std::uint32_t shard = 0; shard < shards; ++shard)
      require(keys.parse(keys.at({shard})) == ShardId{shard}, "a partition key is read back");
    require(keys.of(id) == keys.at(keys.shard_of(id)), "an id's key is that of its shard");
    if (const auto shard = keys.parse(other))
      require(keys.at(*shard) == other, "a partition key has one text");
  } catch (const key_error&) {
  }
  using Static = ShardedKey<"RenewalSaga", ShardPolicy<16>, KeyFormat{.width = 2, .generation = 1}>;
  if (const auto shard = Static::parse(other)) require(Static::at(*shard) == other, "a key has one text");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  switch (input.below(4)) {
    case 0: {
      const std::string_view text = input.rest();
      decode<PersonKey>(text);
      decode<EscapedKey>(text);
      decode<MixedKey>(text);
      decode<WideKey>(text);
      decode<CompositeKey<EscapedText>>(text);
      break;
    }
    case 1: {
      using std::chrono::milliseconds;
      const std::string one(input.text());
      const std::string two(input.text());
      const std::uint64_t number = input.number();
      const auto whole = static_cast<std::int64_t>(input.number());
      encode<EscapedKey>(one, two);
      encode<MixedKey>(one, number % 2'000'000, whole % 20'000, std::string_view(two));
      encode<WideKey>(number, whole);
      encode<PersonKey>(std::string_view(one), std::chrono::sys_time<milliseconds>(milliseconds(whole)));
      break;
    }
    case 2: {
      const std::uint64_t a = input.number(), b = input.number();
      const auto c = static_cast<std::int64_t>(a), d = static_cast<std::int64_t>(b);
      using std::chrono::milliseconds;
      using Time = std::chrono::sys_time<milliseconds>;
      keeps_order<CompositeKey<Number<20>>>(a, b);
      keeps_order<CompositeKey<SignedNumber<19>>>(c, d);
      keeps_order<CompositeKey<SignedNumber<3>>>(c % 1'200, d % 1'200);
      constexpr std::int64_t around = 300'000'000'000'000;  // some times beyond the year 9999
      keeps_order<CompositeKey<Timestamp>>(Time(milliseconds(c % around)), Time(milliseconds(d % around)));
      const std::string_view bytes = input.rest();
      require(detail::xxh::xxh3_64(bytes) == Xxh3_64{}(bytes), "XXH3 is the same as at compile time");
      require(detail::xxh::xxh64(bytes) == Xxh64{}(bytes), "XXH64 is the same as at compile time");
      break;
    }
    default:
      sharded_keys(input);
  }
  return 0;
}
