// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/index.hpp>
#include <evenkey/page.hpp>
#include <evenkey/page/key_range.hpp>
#include <evenkey/read/failure.hpp>
#include <evenkey/read/lane.hpp>
#include <evenkey/read/merge_part.hpp>
#include <evenkey/read/options.hpp>
#include <evenkey/read/ordered_merge.hpp>
#include <evenkey/read/position.hpp>
#include <evenkey/read/read_state.hpp>
#include <evenkey/read/request_planner.hpp>
#include <evenkey/read/result.hpp>
#include <evenkey/read/settings.hpp>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace evenkey::detail {

/// The one state machine behind every read: events in (a page came, a partition failed, the read was
/// cancelled), requests and items out. It touches no thread, clock or socket; a driver does, and calls it
/// under a lock of its own.
///
/// A read is a sequence of merges, each over some lanes: `enumerate` by sort key is one merge over N lanes,
/// by shard N merges over one lane each, `find` one merge over one lane, `find_many` one for every id. Where
/// the plan has two groups of partitions, a merge goes on in `Windows`.
template <class Index>
class ReadEngine {
 public:
  using Item = typename Index::Item;
  using StartKey = typename Index::StartKey;
  using Ties = typename OrderedMerge<Index>::Ties;
  using State = typename Lane<Index>::State;
  using Request = PlannedRequest<StartKey>;

  ReadEngine(Index index, ReadSettings settings) : state_{std::move(index), std::move(settings)} {}
  ReadEngine(const ReadEngine&) = delete;
  ReadEngine& operator=(const ReadEngine&) = delete;

  /// The engine's own copy of the definition: plans must be made from it, since they hold views into it.
  const Index& index() const noexcept { return state_.index; }
  const ReadSettings& settings() const noexcept { return state_.settings; }
  /// Some requests must wait for a while before they are made.
  bool waits() const noexcept { return state_.visibility_wait.count() > 0; }

  /// Leaves out all items up to this place. @pre before `add`
  void resume_after(ReadPosition<Index> place) { state_.progress.begin_after(std::move(place)); }
  /// Leaves out all of the partitions before this place. @pre after `add`; each merge has one lane
  void resume_at(ShardPosition<Index> place) {
    for (std::size_t lane = 0; lane < place.partition && lane < state_.lanes.size(); ++lane)
      skip(lane);
    if (place.partition < state_.lanes.size() && place.start_key)
      state_.lanes[place.partition].start_at(*std::move(place.start_key));
    planner_.let_next_group_go();
  }

  /// The read starts. What an earlier read left to a later group waits from now on.
  void begin(Deadline now) noexcept { state_.source_answered = (std::max)(state_.source_answered, now); }

  /// Adds a merge over the plan's partitions; of one group of the read's own plan where it says so.
  /// @pre before the first request
  void add(const ReadPlan& plan, ReadScope scope, Ties ties, std::size_t group = 0) {
    if (plan.groups.empty() || plan.groups.size() > 2)
      throw std::invalid_argument(
          "evenkey: a read plan has one group of partitions, or a source and a "
          "destination; this one has " +
          std::to_string(plan.groups.size()));
    state_.visibility_wait = (std::max)(state_.visibility_wait, plan.visibility_wait);
    state_.gated = state_.gated || group > 0;
    state_.progress.narrow(scope.range, state_.settings.direction);
    const std::size_t merge = state_.parts.size();
    LaneRange all{state_.lanes.size(), state_.lanes.size()};
    std::size_t source_end = 0;
    for (const PlannedGroup& planned : plan.groups) {
      for (const PlannedPartition& partition : planned.partitions)
        state_.lanes.emplace_back(partition, merge, group);
      if (&planned == &plan.groups.front()) source_end = state_.lanes.size();
      ++group;
    }
    all.end = state_.lanes.size();
    const bool in_windows = plan.groups.size() == 2;
    if (in_windows) ties = Ties::by_primary_key;  // copies of a row must meet
    const bool nothing = scope.range.empty();
    SortKeyCondition condition = nothing ? SortKeyCondition{} : scope.range.condition();
    state_.parts.push_back({OrderedMerge<Index>(all.first, all.size(), state_.settings.direction, ties,
                                                state_.settings.max_tie_run),
                            all, std::move(scope), std::move(condition)});
    if (nothing) {
      for (std::size_t lane = all.first; lane < all.end; ++lane)
        skip(lane);
    } else if (in_windows) {
      state_.parts[merge].windows.emplace(LaneRange{all.first, source_end}, LaneRange{source_end, all.end},
                                          state_.settings.direction);
      state_.parts[merge].merge.hold_back_from(std::nullopt);
      for (std::size_t lane = source_end; lane < all.end; ++lane) {
        state_.lanes[lane].park();
        state_.parts[merge].merge.settle(state_.lanes, lane);
      }
    }
    if (state_.parts.size() <= state_.settings.merges_at_once) planner_.activate(merge);
  }

