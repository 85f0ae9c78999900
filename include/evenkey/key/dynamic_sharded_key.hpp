// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/fields/digits.hpp>
#include <evenkey/key/listed_keys.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace evenkey {

/// The N partition keys of a prefix and an N known only at run time, of any hash and placement.
///
/// Use it in tools that work on anybody's table; an application knows its N and takes `ShardedKey`.
/// `DynamicShardedKey` is the one with the default hash and placement.
/// Shape: the interface of `ShardedKey` on an object; views live as long as it or a copy of it.
/// Cost: N strings, made once; `of` is one hash and a load, and does not allocate.
/// Errors: what does not compile for `ShardedKey`; an N that is 0, negative or above 1,000,000 → `key_error`.
/// Threads: immutable; any number of them.
template <hash_function Hash = Xxh3_64, placement Placement = Modulo>
class BasicDynamicShardedKey : public detail::ListedKeys<DynamicShardPolicy<Hash, Placement>> {
 public:
  static constexpr std::uint32_t max_shard_count = 1'000'000;  ///< what is more is taken for a mistake

  /// Errors: `std::invalid_argument` for a count, prefix or format that cannot make keys.
  template <detail::plain_integer Count>
  BasicDynamicShardedKey(std::string_view prefix, Count shard_count, KeyFormat format = {})
      : BasicDynamicShardedKey(detail::KeyText{prefix, format, checked(shard_count)}) {}

 private:
  explicit BasicDynamicShardedKey(const detail::KeyText& text)
      : detail::ListedKeys<DynamicShardPolicy<Hash, Placement>>(
            text, DynamicShardPolicy<Hash, Placement>(text.shard_count)) {}

  template <class Count>
  static std::uint32_t checked(Count shard_count) {
    if (std::cmp_less(shard_count, 1) || std::cmp_greater(shard_count, max_shard_count)) {
      throw key_error(
          KeyErrorReason::shard_count,
          "evenkey: the number of shards is " + std::to_string(shard_count) + ", but must be 1 to 1000000");
    }
    return static_cast<std::uint32_t>(shard_count);
  }
};

/// The one with the default hash and placement.
using DynamicShardedKey = BasicDynamicShardedKey<>;

}  // namespace evenkey
