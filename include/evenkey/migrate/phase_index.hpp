// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/index.hpp>
#include <evenkey/key.hpp>
#include <evenkey/migrate/in_place.hpp>
#include <evenkey/migrate/layout_id.hpp>
#include <evenkey/migrate/phase.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace evenkey {

/// A definition read under the keys of one side of a migration, and nothing of the other: what
/// `Migration::at<Phase::source>()` and `at<Phase::destination>()` give.
///
/// Shape: the definition with other partition keys; it is an index definition.
template <class Index, class Keys>
class OneSideIndex : public Index {
 public:
  /// Of the one side.
  using PartitionKey = Keys;

  // A definition's own members must not be shadowed: it may well call them `keys`.
  /// Shape: copies both.
  constexpr OneSideIndex(const Index& of_index, const Keys& of_keys) : Index(of_index), keys_(of_keys) {}

  /// The keys of the one side.
  constexpr const Keys& partition_keys() const noexcept { return keys_; }
  // A definition that has plans of its own would name its own keys.
  /// All partitions.
  ReadPlan read_plan() const { return {{detail::planned_group(keys_)}}; }
  /// Those that can hold the id's rows.
  ReadPlan read_plan(std::string_view id) const {
    return {{{{detail::planned_of(keys_, keys_.of(id), keys_.shard_of(id))}}}};
  }

 private:
  [[no_unique_address]] Keys keys_;
};

/// A definition read under the keys of both sides, source before destination: an index on the move. What
/// `Migration::at(phase)` gives, and `at<Phase>()` for the two phases in which both are read.
///
/// Shape: it is an index definition, for every verb of reading. Its `PartitionKey` is the destination's.
/// Order: each row once, by sort key; by shard at least once.
/// Cost: a request to the source and to the destination for every range: `(N + 1) / 2` read units at least
/// for a listing, 1 for a `find`.
template <class Index, class From, class To>
class PhaseIndex : public Index {
 public:
  /// Of the destination.
  using PartitionKey = To;

  /// For `Migration::at`.
  constexpr PhaseIndex(const Index& index, const From& from, const To& to, Phase phase,
                       std::chrono::milliseconds visibility_lag)
      : Index(index), from_(from), to_(to), phase_(phase), visibility_lag_(visibility_lag) {}

  /// The phase in which it reads.
  constexpr Phase phase() const noexcept { return phase_; }
  /// The keys of the destination.
  constexpr const To& partition_keys() const noexcept { return to_; }
  /// The layout that reads of this phase end in.
  std::string read_layout() const {
    return detail::reads_destination(phase_) ? detail::side_layout(this->name, to_)
                                             : detail::side_layout(this->name, from_);
  }
  /// Whether a stored key is one of either side, also of the side that this phase does not read.
  bool is_of_a_side(std::string_view partition_key) const {
    return to_.parse(partition_key) || from_.parse(partition_key);
  }
  /// The migration's id, which tokens name.
  std::string migration_id() const { return detail::migration_id(this->name, from_, to_); }

  /// All partitions.
  ReadPlan read_plan() const {
    ReadPlan plan;
    // A name that both have is asked once: before the rows that leave it, after those that come to it.
    const bool both = detail::reads_source(phase_) && detail::reads_destination(phase_);
    const bool grows = to_.size() >= from_.size();
    if (detail::reads_source(phase_)) add_group(plan, from_, to_, both && !grows);
    if (detail::reads_destination(phase_)) add_group(plan, to_, from_, both && grows);
    return finish(std::move(plan));
  }

  /// Those that can hold the id's rows.
  ReadPlan read_plan(std::string_view id) const {
    ReadPlan plan;
    const bool stays = from_.of(id) == to_.of(id);
    if (detail::reads_source(phase_))
      plan.groups.push_back({{detail::planned_of(from_, from_.of(id), from_.shard_of(id))}});
    if (detail::reads_destination(phase_) && !(stays && detail::reads_source(phase_)))
      plan.groups.push_back({{detail::planned_of(to_, to_.of(id), to_.shard_of(id))}});
    return finish(std::move(plan));
  }

 private:
  template <class Keys, class Others>
  static void add_group(ReadPlan& plan, const Keys& keys, const Others& others, bool without_shared) {
    PlannedGroup group;
    const auto size = static_cast<std::uint32_t>(keys.size());
    for (std::uint32_t shard = 0; shard < size; ++shard) {
      const std::string_view key = keys.at(ShardId{shard});
      if (without_shared && others.parse(key)) continue;
      group.partitions.push_back(detail::planned_of(keys, key, ShardId{shard}));
    }
    if (!group.partitions.empty()) plan.groups.push_back(std::move(group));
  }

  ReadPlan finish(ReadPlan plan) const {
    if (plan.groups.size() > 1) plan.visibility_wait = visibility_lag_;
    return plan;
  }

  [[no_unique_address]] From from_;
  [[no_unique_address]] To to_;
  Phase phase_;
  std::chrono::milliseconds visibility_lag_;
};

}  // namespace evenkey