  /// How many requests can be of use at once.
  std::size_t width() const noexcept { return state_.width(); }
  /// The next request to make, if one is of use now; with `Need::awaited` only one that the next item may
  /// wait for.
  std::optional<Request> next_request(Need need = Need::any) { return planner_.next_request(need); }
  /// At most how many requests `next_request` can give before another event.
  std::size_t requests_at_hand() const noexcept { return planner_.requests_at_hand(); }

  /// @param at when the page came
  void on_page(std::size_t lane, Page<Item, StartKey>&& page, std::size_t calls = 1, Deadline at = {}) {
    arrive(calls);
    if (state_.lanes[lane].group() == 0) state_.source_answered = (std::max)(state_.source_answered, at);
    state_.cost.scanned_count += (std::max)({page.scanned_count, page.items.size(), page.count});
    state_.cost.consumed_read_units += page.consumed_read_units;
    if (page.items.empty()) state_.counted += page.count;
    if (state_.lanes[lane].state() == State::failed)
      return;  // an item of an earlier page could not be placed
    const std::size_t asked = state_.lanes[lane].limit();
    if (state_.by_shard_page() && asked != 0 && page.items.size() > asked) {
      abandon(lane,
              std::make_exception_ptr(order_error(
                  "evenkey: the functor answered more items than the request's limit, so that no token could "
                  "name the place after the last one; pass on the limit")));
      return;
    }
    Part& part = state_.part_of(lane);
    const bool awaited = !state_.lanes[lane].has_head();
    try {
      if (!all_belong(part, lane))
        std::erase_if(page.items, [&](const Item& item) { return !belongs(part, lane, item); });
      const std::size_t kept = page.items.size();
      state_.lanes[lane].receive(state_.index, state_.settings.direction, part.merge.in_order(),
                                 std::move(page));
      state_.kept += kept;
    } catch (...) {
      // A page whose items cannot be placed is as good as none; what was held before it can be placed still.
      fail(lane, std::current_exception());
      if (!state_.lanes[lane].has_head()) state_.progress.freeze();
    }
    if (awaited && !state_.lanes[lane].awaits_page()) part.merge.settle(state_.lanes, lane);
    if (state_.lanes[lane].state() == State::idle) {
      if (state_.cancelled) {
        abandon(lane, state_.cancelled);
      } else if (planner_.wanted(lane)) {
        planner_.enqueue(lane);
      }
    } else {
      planner_.let_next_group_go();
    }
    if (part.windows) planner_.open_next_window(state_.lanes[lane].merge());
  }

  void on_failure(std::size_t lane, std::exception_ptr error, std::size_t calls = 1) {
    arrive(calls);
    if (state_.lanes[lane].state() != State::failed) abandon(lane, std::move(error));
  }

  /// Asks nothing more: every partition that is not read to its end, and not under way, fails for this
  /// reason.
  /// @return whether it changed anything: then items may be there that waited for a partition
  bool cancel(const std::exception_ptr& why) {
    if (state_.finished() || state_.cancelled) return false;
    state_.cancelled = why;
    planner_.clear();
    for (std::size_t lane = 0; lane < state_.lanes.size(); ++lane) {
      if (state_.lanes[lane].state() == State::idle) abandon(lane, why);
      if (state_.lanes[lane].state() != State::parked) continue;
      fail(lane, why);
      state_.progress.freeze();
    }
    for (Part& part : state_.parts)
      part.merge.give_all();
    return true;
  }

  /// The next item of the answer; nothing where a page must come first, or where there is no more. An item
  /// that the caller wants is reported by `give`.
  /// Errors: `tie_run_error`.
  std::optional<Item> pop() {
    std::optional<Item> item;  // the one variable that is returned, so that no item is moved on the way
    while (!state_.finished()) {
      Part& part = state_.parts[state_.current];
      part.merge.pop(state_.index, state_.lanes, MergeEvents{*this}, item);
      if (item) {
        ++state_.settled;
        if (state_.settings.positions == Positions::tracked && part.merge.in_order())
          state_.progress.reach(state_.index, *item);
        return item;
      }
      if (!part.merge.finished()) {
        if (part.windows && planner_.open_next_window(state_.current)) continue;
        return item;
      }
      ++state_.current;
      if (state_.current < state_.parts.size() &&
          state_.settings.merges_at_once <= state_.parts.size() - state_.current)
        planner_.activate(state_.current + state_.settings.merges_at_once - 1);
    }
    return item;
  }

  /// The item popped last is part of the answer and counts toward the limit.
  void give() noexcept { ++state_.given; }
  std::size_t given() const noexcept { return state_.given; }

