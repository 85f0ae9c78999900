// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

namespace evenkey::capacity {

namespace detail {

/// How many blocks of that size hold `bytes`; one at least. Without `bytes + size - 1`, which could
/// overflow.
constexpr std::uint64_t blocks(std::uint64_t bytes, std::uint64_t size) noexcept {
  return bytes == 0 ? 1 : bytes / size + (bytes % size != 0 ? 1 : 0);
}

}  // namespace detail

/// What it costs to write one item to a table, or to put one entry into an index or take it out.
///
/// Use it with the size of what is written: the larger of before and after for an item, the projected
/// entry for an index.
/// Units: write capacity units; `bytes` rounded up to 1 KiB, one at least.
/// Source: AWS Developer Guide, "DynamoDB read and write operations".
constexpr std::uint64_t write_units(std::uint64_t bytes) noexcept { return detail::blocks(bytes, 1024); }

/// What it costs an index when an entry's key changes: the old entry is deleted and a new one is put,
/// each rounded by itself, each on its own partition.
///
/// Use it for one row of a backfill. A change that leaves the key alone costs the larger of the two
/// instead.
/// Units: write capacity units.
/// Source: AWS Developer Guide, "Using Global Secondary Indexes", write capacity.
constexpr std::uint64_t rekey_units(std::uint64_t bytes_before, std::uint64_t bytes_after) noexcept {
  return write_units(bytes_before) + write_units(bytes_after);
}

/// What one page of a query of an index costs.
///
/// Use it with the sizes of all entries evaluated, added up: filters, projections and COUNT save
/// nothing. One page holds at most 1 MB; a longer answer is several.
/// Units: read capacity units; rounded up once to 4 KiB, then halved, as reads of an index are always
/// eventually consistent; 0.5 at least, for an empty partition too.
/// Source: AWS Developer Guide, "DynamoDB read and write operations".
constexpr double query_units(std::uint64_t bytes) noexcept {
  return static_cast<double>(detail::blocks(bytes, 4096)) / 2;
}

/// What one page of a strongly consistent scan (or query) of a base table costs: twice `query_units`.
///
/// Use it for drift guards, parity checks and a backfill's walk, which read so.
/// Units: read capacity units; rounded up once to 4 KiB; 1 at least.
/// Source: AWS Developer Guide, "DynamoDB read and write operations".
constexpr std::uint64_t strong_scan_units(std::uint64_t bytes) noexcept {
  return detail::blocks(bytes, 4096);
}

}  // namespace evenkey::capacity
