// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/composite_key.hpp>
#include <evenkey/index/accessors.hpp>
#include <evenkey/key.hpp>
#include <evenkey/page.hpp>
#include <evenkey/shard_policy.hpp>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace evenkey {

/// The definition says what the index is called: `index.name`. Page tokens and errors carry it.
template <class Index>
concept names_its_index = requires(const Index& index) {
  { index.name } -> std::convertible_to<std::string_view>;
};

/// The definition has the types `Item` (a row) and `StartKey` (what the client uses for LastEvaluatedKey).
template <class Index>
concept has_item_types = requires {
  typename Index::Item;
  typename Index::StartKey;
};

/// The definition has the types `PartitionKey` and `SortKey` (a `CompositeKey`, `NumberKey` or `NoSortKey`).
template <class Index>
concept has_key_types = requires {
  typename Index::PartitionKey;
  typename Index::SortKey;
};

/// `PartitionKey` is a `ShardedKey`, `UnshardedKey`, a bound `ShardedKeyFamily`, or a type like these; where
/// the type alone does not say the keys, `index.partition_keys()` gives the object that does.
template <class Index>
concept has_partition_keys = requires(const Index& index) {
  requires partition_keys<std::remove_cvref_t<decltype(index.partition_keys())>>;
  requires std::is_reference_v<decltype(index.partition_keys())> ||
      std::is_empty_v<decltype(index.partition_keys())>;
}
|| (std::default_initializable<typename Index::PartitionKey> && partition_keys<typename Index::PartitionKey>);

/// `index.primary_key(item)` gives the item's key in the base table, as text or bytes that differ for every
/// item.
template <class Index>
concept has_primary_key = requires(const Index& index, const typename Index::Item& item) {
  { index.primary_key(item) } -> sort_key_text;
};

/// `index.sort_key(item)` gives the sort key that is stored in the index: text, or a number for `NumberKey`.
/// An index with `NoSortKey` needs none.
template <class Index>
concept has_sort_key = std::same_as<typename Index::SortKey, NoSortKey> ||
    detail::text_sort_key_index<Index> || detail::number_sort_key_index<Index>;

/// `index.shard_by(item)` gives the id whose hash chooses the shard. Needed where the shard follows from the
/// id.
template <class Index>
concept has_sharding_id =
    !detail::shards_by_id<Index> || requires(const Index& index, const typename Index::Item& item) {
  { index.shard_by(item) } -> sort_key_text;
};

/// No accessor takes its item by value and returns a view, which would point into the copy that is gone.
template <class Index>
concept views_outlive_the_call = detail::accessors_keep_views<Index>;

/// What a user writes once to describe an index; reads, migration, drift guard, parity and the test table all
/// take it.
///
/// Every member is used on an object, so a definition may be stateless with static members, or carry a prefix
/// that is known at run time. Accessors may return views into the item or owning values.
/// Threads: members are called from several threads at once, on one const object.
template <class Index>
concept index_definition = std::copy_constructible<Index> && names_its_index<Index> &&
    has_item_types<Index> && has_key_types<Index> && has_partition_keys<Index> && has_primary_key<Index> &&
    has_sort_key<Index> && has_sharding_id<Index> && views_outlive_the_call<Index>;

/// An index that can be merged into one order: it has a sort key.
template <class Index>
concept index_with_order = index_definition<Index> && !std::same_as<typename Index::SortKey, NoSortKey>;

/// An index whose rows of one id can be found: the shard follows from the id.
template <class Index>
concept index_by_id = index_definition<Index> && detail::shards_by_id<Index>;

/// One partition that a read asks: the whole partition-key value, and the shard it stands for, if any.
struct PlannedPartition {
  std::string_view partition_key;  ///< the whole value
  std::optional<ShardId> shard;    ///< that it stands for
};

/// Partitions between which no order of requests is needed.
struct PlannedGroup {
  std::vector<PlannedPartition> partitions;  ///< by shard, they are read in this order
};

/// The partitions that a read asks, in groups: a group's page of a range must have been answered before a
/// later group's pages of that range are asked.
///
/// A plain index has one group; an index on the move has two, source and destination. An index may say its
/// own with `index.read_plan()` (all partitions) and `index.read_plan(id)` (those that can hold the id's
/// rows); the views must live as long as the index object.
struct ReadPlan {
  std::vector<PlannedGroup> groups;  ///< in the order in which they are asked
  /// How long a change of a partition key may take to show in the index: a later group's page of a range is
  /// asked only this long after the earlier group's was answered.
  std::chrono::milliseconds visibility_wait{0};
};

