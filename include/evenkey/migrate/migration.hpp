// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/index.hpp>
#include <evenkey/migrate/advance.hpp>
#include <evenkey/migrate/in_place.hpp>
#include <evenkey/migrate/layout_id.hpp>
#include <evenkey/migrate/phase.hpp>
#include <evenkey/migrate/phase_index.hpp>
#include <evenkey/migrate/unstamped.hpp>
#include <evenkey/migrate/visibility.hpp>

#include <chrono>
#include <concepts>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace evenkey {

/// A step of a migration is refused, or something that it needs was not said.
class migration_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// `index.partition_key(item)` gives the index partition key that is stored now, "" where the item has none.
template <class Index>
concept tells_stored_key = requires(const Index& index, const typename Index::Item& item) {
  { index.partition_key(item) } -> sort_key_text;
};

/// A definition that can be migrated: rows are found by their id, and the stored key can be seen.
template <class Index>
concept migratable_index = index_definition<Index> && tells_stored_key<Index> &&
    requires(const Index& index, const typename Index::Item& item) {
  { index.shard_by(item) } -> sort_key_text;
};

namespace detail {

/// The definition says that its keys are those of the base table.
template <class Index>
concept is_base_table = requires {
  requires bool(Index::is_base_table);
};

}  // namespace detail

/// A live index on its way from one set of partition keys to another, from a constant key to sharded ones,
/// from N shards to M, or back.
///
/// Use it where rows must be moved without downtime: phase by phase, readers see every row once, writers
/// stamp created rows, `backfill` moves the others, and `advance` tells when the next phase may be entered.
/// The runbook is docs/migration.md.
///
/// Shape: a small value, constexpr where the keys are; the definition's `partition_key(item)` gives what is
/// stored now. `To` is the definition's `PartitionKey` unless said otherwise.
/// Errors: source and destination that share names and move rows in cycles do not compile (at run time:
/// `migration_error`): give the destination a generation.
/// Threads: immutable.
/// Source: docs/design/migration.md.
template <migratable_index Index, class From, class To = detail::PartitionKeysOf<Index>>
class Migration {
  static_assert(partition_keys<From> && has_key_of_id<From>,
                "evenkey: the source of a migration needs keys that follow from the id: an UnshardedKey, a "
                "ShardedKey or another that has of(id)");
  static_assert(
      partition_keys<To> && has_key_of_id<To>,
      "evenkey: the destination of a migration needs keys that follow from the id: rows of a random "
      "shard cannot be found again by the mover");
  static_assert(!detail::is_base_table<Index>,
                "evenkey: the keys of a base table cannot be migrated in place, since changing one is a "
                "delete and a put: copy into a new table, or shard an index of this one");
  static constexpr bool static_sides = detail::static_keys<From> && detail::static_keys<To>;

  static constexpr bool compatible() {
    if constexpr (static_sides) {
      return detail::can_migrate(From{}, To{});
    } else {
      return true;  // looked at when it is made
    }
  }
  static_assert(
      compatible(),
      "evenkey: source and destination share key names, and rows would move in cycles between "
      "them, which no order of reading can follow: give the destination a generation, "
      "KeyFormat{.generation = 2}, or take an N that is a multiple of the other, or Jump placement");

 public:
  /// The index definition of what moves.
  using Definition = Index;
  /// The partition keys from which rows move.
  using Source = From;
  /// The partition keys to which they move.
  using Destination = To;

  /// @param visibility how the index is assumed to show a moved row
  constexpr explicit Migration(Visibility visibility) requires std::default_initializable<Index> &&
      std::default_initializable<From> && std::default_initializable<To>
      : Migration(Index{}, From{}, To{}, visibility) {}