  /// The merge that the item popped last came from, in the order of `add`.
  std::size_t current_merge() const noexcept { return state_.current; }

  /// No item comes after those given out.
  bool finished() const noexcept { return state_.finished(); }

  /// Every partition is read to its end, or failed, and all items are given out.
  bool exhausted() const noexcept {
    for (std::size_t m = state_.current; m < state_.parts.size(); ++m)
      if (!state_.parts[m].merge.finished()) return false;
    return true;
  }

  /// The place up to which nothing is unread: that of the item popped last, or where a partition failed
  /// before it. Nothing: the beginning.
  const std::optional<ReadPosition<Index>>& position() const noexcept { return state_.progress.place(); }

  /// Where a listing by shard goes on: the first partition that is not read to its end.
  ShardPosition<Index> shard_position() const {
    for (std::size_t lane = 0; lane < state_.lanes.size(); ++lane)
      if (!state_.lanes[lane].done()) return {lane, state_.lanes[lane].start_key()};
    return {state_.lanes.size(), {}};
  }

  /// Items that are here and were not given out.
  std::size_t items_held() const noexcept {
    std::size_t items = 0;
    for (const Lane<Index>& lane : state_.lanes)
      items += lane.items_held();
    return items;
  }
  /// Items that were counted by the store and not sent.
  std::size_t counted() const noexcept { return state_.counted; }
  bool has_failed() const noexcept { return !state_.failed.empty(); }
  std::size_t partition_reads() const noexcept { return state_.lanes.size(); }
  ReadCost cost() const noexcept {
    ReadCost cost = state_.cost;
    for (const Part& part : state_.parts)
      cost.duplicates_dropped += part.merge.duplicates_dropped();
    return cost;
  }

  /// The failures so far, in the order of the plan.
  std::vector<Failure> failures() const {
    return state_.failed.failures([this](std::size_t lane) {
      const PlannedPartition& partition = state_.lanes[lane].partition();
      return Failure{std::string(partition.partition_key),
                     partition.shard,
                     state_.parts[state_.lanes[lane].merge()].scope.id,
                     {},
                     {}};
    });
  }

 private:
  struct MergeEvents {
    ReadEngine& engine;
    void turned_page(std::size_t lane) {
      if (engine.planner_.wanted(lane)) engine.planner_.enqueue(lane);
      const Lane<Index>& turned = engine.state_.lanes[lane];
      if (turned.state() == State::failed && !turned.has_head()) engine.state_.progress.freeze();
    }
    void fails(std::size_t lane, std::exception_ptr error) {
      engine.fail(lane, std::move(error));
      engine.state_.lanes[lane].discard();
      engine.state_.progress.freeze();
    }
  };

  using Part = MergePart<Index>;

  void skip(std::size_t lane) {
    if (!state_.lanes[lane].awaits_page()) return;
    state_.lanes[lane].end();
    state_.part_of(lane).merge.settle(state_.lanes, lane);
  }

  void arrive(std::size_t calls) noexcept {
    --state_.in_flight;
    state_.cost.requests += calls;
  }

  /// No item needs to be looked at: what the lane asks for is what is wanted.
  static bool all_belong(const Part& part, std::size_t lane) noexcept {
    return part.range_of(lane).contains_all() && part.scope.id.empty();
  }
  bool belongs(const Part& part, std::size_t lane, const Item& item) const {
    if constexpr (index_with_order<Index>) {
      if (const KeyRange& range = part.range_of(lane); !range.contains_all()) {
        const auto key = sort_key_of(state_.index, item);
        if (!range.contains(key) ||
            !state_.progress.passes(state_.index, item, key, state_.settings.direction))
          return false;
      }
    }
    if constexpr (shards_by_id<Index>) {
      // The range may be wider than the id: an index may have none that tells ids apart.
      if (!part.scope.id.empty()) return std::string_view(state_.index.shard_by(item)) == part.scope.id;
    }
    return true;
  }

  void abandon(std::size_t lane, std::exception_ptr error) {
    const bool awaited = state_.lanes[lane].awaits_page();
    fail(lane, std::move(error));
    if (awaited) {
      state_.part_of(lane).merge.settle(state_.lanes, lane);
      state_.progress.freeze();
    }
    planner_.let_next_group_go();
    if (state_.part_of(lane).windows) planner_.open_next_window(state_.lanes[lane].merge());
  }

  void fail(std::size_t lane, std::exception_ptr error) {
    if (state_.lanes[lane].state() == State::failed) return;
    state_.lanes[lane].fail();
    // What fails after the answer is whole was only read ahead; nothing is missing.
    if (state_.finished() && !state_.raised()) return;
    state_.failed.add(lane, std::move(error));
  }

  ReadState<Index> state_;
  RequestPlanner<Index> planner_{state_};
};

}  // namespace evenkey::detail
