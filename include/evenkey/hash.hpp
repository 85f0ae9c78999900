// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/hash/stored_name.hpp>
#include <evenkey/hash/xxh3_constexpr.hpp>
#include <evenkey/hash/xxh64_constexpr.hpp>
#include <evenkey/hash/xxhash.hpp>

#include <concepts>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace evenkey {

/// `std::uint64_t operator()(std::string_view) const`, on an object that needs nothing to be made.
template <class Hash>
concept hashes_bytes = std::is_default_constructible_v<Hash> &&
    requires(const Hash hash, std::string_view bytes) {
  { hash(bytes) } -> std::same_as<std::uint64_t>;
};

/// The call is `noexcept`.
template <class Hash>
concept hash_is_noexcept = std::is_nothrow_default_constructible_v<Hash> &&
    std::is_nothrow_invocable_v<const Hash&, std::string_view>;

/// The call is `constexpr`, so that shards can be computed at compile time.
template <class Hash>
concept hash_is_constexpr = requires {
  typename std::integral_constant<std::uint64_t, Hash{}(std::string_view("id"))>;
};

/// What turns the bytes of an id into 64 bits: a stateless callable with a name that is stored.
///
/// Use it to shard by a hash that a table has already: write a type that satisfies it, and name it in
/// `ShardPolicy`. Two hashes of one name must give the same values, on every machine and in every version.
template <class Hash>
concept hash_function =
    hashes_bytes<Hash> && hash_is_noexcept<Hash> && hash_is_constexpr<Hash> && has_stored_name<Hash>;

/// XXH3-64, seed 0, over the bytes as given: the hash that evenkey stores data by unless told otherwise.
///
/// Use it through `ShardPolicy`; call it to compute a shard by other means, or to compare with another
/// language.
/// Cost: xxHash's own code, inlined, at run time; a twin of the same value in a constant expression.
/// Source: docs/format/hash.md.
struct Xxh3_64 {
  /// As policy fingerprints and layouts store it: do not change.
  static constexpr std::string_view name = "xxh3_64";

  /// The hash, at compile time and at run time the same.
  constexpr std::uint64_t operator()(std::string_view bytes) const noexcept {
    if (std::is_constant_evaluated()) return detail::xxh::xxh3_64(bytes);
    return detail::xxhash::xxh3_64(bytes);
  }
};

/// XXH64, seed 0, over the bytes as given: for a table that was sharded by it before.
///
/// Use it when rows already stand by this hash, or when another language at hand has XXH64 but no XXH3.
/// Cost: as `Xxh3_64`; slower for short ids.
/// Source: docs/format/hash.md.
struct Xxh64 {
  /// As policy fingerprints and layouts store it: do not change.
  static constexpr std::string_view name = "xxh64";

  /// The hash, at compile time and at run time the same.
  constexpr std::uint64_t operator()(std::string_view bytes) const noexcept {
    if (std::is_constant_evaluated()) return detail::xxh::xxh64(bytes);
    return detail::xxhash::xxh64(bytes);
  }
};

}  // namespace evenkey
