// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/shard_policy/fingerprint.hpp>
#include <evenkey/shard_policy/shard_id.hpp>

#include <cstdint>
#include <random>
#include <string_view>

namespace evenkey {

/// Any of N shards, drawn anew for each row: AWS's random-suffix strategy.
///
/// Use it for streams that are only written and swept, where rows have no id that a reader would ask for.
/// Nothing says later where a row went, so every reader must ask all N shards: there is no `shard_of`, and
/// `find` cannot be offered.
/// @tparam N how many shards there are
/// Source: AWS, "Using write sharding to distribute workloads evenly".
template <std::uint32_t N>
struct RandomShardPolicy {
  static_assert(N > 0, "evenkey: a RandomShardPolicy needs at least one shard (N = 0 leaves none to draw)");

  static constexpr std::uint32_t shard_count = N;  ///< how many shards there are

  /// One of the N shards, each as likely as any other.
  /// Threads: as safe as the generator.
  template <std::uniform_random_bit_generator Generator>
  static ShardId any(Generator& generator) {
    return ShardId{std::uniform_int_distribution<std::uint32_t>(0, N - 1)(generator)};
  }

  /// All of them, in order.
  static constexpr ShardRange shards() noexcept { return ShardRange(N); }

  /// `random/any/16`: what is written down beside the data to say how it was sharded.
  static constexpr std::string_view fingerprint() noexcept {
    return detail::static_fingerprint<detail::RandomNames, N>;
  }
};

}  // namespace evenkey
