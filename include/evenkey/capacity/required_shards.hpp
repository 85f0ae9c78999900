// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/capacity/load.hpp>

#include <cstdint>
#include <limits>

namespace evenkey::capacity {

/// The most shards that a policy can have.
inline constexpr std::uint32_t most_shards = (std::numeric_limits<std::uint32_t>::max)();

/// How full a partition may be planned to be.
struct Sizing {
  /// The part of a limit that the peak may use. The rest is for uneven spread, retries and growth.
  double target = 0.7;
  Limits limits = {};  ///< of one physical partition
};

namespace detail {

/// Whether each of N shards stays within the target if the load spreads evenly.
///
/// 0.7 is no double, and each product is rounded: 2,100 units at 0.7 of 1,000 must be exactly 3 shards,
/// not 4 by the last bit. No demand here passes more than eight roundings of 2^-53, so one that is
/// above the target by less than 2^-50 of it is taken to be at the target. A true excess that small is
/// no load.
constexpr bool fits(const Load& load, const Sizing& sizing, std::uint32_t shard_count) noexcept {
  constexpr double slack = 1 + 1.0 / (std::uint64_t{1} << 50);
  const auto n = static_cast<double>(shard_count);
  const double writes = load.writes_per_second * static_cast<double>(write_units(load.write_bytes));
  const double queries = load.queries_per_second * query_units(load.query_bytes);
  // The bytes of a listing that stand on the fullest of N even shards.
  const std::uint64_t part =
      load.listing_bytes / shard_count + (load.listing_bytes % shard_count != 0 ? 1 : 0);
  const double listings = load.listings_per_second * query_units(part) * n;
  return writes <= n * sizing.limits.write_units * sizing.target * slack &&
         queries + listings <= n * sizing.limits.read_units * sizing.target * slack;
}

constexpr std::uint32_t fewest_that_fit(const Load& load, const Sizing& sizing) noexcept {
  // More shards never put more on one, so halve what is left between one that fits and one that does not.
  std::uint32_t fits_not = 0, fits_all = most_shards;
  while (fits_all - fits_not > 1) {
    const std::uint32_t middle = fits_not + (fits_all - fits_not) / 2;
    (fits(load, sizing, middle) ? fits_all : fits_not) = middle;
  }
  return fits_all;
}

}  // namespace detail

/// The fewest shards that bear a load if it spreads evenly over them.
///
/// Use it for a first N. How evenly your ids spread is `measure` or `expected_lift`; `recommend` takes
/// both into account. No load needs one shard.
/// Units: the load against `sizing.limits`, reads and writes apart; the larger need decides. Exact at
/// the boundary: 2,100 write units at a target of 0.7 of 1,000 are 3 shards.
/// Cost: 32 steps, no allocation; constexpr.
/// Errors: `std::invalid_argument` for a target that is not above 0 and at most 1, a load that is
/// negative or not finite, limits that are not above 0. A load that no number of shards bears (10^300
/// writes/s, or listings so frequent that their half unit a shard fills each) is no error: it gives
/// `most_shards`.
constexpr std::uint32_t required_shards(const Load& load, const Sizing& sizing = {}) {
  detail::check(load);
  detail::check(sizing.limits);
  detail::check_target(sizing.target);
  return detail::fewest_that_fit(load, sizing);
}

}  // namespace evenkey::capacity
