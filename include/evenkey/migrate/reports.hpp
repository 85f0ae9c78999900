// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace evenkey {

/// How much of the table a report is about.
enum class Coverage : std::uint8_t {
  partial,  ///< it was stopped, or looked at a sample
  whole     ///< every row of the table
};

/// What a report is about, so that it can be evidence for a step of a migration.
struct ReportHead {
  /// The migration's id; empty where the report is about an index alone.
  std::string migration;
  /// The layout that was checked against, as `layout_of` gives it.
  std::string layout;
  /// When the check began.
  std::chrono::system_clock::time_point started{};
  Coverage coverage = Coverage::partial;  ///< how much was looked at: only a whole report is evidence
  std::size_t requests = 0;               ///< to the store
  double consumed_read_units = 0;         ///< of all requests together

  /// Whether everything was looked at.
  bool whole() const noexcept { return coverage == Coverage::whole; }
};

/// What `check_drift` found: where the rows of the base table are stored in the index.
struct DriftReport : ReportHead {
  /// Rows looked at.
  std::size_t scanned = 0;
  /// Rows in their place: the partition of the destination that their id hashes to.
  std::size_t in_place = 0;
  /// Rows whose key is still one of the source's.
  std::size_t on_source = 0;
  /// Rows in a partition of the destination that their id does not hash to: `find` does not see them.
  std::size_t misplaced = 0;
  /// Rows of others: the definition does not own them, or their key is of neither side.
  std::size_t foreign = 0;
  /// Rows that are not in the index: without the partition key, the sharding id or the sort key.
  std::size_t unindexed = 0;
  /// Of the unindexed, rows without a sharding id that readers of the source see all the same: nothing says
  /// where they belong, so they would vanish with the source. Give them an id, or take their key away.
  std::size_t stranded = 0;
  /// Of the rows on the source, those that bear the mover's mark of a move to the destination: a writer puts
  /// keys back. 0 where the definition has no `moved_marker`.
  std::size_t regressed = 0;
  /// The primary keys of some of the rows that are not in their place, with what is wrong: at most as many of
  /// each kind as the options say.
  std::vector<std::string> samples;
  /// Where another run goes on; empty where nothing is left, or where the index's `StartKey` has no
  /// `start_key_traits`.
  std::string next_token;

  /// Nothing is left on the source, and nothing is in a wrong shard.
  bool clean() const noexcept { return whole() && on_source == 0 && misplaced == 0 && stranded == 0; }
};

/// What `check_parity` found: the base table beside what readers of the index see, row by row.
struct ParityReport : ReportHead {
  /// Rows of the base table that belong in the index.
  std::size_t compared = 0;
  /// Rows that readers of the index do not see.
  std::size_t missing = 0;
  /// Rows that readers see and the base table does not have.
  std::size_t extra = 0;
  /// Rows that differ, by the digest.
  std::size_t mismatched = 0;
  /// Rows that are seen in a partition that their id does not hash to.
  std::size_t misplaced = 0;
  /// Rows of others.
  std::size_t foreign = 0;
  std::size_t unindexed = 0;  ///< rows that are not in the index on purpose
  /// Of the rows that differed at first, those that were in order when they were looked at again: the index
  /// was behind. Rows that were in order before they were named count as one for each bucket.
  std::size_t settled = 0;
  /// How often it looked: 1 where nothing differed.
  std::uint32_t looks = 0;
  /// The primary keys of some of the rows that differ, with what is wrong: at most as many of each kind as
  /// the options say.
  std::vector<std::string> samples;
  /// Where another run goes on, as bytes; empty where nothing is left, or where the index's `StartKey` has no
  /// `start_key_traits`.
  std::string next_token;

  /// Every row was compared, and every one is the same: 999,999 of 1,000,000 is not.
  bool identical() const noexcept {
    return whole() && missing == 0 && extra == 0 && mismatched == 0 && misplaced == 0;
  }
};

}  // namespace evenkey
