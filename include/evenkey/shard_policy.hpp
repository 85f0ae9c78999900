// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/hash.hpp>
#include <evenkey/shard_policy/canonical_id.hpp>
#include <evenkey/shard_policy/fingerprint.hpp>
#include <evenkey/shard_policy/placement.hpp>
#include <evenkey/shard_policy/shard_id.hpp>

#include <cstdint>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>

namespace evenkey {

/// Which of N shards an id belongs to: AWS's calculated-suffix strategy, `Placement(Hash(id), N)`.
///
/// Use it, through `ShardedKey`, for every index whose rows are found by an id; where they are not,
/// `RandomShardPolicy` is in shard_policy/random.hpp, which brings `<random>` along. Hash, placement and N decide
/// where stored rows stand: changing any of them needs a migration.
/// Shape: no state, no objects needed; all members are static.
/// Cost: `shard_of` is one hash, and a mask where the placement is `Modulo` and N a power of two.
/// Source: docs/format/hash.md.
/// @tparam N how many shards there are, from 1
/// @tparam Hash a `hash_function`
/// @tparam Placement a `placement`
template <std::uint32_t N, hash_function Hash = Xxh3_64, placement Placement = Modulo>
struct ShardPolicy {
  static_assert(N > 0, "evenkey: a ShardPolicy needs at least one shard (N = 0 would divide by zero)");

  /// What hashes an id.
  using hash_type = Hash;
  /// What makes a shard of a hash.
  using placement_type = Placement;

  static constexpr std::uint32_t shard_count = N;  ///< how many shards there are

  /// The shard of an id, which may be any bytes, none included; equal at compile time and at run time.
  static constexpr ShardId shard_of(std::string_view id) noexcept {
    // An N of 0 is refused above; to divide by it here too would bury that line under others.
    return ShardId{Placement::place(Hash{}(id), N == 0 ? 1 : N)};
  }

  /// All of them, in order.
  static constexpr ShardRange shards() noexcept { return ShardRange(N); }

  /// `xxh3_64/mod/16`: what is written down beside the data to say how it was sharded.
  static constexpr std::string_view fingerprint() noexcept {
    return detail::static_fingerprint<detail::PolicyNames<Hash, Placement>, N>;
  }
};

/// `ShardPolicy` for an N that is known only at run time.
///
/// Use it in tools that open somebody's table; a program that knows its N uses `ShardPolicy`.
/// Errors: an N of 0 is `std::invalid_argument`.
template <hash_function Hash = Xxh3_64, placement Placement = Modulo>
class DynamicShardPolicy {
 public:
  /// What hashes an id.
  using hash_type = Hash;
  /// What makes a shard of a hash.
  using placement_type = Placement;

  /// Errors: `std::invalid_argument` for a count of 0.
  constexpr explicit DynamicShardPolicy(std::uint32_t shard_count) : shard_count_(shard_count) {
    if (shard_count == 0) throw std::invalid_argument("evenkey: a policy needs at least one shard, N is 0");
  }

  /// How many shards there are.
  constexpr std::uint32_t shard_count() const noexcept { return shard_count_; }
  /// The shard that an id falls on.
  constexpr ShardId shard_of(std::string_view id) const noexcept {
    return ShardId{Placement::place(Hash{}(id), shard_count_)};
  }
  /// All of them, in order.
  constexpr ShardRange shards() const noexcept { return ShardRange(shard_count_); }

  /// The same text as that of a `ShardPolicy` with this N.
  std::string fingerprint() const {
    std::string text;
    detail::write_fingerprint(std::back_inserter(text), Hash::name, Placement::name, shard_count_);
    return text;
  }

  friend constexpr bool operator==(const DynamicShardPolicy&, const DynamicShardPolicy&) = default;

 private:
  std::uint32_t shard_count_;
};

}  // namespace evenkey
