// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/capacity/units.hpp>

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

namespace evenkey::capacity {

/// What an index has to bear at its busiest, all shards together.
///
/// Use the peak of a second, not the mean of a minute: throttling is decided by the second.
/// Units: per second; sizes in bytes.
struct Load {
  double writes_per_second = 0;   ///< of index entries
  std::uint64_t write_bytes = 0;  ///< of one entry as the index projects it
  /// Queries that go to one shard, such as `find`.
  double queries_per_second = 0;
  std::uint64_t query_bytes = 0;  ///< of all entries that one of them evaluates
  /// Queries that go to every shard, such as `enumerate`: each costs at least half a unit on each
  /// shard, whatever N is.
  double listings_per_second = 0;
  std::uint64_t listing_bytes = 0;  ///< of all entries that one of them evaluates, all shards together
};

/// What one physical partition serves. One partition key stands, to begin with, in one physical
/// partition.
///
/// Units: capacity units per second. AWS names these two as the nominal figures; 4,500 eventually
/// consistent read units were seen on one partition.
/// Source: AWS Developer Guide, "Best practices for designing partition keys".
struct Limits {
  double read_units = 3000;   ///< RCU a second
  double write_units = 1000;  ///< WCU a second
};

/// Units per second.
struct Demand {
  double read_units = 0;   ///< RCU a second
  double write_units = 0;  ///< WCU a second
};

namespace detail {

/// Neither negative nor NaN nor infinite.
constexpr bool is_amount(double value) noexcept {
  return value >= 0 && value <= (std::numeric_limits<double>::max)();
}

constexpr void check_amount(double value, const char* what) {
  if (!is_amount(value))
    throw std::invalid_argument(std::string("evenkey: ") + what + " is negative or not a finite number");
}

constexpr void check(const Load& load) {
  check_amount(load.writes_per_second, "Load::writes_per_second");
  check_amount(load.queries_per_second, "Load::queries_per_second");
  check_amount(load.listings_per_second, "Load::listings_per_second");
}

constexpr void check(const Limits& limits) {
  check_amount(limits.read_units, "Limits::read_units");
  check_amount(limits.write_units, "Limits::write_units");
  if (limits.read_units == 0 || limits.write_units == 0)
    throw std::invalid_argument(
        "evenkey: a physical partition that serves nothing can be no limit to plan by");
}

constexpr void check_target(double target) {
  if (!(target > 0 && target <= 1))
    throw std::invalid_argument(
        "evenkey: a target is the part of a partition's limit that may be used, above 0 and at most 1");
}

/// A listing's bytes on a shard that holds that share of them.
constexpr std::uint64_t share_of(std::uint64_t bytes, double share) noexcept {
  // Neither a share above 1 nor the rounding of 2^64 - 1 to a double may overflow the way back.
  const double part = static_cast<double>(bytes) * share;
  return part >= static_cast<double>(bytes) ? bytes : static_cast<std::uint64_t>(part);
}

}  // namespace detail

/// What falls on a shard that bears that share of the load: 1.0 / N where it is even, `hottest_share`
/// of a `Spread` where it was measured.
///
/// Units: capacity units per second. A listing costs a shard half a unit at least.
/// Errors: `std::invalid_argument` for a load that is negative or not finite, or a share outside of 0 …
/// 1.
constexpr Demand demand_on(const Load& load, double share) {
  detail::check(load);
  if (!(share >= 0 && share <= 1))
    throw std::invalid_argument("evenkey: a shard's share of the load lies between 0 and 1");
  return {load.queries_per_second * query_units(load.query_bytes) * share +
              load.listings_per_second * query_units(detail::share_of(load.listing_bytes, share)),
          load.writes_per_second * static_cast<double>(write_units(load.write_bytes)) * share};
}

/// Which part of a partition's limits a demand uses: the larger of the two, 1 where it is full.
constexpr double utilisation(Demand demand, Limits limits = {}) {
  detail::check(limits);
  const double reads = demand.read_units / limits.read_units;
  const double writes = demand.write_units / limits.write_units;
  return reads > writes ? reads : writes;
}

}  // namespace evenkey::capacity
