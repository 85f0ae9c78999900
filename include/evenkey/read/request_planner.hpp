// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/index.hpp>
#include <evenkey/page.hpp>
#include <evenkey/read/lane.hpp>
#include <evenkey/read/limit_plan.hpp>
#include <evenkey/read/merge_part.hpp>
#include <evenkey/read/read_state.hpp>
#include <evenkey/read/settings.hpp>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <iterator>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace evenkey::detail {

/// A request that the driver has to make, and the lane to name in its answer.
template <class StartKey>
struct PlannedRequest {
  std::size_t lane;
  QueryRequest<StartKey> query;
  /// Not to be made before this time: what moved before must show in the index first.
  std::optional<Deadline> not_before;
};

/// Decides which partition a read asks next: lane by lane as far as it may read ahead, in rounds where the
/// read is limited, and within windows where there is a source to be read first.
template <class Index>
class RequestPlanner {
 public:
  using StartKey = typename Index::StartKey;
  using Part = MergePart<Index>;
  using State = typename Lane<Index>::State;
  using Request = PlannedRequest<StartKey>;

  explicit RequestPlanner(ReadState<Index>& state) : state_(state) {}

  /// The next request to make, if one is of use now; with `Need::awaited` only one that the next item may
  /// wait for.
  std::optional<Request> next_request(Need need = Need::any) {
    if (state_.over_budget()) return std::nullopt;
    if (need == Need::awaited && state_.settings.ahead == ReadAhead::one_page) {
      const auto awaited = std::find_if(askable_.begin(), askable_.end(),
                                        [this](std::size_t lane) { return presses(lane) && wanted(lane); });
      if (awaited == askable_.end()) return std::nullopt;
      const std::size_t lane = *awaited;
      askable_.erase(awaited);
      state_.lanes[lane].set_queued(false);
      return depart(lane);
    }
    while (!askable_.empty()) {
      const std::size_t lane = askable_.front();
      askable_.pop_front();
      state_.lanes[lane].set_queued(false);
      if (wanted(lane)) return depart(lane);
    }
    if (!state_.plans_rounds() || state_.finished()) return std::nullopt;
    if (round_.empty() && state_.in_flight == 0) plan_round();
    if (round_.empty()) return std::nullopt;
    const std::size_t lane = round_.front();
    round_.pop_front();
    return depart(lane);
  }

  /// At most how many requests `next_request` can give before another event.
  std::size_t requests_at_hand() const noexcept {
    return state_.finished() && !state_.raised() ? 0 : askable_.size() + round_.size();
  }

  /// The merge's lanes may be asked from now on.
  void activate(std::size_t merge) { enqueue(state_.parts[merge].lanes); }
  void enqueue(LaneRange lanes) {
    for (std::size_t lane = lanes.first; lane < lanes.end; ++lane)
      if (wanted(lane)) enqueue(lane);
  }

  void enqueue(std::size_t lane) {
    if (!state_.lanes[lane].set_queued(true)) askable_.push_back(lane);
  }

  void clear() noexcept {
    askable_.clear();
    round_.clear();
  }

  /// A request to this lane would be of use now.
  bool wanted(std::size_t number) const {
    const Lane<Index>& lane = state_.lanes[number];
    if (lane.state() != State::idle) return false;
    // A read that fails still asks every partition once, so that its error names all that fail at once,
    // always the same ones, with those that had failed on a later page by then.
    if (state_.raised()) return !asked_partitions_.contains(lane.partition().partition_key);
    if (state_.finished() || waits_for_first_group(lane)) return false;
    if (state_.settings.ahead == ReadAhead::all) return true;
    if (state_.plans_rounds()) return lane.pages_asked() == 0;
    const Part& part = state_.part_of(number);
    if (part.is_source(number) && part.windows->at_source())
      return part.windows->needs_page(state_.index, lane, window_pages(part));
    return state_.settings.ahead == ReadAhead::one_page ? lane.pages_held() <= 1
                                                        : !lane.has_head() && !part.is_source(number);
  }

  /// A listing by shard, of two groups, goes on to the second once the first is read.
  void let_next_group_go() {
    if (!state_.gated || first_group_read_) return;
    for (const Lane<Index>& lane : state_.lanes)
      if (lane.group() == 0 && lane.state() != State::ended && lane.state() != State::failed) return;
    first_group_read_ = true;
    for (std::size_t m = state_.current;
         m < state_.parts.size() && m - state_.current < state_.settings.merges_at_once; ++m)
      enqueue(state_.parts[m].lanes);
  }

