// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/capacity/load.hpp>
#include <evenkey/shard_policy.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

namespace evenkey::capacity {

/// How ids, or what they weigh, spread over the shards of a policy.
struct Spread {
  std::vector<double> per_shard;  ///< ids on each shard, or their weights added up
  double total = 0;               ///< of all shards
  ShardId hottest{0};             ///< the first of those that hold most
  /// The part of all that the hottest shard holds: 1 / N at best, 1 for a single id, 0 where there is
  /// nothing.
  double hottest_share = 0;
  /// By how much the whole may grow until the hottest shard is as full as one partition for everything
  /// would be: N where the spread is even, less where it is not. Nothing to spread lifts nothing: 1.
  double effective_lift = 1;
};

namespace detail {

template <class Range>
concept range_of_ids = std::ranges::input_range<Range> &&
    std::convertible_to<std::ranges::range_reference_t<Range>, std::string_view>;

template <class Number>
concept weight_number = std::floating_point<Number> ||
    (std::integral<Number> && !std::same_as<std::remove_cv_t<Number>, bool>);

template <class Range>
concept range_of_weights =
    std::ranges::input_range<Range> && weight_number<std::ranges::range_value_t<Range>>;

/// `shard_of(id)` and `shards()`: a `ShardPolicy`, a `DynamicShardPolicy`, or the like.
template <class Policy>
concept places_ids = requires(const Policy policy, std::string_view id) {
  { policy.shard_of(id) } -> std::same_as<ShardId>;
  { policy.shards().size() } -> std::convertible_to<std::size_t>;
};

/// Fills in what follows from `per_shard`.
inline Spread summed(std::vector<double> per_shard) {
  Spread spread{std::move(per_shard)};
  double most = 0;
  for (std::size_t shard = 0; shard < spread.per_shard.size(); ++shard) {
    spread.total += spread.per_shard[shard];
    if (spread.per_shard[shard] > most) {
      most = spread.per_shard[shard];
      spread.hottest = ShardId{static_cast<std::uint32_t>(shard)};
    }
  }
  check_amount(spread.total, "the sum of the weights");
  if (most > 0) {
    spread.hottest_share = most / spread.total;
    spread.effective_lift = spread.total / most;
  }
  return spread;
}

}  // namespace detail

/// How the ids given spread over the shards of a policy that is made at run time.
///
/// Use it in tools: `measure(DynamicShardPolicy<Xxh3_64, Jump>(n), ids)`. One element a row counts
/// rows, one a person counts persons: an id that occurs twice counts twice.
/// Shape: keeps nothing of the ids.
/// Cost: a hash an id, and 8 bytes a shard.
/// Errors: no ids are no error: shares of 0, a lift of 1.
template <detail::places_ids Policy, detail::range_of_ids Ids>
Spread measure(const Policy& policy, Ids&& ids) {
  std::vector<double> per_shard(policy.shards().size());
  for (auto&& id : ids)
    per_shard[policy.shard_of(static_cast<std::string_view>(id)).value] += 1;
  return detail::summed(std::move(per_shard));
}

/// The same, where the ids do not weigh the same: requests a second, units, rows.
///
/// Use it whenever the load by id is known: an even number of ids says nothing of a busy one among
/// them.
/// Errors: `std::invalid_argument` where there are not as many weights as ids, where a weight is
/// negative or not finite, or where their sum is not finite. Weights that are all 0 are no load: shares
/// of 0, a lift of 1.
template <detail::places_ids Policy, detail::range_of_ids Ids, detail::range_of_weights Weights>
Spread measure(const Policy& policy, Ids&& ids, Weights&& weights) {
  std::vector<double> per_shard(policy.shards().size());
  auto weight = std::ranges::begin(weights);
  const auto end = std::ranges::end(weights);
  for (auto&& id : ids) {
    if (weight == end) throw std::invalid_argument("evenkey: there are fewer weights than ids");
    const auto amount = static_cast<double>(*weight);
    detail::check_amount(amount, "a weight");
    per_shard[policy.shard_of(static_cast<std::string_view>(id)).value] += amount;
    ++weight;
  }
  if (weight != end) throw std::invalid_argument("evenkey: there are more weights than ids");
  return detail::summed(std::move(per_shard));
}

/// How the ids given spread over the shards of a policy: `measure<ShardPolicy<16>>(ids)`.
///
/// Use it with the ids you have before N is chosen, and in a test afterwards: 150 ids with a row each
/// get a lift of about 11 from 16 shards, not 16. Otherwise as above.
template <detail::places_ids Policy, detail::range_of_ids Ids>
Spread measure(Ids&& ids) {
  return measure(Policy{}, std::forward<Ids>(ids));
}
template <detail::places_ids Policy, detail::range_of_ids Ids, detail::range_of_weights Weights>
Spread measure(Ids&& ids, Weights&& weights) {
  return measure(Policy{}, std::forward<Ids>(ids), std::forward<Weights>(weights));
}

}  // namespace evenkey::capacity
