// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/shard_policy.hpp>

#include <concepts>
#include <cstddef>
#include <optional>
#include <string_view>

namespace evenkey {

/// The shard follows from the id, so that rows can be found by it. `RandomShardPolicy` is none: rows drawn at
/// random can only be listed.
template <class Policy>
concept calculates_shard_from_id = requires(const Policy& policy, std::string_view id) {
  { policy.shard_of(id) } -> std::same_as<ShardId>;
};

/// `keys.size()` is N.
template <class Keys>
concept counts_its_shards = requires(const Keys& keys) {
  { keys.size() } -> std::convertible_to<std::size_t>;
};

/// `keys.at(shard)` is a view of that shard's key, which lives as long as `keys` does.
template <class Keys>
concept has_key_of_shard = requires(const Keys& keys, ShardId shard) {
  { keys.at(shard) } -> std::same_as<std::string_view>;
};

/// `keys.parse(text)` is the shard of a key, and nothing for any other text.
template <class Keys>
concept parses_its_keys = requires(const Keys& keys, std::string_view text) {
  { keys.parse(text) } -> std::same_as<std::optional<ShardId>>;
};

/// `keys.of(id)` is a view of the key, and `keys.shard_of(id)` the shard, that an id's rows have.
template <class Keys>
concept has_key_of_id = requires(const Keys& keys, std::string_view id) {
  { keys.of(id) } -> std::same_as<std::string_view>;
  { keys.shard_of(id) } -> std::same_as<ShardId>;
};

/// The partition keys of one index: a type with static members, or an object where a part is known only at
/// run time.
///
/// Use it for an index definition's `PartitionKey`. All four of evenkey's are such; `find` asks for
/// `has_key_of_id` too.
template <class Keys>
concept partition_keys = counts_its_shards<Keys> && has_key_of_shard<Keys> && parses_its_keys<Keys>;

}  // namespace evenkey
