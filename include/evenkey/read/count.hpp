// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/index.hpp>
#include <evenkey/read/extras.hpp>
#include <evenkey/read/gather.hpp>
#include <evenkey/read/options.hpp>
#include <evenkey/read/outcome.hpp>
#include <evenkey/read/prepare.hpp>
#include <evenkey/read/result.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace evenkey {

/// How many items an index has.
struct CountResult : ReadCost {
  std::size_t count = 0;  ///< items that match, of the partitions that were answered
  /// Whether it is the exact number, as far as the index stood still. During a migration a row on the move is
  /// counted twice or not at all, and no count can tell: it is an estimate then, and this is false.
  bool exact = true;
  /// The partitions that were not counted to their end.
  std::vector<Failure> failures;

  /// No partition failed: every item is counted.
  bool complete() const noexcept { return failures.empty(); }
};

/// Counts the items of a sharded index without transferring them.
///
/// Use it where only the number is wanted: requests carry `Select::count`, and a functor answers with
/// `Page::count`, or with items as always.
///
/// While rows change under it, a row that keeps its shard and its sort key is counted exactly once; one that
/// is inserted or deleted may be counted or not; one that changes shards or its sort key may be missed, or
/// counted at both places.
///
/// Shape: index, query functor, options, trailing arguments as `enumerate` but `where` → the number,
/// failures, cost.
/// Cost: the capacity of reading everything, since DynamoDB charges for what it looks at; nothing is sent but
/// numbers.
/// Errors: as `enumerate`.
/// Threads: as `enumerate`.
template <index_definition Index, query_functor<typename Index::Item, typename Index::StartKey> Query,
          read_extra... Extras>
CountResult count(const Index& index, Query&& query, const CountOptions& options = {}, Extras&&... extras) {
  static_assert(
      !(where_clause<Extras> || ...),
      "evenkey: a count sees no items, so no predicate can look at them; enumerate and take the size");
  detail::ReadSettings settings = detail::settings_of(options);
  settings.select = Select::count;
  detail::ReadEngine<Index> engine(index, std::move(settings));
  const ReadPlan plan = read_plan(engine.index());
  detail::ReadScope scope;
  scope.range = detail::range_of<Index>(options.range);
  detail::add_by_shard(engine, plan, scope);
  auto items = detail::gather(engine, query, detail::run_options(options), extras...);
  CountResult result;
  static_cast<ReadCost&>(result) = items;
  result.count = items.items.size() + engine.counted();
  result.exact = plan.groups.size() == 1;
  result.failures = std::move(items.failures);
  return result;
}

}  // namespace evenkey
