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
#include <utility>

namespace evenkey {

namespace detail {

template <class Index>
ReadSettings page_settings(const PageOptions& options, const PageTokens<Index>& tokens) {
  ReadSettings settings = settings_of(options);
  settings.positions = Positions::tracked;
  if (tokens.by_shard()) settings.merges_at_once = 1;
  return settings;
}

template <class Index, class Query, class... Extras>
ReadResult<typename Index::Item> gather_page(ReadEngine<Index>& engine, const PageTokens<Index>& tokens,
                                             Query& query, const PageOptions& options, Extras&... extras) {
  ReadResult<typename Index::Item> result = gather(engine, query, run_options(options), extras...);
  result.next_token = tokens.next(engine, !result.complete());
  return result;
}

}  // namespace detail

/// Lists a sharded index page by page, through a token that a client can hold.
///
/// Use it for an endless list in an application, or a sweep that is done in pieces.
///
/// While rows change under it, and between pages, all pages together promise what one `enumerate` does: a row
/// that keeps its shard and its sort key is given exactly once, and by sort key none twice at one sort key;
/// one whose sort key moves ahead of the token is given again, one whose moves behind it is missed.
///
/// Shape: index, query functor, options, the token of the page before (empty: from the beginning), trailing
/// arguments as `enumerate` → items, and `next_token`, which is empty where nothing is left. A page may be
/// shorter than its limit, even empty, and still have a token.
/// Order: as `enumerate`.
/// Cost: with a limit, little more capacity than that of the items returned, at least 0.5 read units a
/// partition.
/// Errors: a token of another query, or a damaged one → `token_error` before any request; else as
/// `enumerate`.
/// Resume: by sort key a token names a place by value: it stays good while rows come, go and move between
/// partitions, and when the number of shards changes. By shard it names a partition and its start key, and is
/// bound to the layout.
/// Threads: blocks; as `enumerate`.
/// Source: docs/format/page-token.md.
template <index_definition Index, query_functor<typename Index::Item, typename Index::StartKey> Query,
          read_extra... Extras>
ReadResult<typename Index::Item> read_page(const Index& index, Query&& query, const PageOptions& options = {},
                                           std::string_view token = {}, Extras&&... extras) {
  detail::PageTokens<Index> tokens(index, options, {});
  if (tokens.by_shard() && options.order == Order::by_sort_key) detail::refuse_order<Index>();
  detail::ReadEngine<Index> engine(index, detail::page_settings(options, tokens));
  detail::ReadScope scope;
  scope.range = detail::range_of<Index>(options.range);
  tokens.begin(engine, read_plan(engine.index()), std::move(scope), token);
  return detail::gather_page(engine, tokens, query, options, extras...);
}

/// Finds one id's rows page by page.
///
/// While rows change under it and between pages, all pages together promise what one `find` does.
///
/// Shape: as `read_page`, with the id; `options.range` holds whole sort keys. Where the index has no sort
/// key, pages are in the store's order.
/// Errors: as `find` and `read_page`; a token of another id → `token_error`.
template <index_by_id Index, query_functor<typename Index::Item, typename Index::StartKey> Query,
          read_extra... Extras>
ReadResult<typename Index::Item> find_page(const Index& index, Query&& query, std::string_view id,
                                           const PageOptions& options = {}, std::string_view token = {},
                                           Extras&&... extras) {
  detail::PageTokens<Index> tokens(index, options, id);
  detail::ReadEngine<Index> engine(index, detail::page_settings(options, tokens));
  tokens.begin(engine, read_plan(engine.index(), id), detail::scope_of_id(engine.index(), id, options.range),
               token);
  return detail::gather_page(engine, tokens, query, options, extras...);
}

}  // namespace evenkey