  /// Where all of a window is given out, the source goes on, and once it is read far enough the next one
  /// opens.
  /// @return whether it opened
  bool open_next_window(std::size_t merge) {
    Part& part = state_.parts[merge];
    Windows<Index>& windows = *part.windows;
    if (windows.is_last() || state_.cancelled || state_.raised() || !part.merge.at_bound(state_.lanes))
      return false;
    if (!windows.at_source()) {
      windows.close();
      enqueue(windows.source());
    }
    for (std::size_t lane = windows.source().first; lane < windows.source().end; ++lane) {
      if (state_.settings.ahead == ReadAhead::all && state_.lanes[lane].state() != State::ended &&
          state_.lanes[lane].state() != State::failed)
        return false;
      if (!windows.is_past_end(state_.index, state_.lanes[lane])) return refuse_long_run(part, lane);
      if (!state_.plans_rounds() && windows.needs_page(state_.index, state_.lanes[lane], window_pages(part)))
        return false;
    }
    if (state_.plans_rounds()) {
      if (state_.in_flight != 0) return false;
      const std::vector<std::size_t> round = source_round(part);
      for (const std::size_t lane : round)
        if (holds_one_run(lane)) refuse_long_run(part, lane);
      if (!round.empty()) return false;
    }
    part.open_window(state_.index, state_.lanes, state_.source_answered);
    enqueue(windows.destination());
    return true;
  }

 private:
  // The next item may wait for this lane's page.
  bool presses(std::size_t lane) const noexcept {
    return state_.lanes[lane].awaits_page() ||
           (state_.part_of(lane).is_source(lane) && state_.part_of(lane).windows->at_source());
  }

  // A listing by shard reads the partitions of a later group when those of the first are read to their end.
  bool waits_for_first_group(const Lane<Index>& lane) const noexcept {
    return state_.gated && !first_group_read_ && lane.group() > 0;
  }

  std::size_t window_pages(const Part& part) const noexcept {
    return state_.settings.ahead == ReadAhead::one_page ? part.windows->pages() : 1;
  }

  // A run of equal sort keys is held whole before the window behind it can open.
  bool refuse_long_run(const Part& part, std::size_t lane) const {
    if (state_.lanes[lane].items_held() > state_.settings.max_tie_run)
      part.merge.throw_tie_run_error(state_.index);
    return false;
  }

  bool holds_one_run(std::size_t number) const {
    const Lane<Index>& lane = state_.lanes[number];
    if (!lane.has_head()) return false;
    const auto last = lane.last_fetched(state_.index);
    return last && compare_keys(lane.head(), *last) == 0;
  }

  // A limited read goes on when the answers of the round before are all here: they tell which lanes matter.
  void plan_round() {
    for (std::size_t m = state_.current; m < state_.parts.size(); ++m) {
      const Part& part = state_.parts[m];
      const std::vector<std::size_t> round =
          part.windows && part.windows->at_source() ? source_round(part) : next_round(part, part.turn());
      std::copy_if(round.begin(), round.end(), std::back_inserter(round_),
                   [this](std::size_t lane) { return !waits_for_first_group(state_.lanes[lane]); });
    }
  }
  std::vector<std::size_t> next_round(const Part& part, LaneRange asked) const {
    return state_.limit_plan(part, asked)
        .next_round(state_.index, state_.lanes, part.merge, asked, state_.settings.direction);
  }
  // The source is read as far as an item of the answer may be, and past the end of the last window.
  std::vector<std::size_t> source_round(const Part& part) const {
    const LaneRange source = part.windows->source();
    std::vector<std::size_t> round = next_round(part, source);
    if (!round.empty()) return round;
    for (std::size_t lane = source.first; lane < source.end; ++lane)
      if (state_.lanes[lane].state() == State::idle &&
          !part.windows->is_past_end(state_.index, state_.lanes[lane]))
        round.push_back(lane);
    return round;
  }

  Request depart(std::size_t lane) {
    const PlannedPartition& partition = state_.lanes[lane].partition();
    const Part& part = state_.part_of(lane);
    Request request;
    request.lane = lane;
    QueryRequest<StartKey>& query = request.query;
    query.index_name = state_.index.name;
    query.partition_key = partition.partition_key;
    query.shard = partition.shard;
    query.sort_key = part.condition_of(lane);
    if (state_.settings.limit != 0)
      query.limit =
          state_.limit_plan(part, part.peers_of(lane))
              .page_limit(state_.lanes[lane].pages_asked(), state_.settings.limit, part.merge.in_order());
    if (state_.visibility_wait.count() > 0 && state_.lanes[lane].group() > 0)
      request.not_before =
          (part.windows ? part.window_opened : state_.source_answered) + state_.visibility_wait;
    query.direction = state_.settings.direction;
    query.select = state_.settings.select;
    query.deadline = state_.settings.deadline;
    query.stop = state_.settings.stop;
    query.exclusive_start_key = state_.lanes[lane].depart(query.limit.value_or(0));
    asked_partitions_.insert(partition.partition_key);
    ++state_.in_flight;
    return request;
  }

  ReadState<Index>& state_;
  std::deque<std::size_t> askable_;  // lanes to look at for the next request
  std::deque<std::size_t> round_;    // lanes of a limited read's present round
  std::unordered_set<std::string_view> asked_partitions_;
  bool first_group_read_ = false;
};

}  // namespace evenkey::detail
