// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/index.hpp>
#include <evenkey/page.hpp>
#include <evenkey/read/blocking.hpp>
#include <evenkey/read/engine.hpp>
#include <evenkey/read/options.hpp>
#include <evenkey/read/result.hpp>

#include <cstddef>
#include <limits>
#include <stdexcept>

namespace evenkey {

/// Lists all items of a sharded index as if it were one partition.
///
/// Use it for sweeps, exports and "the newest K"; for one id's rows use `find`, which asks one partition.
///
/// Shape: index, query functor, options → items, failures, cost. The functor is called for every page of
/// every partition; the items are moved out of its pages. Order: `Order::by_sort_key` gives (sort key,
/// primary key), bytes unsigned, numbers by value; descending is the exact reverse. `Order::by_shard` gives
/// shard after shard, each in the store's order, ties as the store has them. Cost: at least one request and
/// 0.5 read units a partition; O(n log N) comparisons. Without a limit all pages are gathered before the last
/// item is placed, so memory is that of the answer. Errors: a partition that fails → `fan_out_error` after
/// all requests have ended, or `failures` if collected; a run of equal sort keys over `max_tie_run` →
/// `tie_run_error`; an option out of range → `std::invalid_argument` before any request. The functor may
/// throw anything. Rows that are inserted, deleted or re-keyed while it runs may be seen or not; a row that
/// was there all the time, and kept its keys, is given exactly once. Threads: blocks; the functor is called
/// from the calling thread and from at most `max_concurrency - 1` others.
template <index_definition Index, query_functor<typename Index::Item, typename Index::StartKey> Query>
ReadResult<typename Index::Item> enumerate(const Index& index, Query&& query,
                                           const EnumerateOptions& options = {}) {
  detail::check_concurrency(options.max_concurrency);
  detail::check_tie_run(options.max_tie_run);
  detail::ReadSettings settings;
  settings.limit = options.limit;
  settings.direction = options.direction;
  settings.on_failure = options.on_failure;
  settings.max_tie_run = options.max_tie_run;
  settings.deadline = options.deadline;
  settings.stop = options.stop;
  using Engine = detail::ReadEngine<Index>;
  if (options.order == Order::by_shard) {
    settings.merges_at_once = 1;
    Engine engine(index, settings);
    for (const PlannedGroup& group : read_plan(engine.index()).groups)
      for (const PlannedPartition& partition : group.partitions)
        engine.add(ReadPlan{{PlannedGroup{{partition}}}}, {}, Engine::Ties::as_stored);
    return detail::gather(engine, query, options.max_concurrency);
  }
  if constexpr (index_with_order<Index>) {
    Engine engine(index, settings);
    engine.add(read_plan(engine.index()), {}, Engine::Ties::by_primary_key);
    return detail::gather(engine, query, options.max_concurrency);
  } else {
    throw std::invalid_argument(
        "evenkey: an index without a sort key has no order to merge by; list it with Order::by_shard");
  }
}

}  // namespace evenkey
