// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/migrate/checkpoint.hpp>
#include <evenkey/read/retry.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>

namespace evenkey {

/// How far a backfill is.
struct BackfillProgress {
  /// Rows scanned, those of earlier runs by the same checkpoint included.
  std::uint64_t done = 0;
  /// `BackfillOptions::expected_rows`.
  std::optional<std::uint64_t> total = {};
  /// Rows scanned a second, in this run.
  double rows_per_second = 0;
  /// How long the rest takes at that rate; nothing while it is not known.
  std::optional<std::chrono::seconds> eta = {};
  /// In this run.
  std::uint64_t moved = 0;
};

/// Whether the table has replicas in other Regions. evenkey cannot see it: the caller says.
enum class GlobalTable : std::uint8_t {
  no,
  /// It is a global table, and movers run in this Region alone. A condition holds in one Region only and
  /// conflicts are resolved by the last writer, so a mover in a second Region, or a row that is written in
  /// another one while it is moved, may put an older row in the place of a newer. Writers of rows that are
  /// still to be moved must write in this Region too.
  only_mover_region
};

/// No limit of a rate.
inline constexpr double unlimited_rate = std::numeric_limits<double>::infinity();

/// How a backfill runs. The order of members is API.
struct BackfillOptions {
  /// Counts what there is to do, and writes nothing: neither rows nor the checkpoint.
  bool dry_run = true;
  /// Since when no instance of an earlier phase lives: no writer, its longest request and last retry
  /// included, and no read that it began, since such a read may look where the row is no more. A real run
  /// needs it; kept in the checkpoint, so that a later run may leave it out.
  std::optional<std::chrono::system_clock::time_point> writers_drained_at = {};
  /// Where the run keeps its place; null: nowhere.
  CheckpointStore* checkpoint = nullptr;
  /// A stop is heeded between rows.
  std::stop_token stop = {};
  /// The most functor calls under way at once, at least 1. With 1 all run on the caller's thread, one after
  /// the other.
  std::size_t max_concurrency = 1;
  /// Into how many segments the scan is cut; 0: as the scan source says, else 1. Part of the checkpoint.
  std::uint32_t total_segments = 0;
  /// The most write units a second of any one partition of the index: a partition bears 1,000, and the rest
  /// is for the application's own writes.
  double index_partition_write_units = 500;
  /// The most write units a second of the base table.
  double table_write_units = 2000;
  /// The most read units a second of the scan, as its functor reports them.
  double table_read_units = 1000;
  /// The size taken for every row where the definition has no `item_bytes(item)`.
  std::size_t item_bytes = 1024;
  /// The size taken for every index entry where the definition has no `entry_bytes(item)`.
  std::size_t entry_bytes = 1024;
  /// How many rows may wait for another try, at least 1; with that many the run tries them again, and ends if
  /// they all fail.
  std::size_t max_failed = 100;
  /// How often rows that failed are tried again before the run ends.
  std::size_t retry_passes = 3;
  /// How often and when a request that was throttled, or a scan that failed for a while, is made again at
  /// once. The budget is not used: the rate is what limits.
  RetryOptions retry = {.max_attempts = 8};
  /// How many rows of each kind are named in the report.
  std::size_t samples = 10;
  /// For the progress: how many rows there are, such as from DescribeTable. 0: not known.
  std::uint64_t expected_rows = 0;
  /// Called after every page, by one thread at a time. It must not throw.
  std::function<void(const BackfillProgress&)> on_progress = {};
  /// The most items of a page; empty: as many as fit. A run that is killed reads one page a segment again.
  std::optional<std::uint32_t> page_limit = {};
  /// The name of the table, to tell checkpoints apart.
  std::string table = {};
  GlobalTable global_table = GlobalTable::no;  ///< whether other regions write too
};

namespace detail {

/// Errors: `std::invalid_argument` for options that no run could follow.
inline void check_backfill_options(const BackfillOptions& options) {
  if (options.max_concurrency == 0)
    throw std::invalid_argument("evenkey: max_concurrency is 0, so no row could ever be moved");
  if (options.max_failed == 0)
    throw std::invalid_argument(
        "evenkey: max_failed is 0, so the list of failed rows is full from the start");
  for (const double rate :
       {options.index_partition_write_units, options.table_write_units, options.table_read_units})
    if (!(rate > 0)) throw std::invalid_argument("evenkey: a rate of a backfill must be more than zero");
  check_retry_options(options.retry);
}

}  // namespace detail
}  // namespace evenkey
