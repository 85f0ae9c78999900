// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/index.hpp>
#include <evenkey/page.hpp>
#include <evenkey/page/key_range.hpp>
#include <evenkey/read/failure.hpp>
#include <evenkey/read/lane.hpp>
#include <evenkey/read/limit_plan.hpp>
#include <evenkey/read/merge_part.hpp>
#include <evenkey/read/options.hpp>
#include <evenkey/read/ordered_merge.hpp>
#include <evenkey/read/position.hpp>
#include <evenkey/read/result.hpp>
#include <evenkey/read/settings.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_set>
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

  /// A request that the driver has to make, and the lane to name in its answer.
  struct Request {
    std::size_t lane;
    QueryRequest<StartKey> query;
    /// Not to be made before this time: what moved before must show in the index first.
    std::optional<Deadline> not_before;
  };

  ReadEngine(Index index, ReadSettings settings) : index_(std::move(index)), settings_(std::move(settings)) {}
  ReadEngine(const ReadEngine&) = delete;
  ReadEngine& operator=(const ReadEngine&) = delete;

  /// The engine's own copy of the definition: plans must be made from it, since they hold views into it.
  const Index& index() const noexcept { return index_; }
  const ReadSettings& settings() const noexcept { return settings_; }
  /// Some requests must wait for a while before they are made.
  bool waits() const noexcept { return visibility_wait_.count() > 0; }

  /// Leaves out all items up to this place. @pre before `add`
  void resume_after(ReadPosition<Index> place) { progress_.begin_after(std::move(place)); }
  /// Leaves out all of the partitions before this place. @pre after `add`; each merge has one lane
  void resume_at(ShardPosition<Index> place) {
    for (std::size_t lane = 0; lane < place.partition && lane < lanes_.size(); ++lane)
      skip(lane);
    if (place.partition < lanes_.size() && place.start_key)
      lanes_[place.partition].start_at(*std::move(place.start_key));
    let_next_group_go();
  }

  /// The read starts. What an earlier read left to a later group waits from now on.
  void begin(Deadline now) noexcept { source_answered_ = (std::max)(source_answered_, now); }

  /// Adds a merge over the plan's partitions; of one group of the read's own plan where it says so.
  /// @pre before the first request
  void add(const ReadPlan& plan, ReadScope scope, Ties ties, std::size_t group = 0) {
    if (plan.groups.empty() || plan.groups.size() > 2)
      throw std::invalid_argument(
          "evenkey: a read plan has one group of partitions, or a source and a "
          "destination; this one has " +
          std::to_string(plan.groups.size()));
    visibility_wait_ = (std::max)(visibility_wait_, plan.visibility_wait);
    gated_ = gated_ || group > 0;
    progress_.narrow(scope.range, settings_.direction);
    const std::size_t merge = parts_.size();
    LaneRange all{lanes_.size(), lanes_.size()};
    std::size_t source_end = 0;
    for (const PlannedGroup& planned : plan.groups) {
      for (const PlannedPartition& partition : planned.partitions)
        lanes_.emplace_back(partition, merge, group);
      if (&planned == &plan.groups.front()) source_end = lanes_.size();
      ++group;
    }
    all.end = lanes_.size();
    const bool in_windows = plan.groups.size() == 2;
    if (in_windows) ties = Ties::by_primary_key;  // copies of a row must meet
    const bool nothing = scope.range.empty();
    SortKeyCondition condition = nothing ? SortKeyCondition{} : scope.range.condition();
    parts_.push_back(
        {OrderedMerge<Index>(all.first, all.size(), settings_.direction, ties, settings_.max_tie_run), all,
         std::move(scope), std::move(condition)});
    if (nothing) {
      for (std::size_t lane = all.first; lane < all.end; ++lane)
        skip(lane);
    } else if (in_windows) {
      parts_[merge].windows.emplace(LaneRange{all.first, source_end}, LaneRange{source_end, all.end},
                                    settings_.direction);
      parts_[merge].merge.hold_back_from(std::nullopt);
      for (std::size_t lane = source_end; lane < all.end; ++lane) {
        lanes_[lane].park();
        parts_[merge].merge.settle(lanes_, lane);
      }
    }
    if (parts_.size() <= settings_.merges_at_once) activate(merge);
  }

  /// How many requests can be of use at once.
  std::size_t width() const noexcept {
    std::size_t width = 0;
    for (std::size_t m = current_; m < parts_.size() && m - current_ < settings_.merges_at_once; ++m)
      width += parts_[m].lanes.size();
    return width;
  }

  /// The next request to make, if one is of use now; with `Need::awaited` only one that the next item may
  /// wait for.
  std::optional<Request> next_request(Need need = Need::any) {
    if (over_budget()) return std::nullopt;
    if (need == Need::awaited && settings_.ahead == ReadAhead::one_page) {
      const auto awaited = std::find_if(askable_.begin(), askable_.end(),
                                        [this](std::size_t lane) { return presses(lane) && wanted(lane); });
      if (awaited == askable_.end()) return std::nullopt;
      const std::size_t lane = *awaited;
      askable_.erase(awaited);
      lanes_[lane].set_queued(false);
      return depart(lane);
    }
    while (!askable_.empty()) {
      const std::size_t lane = askable_.front();
      askable_.pop_front();
      lanes_[lane].set_queued(false);
      if (wanted(lane)) return depart(lane);
    }
    if (!plans_rounds() || finished()) return std::nullopt;
    if (round_.empty() && in_flight_ == 0) plan_round();
    if (round_.empty()) return std::nullopt;
    const std::size_t lane = round_.front();
    round_.pop_front();
    return depart(lane);
  }

  /// At most how many requests `next_request` can give before another event.
  std::size_t requests_at_hand() const noexcept {
    return finished() && !raised() ? 0 : askable_.size() + round_.size();
  }

  /// @param at when the page came
  void on_page(std::size_t lane, Page<Item, StartKey>&& page, std::size_t calls = 1, Deadline at = {}) {
    arrive(calls);
    if (lanes_[lane].group() == 0) source_answered_ = (std::max)(source_answered_, at);
    cost_.scanned_count += (std::max)({page.scanned_count, page.items.size(), page.count});
    cost_.consumed_read_units += page.consumed_read_units;
    if (page.items.empty()) counted_ += page.count;
    if (lanes_[lane].state() == State::failed) return;  // an item of an earlier page could not be placed
    const std::size_t asked = lanes_[lane].limit();
    if (by_shard_page() && asked != 0 && page.items.size() > asked) {
      abandon(lane,
              std::make_exception_ptr(order_error(
                  "evenkey: the functor answered more items than the request's limit, so that no token could "
                  "name the place after the last one; pass on the limit")));
      return;
    }
    Part& part = part_of(lane);
    const bool awaited = !lanes_[lane].has_head();
    try {
      lanes_[lane].receive(index_, settings_.direction, part.merge.in_order(), std::move(page),
                           [&](const Item& item) { return belongs(part, lane, item) && ++kept_ != 0; });
    } catch (...) {
      // A page whose items cannot be placed is as good as none; what was held before it can be placed still.
      fail(lane, std::current_exception());
    }
    if (awaited && !lanes_[lane].awaits_page()) part.merge.settle(lanes_, lane);
    if (lanes_[lane].state() == State::idle) {
      if (cancelled_) {
        abandon(lane, cancelled_);
      } else if (wanted(lane)) {
        enqueue(lane);
      }
    } else {
      let_next_group_go();
    }
    if (part.windows) open_next_window(lanes_[lane].merge());
  }

  void on_failure(std::size_t lane, std::exception_ptr error, std::size_t calls = 1) {
    arrive(calls);
    if (lanes_[lane].state() != State::failed) abandon(lane, std::move(error));
  }

  /// Asks nothing more: every partition that is not read to its end, and not under way, fails for this
  /// reason.
  /// @return whether it changed anything: then items may be there that waited for a partition
  bool cancel(const std::exception_ptr& why) {
    if (finished() || cancelled_) return false;
    cancelled_ = why;
    askable_.clear();
    round_.clear();
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
      if (lanes_[lane].state() == State::idle) abandon(lane, why);
      if (lanes_[lane].state() != State::parked) continue;
      fail(lane, why);
      progress_.freeze();
    }
    for (Part& part : parts_)
      part.merge.give_all();
    return true;
  }

  /// The next item of the answer; nothing where a page must come first, or where there is no more. An item
  /// that the caller wants is reported by `give`.
  /// Errors: `tie_run_error`.
  std::optional<Item> pop() {
    while (!finished()) {
      std::optional<Item> item = parts_[current_].merge.pop(index_, lanes_, MergeEvents{*this});
      if (item) {
        ++settled_;
        if (settings_.positions == Positions::tracked && parts_[current_].merge.in_order())
          progress_.reach(index_, *item);
        return item;
      }
      if (!parts_[current_].merge.finished()) {
        if (parts_[current_].windows && open_next_window(current_)) continue;
        return std::nullopt;
      }
      ++current_;
      if (current_ < parts_.size() && settings_.merges_at_once <= parts_.size() - current_)
        activate(current_ + settings_.merges_at_once - 1);
    }
    return std::nullopt;
  }

  /// The item popped last is part of the answer and counts toward the limit.
  void give() noexcept { ++given_; }
  std::size_t given() const noexcept { return given_; }

  /// The merge that the item popped last came from, in the order of `add`.
  std::size_t current_merge() const noexcept { return current_; }

  /// No item comes after those given out: the limit is reached, every partition is read, or the read has
  /// failed.
  bool finished() const noexcept {
    return current_ == parts_.size() || (settings_.limit != 0 && given_ == settings_.limit) || raised();
  }

  /// Every partition is read to its end, or failed, and all items are given out.
  bool exhausted() const noexcept {
    for (std::size_t m = current_; m < parts_.size(); ++m)
      if (!parts_[m].merge.finished()) return false;
    return true;
  }

  /// The place up to which nothing is unread: that of the item popped last, or where a partition failed
  /// before it. Nothing: the beginning.
  const std::optional<ReadPosition<Index>>& position() const noexcept { return progress_.place(); }

  /// Where a listing by shard goes on: the first partition that is not read to its end.
  ShardPosition<Index> shard_position() const {
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane)
      if (!lanes_[lane].done()) return {lane, lanes_[lane].start_key()};
    return {lanes_.size(), {}};
  }

  /// Items that were counted by the store and not sent.
  std::size_t counted() const noexcept { return counted_; }
  bool has_failed() const noexcept { return !failed_.empty(); }
  std::size_t partition_reads() const noexcept { return lanes_.size(); }
  ReadCost cost() const noexcept {
    ReadCost cost = cost_;
    for (const Part& part : parts_)
      cost.duplicates_dropped += part.merge.duplicates_dropped();
    return cost;
  }

  /// The failures so far, in the order of the plan.
  std::vector<Failure> failures() const {
    return failed_.failures([this](std::size_t lane) {
      const PlannedPartition& partition = lanes_[lane].partition();
      return Failure{std::string(partition.partition_key),
                     partition.shard,
                     parts_[lanes_[lane].merge()].scope.id,
                     {},
                     {}};
    });
  }

 private:
  struct MergeEvents {
    ReadEngine& engine;
    void turned_page(std::size_t lane) {
      if (engine.wanted(lane)) engine.enqueue(lane);
      if (engine.lanes_[lane].state() == State::failed && !engine.lanes_[lane].has_head())
        engine.progress_.freeze();
    }
    void fails(std::size_t lane, std::exception_ptr error) {
      engine.fail(lane, std::move(error));
      engine.lanes_[lane].discard();
      engine.progress_.freeze();
    }
  };

  using Part = MergePart<Index>;

  Part& part_of(std::size_t lane) noexcept { return parts_[lanes_[lane].merge()]; }
  const Part& part_of(std::size_t lane) const noexcept { return parts_[lanes_[lane].merge()]; }

  void activate(std::size_t merge) { enqueue(parts_[merge].lanes); }
  void enqueue(LaneRange lanes) {
    for (std::size_t lane = lanes.first; lane < lanes.end; ++lane)
      if (wanted(lane)) enqueue(lane);
  }

  void enqueue(std::size_t lane) {
    if (!lanes_[lane].set_queued(true)) askable_.push_back(lane);
  }

  void skip(std::size_t lane) {
    if (!lanes_[lane].awaits_page()) return;
    lanes_[lane].end();
    part_of(lane).merge.settle(lanes_, lane);
  }

  bool raised() const noexcept { return settings_.on_failure == OnFailure::raise && !failed_.empty(); }
  bool by_shard_page() const noexcept {
    return settings_.positions == Positions::tracked && settings_.merges_at_once == 1;
  }
  bool plans_rounds() const noexcept { return settings_.limit != 0 && settings_.merges_at_once != 1; }
  bool over_budget() const noexcept {
    return settings_.max_read_units > 0 && cost_.consumed_read_units >= settings_.max_read_units &&
           progressed();
  }
  // A budget yields to progress: a page that gives no place to go on from would be asked again for ever.
  bool progressed() const noexcept {
    return settled_ != 0 || (settings_.merges_at_once == 1 && cost_.requests != 0);
  }

  // The next item may wait for this lane's page.
  bool presses(std::size_t lane) const noexcept {
    return lanes_[lane].awaits_page() ||
           (part_of(lane).is_source(lane) && part_of(lane).windows->at_source());
  }

  bool wanted(std::size_t number) const {
    const Lane<Index>& lane = lanes_[number];
    if (lane.state() != State::idle) return false;
    // A read that fails still asks every partition once, so that its error names all that fail at once,
    // always the same ones, with those that had failed on a later page by then.
    if (raised()) return !asked_partitions_.contains(lane.partition().partition_key);
    if (finished() || waits_for_first_group(lane)) return false;
    if (settings_.ahead == ReadAhead::all) return true;
    if (plans_rounds()) return lane.pages_asked() == 0;
    const Part& part = part_of(number);
    if (part.is_source(number) && part.windows->at_source())
      return part.windows->needs_page(index_, lane, window_pages(part));
    return settings_.ahead == ReadAhead::one_page ? lane.pages_held() <= 1
                                                  : !lane.has_head() && !part.is_source(number);
  }

  // A listing by shard reads the partitions of a later group when those of the first are read to their end.
  bool waits_for_first_group(const Lane<Index>& lane) const noexcept {
    return gated_ && !first_group_read_ && lane.group() > 0;
  }
  void let_next_group_go() {
    if (!gated_ || first_group_read_) return;
    for (const Lane<Index>& lane : lanes_)
      if (lane.group() == 0 && lane.state() != State::ended && lane.state() != State::failed) return;
    first_group_read_ = true;
    for (std::size_t m = current_; m < parts_.size() && m - current_ < settings_.merges_at_once; ++m)
      enqueue(parts_[m].lanes);
  }

  std::size_t window_pages(const Part& part) const noexcept {
    return settings_.ahead == ReadAhead::one_page ? part.windows->pages() : 1;
  }

  // Where all of a window is given out, the source goes on, and once it is read far enough the next one
  // opens.
  // @return whether it opened
  bool open_next_window(std::size_t merge) {
    Part& part = parts_[merge];
    Windows<Index>& windows = *part.windows;
    if (windows.is_last() || cancelled_ || raised() || !part.merge.at_bound(lanes_)) return false;
    if (!windows.at_source()) {
      windows.close();
      enqueue(windows.source());
    }
    for (std::size_t lane = windows.source().first; lane < windows.source().end; ++lane) {
      if (settings_.ahead == ReadAhead::all && lanes_[lane].state() != State::ended &&
          lanes_[lane].state() != State::failed)
        return false;
      if (!windows.is_past_end(index_, lanes_[lane])) return refuse_long_run(part, lane);
      if (!plans_rounds() && windows.needs_page(index_, lanes_[lane], window_pages(part))) return false;
    }
    if (plans_rounds() && (in_flight_ != 0 || !source_round(part).empty())) return false;
    part.open_window(index_, lanes_);
    enqueue(windows.destination());
    return true;
  }

  // A run of equal sort keys is held whole before the window behind it can open.
  bool refuse_long_run(const Part& part, std::size_t lane) const {
    if (lanes_[lane].items_held() > settings_.max_tie_run) part.merge.throw_tie_run_error(index_);
    return false;
  }

  // A limited read goes on when the answers of the round before are all here: they tell which lanes matter.
  void plan_round() {
    for (std::size_t m = current_; m < parts_.size(); ++m) {
      const Part& part = parts_[m];
      const std::vector<std::size_t> round =
          part.windows && part.windows->at_source() ? source_round(part) : next_round(part, part.turn());
      std::copy_if(round.begin(), round.end(), std::back_inserter(round_),
                   [this](std::size_t lane) { return !waits_for_first_group(lanes_[lane]); });
    }
  }
  std::vector<std::size_t> next_round(const Part& part, LaneRange asked) const {
    return limit_plan(part, asked).next_round(index_, lanes_, part.merge, asked, settings_.direction);
  }
  // The source is read as far as an item of the answer may be, and past the end of the last window.
  std::vector<std::size_t> source_round(const Part& part) const {
    const LaneRange source = part.windows->source();
    std::vector<std::size_t> round = next_round(part, source);
    if (!round.empty()) return round;
    for (std::size_t lane = source.first; lane < source.end; ++lane)
      if (lanes_[lane].state() == State::idle && !part.windows->is_past_end(index_, lanes_[lane]))
        round.push_back(lane);
    return round;
  }

  static std::size_t scaled(std::size_t items, double factor) noexcept {
    constexpr double most = 1e15;  // a limit may be anything
    return static_cast<std::size_t>((std::min)(most, static_cast<double>(items) * factor));
  }

  LimitPlan limit_plan(const Part& part, LaneRange lanes) const noexcept {
    LimitPlan plan;
    plan.left = settings_.limit - given_;
    plan.lanes = lanes.size();
    if (plans_rounds()) {
      // Where a predicate lets few items pass, as many more are needed.
      if (given_ < settled_)
        plan.left = scaled(plan.left, static_cast<double>(settled_ + 1) / static_cast<double>(given_ + 1));
      plan.evaluated = cost_.scanned_count;
      plan.kept = kept_;
      plan.run = part.merge.run_length();
      plan.behind = progress_.begins_midway() ? 1 : 0;
    }
    if (cost_.scanned_count != 0)
      plan.item_bytes = cost_.consumed_read_units * 8192 / static_cast<double>(cost_.scanned_count);
    return plan;
  }

  Request depart(std::size_t lane) {
    const PlannedPartition& partition = lanes_[lane].partition();
    const Part& part = part_of(lane);
    Request request;
    request.lane = lane;
    QueryRequest<StartKey>& query = request.query;
    query.index_name = index_.name;
    query.partition_key = partition.partition_key;
    query.shard = partition.shard;
    query.sort_key = part.condition_of(lane);
    if (settings_.limit != 0)
      query.limit = limit_plan(part, part.peers_of(lane))
                        .page_limit(lanes_[lane].pages_asked(), settings_.limit, part.merge.in_order());
    if (visibility_wait_.count() > 0 && lanes_[lane].group() > 0)
      request.not_before = source_answered_ + visibility_wait_;
    query.direction = settings_.direction;
    query.select = settings_.select;
    query.deadline = settings_.deadline;
    query.stop = settings_.stop;
    query.exclusive_start_key = lanes_[lane].depart(query.limit.value_or(0));
    asked_partitions_.insert(partition.partition_key);
    ++in_flight_;
    return request;
  }

  void arrive(std::size_t calls) noexcept {
    --in_flight_;
    cost_.requests += calls;
  }

  bool belongs(const Part& part, std::size_t lane, const Item& item) const {
    if constexpr (index_with_order<Index>) {
      if (const KeyRange& range = part.range_of(lane); !range.contains_all()) {
        const auto key = sort_key_of(index_, item);
        if (!range.contains(key) || !progress_.passes(index_, item, key, settings_.direction)) return false;
      }
    }
    if constexpr (shards_by_id<Index>) {
      // The range may be wider than the id: an index may have none that tells ids apart.
      if (!part.scope.id.empty()) return std::string_view(index_.shard_by(item)) == part.scope.id;
    }
    return true;
  }

  void abandon(std::size_t lane, std::exception_ptr error) {
    const bool awaited = lanes_[lane].awaits_page();
    fail(lane, std::move(error));
    if (awaited) {
      part_of(lane).merge.settle(lanes_, lane);
      progress_.freeze();
    }
    let_next_group_go();
    if (part_of(lane).windows) open_next_window(lanes_[lane].merge());
  }

  void fail(std::size_t lane, std::exception_ptr error) {
    if (lanes_[lane].state() == State::failed) return;
    lanes_[lane].fail();
    // What fails after the answer is whole was only read ahead; nothing is missing.
    if (finished() && !raised()) return;
    failed_.add(lane, std::move(error));
  }

  Index index_;
  ReadSettings settings_;
  std::vector<Lane<Index>> lanes_;
  std::vector<Part> parts_;
  std::deque<std::size_t> askable_;  // lanes to look at for the next request
  std::deque<std::size_t> round_;    // lanes of a limited read's present round
  std::unordered_set<std::string_view> asked_partitions_;
  std::size_t in_flight_ = 0;
  std::size_t current_ = 0;  // of parts_, the one that gives items now
  std::size_t kept_ = 0;     // items that came and belong to the answer
  std::size_t settled_ = 0;  // items popped
  std::size_t given_ = 0;    // of these, items that count toward the limit
  Progress<Index> progress_;
  FailureLog failed_;
  std::exception_ptr cancelled_;
  ReadCost cost_;
  std::size_t counted_ = 0;
  std::chrono::milliseconds visibility_wait_{0};
  Deadline source_answered_ = {};  // when the first group answered last
  bool gated_ = false;             // a listing by shard, of two groups
  bool first_group_read_ = false;
};

}  // namespace evenkey::detail
