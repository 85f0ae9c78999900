// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/index.hpp>
#include <evenkey/migrate/unstamped.hpp>
#include <evenkey/page.hpp>
#include <evenkey/read/outcome.hpp>

#include <concepts>
#include <cstdint>
#include <functional>
#include <string_view>
#include <type_traits>
#include <utility>

namespace evenkey {

/// Reads what is left in the source's partitions of an index, as a scan source of `backfill`: one segment for
/// each of them. What `scan_source_partition` gives.
template <class Migration, class Query>
class SourcePartitionScan {
  static_assert(!stamps_second_index<Migration>,
                "evenkey: the rows of a second index are in no partition of it yet: scan the base table");
  using Index = typename Migration::Definition;

 public:
  /// The index's own.
  using StartKey = typename Index::StartKey;

  /// @param query the functor that reads the index
  SourcePartitionScan(const Migration& migration, Query query)
      : migration_(migration), query_(std::move(query)) {}

  /// One for each partition of the source.
  std::uint32_t total_segments() const { return static_cast<std::uint32_t>(migration_.source().size()); }
  /// As checkpoints store it: do not change.
  static std::string_view source_name() noexcept { return "source-partition"; }

  /// One page of a partition of the source.
  auto operator()(const ScanRequest<StartKey>& scan) const {
    QueryRequest<StartKey> request;
    request.index_name = migration_.index().name;
    const PlannedPartition partition = detail::planned_of(
        migration_.source(), migration_.source().at(ShardId{scan.segment}), ShardId{scan.segment});
    request.partition_key = partition.partition_key;
    request.shard = partition.shard;
    request.exclusive_start_key = scan.exclusive_start_key;
    request.limit = scan.limit;
    request.deadline = scan.deadline;
    request.stop = scan.stop;
    const QueryRequest<StartKey>& asked = request;
    return std::invoke(query_, asked);
  }

 private:
  Migration migration_;
  mutable Query query_;  // a functor need not be const, and this is one that is passed about
};

/// Reads the rows to move from the index's source partition instead of the base table, by a query functor.
///
/// Use it where few rows are left, or the base table holds much else: it reads the source alone, and
/// `check_drift` on the base table proves the result all the same, since an index shows a row late.
/// Shape: the scan argument of `backfill`; it has as many segments as the source has keys. The index must
/// project what `shard_by`, `sort_key` and `primary_key` look at.
/// Cost: what is left on the source, by half, since the query need not be consistent; it reads from the
/// partition that is drained.
template <class Migration, class Query>
requires query_of<Query, typename Migration::Definition> SourcePartitionScan<Migration, std::decay_t<Query>>
scan_source_partition(const Migration& migration, Query&& query) {
  return {migration, std::forward<Query>(query)};
}

}  // namespace evenkey