  /// For a definition or keys that are known at run time.
  /// Errors: shared names with moves in cycles → `migration_error`.
  constexpr Migration(Index index, From from, Visibility visibility)
      : Migration(index, std::move(from), detail::partition_keys_of(index), visibility) {}
  /// With keys that are known at run time only.
  constexpr Migration(Index index, From from, To to, Visibility visibility)
      : index_(std::move(index)), from_(std::move(from)), to_(std::move(to)), visibility_(visibility) {
    if constexpr (!static_sides) {
      if (!detail::can_migrate(from_, to_))
        throw migration_error(
            "evenkey: " + id() +
            ": source and destination share key names, and rows would move in cycles between them; give the "
            "destination a generation");
    }
  }

  /// The index definition.
  constexpr const Index& index() const noexcept { return index_; }
  /// Its partition keys of before.
  constexpr const From& source() const noexcept { return from_; }
  /// Its partition keys of after.
  constexpr const To& destination() const noexcept { return to_; }
  /// What readers assume of the index.
  constexpr Visibility visibility() const noexcept { return visibility_; }

  /// What a writer stamps on a row that it creates, and only then.
  /// Errors: an empty id → `key_error`.
  static constexpr std::string_view partition_key(Phase phase, std::string_view id) requires static_sides {
    detail::refuse_empty_id(id);
    return detail::writes_destination(phase) ? To::of(id) : From::of(id);
  }
  /// The partition key of a row that is created in that phase.
  constexpr std::string_view partition_key(Phase phase, std::string_view id) const requires(!static_sides) {
    detail::refuse_empty_id(id);
    return detail::writes_destination(phase) ? to_.of(id) : from_.of(id);
  }

  /// The index as readers of a phase see it, known to the compiler: of `source` and `destination` nothing of
  /// the other side is compiled in.
  template <Phase P>
  constexpr auto at() const {
    static_assert(
        P == Phase::destination || !std::same_as<From, Unstamped>,
        "evenkey: until the destination phase a second index is not read: read the old index, by its "
        "own definition");
    if constexpr (P == Phase::source) {
      return OneSideIndex<Index, From>(index_, from_);
    } else if constexpr (P == Phase::destination) {
      return OneSideIndex<Index, To>(index_, to_);
    } else {
      return at(P);
    }
  }
  /// The index as readers of a phase see it, where the phase comes from a flag.
  /// Errors: a second index before the phase `destination` → `migration_error`.
  constexpr PhaseIndex<Index, From, To> at(Phase phase) const {
    if (std::same_as<From, Unstamped> && phase != Phase::destination)
      throw migration_error(
          "evenkey: until the destination phase a second index is not read: read the old index, by its own "
          "definition");
    return {index_, from_, to_, phase, visibility_.lag()};
  }

  /// The way back: source and destination change places. It is entered at `mirrored(phase)`, with no mover
  /// running and its last move visible: wait the visibility lag, and as long as the longest read, after the
  /// mover ended. A second index has none: readers read the old one again.
  constexpr Migration<Index, To, From> reversed() const requires(!std::same_as<From, Unstamped>) {
    return {index_, to_, from_, visibility_};
  }

  /// The phase of the way back in which readers and writers use the same partitions as in this one.
  static constexpr Phase mirrored(Phase phase) noexcept { return detail::mirror(phase); }

  /// Whether a step may be taken, and if not, why. All but the last need no evidence; the last needs whole
  /// reports, begun after the last writer of an earlier phase was gone, that show nothing left.
  Advance advance(Phase from, Phase to, const Evidence& evidence = {}) const {
    Advance answer;
    detail::check_step(from, to, answer);
    if (to == Phase::destination && from < to)
      detail::EvidenceCheck{id(), detail::side_layout(index_.name, to_), visibility_.lag()}.check(evidence,
                                                                                                  answer);
    return answer;
  }

  /// How the migration is called in reports, checkpoints and phase records:
  /// `index: RenewalSaga (unsharded) -> RenewalSaga#0 (xxh3_64/mod/16 #n)`.
  std::string id() const { return detail::migration_id(index_.name, from_, to_); }

 private:
  Index index_;
  [[no_unique_address]] From from_;
  [[no_unique_address]] To to_;
  Visibility visibility_;
};

}  // namespace evenkey
