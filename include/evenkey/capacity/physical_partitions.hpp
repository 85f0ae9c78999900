// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/capacity/expected_lift.hpp>
#include <evenkey/capacity/load.hpp>

#include <cmath>
#include <cstdint>
#include <span>
#include <stdexcept>

namespace evenkey::capacity {

/// How a partition key's rows come: whether DynamoDB can split them, too, for heat.
enum class SortKeys : std::uint8_t {
  any,    ///< writes go all over the key's range: its rows can be divided by sort key
  rising  ///< each is later than the last (a time, a counter): the newest rows are hot wherever it is divided
};

/// How many physical partitions an index begins with that was made for this throughput.
///
/// Use it with an index's warm throughput (`DescribeTable` names it), or with that which you mean to
/// set before a switch. A new on-demand index without one has 4,000 writes/s and 12,000 reads/s: 4
/// partitions.
/// Units: capacity units per second. AWS documents what one partition serves, not how many a table has:
/// this is the fewest that bear the throughput.
/// Errors: `std::invalid_argument` for an amount that is negative or not finite; more than 2^32 - 1 are
/// counted as that many.
/// Source: AWS Developer Guide, "Understanding DynamoDB warm throughput", "On-demand capacity mode".
constexpr std::uint32_t physical_partitions(Demand warm_throughput, const Limits& limits = {}) {
  detail::check(limits);
  detail::check_amount(warm_throughput.read_units, "read_units");
  detail::check_amount(warm_throughput.write_units, "write_units");
  const double reads = warm_throughput.read_units / limits.read_units;
  const double writes = warm_throughput.write_units / limits.write_units;
  const double need = reads > writes ? reads : writes;
  if (need >= 4294967295.0) return 4294967295U;
  const auto whole = static_cast<std::uint32_t>(need);
  const std::uint32_t rounded = need > whole ? whole + 1 : whole;
  return rounded > 1 ? rounded : 1;
}

/// What an index can bear in all, before and after DynamoDB has split its partitions for heat.
///
/// Units: `…_lift` in times what one physical partition serves.
struct Ceiling {
  /// At once: N partition keys fell at random on P physical partitions, and the fullest is the limit.
  double lift_before_splits = 1;
  /// When each hot partition key has a physical partition to itself, after minutes of sustained heat.
  double lift_after_splits = 1;

  /// What the index bears as it is.
  constexpr Demand before_splits(const Limits& limits = {}) const noexcept {
    return {limits.read_units * lift_before_splits, limits.write_units * lift_before_splits};
  }
  /// What it bears when heat has split its partitions.
  constexpr Demand after_splits(const Limits& limits = {}) const noexcept {
    return {limits.read_units * lift_after_splits, limits.write_units * lift_after_splits};
  }
};

/// The ceiling of N evenly loaded partition keys on P physical partitions.
///
/// Use it to see what N buys on the first day: 16 keys on the 4 partitions of a new index bear 2.7
/// times what one does, not 16 times, until they are split or the index was pre-warmed. Writes that
/// come with rising sort keys, and any burst shorter than the minutes that a split takes, meet these
/// limits and no higher ones; where sort keys are not rising, DynamoDB can divide one key's rows too
/// and go above `lift_after_splits`.
/// Cost: that of `expected_lift(P, N)`, which this is: keys are to physical partitions as ids are to
/// shards.
/// Errors: `std::invalid_argument` where N or P is 0.
/// Source: AWS Database Blog, "Scaling DynamoDB: How partitions, hot keys, and split for heat impact
/// performance", parts 1 to 3.
inline Ceiling expected_ceiling(std::uint32_t shard_count, std::uint32_t physical_partition_count) {
  detail::check_shard_count(shard_count);
  if (physical_partition_count == 0)
    throw std::invalid_argument("evenkey: an index has at least one physical partition");
  return {expected_lift(physical_partition_count, shard_count), static_cast<double>(shard_count)};
}

/// The same where the keys do not bear the same: `expected_ceiling(measure<Policy>(ids).per_shard, 4)`.
inline Ceiling expected_ceiling(std::span<const double> per_shard, std::uint32_t physical_partition_count,
                                const Simulation& simulation = {}) {
  if (physical_partition_count == 0)
    throw std::invalid_argument("evenkey: an index has at least one physical partition");
  double total = 0, most = 0;
  for (const double load : per_shard) {
    detail::check_amount(load, "a shard's load");
    total += load;
    if (load > most) most = load;
  }
  detail::check_amount(total, "the sum of the shards' loads");
  return {expected_lift(physical_partition_count, per_shard, simulation), most > 0 ? total / most : 1};
}

/// The throughput to pre-warm an index to, so that N keys find a lift at once.
///
/// Use it before a switch that brings its load in one step, and look at the figure: keys fall at
/// random, so a lift of 4 from 16 keys takes 9 physical partitions, one of 8 takes 49. Load that rises
/// over minutes lets splits for heat do better for nothing.
/// Shape: the fewest physical partitions P with `expected_ceiling(N, P)` of that lift, times the
/// limits.
/// Errors: `std::invalid_argument` for a lift above 90 % of N (no throughput makes it likely that no
/// two keys share a partition), or not above 0.
inline Demand warm_throughput_for(std::uint32_t shard_count, double lift, const Limits& limits = {}) {
  detail::check_shard_count(shard_count);
  detail::check(limits);
  if (!(lift > 0 && (shard_count == 1 ? lift <= 1 : lift <= 0.9 * shard_count)))
    throw std::invalid_argument("evenkey: that lift needs more shards, not more throughput");
  double few = 0, enough = 1;
  const auto lift_of = [&](double partitions) {
    return expected_lift(static_cast<std::uint32_t>(partitions), std::uint64_t{shard_count});
  };
  while (lift_of(enough) < lift && enough < 1e9) {
    few = enough;
    enough *= 2;
  }
  while (enough - few > 1) {
    const double middle = std::floor((few + enough) / 2);
    (lift_of(middle) < lift ? few : enough) = middle;
  }
  return {limits.read_units * enough, limits.write_units * enough};
}

}  // namespace evenkey::capacity
