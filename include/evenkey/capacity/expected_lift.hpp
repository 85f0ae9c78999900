// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/capacity/draws.hpp>
#include <evenkey/capacity/even_spread.hpp>
#include <evenkey/capacity/load.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

namespace evenkey::capacity {

/// How a figure that has no formula is simulated: the same seed gives the same figure, on every
/// platform.
struct Simulation {
  std::uint64_t seed = 85;     ///< of the draws
  std::uint32_t rounds = 400;  ///< sets of ids that are drawn
};

namespace detail {

inline void check_shard_count(std::uint32_t shard_count) {
  if (shard_count == 0) throw std::invalid_argument("evenkey: there is at least one shard, N is 0");
}

inline void check(const Simulation& simulation) {
  if (simulation.rounds == 0) throw std::invalid_argument("evenkey: a simulation needs at least one round");
}

}  // namespace detail

/// What lift N shards can be expected to give before there are ids to `measure`: the mean over all ways
/// in which that many ids of equal weight can fall.
///
/// Use it to choose N on paper. One set of ids will differ: 150 ids on 16 shards get 10.0 on average,
/// one set in ten gets 8.8 or less, one in ten 11.5 or more.
/// Units: 1 (no better than one partition) up to N. No ids, or one: 1.
/// Cost: exact up to 200 ids, and then within 0.5 %; under 10 ms.
/// Errors: `std::invalid_argument` for an N of 0.
/// Source: B. Levin, Annals of Statistics 9 (1981), for the fullest of N bins.
inline double expected_lift(std::uint32_t shard_count, std::uint64_t distinct_ids) {
  detail::check_shard_count(shard_count);
  if (shard_count == 1 || distinct_ids <= 1) return 1;
  if (distinct_ids <= 200) return detail::exact_lift(shard_count, static_cast<std::size_t>(distinct_ids));
  const double ids = static_cast<double>(distinct_ids), n = shard_count;
  if (ids / n < 1e6) return detail::approximate_lift(shard_count, ids);
  return n / (1 + detail::largest_normal(n) / std::sqrt(ids / n));
}

/// The same for ids that do not weigh the same: the mean of `simulation.rounds` random placements.
///
/// Use it with the weights of the ids there are, or with `zipf_weights`.
/// Units: weights in any unit; only their proportions matter. No ids, one, or weights of 0: 1.
/// Cost: rounds × (ids + N), and 8 bytes a shard.
/// Errors: `std::invalid_argument` for an N of 0, no rounds, and a weight or a sum that is negative or
/// not finite.
inline double expected_lift(std::uint32_t shard_count, std::span<const double> weights,
                            const Simulation& simulation = {}) {
  detail::check_shard_count(shard_count);
  detail::check(simulation);
  double total = 0;
  for (const double weight : weights) {
    detail::check_amount(weight, "a weight");
    total += weight;
  }
  detail::check_amount(total, "the sum of the weights");
  if (shard_count == 1 || total == 0) return 1;
  detail::Draws draws(simulation.seed);
  std::vector<double> per_shard(shard_count);
  double lifts = 0;
  for (std::uint32_t round = 0; round < simulation.rounds; ++round) {
    std::fill(per_shard.begin(), per_shard.end(), 0.0);
    for (const double weight : weights)
      per_shard[draws.below(shard_count)] += weight;
    lifts += total / *std::max_element(per_shard.begin(), per_shard.end());
  }
  return lifts / simulation.rounds;
}

/// The shares of ids of which the k-th busiest has 1 / k^exponent of the first one's: a long tail.
///
/// Use it where the busiest few ids are known to have most of the load, but not yet which they are.
/// Requests by customer or tenant often follow an exponent near 1; 0 makes all equal.
/// Units: they sum to 1; busiest first.
/// Errors: `std::invalid_argument` for an exponent that is negative or not finite.
/// Cost: 8 bytes an id.
inline std::vector<double> zipf_weights(std::size_t ids, double exponent) {
  detail::check_amount(exponent, "the exponent");
  std::vector<double> weights(ids);
  double total = 0;
  for (std::size_t rank = 0; rank < ids; ++rank)
    total += weights[rank] = std::pow(static_cast<double>(rank + 1), -exponent);
  for (double& weight : weights)
    weight /= total;
  return weights;
}

}  // namespace evenkey::capacity
