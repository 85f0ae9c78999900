// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/index.hpp>
#include <evenkey/page.hpp>
#include <evenkey/read/blocking.hpp>
#include <evenkey/read/engine.hpp>
#include <evenkey/read/options.hpp>
#include <evenkey/read/result.hpp>

#include <concepts>
#include <cstddef>
#include <ranges>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace evenkey {

namespace detail {

template <class Index>
constexpr typename ReadEngine<Index>::Ties ties_of_index =
    index_with_order<Index> ? ReadEngine<Index>::Ties::by_primary_key : ReadEngine<Index>::Ties::as_stored;

template <class Index>
void add_find(ReadEngine<Index>& engine, std::string_view id) {
  engine.add(read_plan(engine.index(), id), find_condition(engine.index(), id), ties_of_index<Index>,
             std::string(id));
}

}  // namespace detail

/// Finds all rows of one id in the one partition that its hash names.
///
/// Use it for the hot path: its cost is that of the same query before sharding.
///
/// Shape: index, query functor, id, options → items, failures, cost.
/// Order: (sort key, primary key); an index without a sort key gives the store's order.
/// Cost: one request for every page of the id's rows; where the sort key does not begin with the id (see
/// `find_condition`) for every page of the partition.
/// Errors: an empty id, or one that the sort key's first field refuses → `key_error` before any request; else
/// as `enumerate`. Threads: blocks; the functor is called from the calling thread.
template <index_by_id Index, query_functor<typename Index::Item, typename Index::StartKey> Query>
ReadResult<typename Index::Item> find(const Index& index, Query&& query, std::string_view id,
                                      const FindOptions& options = {}) {
  detail::check_tie_run(options.max_tie_run);
  detail::ReadSettings settings;
  settings.limit = options.limit;
  settings.direction = options.direction;
  settings.on_failure = options.on_failure;
  settings.max_tie_run = options.max_tie_run;
  settings.deadline = options.deadline;
  settings.stop = options.stop;
  detail::ReadEngine<Index> engine(index, settings);
  detail::add_find(engine, id);
  return detail::gather(engine, query, 1);
}

/// Finds the rows of many ids, side by side.
///
/// Use it for a page that shows many ids; ids given twice are asked once.
///
/// Shape: index, query functor, range of ids (text), options → items, failures, cost.
/// Order: ids in the order given, each id's rows by (sort key, primary key).
/// Cost: as `find` for every different id.
/// Errors: as `find`; one bad id refuses the call before any request. A failure names its id.
/// Threads: blocks; the functor is called from the calling thread and from at most `max_concurrency - 1`
/// others.
template <index_by_id Index, query_functor<typename Index::Item, typename Index::StartKey> Query,
          std::ranges::input_range Ids>
requires sort_key_text<std::ranges::range_reference_t<Ids>> ReadResult<typename Index::Item> find_many(
    const Index& index, Query&& query, Ids&& ids, const FindManyOptions& options = {}) {
  detail::check_concurrency(options.max_concurrency);
  detail::check_tie_run(options.max_tie_run);
  detail::ReadSettings settings;
  settings.direction = options.direction;
  settings.on_failure = options.on_failure;
  settings.max_tie_run = options.max_tie_run;
  settings.deadline = options.deadline;
  settings.stop = options.stop;
  detail::ReadEngine<Index> engine(index, settings);
  std::unordered_set<std::string> seen;
  for (auto&& id : ids) {
    const auto [entry, is_new] = seen.emplace(std::string_view(id));
    if (is_new) detail::add_find(engine, *entry);
  }
  return detail::gather(engine, query, options.max_concurrency);
}

}  // namespace evenkey
