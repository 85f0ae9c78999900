// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/hash/stored_name.hpp>

#include <bit>
#include <concepts>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace evenkey {

/// `static std::uint32_t place(std::uint64_t hash, std::uint32_t shard_count)`.
template <class Placement>
concept places_hashes = requires(std::uint64_t hash, std::uint32_t shard_count) {
  { Placement::place(hash, shard_count) } -> std::same_as<std::uint32_t>;
};

/// The call is `noexcept`.
template <class Placement>
concept placement_is_noexcept = noexcept(Placement::place(std::uint64_t{}, std::uint32_t{}));

/// The call is `constexpr`, so that shards can be computed at compile time.
template <class Placement>
concept placement_is_constexpr = requires {
  typename std::integral_constant<std::uint32_t, Placement::place(std::uint64_t{1}, std::uint32_t{1})>;
};

/// What turns a hash into one of N shards, with a name that is stored.
///
/// Use it to follow a rule that a table has already: write a type that satisfies it, and name it in
/// `ShardPolicy`. `place` gives a number below `shard_count`, which is at least 1.
template <class Placement>
concept placement = places_hashes<Placement> && placement_is_noexcept<Placement> &&
    placement_is_constexpr<Placement> && has_stored_name<Placement>;

/// hash mod N, unsigned: ADR-0085's placement, and the default.
///
/// Use it unless N is expected to grow: then almost every row changes its shard.
/// Cost: one division, or a mask where N is a constant power of two.
struct Modulo {
  static constexpr std::string_view name = "mod";  ///< as policy fingerprints store it: do not change

  /// @pre shard_count > 0
  static constexpr std::uint32_t place(std::uint64_t hash, std::uint32_t shard_count) noexcept {
    return static_cast<std::uint32_t>(hash % shard_count);
  }
};

/// Jump consistent hash: from N to M > N shards, only (M - N) / M of the rows move, all of them to new
/// shards.
///
/// Use it when N is likely to grow and a backfill of every row would hurt.
/// Cost: about ln N + 1 rounds of three divisions.
/// Source: Lamping and Veach, "A Fast, Minimal Memory, Consistent Hash Algorithm" (2014);
/// docs/format/hash.md.
struct Jump {
  static constexpr std::string_view name = "jump";  ///< as policy fingerprints store it: do not change

  /// @pre shard_count > 0
  static constexpr std::uint32_t place(std::uint64_t hash, std::uint32_t shard_count) noexcept {
    std::uint64_t shard = 0;
    for (std::uint64_t next = 0; next < shard_count;) {
      shard = next;
      hash = hash * 2862933555777941757 + 1;
      next = jump(shard + 1, (hash >> 33) + 1);
    }
    return static_cast<std::uint32_t>(shard);
  }

 private:
  /// The integer part of `from * (2^31 / divisor)`, each operation rounded as IEEE 754 double rounds it.
  ///
  /// The paper writes this in floating point, and its rounding shows: 49 * (2^31 / (49 * 2^25)) is not 64 but
  /// the double below it. Integers give every machine the same answer, whatever -ffast-math, x87 or the
  /// rounding mode would make of the doubles.
  /// @pre 1 <= from < 2^32 and 1 <= divisor <= 2^31
  static constexpr std::uint64_t jump(std::uint64_t from, std::uint64_t divisor) noexcept {
    // quotient * 2^-(width + 21) is the double next to 2^31 / divisor; a tie cannot occur.
    constexpr std::uint64_t two52 = std::uint64_t{1} << 52;
    const auto width = static_cast<int>(std::bit_width(divisor));
    const std::uint64_t rest = (two52 % divisor) << width;
    std::uint64_t quotient = ((two52 / divisor) << width) + rest / divisor;
    if (2 * (rest % divisor) > divisor) ++quotient;

    // The product has up to 85 bits: high * 2^32 + low. Round it to 53, a half up: the doubles' half to even
    // differs in the last bit only, which is cut off below.
    const std::uint64_t product_low = from * (quotient & 0xFFFFFFFF);
    const std::uint64_t high = from * (quotient >> 32) + (product_low >> 32);
    const std::uint64_t low = product_low & 0xFFFFFFFF;
    const auto dropped = static_cast<int>(std::bit_width(high)) - 21;
    std::uint64_t kept = high << (32 - dropped) | low >> dropped;
    if (dropped > 0) kept += low >> (dropped - 1) & 1;
    const int shift = width + 21 - dropped;
    return shift >= 0 ? kept >> shift : kept << -shift;
  }
};

}  // namespace evenkey
