// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/read/failure.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace evenkey {

/// What a read spent.
struct ReadCost {
  /// Calls of the query functor, retries included.
  std::size_t requests = 0;
  /// Items that the store evaluated, before any filter.
  std::size_t scanned_count = 0;
  /// Read capacity units, as the functor reported them.
  double consumed_read_units = 0;
  /// Copies of a row that were seen in a second partition and dropped.
  std::size_t duplicates_dropped = 0;
};

/// What a read returns: the items, what is missing, what it cost, and where to go on.
template <class Item>
struct ReadResult : ReadCost {
  std::vector<Item> items;  ///< in the order that was asked for
  /// The partitions that were not read to their end, in the order of the plan. Empty unless the caller
  /// collects.
  std::vector<Failure> failures;
  /// Where the next page begins, from the verbs that take a token; empty where nothing is left. After a
  /// failure that was collected it begins where the partition failed: nothing unread is skipped, and items
  /// that were given out beyond that place come again.
  std::string next_token;

  /// No partition failed: every item that was asked for is here.
  bool complete() const noexcept { return failures.empty(); }
};

}  // namespace evenkey
