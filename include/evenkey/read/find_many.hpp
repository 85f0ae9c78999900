// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/index.hpp>
#include <evenkey/read/extras.hpp>
#include <evenkey/read/gather.hpp>
#include <evenkey/read/options.hpp>
#include <evenkey/read/outcome.hpp>
#include <evenkey/read/prepare.hpp>
#include <evenkey/read/result.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace evenkey {

/// What `find_many` returns: the items of all ids, and which are whose.
template <class Item>
struct FindManyResult : ReadResult<Item> {
  /// One id's rows: `items[first]` and the `count - 1` behind it.
  struct Group {
    std::string id;         ///< as it was given
    std::size_t first = 0;  ///< where its rows begin
    std::size_t count = 0;  ///< how many they are
  };
  /// The different ids in the order given.
  std::vector<Group> groups;

  /// The rows of a group. @param group one of `groups`
  std::span<const Item> rows(const Group& group) const {
    return std::span<const Item>(this->items).subspan(group.first, group.count);
  }
};

namespace detail {

/// Of the ids that fall into one partition, whether reading all of it is cheaper than asking for each.
///
/// Capacity is counted in half read units, 4 KiB: rows of 1 KiB are assumed, four of which one covers.
inline bool whole_shard_is_cheaper(std::size_t ids, const FindManyOptions& options) {
  if (options.expected_rows_per_id == 0 || options.expected_rows_per_shard == 0) return false;
  const auto half_units = [](std::size_t rows) { return rows / 4 + (rows % 4 != 0 ? 1 : 0); };
  const std::size_t whole = half_units(options.expected_rows_per_shard);
  const std::size_t each = half_units(options.expected_rows_per_id);
  return ids > whole / each || (ids == whole / each && whole % each == 0 && ids > 1);
}

/// Collects the rows of each id, wherever they are read.
template <class Index>
class RowsById {
 public:
  using Item = typename Index::Item;

  template <class Ids>
  explicit RowsById(Ids&& ids) {
    for (auto&& id : ids) {
      const auto [entry, is_new] = places_.emplace(std::string_view(id), ids_.size());
      if (is_new) ids_.push_back(entry->first);
    }
    rows_.resize(ids_.size());
  }

  /// Adds the merges: for each id, or for a whole partition where that is cheaper.
  /// Errors: an id that no row can have → `key_error`.
  void prepare(ReadEngine<Index>& engine, const FindManyOptions& options) {
    // Ids share a merge only where all of their partitions are the same: on the move, two that meet in the
    // destination may come from different sources.
    std::map<std::vector<std::string_view>, std::vector<std::size_t>> by_partitions;
    std::vector<ReadPlan> plans;
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      refuse_empty_id(ids_[i]);
      plans.push_back(read_plan(engine.index(), ids_[i]));
      by_partitions[partitions_of(plans.back())].push_back(i);
    }
    merges_.resize(ids_.size());
    for (const auto& [partitions, ids] : by_partitions) {
      if (whole_shard_is_cheaper(ids.size(), options)) {
        for (const std::size_t i : ids) {
          (void)find_condition(engine.index(), ids_[i]);  // refuses what it would refuse
          merges_[i] = owners_.size();
        }
        engine.add(plans[ids.front()], {}, ties_of_index<Index>);
        owners_.push_back(whole_partition);
        continue;
      }
      for (const std::size_t i : ids) {
        engine.add(plans[i], scope_of_id(engine.index(), ids_[i], {}), ties_of_index<Index>);
        merges_[i] = owners_.size();
        owners_.push_back(i);
      }
    }
  }

  /// Whether an item that came from a merge is of an id that was asked for.
  bool wants(const Index& index, std::size_t merge, const Item& item) const {
    if (owners_[merge] != whole_partition) return true;
    const auto place = places_.find(sharding_id(index, item));
    // A row of an id that another merge asks for is seen by that one too.
    return place != places_.end() && merges_[place->second] == merge;
  }

  /// Puts an item that came from a merge to its id's rows. @pre wants(index, merge, item)
  void put(const Index& index, std::size_t merge, Item&& item) {
    const std::size_t owner =
        owners_[merge] == whole_partition ? places_.find(sharding_id(index, item))->second : owners_[merge];
    rows_[owner].push_back(std::move(item));
  }

  void finish(FindManyResult<Item>& result) && {
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      result.groups.push_back({ids_[i], result.items.size(), rows_[i].size()});
      std::move(rows_[i].begin(), rows_[i].end(), std::back_inserter(result.items));
    }
  }

 private:
  /// The partitions of a plan, group after group, an empty one between two groups.
  static std::vector<std::string_view> partitions_of(const ReadPlan& plan) {
    std::vector<std::string_view> partitions;
    for (const PlannedGroup& group : plan.groups) {
      if (!partitions.empty()) partitions.emplace_back();
      for (const PlannedPartition& partition : group.partitions)
        partitions.push_back(partition.partition_key);
    }
    return partitions;
  }

  static std::string sharding_id(const Index& index, const Item& item) {
    return std::string(std::string_view(index.shard_by(item)));
  }

  static constexpr std::size_t whole_partition = static_cast<std::size_t>(-1);

  std::unordered_map<std::string, std::size_t> places_;
  std::vector<std::string> ids_;  // different ones, in the order given
  std::vector<std::vector<Item>> rows_;
  std::vector<std::size_t> owners_;  // of each merge
  std::vector<std::size_t> merges_;  // of each id
};

}  // namespace detail

/// Finds the rows of many ids, side by side.
///
/// Use it for a page that shows many ids; ids given twice are asked once. Say how many rows an id and a shard
/// have where many ids are asked for: reading a whole shard once can be cheaper than its ids one by one.
///
/// While rows change under it, each id's rows are as `find` would give them, each id at its own time: a row
/// that goes from one id to another may be missed, or given for both.
///
/// Shape: index, query functor, range of ids (text), options, trailing arguments as `enumerate` → items,
/// groups, failures, cost. Requests go shard by shard.
/// Order: ids in the order given, each id's rows by (sort key, primary key).
/// Cost: as `find` for every different id, or as reading its shard.
/// Errors: as `find`; one bad id refuses the call before any request. A failure names its id, where it was
/// asked alone.
/// Threads: blocks; the functor is called from the calling thread and from at most `max_concurrency - 1`
/// others.
template <index_by_id Index, query_functor<typename Index::Item, typename Index::StartKey> Query,
          std::ranges::input_range Ids, read_extra... Extras>
requires sort_key_text<std::ranges::range_reference_t<Ids>> FindManyResult<typename Index::Item> find_many(
    const Index& index, Query&& query, Ids&& ids, const FindManyOptions& options = {}, Extras&&... extras) {
  using Item = typename Index::Item;
  detail::ReadEngine<Index> engine(index, detail::settings_of(options));
  detail::RowsById<Index> rows(ids);
  rows.prepare(engine, options);
  FindManyResult<Item> result;
  detail::gather_into(
      engine, query, detail::run_options(options), result,
      [&](const Item& item) { return rows.wants(engine.index(), engine.current_merge(), item); },
      [&](Item&& item) { rows.put(engine.index(), engine.current_merge(), std::move(item)); }, extras...);
  std::move(rows).finish(result);
  return result;
}

}  // namespace evenkey