namespace detail {

template <class Keys>
PlannedPartition planned_of(const Keys&, std::string_view partition_key, ShardId shard) {
  if constexpr (names_shards<Keys>) {
    return {partition_key, shard};
  } else {
    return {partition_key, std::nullopt};
  }
}

template <class Keys>
PlannedGroup planned_group(const Keys& keys) {
  PlannedGroup group;
  const auto size = static_cast<std::uint32_t>(keys.size());
  group.partitions.reserve(size);
  for (std::uint32_t shard = 0; shard < size; ++shard)
    group.partitions.push_back(planned_of(keys, keys.at(ShardId{shard}), ShardId{shard}));
  return group;
}

constexpr void refuse_empty_id(std::string_view id) {
  if (id.empty())
    throw key_error(
        KeyErrorReason::empty,
        "evenkey: the id is empty, and no row can have it; was it read from a missing attribute?");
}

}  // namespace detail

/// The plan that lists the whole index. @param index must outlive the plan.
template <index_definition Index>
ReadPlan read_plan(const Index& index) {
  if constexpr (requires {
                  { index.read_plan() } -> std::same_as<ReadPlan>;
                }) {
    return index.read_plan();
  } else {
    decltype(auto) keys = detail::partition_keys_of(index);
    ReadPlan plan;
    plan.groups.push_back(detail::planned_group(keys));
    return plan;
  }
}

/// The plan that finds one id's rows. @param index must outlive the plan.
template <index_by_id Index>
ReadPlan read_plan(const Index& index, std::string_view id) {
  if constexpr (requires {
                  { index.read_plan(id) } -> std::same_as<ReadPlan>;
                }) {
    return index.read_plan(id);
  } else {
    decltype(auto) keys = detail::partition_keys_of(index);
    ReadPlan plan;
    plan.groups.push_back({{detail::planned_of(keys, keys.of(id), keys.shard_of(id))}});
    return plan;
  }
}

/// How `find` narrows a partition to one id's rows: the one condition on the sort key.
///
/// By default the prefix of `id` where the sort key is a composite of two or more fields that begins with
/// text (as in ADR-0085's `{personId}#{openedAt}`), equality where it is that text alone, else the whole
/// partition; what comes back is kept apart by `shard_by`. **The default takes the first text field for the
/// sharding id.** A definition whose sort key begins with other text says so: `static SortKeyCondition
/// find_condition(std::string_view id)`, for example returning `SortKeyCondition{}` for the whole partition;
/// left out, `find` gives no rows, as for an id without any, and nothing can tell: see `find_sees`.
/// Errors: an empty id, or one that the field refuses, is a `key_error`.
template <index_by_id Index>
SortKeyCondition find_condition(const Index& index, std::string_view id) {
  detail::refuse_empty_id(id);
  using SortKey = typename Index::SortKey;
  if constexpr (requires {
                  { index.find_condition(id) } -> std::same_as<SortKeyCondition>;
                }) {
    return index.find_condition(id);
  } else if constexpr (is_single_text<SortKey>) {
    return SortKeyCondition::equal(SortKey::encode(id));
  } else if constexpr (begins_with_text<SortKey>) {
    return SortKeyCondition::begins_with(SortKey::prefix(id));
  } else {
    return {};
  }
}

/// Whether `find` by a row's own id gives that row: whether its sort key meets `find_condition`, and the
/// partition key stored with it, where the definition shows one, is one that `find` asks.
///
/// Use it in a unit test of a definition, with a row as your code stamps it. It catches a sort key that
/// begins with something else than the id, which `find` cannot notice:
///
///     assert(evenkey::find_sees(index, order));
///
/// Errors: as `find_condition`.
template <index_by_id Index>
bool find_sees(const Index& index, const typename Index::Item& item) {
  const auto id = detail::keep_text(index.shard_by(item));
  if constexpr (requires { index.partition_key(item); }) {
    const auto stored = detail::keep_text(index.partition_key(item));
    bool is_asked = false;
    for (const PlannedGroup& group : read_plan(index, id).groups)
      for (const PlannedPartition& partition : group.partitions)
        is_asked = is_asked || partition.partition_key == stored;
    if (!is_asked) return false;
  }
  const SortKeyCondition condition = find_condition(index, id);
  if constexpr (std::same_as<typename Index::SortKey, NoSortKey>) {
    return true;
  } else {
    return condition.matches(detail::sort_key_of(index, item));
  }
}

}  // namespace evenkey
