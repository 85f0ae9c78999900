// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <version>
#if !defined(__cpp_lib_jthread)
#error "evenkey's reads need std::stop_token: libc++ has it from 20 on, 18 and 19 with -fexperimental-library"
#endif

#include <evenkey/page/key_condition_expression.hpp>
#include <evenkey/page/sort_key_condition.hpp>
#include <evenkey/shard_policy.hpp>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace evenkey {

/// The order in which a query walks a partition: DynamoDB's `ScanIndexForward`.
enum class Direction : std::uint8_t { ascending, descending };

/// What a query gives back: DynamoDB's `Select`.
enum class Select : std::uint8_t {
  items,  ///< all that the index projects of each item
  count   ///< only how many items match, in `Page::count`; a functor may give the items as well
};

/// When a read must be over, on the steady clock.
using Deadline = std::chrono::steady_clock::time_point;

/// What evenkey asks of the query functor: one page of one partition.
///
/// Shape: views point into the index and the engine; they and the request live until the functor has
/// answered.
/// Source: AWS API reference, Query.
template <class StartKey>
struct QueryRequest {
  /// The index's name, as its definition gives it.
  std::string_view index_name;
  /// The whole value of the index partition key, such as `RenewalSaga#13`.
  std::string_view partition_key;
  /// The shard that `partition_key` stands for; empty for a key that is not sharded. For index keys of
  /// several attributes, where the shard is an attribute of its own.
  std::optional<ShardId> shard;
  SortKeyCondition sort_key;  ///< one condition: DynamoDB takes no more
  /// Where to go on: what the page before gave as `last_evaluated_key`. Leave it out of the call when it is
  /// empty.
  std::optional<StartKey> exclusive_start_key;
  /// The most items to evaluate, at least 1; empty: as many as fit a page.
  std::optional<std::uint32_t> limit;
  Direction direction = Direction::ascending;  ///< `ScanIndexForward`
  Select select = Select::items;               ///< whole items, or their number alone
  /// For a client that can give up in time.
  std::optional<Deadline> deadline;
  std::stop_token stop;  ///< for a client that can be stopped
};

/// One page of a scan: of the base table, in parallel segments where wanted.
///
/// Source: AWS API reference, Scan.
template <class StartKey>
struct ScanRequest {
  std::optional<StartKey> exclusive_start_key;  ///< where to go on; empty: from the beginning
  std::optional<std::uint32_t> limit;           ///< the most items to evaluate; empty: as many as fit a page
  std::uint32_t segment = 0;                    ///< from 0 to `total_segments - 1`
  std::uint32_t total_segments = 1;             ///< 1: the whole table
  std::optional<Deadline> deadline;             ///< for a client that can give up in time
  std::stop_token stop;                         ///< for a client that can be stopped
};

/// What the store answered: the items of one page, and where the next begins.
///
/// Shape: items are moved out of the page by the engine. A page without items but with a `last_evaluated_key`
/// is not the end; its absence is, and so is a key that is present but empty (an empty map or string).
template <class Item, class StartKey = std::string>
struct Page {
  std::vector<Item> items;                     ///< in sort-key order, where it is a query's
  std::optional<StartKey> last_evaluated_key;  ///< where the next page begins; empty at the end
  /// Items evaluated before the filter; taken as the number of items where the store does not tell.
  std::size_t scanned_count = 0;
  /// Read capacity units.
  double consumed_read_units = 0;
  /// How many items matched, where the request selects a count and `items` stays empty.
  std::size_t count = 0;
};

namespace detail {

/// An SDK hands out an empty map where there is no last evaluated key; asking again with it would start over.
template <class StartKey>
constexpr bool leads_on(const std::optional<StartKey>& key) {
  if constexpr (requires(const StartKey& k) {
                  { k.empty() } -> std::convertible_to<bool>;
                }) {
    return key.has_value() && !key->empty();
  } else {
    return key.has_value();
  }
}

}  // namespace detail

/// A query functor's call is there: `query(request)` compiles.
template <class Query, class StartKey>
concept answers_query_request = std::invocable<Query&, detail::ConstRef<QueryRequest<StartKey>>>;

}  // namespace evenkey
