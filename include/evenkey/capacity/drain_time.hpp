// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/capacity/load.hpp>

#include <cstdint>
#include <limits>

namespace evenkey::capacity {

/// Rows that a backfill takes out of a source partition while the application goes on writing to it.
struct Backfill {
  std::uint64_t rows = 0;         ///< to be moved
  std::uint64_t entry_bytes = 0;  ///< of one row's entry in the index
  /// What the application's own writes use of the source's partition, per second.
  double live_write_units = 0;
  /// The rate the mover is allowed; as fast as the partition bears unless given.
  double rows_per_second = (std::numeric_limits<double>::max)();
};

/// How fast a backfill gets on, and what it then costs.
struct Drain {
  double rows_per_second = 0;     ///< that move
  double seconds = 0;             ///< infinite where the live writes leave nothing
  double source_write_units = 0;  ///< per second, on the source's partition: the deletes
  double index_write_units = 0;   ///< per second, on the index: deletes and puts
  double total_index_units = 0;   ///< for all rows
};

/// How long a drain of one source partition takes beside live writes.
///
/// Use it before a migration: each row moved is a delete on the source's partition, so that this one
/// bears (write limit - live units) / ceil(entry KB) rows/s and no more; overshooting throttles the
/// application. Give `limits` with less than the nominal 1,000 to keep headroom.
/// Units: seconds. The base table pays a write a row besides, by the item's size, and so does every
/// other index that projects the key.
/// Errors: `std::invalid_argument` for an amount that is negative or not finite.
/// Source: AWS Developer Guide, "Using Global Secondary Indexes", write capacity.
constexpr Drain drain_time(const Backfill& backfill, const Limits& limits = {}) {
  detail::check(limits);
  detail::check_amount(backfill.live_write_units, "Backfill::live_write_units");
  detail::check_amount(backfill.rows_per_second, "Backfill::rows_per_second");
  const auto units = static_cast<double>(write_units(backfill.entry_bytes));
  const auto rows = static_cast<double>(backfill.rows);
  const double left = limits.write_units - backfill.live_write_units;
  Drain drain;
  drain.rows_per_second = left > 0 ? left / units : 0;
  if (backfill.rows_per_second < drain.rows_per_second) drain.rows_per_second = backfill.rows_per_second;
  if (backfill.rows != 0) {
    drain.seconds =
        drain.rows_per_second > 0 ? rows / drain.rows_per_second : std::numeric_limits<double>::infinity();
  }
  drain.source_write_units = drain.rows_per_second * units;
  drain.index_write_units = 2 * drain.source_write_units;
  drain.total_index_units = 2 * rows * units;
  return drain;
}

}  // namespace evenkey::capacity
