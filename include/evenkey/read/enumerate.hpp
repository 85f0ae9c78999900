// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/index.hpp>
#include <evenkey/read/extras.hpp>
#include <evenkey/read/gather.hpp>
#include <evenkey/read/options.hpp>
#include <evenkey/read/outcome.hpp>
#include <evenkey/read/prepare.hpp>
#include <evenkey/read/result.hpp>

#include <utility>

namespace evenkey {

/// Lists all items of a sharded index as if it were one partition.
///
/// Use it for sweeps and for "the newest K"; for one id's rows use `find`, which asks one partition; for a
/// listing that goes on later `read_page`; for one that does not fit memory `stream`.
///
/// It is no snapshot. While rows change under it, a row that keeps its shard and its sort key is given
/// exactly once, in its old or its new version; one that is inserted or deleted may be given or not; one that
/// moves to another shard may be missed; one whose sort key changes may be missed, or given at both places.
/// By sort key no row is given twice at one sort key; by shard one that changes shards can be. With a limit
/// the same holds up to the last item given. The moves that a `Migration` makes are no such changes: it reads
/// both places in turn.
///
/// Shape: index, query functor, options, then any of `where(…)`, an observer, an executor, a classifier →
/// items, failures, cost. Items are moved out of the functor's pages.
/// Order: `Order::by_sort_key` gives (sort key, primary key), bytes unsigned, numbers by value; descending is
/// the exact reverse. `Order::by_shard` gives shard after shard, each in the store's order, ties as the store
/// has them.
/// Cost: at least one request and 0.5 read units a partition; O(n log N) comparisons. Without a limit all
/// pages are gathered, so memory is that of the answer; with one, capacity is little more than that of the
/// items returned.
/// Errors: a partition that fails → `fan_out_error` after all requests have ended, or `failures` if
/// collected; a run of equal sort keys over `max_tie_run` → `tie_run_error`; an option out of range →
/// `std::invalid_argument` before any request. The functor may throw anything.
/// Threads: blocks; the functor is called from the calling thread and from at most `max_concurrency - 1`
/// others.
template <index_definition Index, query_functor<typename Index::Item, typename Index::StartKey> Query,
          read_extra... Extras>
ReadResult<typename Index::Item> enumerate(const Index& index, Query&& query,
                                           const EnumerateOptions& options = {}, Extras&&... extras) {
  detail::ReadSettings settings = detail::settings_of(options);
  if (options.order == Order::by_shard) settings.merges_at_once = 1;
  detail::ReadEngine<Index> engine(index, std::move(settings));
  detail::add_listing(engine, options.order, options.range);
  return detail::gather(engine, query, detail::run_options(options), extras...);
}

}  // namespace evenkey
