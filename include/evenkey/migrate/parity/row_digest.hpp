// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/hash.hpp>
#include <evenkey/index.hpp>
#include <evenkey/migrate/row_place.hpp>
#include <evenkey/read/extras.hpp>

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace evenkey {

/// What else of an item is compared: see `digest_by`.
template <class Digest>
struct DigestBy {
  Digest digest;  ///< from an item to a number
};

/// Compares more of the rows than their keys, as a trailing argument of `check_parity` and
/// `record_rows`.
///
/// Shape: `digest(item)` gives text or bytes, which are hashed, or an unsigned 64-bit number. It must
/// give the same for the item as the table has it and as the index projects it.
/// Errors: what it throws leaves the check.
/// Threads: called by one thread at a time.
template <class Digest>
DigestBy<std::decay_t<Digest>> digest_by(Digest&& digest) {
  return {std::forward<Digest>(digest)};
}

namespace detail {

template <class T>
constexpr bool is_digest_by = false;
template <class Digest>
constexpr bool is_digest_by<DigestBy<Digest>> = true;

struct NoDigest {
  template <class Item>
  constexpr std::uint64_t operator()(const Item&) const noexcept {
    return 0;
  }
};

template <class... Extras>
constexpr auto digest_of(const Extras&...) {
  return NoDigest{};
}
template <class First, class... Rest>
constexpr auto digest_of(const First& first, const Rest&... rest) {
  if constexpr (is_digest_by<First>) {
    return [digest = first.digest](const auto& item) -> std::uint64_t {
      using Result = std::invoke_result_t<decltype(digest)&, decltype(item)>;
      static_assert(sort_key_text<Result> || std::same_as<std::remove_cvref_t<Result>, std::uint64_t>,
                    "evenkey: digest_by takes a function that gives text or a std::uint64_t");
      if constexpr (sort_key_text<Result>) {
        return Xxh3_64{}(keep_text(std::invoke(digest, item)));
      } else {
        return std::invoke(digest, item);
      }
    };
  } else {
    return digest_of(rest...);
  }
}

/// Big-endian bytes of numbers, to hash them alike on every machine.
template <std::size_t N>
std::uint64_t hash_numbers(const std::array<std::uint64_t, N>& numbers) {
  std::array<char, 8 * N> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<char>(static_cast<unsigned char>(numbers[i / 8] >> (56 - 8 * (i % 8))));
  return Xxh3_64{}(std::string_view(bytes.data(), bytes.size()));
}

/// A row as parity compares it.
/// Source: docs/format/recording.md, which pins both numbers.
struct RowDigest {
  std::uint64_t key;     // of the primary key
  std::uint64_t digest;  // of primary key, sort key and what `digest_by` gives
};

inline std::uint64_t hash_of_key(std::string_view text) { return Xxh3_64{}(text); }
inline std::uint64_t hash_of_key(std::int64_t number) {
  return hash_numbers<1>({static_cast<std::uint64_t>(number)});
}
inline std::uint64_t hash_of_key(double number) {
  return hash_numbers<1>({std::bit_cast<std::uint64_t>(number == 0 ? 0.0 : number)});  // -0.0 is 0.0
}
inline std::uint64_t hash_of_key(std::monostate) { return 0; }

template <class Index, class Digest>
RowDigest row_digest(const Index& index, const typename Index::Item& item, const Digest& digest) {
  const std::uint64_t key = Xxh3_64{}(primary_key_of(index, item));
  return {key, hash_numbers<3>({key, hash_of_key(sort_key_of(index, item)), digest(item)})};
}

/// Which rows a check is about: those of some ids, chosen by a hash of their own, so that a sample is not one
/// of a few shards.
class SampleOfIds {
 public:
  /// @param fraction from (0, 1]
  explicit SampleOfIds(double fraction) : all_(fraction >= 1) {
    constexpr double two_to_64 = 18446744073709551616.0;
    if (!all_) below_ = static_cast<std::uint64_t>(fraction * two_to_64);
  }
  bool all() const noexcept { return all_; }
  bool has(std::string_view id) const { return all_ || hash_numbers<1>({Xxh3_64{}(id)}) < below_; }

 private:
  bool all_;
  std::uint64_t below_ = 0;
};

/// Whether an item of the base table must be seen in the index.
enum class Expected : std::uint8_t { in_index, foreign, unindexed };

template <class Index>
bool has_sharding_id_now(const Index& index, const typename Index::Item& item) {
  if constexpr (shards_by_id<Index>) {
    return !std::string_view(keep_text(index.shard_by(item))).empty();
  } else {
    return true;
  }
}

template <class Index>
Expected expected_of(const Index& index, const typename Index::Item& item) {
  if constexpr (tells_owned_items<Index>)
    if (!index.owns(item)) return Expected::foreign;
  const bool complete = has_sharding_id_now(index, item) && has_stored_sort_key(index, item);
  if constexpr (requires { index.partition_key(item); }) {
    const auto stored = keep_text(index.partition_key(item));
    bool known = tells_owned_items<Index>;  // an owned row of an unknown key is one that readers lose
    if constexpr (requires { index.is_of_a_side(stored); }) {
      // To a second index, a row without the new key is one that is still to be stamped.
      const bool of_a_side = index.is_of_a_side(stored);
      if (stored.empty() && !of_a_side) return Expected::unindexed;
      known = known || of_a_side;
    } else {
      if (stored.empty()) return Expected::unindexed;
      known = known || partition_keys_of(index).parse(stored).has_value();
    }
    if (!known) return Expected::foreign;
  }
  return complete ? Expected::in_index : Expected::unindexed;
}

/// Whether an item that the index shows is one to compare: what is not expected of the table is not extra.
template <class Index>
bool is_compared(const Index& index, const typename Index::Item& item) {
  if constexpr (tells_owned_items<Index>)
    if (!index.owns(item)) return false;
  return has_sharding_id_now(index, item);
}

/// Whether readers of the item's id look into a partition.
template <class Index>
bool belongs_in(const Index& index, const typename Index::Item& item, std::string_view partition_key) {
  if constexpr (!shards_by_id<Index>) {
    return true;
  } else {
    const auto id = keep_text(index.shard_by(item));
    if constexpr (requires { index.phase(); }) {
      // Readers of an index on the move look into two.
      for (const PlannedGroup& group : read_plan(index, id).groups)
        for (const PlannedPartition& partition : group.partitions)
          if (partition.partition_key == partition_key) return true;
      return false;
    } else {
      return partition_keys_of(index).of(id) == partition_key;
    }
  }
}

}  // namespace detail
}  // namespace evenkey
