// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/migrate/reports.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace evenkey {

/// What a backfill counted.
///
/// Of a run that went to its end, `scanned` is the sum of `in_place`, `to_move`, `misplaced`, `foreign` and
/// `unindexed`, and `to_move` that of `moved`, `already_moved`, `deleted`, `changed` and the rows that
/// failed.
struct BackfillCounts {
  std::uint64_t scanned = 0;  ///< rows looked at
  /// Rows that the scan found at their destination.
  std::uint64_t in_place = 0;
  /// Rows that the scan found on the source.
  std::uint64_t to_move = 0;
  /// Rows that this backfill moved. A row whose move was applied though its answer was lost is one of them,
  /// where it was tried again in the same run.
  std::uint64_t moved = 0;
  /// Rows that were at their destination when they were to be moved.
  std::uint64_t already_moved = 0;
  /// Rows that were gone when they were to be moved.
  std::uint64_t deleted = 0;
  /// Rows that had another key when they were to be moved; they are left alone.
  std::uint64_t changed = 0;
  /// Rows in a partition of the destination that their id does not hash to; they are left alone.
  std::uint64_t misplaced = 0;
  /// Rows of others.
  std::uint64_t foreign = 0;
  /// Rows without a stored key, a sharding id or a sort key.
  std::uint64_t unindexed = 0;

  /// Adds the counts of another part of the table.
  BackfillCounts& operator+=(const BackfillCounts& other) noexcept {
    const auto theirs = other.members();
    for (std::size_t i = 0; i < theirs.size(); ++i)
      this->*theirs[i] += other.*theirs[i];
    return *this;
  }

  /// In the order in which checkpoints hold them: do not change it.
  static constexpr std::array<std::uint64_t BackfillCounts::*, 10> members() noexcept {
    return {&BackfillCounts::scanned,  &BackfillCounts::in_place,      &BackfillCounts::to_move,
            &BackfillCounts::moved,    &BackfillCounts::already_moved, &BackfillCounts::deleted,
            &BackfillCounts::changed,  &BackfillCounts::misplaced,     &BackfillCounts::foreign,
            &BackfillCounts::unindexed};
  }
};

/// Why a backfill ended.
enum class BackfillEnd : std::uint8_t {
  finished,         ///< every row was looked at, and none is left to move
  rows_failed,      ///< every row was looked at, and some could not be moved
  too_many_failed,  ///< the list of rows that failed was full, and trying them again did not help
  stopped,          ///< a stop was requested
  lease_lost        ///< another host has taken the segment; no report of a whole backfill says so
};

constexpr std::string_view backfill_end_name(BackfillEnd end) noexcept {
  switch (end) {
    case BackfillEnd::finished:
      return "finished";
    case BackfillEnd::rows_failed:
      return "rows_failed";
    case BackfillEnd::too_many_failed:
      return "too_many_failed";
    case BackfillEnd::stopped:
      return "stopped";
    case BackfillEnd::lease_lost:
      break;
  }
  return "lease_lost";
}

/// One row that a report names.
struct BackfillSample {
  /// Such as `changed`, as the counts call it.
  std::string_view what;
  std::string primary_key;  ///< of the row
  /// The key or the error that was found; empty where there is nothing to say.
  std::string detail;
};

/// What a backfill did, and in a dry run what it would do. The counts are this run's.
struct BackfillReport : ReportHead, BackfillCounts {
  /// Rows that could not be moved, though they were tried again.
  std::uint64_t failed = 0;
  /// Rows that failed once in a run that was stopped before it tried them again.
  std::uint64_t to_retry = 0;
  /// The counts of all runs by the checkpoint, this one included.
  BackfillCounts overall;
  BackfillEnd end = BackfillEnd::stopped;  ///< why it ended
  /// Every row was looked at, and none is left to move: by this run, or by those before it.
  bool finished = false;
  /// What the rows to move cost in write units: of the base table, and of the index (a delete on the source
  /// and a put on the destination each).
  double table_write_units = 0;
  double index_write_units = 0;  ///< write units of the index, as estimated
  /// How long the rows to move take at the rates that the options allow.
  std::chrono::duration<double> time_at_allowed_rate{0};
  /// How often the store had no capacity.
  std::uint64_t throttled = 0;
  std::vector<BackfillSample> samples;  ///< some rows that did not move, and why
};

}  // namespace evenkey
