// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/index.hpp>
#include <evenkey/page.hpp>
#include <evenkey/page/key_range.hpp>
#include <evenkey/read/failure.hpp>
#include <evenkey/read/lane.hpp>
#include <evenkey/read/limit_plan.hpp>
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
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace evenkey::detail {

/// Which rows of a partition a merge is about.
struct ReadScope {
  KeyRange range = {};
  /// Whose rows; empty: everybody's.
  std::string id = {};
};

/// Which requests a driver's thread is ready to make.
enum class Need : std::uint8_t {
  any,     ///< also those that only read ahead
  awaited  ///< none that would keep the thread while an item is there for it
};

/// The one state machine behind every read: events in (a page came, a partition failed, the read was
/// cancelled), requests and items out. It touches no thread, clock or socket; a driver does, and calls it
/// under a lock of its own.
///
/// A read is a sequence of merges, each over some lanes: `enumerate` by sort key is one merge over N lanes,
/// by shard N merges over one lane each, `find` one merge over one lane, `find_many` one for every id.
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
  };

  ReadEngine(Index index, ReadSettings settings) : index_(std::move(index)), settings_(std::move(settings)) {}
  ReadEngine(const ReadEngine&) = delete;
  ReadEngine& operator=(const ReadEngine&) = delete;

  /// The engine's own copy of the definition: plans must be made from it, since they hold views into it.
  const Index& index() const noexcept { return index_; }
  const ReadSettings& settings() const noexcept { return settings_; }

  /// Leaves out all items up to this place. @pre before `add`
  void resume_after(ReadPosition<Index> place) { progress_.begin_after(std::move(place)); }
  /// Leaves out all of the partitions before this place. @pre after `add`; each merge has one lane
  void resume_at(ShardPosition<Index> place) {
    for (std::size_t lane = 0; lane < place.partition && lane < lanes_.size(); ++lane)
      skip(lane);
    if (place.partition < lanes_.size() && place.start_key)
      lanes_[place.partition].start_at(*std::move(place.start_key));
  }

  /// Adds a merge over the plan's partitions. @pre before the first request
  void add(const ReadPlan& plan, ReadScope scope, Ties ties) {
    if (plan.groups.size() != 1)
      throw std::invalid_argument("evenkey: a read of several groups of partitions is not offered yet");
    progress_.narrow(scope.range, settings_.direction);
    const std::size_t first = lanes_.size();
    for (const PlannedPartition& partition : plan.groups.front().partitions)
      lanes_.emplace_back(partition, merges_.size());
    merges_.emplace_back(first, lanes_.size() - first, settings_.direction, ties, settings_.max_tie_run);
    const bool nothing = scope.range.empty();
    conditions_.push_back(nothing ? SortKeyCondition{} : scope.range.condition());
    scopes_.push_back(std::move(scope));
    if (nothing)
      for (std::size_t lane = first; lane < lanes_.size(); ++lane)
        skip(lane);
    if (merges_.size() <= settings_.merges_at_once) activate(merges_.size() - 1);
  }

  /// How many requests can be of use at once.
  std::size_t width() const noexcept {
    std::size_t width = 0;
    for (std::size_t m = current_; m < merges_.size() && m - current_ < settings_.merges_at_once; ++m)
      width += merges_[m].lane_count();
    return width;
  }

  /// The next request to make, if one is of use now; with `Need::awaited` only one that the next item may
  /// wait for.
  std::optional<Request> next_request(Need need = Need::any) {
    if (over_budget()) return std::nullopt;
    if (need == Need::awaited && settings_.ahead == ReadAhead::one_page) {
      const auto awaited = std::find_if(askable_.begin(), askable_.end(), [this](std::size_t lane) {
        return lanes_[lane].awaits_page() && wanted(lanes_[lane]);
      });
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
      if (wanted(lanes_[lane])) return depart(lane);
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

  void on_page(std::size_t lane, Page<Item, StartKey>&& page, std::size_t calls = 1) {
    arrive(calls);
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
    const ReadScope& scope = scopes_[lanes_[lane].merge()];
    OrderedMerge<Index>& merge = merges_[lanes_[lane].merge()];
    const bool awaited = !lanes_[lane].has_head();
    try {
      lanes_[lane].receive(index_, settings_.direction, merge.in_order(), std::move(page),
                           [&](const Item& item) { return belongs(scope, item); });
    } catch (...) {
      // A page whose items cannot be placed is as good as none; what was held before it can be placed still.
      fail(lane, std::current_exception());
    }
    if (awaited && !lanes_[lane].awaits_page()) merge.settle(lanes_, lane);
    if (lanes_[lane].state() != State::idle) return;
    if (cancelled_) {
      abandon(lane, cancelled_);
    } else if (wanted(lanes_[lane])) {
      enqueue(lane);
    }
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
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane)
      if (lanes_[lane].state() == State::idle) abandon(lane, why);
    return true;
  }

  /// The next item of the answer; nothing where a page must come first, or where there is no more. An item
  /// that the caller wants is reported by `give`.
  /// Errors: `tie_run_error`.
  std::optional<Item> pop() {
    while (!finished()) {
      std::optional<Item> item = merges_[current_].pop(index_, lanes_, MergeEvents{*this});
      if (item) {
        ++settled_;
        if (settings_.positions == Positions::tracked && merges_[current_].in_order())
          progress_.reach(index_, *item);
        return item;
      }
      if (!merges_[current_].finished()) return std::nullopt;
      ++current_;
      if (current_ < merges_.size() && settings_.merges_at_once <= merges_.size() - current_)
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
    return current_ == merges_.size() || (settings_.limit != 0 && given_ == settings_.limit) || raised();
  }

  /// Every partition is read to its end, or failed, and all items are given out.
  bool exhausted() const noexcept {
    for (std::size_t m = current_; m < merges_.size(); ++m)
      if (!merges_[m].finished()) return false;
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
    for (const auto& merge : merges_)
      cost.duplicates_dropped += merge.duplicates_dropped();
    return cost;
  }

  /// The failures so far, in the order of the plan.
  std::vector<Failure> failures() const {
    return failed_.failures([this](std::size_t lane) {
      const PlannedPartition& partition = lanes_[lane].partition();
      return Failure{
          std::string(partition.partition_key), partition.shard, scopes_[lanes_[lane].merge()].id, {}, {}};
    });
  }

 private:
  struct MergeEvents {
    ReadEngine& engine;
    void turned_page(std::size_t lane) {
      if (engine.wanted(engine.lanes_[lane])) engine.enqueue(lane);
      if (engine.lanes_[lane].state() == State::failed && !engine.lanes_[lane].has_head())
        engine.progress_.freeze();
    }
    void fails(std::size_t lane, std::exception_ptr error) {
      engine.fail(lane, std::move(error));
      engine.lanes_[lane].discard();
      engine.progress_.freeze();
    }
  };

  void activate(std::size_t merge) {
    for (std::size_t i = 0; i < merges_[merge].lane_count(); ++i)
      enqueue(merges_[merge].first_lane() + i);
  }

  void enqueue(std::size_t lane) {
    if (!lanes_[lane].set_queued(true)) askable_.push_back(lane);
  }

  void skip(std::size_t lane) {
    if (!lanes_[lane].awaits_page()) return;
    lanes_[lane].end();
    merges_[lanes_[lane].merge()].settle(lanes_, lane);
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

  bool wanted(const Lane<Index>& lane) const {
    if (lane.state() != State::idle) return false;
    // A read that fails still asks every partition once, so that its error names all that fail at once,
    // always the same ones, with those that had failed on a later page by then.
    if (raised()) return !asked_partitions_.contains(lane.partition().partition_key);
    if (finished()) return false;
    switch (settings_.ahead) {
      case ReadAhead::none:
        return plans_rounds() ? lane.pages_asked() == 0 : !lane.has_head();
      case ReadAhead::one_page:
        return lane.pages_held() <= 1;
      case ReadAhead::all:
        break;
    }
    return true;
  }

  // A limited read goes on when the answers of the round before are all here: they tell which lanes matter.
  void plan_round() {
    for (std::size_t m = current_; m < merges_.size(); ++m) {
      const OrderedMerge<Index>& merge = merges_[m];
      for (const std::size_t lane : limit_plan(merge).next_round(index_, lanes_, merge, settings_.direction))
        round_.push_back(lane);
    }
  }

  static std::size_t scaled(std::size_t items, double factor) noexcept {
    constexpr double most = 1e15;  // a limit may be anything
    return static_cast<std::size_t>((std::min)(most, static_cast<double>(items) * factor));
  }

  LimitPlan limit_plan(const OrderedMerge<Index>& merge) const noexcept {
    LimitPlan plan;
    plan.left = settings_.limit - given_;
    plan.lanes = merge.lane_count();
    // Where a predicate lets few items pass, as many more are needed.
    if (plans_rounds() && given_ < settled_)
      plan.left = scaled(plan.left, static_cast<double>(settled_ + 1) / static_cast<double>(given_ + 1));
    if (cost_.scanned_count != 0)
      plan.item_bytes = cost_.consumed_read_units * 8192 / static_cast<double>(cost_.scanned_count);
    return plan;
  }

  Request depart(std::size_t lane) {
    const PlannedPartition& partition = lanes_[lane].partition();
    const std::size_t merge = lanes_[lane].merge();
    Request request;
    request.lane = lane;
    QueryRequest<StartKey>& query = request.query;
    query.index_name = index_.name;
    query.partition_key = partition.partition_key;
    query.shard = partition.shard;
    query.sort_key = conditions_[merge];
    if (settings_.limit != 0)
      query.limit = limit_plan(merges_[merge])
                        .page_limit(lanes_[lane].pages_asked(), settings_.limit, merges_[merge].in_order());
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

  bool belongs(const ReadScope& scope, const Item& item) const {
    if constexpr (index_with_order<Index>) {
      if (!scope.range.contains_all()) {
        const auto key = sort_key_of(index_, item);
        if (!scope.range.contains(key) || !progress_.passes(index_, item, key, settings_.direction))
          return false;
      }
    }
    if constexpr (shards_by_id<Index>) {
      // The range may be wider than the id: an index may have none that tells ids apart.
      if (!scope.id.empty()) return std::string_view(index_.shard_by(item)) == scope.id;
    }
    return true;
  }

  void abandon(std::size_t lane, std::exception_ptr error) {
    const bool awaited = lanes_[lane].awaits_page();
    fail(lane, std::move(error));
    if (!awaited) return;
    merges_[lanes_[lane].merge()].settle(lanes_, lane);
    progress_.freeze();
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
  std::vector<OrderedMerge<Index>> merges_;
  std::vector<ReadScope> scopes_;             // one for each merge
  std::vector<SortKeyCondition> conditions_;  // one for each merge: covers its range
  std::deque<std::size_t> askable_;           // lanes to look at for the next request
  std::deque<std::size_t> round_;             // lanes of a limited read's present round
  std::unordered_set<std::string_view> asked_partitions_;
  std::size_t in_flight_ = 0;
  std::size_t current_ = 0;  // merge that gives items now
  std::size_t settled_ = 0;  // items popped
  std::size_t given_ = 0;    // of these, items that count toward the limit
  Progress<Index> progress_;
  FailureLog failed_;
  std::exception_ptr cancelled_;
  ReadCost cost_;
  std::size_t counted_ = 0;
};

/// Why no request of a read may start any more: its deadline has passed, or it is asked to stop. Null: it
/// may.
template <class Index>
std::exception_ptr reason_to_end(const ReadEngine<Index>& engine) {
  const ReadSettings& settings = engine.settings();
  if (settings.stop.stop_requested())
    return std::make_exception_ptr(stopped_error("evenkey: a stop was requested before the read was done"));
  if (settings.deadline && std::chrono::steady_clock::now() >= *settings.deadline)
    return std::make_exception_ptr(deadline_error("evenkey: the deadline passed before the read was done"));
  return nullptr;
}

}  // namespace evenkey::detail
