// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/index.hpp>
#include <evenkey/read/extras.hpp>
#include <evenkey/read/gather.hpp>
#include <evenkey/read/options.hpp>
#include <evenkey/read/outcome.hpp>
#include <evenkey/read/prepare.hpp>
#include <evenkey/read/result.hpp>

#include <string_view>

namespace evenkey {

/// Finds all rows of one id in the one partition that its hash names.
///
/// Use it for the hot path: its cost is that of the same query before sharding.
///
/// While rows change under it, each of the id's rows that keeps its sort key and its id is given exactly
/// once, in its old or its new version; one that is inserted, deleted or given to another id may be there or
/// not; one whose sort key changes may be missed, or given at both places. Nothing is given twice at one sort
/// key.
///
/// Shape: index, query functor, id, options, trailing arguments as `enumerate` → items, failures, cost.
/// Order: (sort key, primary key); an index without a sort key gives the store's order.
/// Cost: one request for every page of the id's rows; where the sort key does not begin with the id (see
/// `find_condition`) for every page of the partition.
/// Beware: the sort key is taken to begin with the id; a definition where it begins with other text must say
/// `find_condition`, or nothing is found. `find_sees` tells, in a test of the definition.
/// Errors: an empty id, or one that the sort key's first field refuses → `key_error` before any request; else
/// as `enumerate`.
/// Threads: blocks; the functor is called from the calling thread.
template <index_by_id Index, query_functor<typename Index::Item, typename Index::StartKey> Query,
          read_extra... Extras>
ReadResult<typename Index::Item> find(const Index& index, Query&& query, std::string_view id,
                                      const FindOptions& options = {}, Extras&&... extras) {
  detail::ReadEngine<Index> engine(index, detail::settings_of(options));
  detail::add_find(engine, id, options.range);
  return detail::gather(engine, query, detail::run_options(options), extras...);
}

}  // namespace evenkey
