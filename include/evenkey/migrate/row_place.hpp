// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/index.hpp>
#include <evenkey/migrate/migration.hpp>
#include <evenkey/migrate/unstamped.hpp>

#include <concepts>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace evenkey {

/// Where a row of the base table stands in a migration of its index.
enum class RowPlace : std::uint8_t {
  in_place,   ///< in the partition of the destination that its id hashes to
  on_source,  ///< its key is one of the source's: it is still to be moved
  misplaced,  ///< in a partition of the destination that its id does not hash to: `find` does not see it
  foreign,    ///< the definition does not own it, or its key is of neither side
  unindexed   ///< it has no stored partition key, no sharding id or no sort key
};

/// The name that is shown: `on_source`.
constexpr std::string_view row_place_name(RowPlace place) noexcept {
  switch (place) {
    case RowPlace::in_place:
      return "in_place";
    case RowPlace::on_source:
      return "on_source";
    case RowPlace::misplaced:
      return "misplaced";
    case RowPlace::foreign:
      return "foreign";
    case RowPlace::unindexed:
      break;
  }
  return "unindexed";
}

/// The definition says which items are its own, where several entities share an index: `index.owns(item)`.
template <class Index>
concept tells_owned_items = requires(const Index& index, const typename Index::Item& item) {
  { index.owns(item) } -> std::convertible_to<bool>;
};

namespace detail {

/// Whether the item has the index's sort key. DynamoDB has neither empty keys nor NaN, so an accessor gives
/// one of these where the attribute is absent.
template <class Index>
bool has_stored_sort_key(const Index& index, const typename Index::Item& item) {
  if constexpr (std::same_as<typename Index::SortKey, NoSortKey>) {
    return true;
  } else if constexpr (number_sort_key_index<Index>) {
    const auto number = index.sort_key(item);
    return number == number;
  } else {
    return !std::string_view(keep_text(index.sort_key(item))).empty();
  }
}

/// @param stored what the index's partition key is now
/// @param id what the row is sharded by
template <class Migration>
RowPlace place_of(const Migration& migration, const typename Migration::Definition::Item& item,
                  std::string_view stored, std::string_view id) {
  const auto& index = migration.index();
  if constexpr (tells_owned_items<typename Migration::Definition>)
    if (!index.owns(item)) return RowPlace::foreign;
  constexpr bool second_index = std::same_as<typename Migration::Source, Unstamped>;
  if (stored.empty() && !second_index) return RowPlace::unindexed;
  if (id.empty() || !has_stored_sort_key(index, item)) {
    const bool of_a_side = migration.destination().parse(stored) || migration.source().parse(stored);
    return of_a_side ? RowPlace::unindexed : RowPlace::foreign;
  }
  // Where a name is of both sides, the row's own two keys decide before the name does.
  if (stored == migration.destination().of(id)) return RowPlace::in_place;
  if (stored == migration.source().of(id)) return RowPlace::on_source;
  if (migration.destination().parse(stored)) return RowPlace::misplaced;
  if (migration.source().parse(stored)) return RowPlace::on_source;
  return RowPlace::foreign;
}

}  // namespace detail

/// Where a row of the base table stands: what `backfill` moves, `check_drift` counts and `check_parity`
/// expects.
///
/// What is not owned is foreign whatever it has, and so is a key of neither side. A row of either side
/// without an id or a sort key is unindexed. Where a name is of both sides, as in doubling N in place, a row
/// is in place if its id hashes to the name in the destination, on the source if it does in the source, and
/// misplaced otherwise.
///
/// Cost: at most two hashes of the id.
/// Errors: what the accessors throw.
template <class Migration>
RowPlace place_of(const Migration& migration, const typename Migration::Definition::Item& item) {
  const auto stored = detail::keep_text(migration.index().partition_key(item));
  const auto id = detail::keep_text(migration.index().shard_by(item));
  return detail::place_of(migration, item, stored, id);
}

}  // namespace evenkey
