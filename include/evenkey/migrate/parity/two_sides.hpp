// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/index.hpp>
#include <evenkey/migrate/paged_walk.hpp>
#include <evenkey/migrate/parity/row_digest.hpp>
#include <evenkey/page.hpp>
#include <evenkey/read/outcome.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace evenkey::detail {

/// How the index shows one row.
struct Sighting {
  RowDigest row;
  std::uint16_t group;
  bool misplaced;
  std::string_view partition_key;
};

/// What is looked at of an item, the same on both sides.
template <class Index, class Digest, class Keep>
struct RowView {
  const Index& index;
  Digest digest;
  Keep keep;
  SampleOfIds sample;

  using Item = typename Index::Item;
  bool wanted(const Item& item) const {
    if (!keep(item)) return false;
    if (sample.all()) return true;
    if constexpr (shards_by_id<Index>) {
      return sample.has(keep_text(index.shard_by(item)));
    } else {
      return sample.has(primary_key_of(index, item));
    }
  }
  RowDigest row(const Item& item) const { return row_digest(index, item, digest); }
};

/// The partitions that readers of an index look into, one lane each, group after group.
template <class Index>
class IndexLanes {
 public:
  using StartKey = typename Index::StartKey;

  explicit IndexLanes(const Index& index) : plan_(read_plan(index)) {
    for (std::size_t group = 0; group < plan_.groups.size(); ++group) {
      first_.push_back(partitions_.size());
      for (const PlannedPartition& partition : plan_.groups[group].partitions)
        partitions_.push_back({partition, static_cast<std::uint16_t>(group)});
    }
    first_.push_back(partitions_.size());
    lanes.resize(partitions_.size());
  }

  /// Walks all groups: a later one only after the earlier was read to its end, and what moved then is
  /// visible.
  /// @returns whether all was read
  template <class Walk, class Ask, class Take, class After>
  bool walk(Walk& walk, Ask ask, Take take, After after) {
    for (std::size_t group = 0; group + 1 < first_.size(); ++group) {
      if (group != 0 && plan_.visibility_wait.count() > 0 && !walk.wait(plan_.visibility_wait)) return false;
      walk.run(
          lanes, first_[group], first_[group + 1],
          [&](std::size_t lane, const std::optional<StartKey>& start) {
            return ask(partitions_[lane].partition, start);
          },
          [&](std::size_t lane, auto&& page) {
            take(partitions_[lane].partition, partitions_[lane].group, std::forward<decltype(page)>(page));
          },
          after);
      for (std::size_t lane = first_[group]; lane < first_[group + 1]; ++lane)
        if (!lanes[lane].ended) return false;
    }
    return true;
  }

  std::vector<WalkLane<StartKey>> lanes;

 private:
  struct Partition {
    PlannedPartition partition;
    std::uint16_t group;
  };
  ReadPlan plan_;
  std::vector<Partition> partitions_;
  std::vector<std::size_t> first_;
};

/// One query of a partition's next page.
template <class StartKey, class Index, class Options>
QueryRequest<StartKey> query_request(const Index& index, const PlannedPartition& partition,
                                     const std::optional<StartKey>& start, const Options& options) {
  QueryRequest<StartKey> request;
  request.index_name = index.name;
  request.partition_key = partition.partition_key;
  request.shard = partition.shard;
  request.exclusive_start_key = start;
  request.limit = options.page_limit;
  request.deadline = options.deadline;
  request.stop = options.stop;
  return request;
}

/// Hands each row that readers of the index see to `sink(sighting, item)`.
template <class Index, class View, class Walk, class Query, class Options, class Sink, class After>
bool walk_index(const Index& index, const View& view, IndexLanes<Index>& lanes, Walk& walk, Query& query,
                const Options& options, Sink sink, After after) {
  using Item = typename Index::Item;
  using StartKey = typename Index::StartKey;
  return lanes.walk(
      walk,
      [&](const PlannedPartition& partition, const std::optional<StartKey>& start) {
        return page_of<Item, StartKey>(
            std::invoke(query, query_request<StartKey>(index, partition, start, options)));
      },
      [&](const PlannedPartition& partition, std::uint16_t group, Page<Item, StartKey>&& page) {
        for (const Item& item : page.items) {
          if (!is_compared(index, item) || !view.wanted(item)) continue;
          const bool misplaced = !belongs_in(index, item, partition.partition_key);
          sink(Sighting{view.row(item), group, misplaced, partition.partition_key}, item);
        }
      },
      after);
}

}  // namespace evenkey::detail
