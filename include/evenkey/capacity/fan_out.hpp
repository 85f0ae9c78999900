// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/capacity/expected_lift.hpp>
#include <evenkey/capacity/load.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

namespace evenkey::capacity {

/// What one listing of all N shards costs: a query a shard, each rounded by itself.
///
/// Use it with 0 bytes for the cost at rest: N × 0.5, paid by a poll of an empty index too. During a
/// migration, count the source's partition as one more.
/// Units: read capacity units; `bytes` of all entries evaluated, taken to be spread evenly. Rounding up
/// on each shard adds 0.25 a shard on average over one partition's cost.
/// Errors: `std::invalid_argument` for an N of 0.
constexpr double fan_out_units(std::uint32_t shard_count, std::uint64_t bytes = 0) {
  if (shard_count == 0) throw std::invalid_argument("evenkey: there is at least one shard, N is 0");
  // bytes % N shards hold a byte more than the others.
  const std::uint64_t each = bytes / shard_count, fuller = bytes % shard_count;
  return static_cast<double>(fuller) * query_units(each + (fuller != 0 ? 1 : 0)) +
         static_cast<double>(shard_count - fuller) * query_units(each);
}

/// What units used steadily cost in a day, at your price.
///
/// Use it as `cost_per_day(fan_out_units(16) * listings_per_second, 0.125)`. evenkey knows no prices:
/// they differ by Region and table class, and change.
/// Units: the currency of the price, which is for one million request units.
/// Errors: `std::invalid_argument` for what is negative or not finite.
/// Source: AWS, "Pricing for on-demand capacity".
constexpr double cost_per_day(double units_per_second, double price_per_million_units) {
  detail::check_amount(units_per_second, "units_per_second");
  detail::check_amount(price_per_million_units, "price_per_million_units");
  return units_per_second * 86'400 / 1e6 * price_per_million_units;
}

/// How long the slowest of N queries takes, if one alone takes times such as those given.
struct FanOutLatency {
  double mean = 0;  ///< in the unit of the samples, as the others
  double p50 = 0;   ///< median
  double p90 = 0;   ///< 90th percentile
  double p99 = 0;   ///< 99th percentile
  /// How many of the samples lie beyond p99; below about 10, p99 is a guess, and more samples are
  /// needed.
  double samples_beyond_p99 = 0;
};

/// The latency of a fan-out from that of one query: it has ended when the largest of N has.
///
/// Use it with latencies measured of single queries, to see what a listing's user waits for: with 16
/// shards its median is about one query's 96th percentile.
/// Units: as the samples. All N at once (`max_concurrency` of N or more), independent of each other;
/// shards that are slow together, as in an outage, make it no slower than one.
/// Cost: O(n log n), and a copy of the samples.
/// Errors: `std::invalid_argument` for an N of 0, no samples, or a sample that is negative or not
/// finite.
inline FanOutLatency fan_out_latency(std::uint32_t shard_count, std::span<const double> samples) {
  detail::check_shard_count(shard_count);
  if (samples.empty())
    throw std::invalid_argument("evenkey: the latency of one query has to be measured first");
  std::vector<double> sorted(samples.begin(), samples.end());
  for (const double sample : sorted)
    detail::check_amount(sample, "a latency");
  std::sort(sorted.begin(), sorted.end());
  const auto count = static_cast<double>(sorted.size());
  // All N are at most the i-th of n samples with probability (i / n)^N.
  const auto quantile = [&](double q) {
    const double position = std::ceil(count * std::pow(q, 1.0 / shard_count) - 1e-9);
    const auto at = static_cast<std::size_t>((std::max)(position, 1.0));
    return sorted[(std::min)(at, sorted.size()) - 1];
  };
  FanOutLatency latency;
  double below = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const double up_to = std::pow(static_cast<double>(i + 1) / count, shard_count);
    latency.mean += (up_to - below) * sorted[i];
    below = up_to;
  }
  latency.p50 = quantile(0.5);
  latency.p90 = quantile(0.9);
  latency.p99 = quantile(0.99);
  latency.samples_beyond_p99 = count * (1 - std::pow(0.99, 1.0 / shard_count));
  return latency;
}

}  // namespace evenkey::capacity
