// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/index.hpp>
#include <evenkey/page.hpp>
#include <evenkey/read/failure.hpp>
#include <evenkey/read/lane.hpp>
#include <evenkey/read/options.hpp>
#include <evenkey/read/ordered_merge.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <limits>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace evenkey::detail {

/// What every verb tells the engine.
struct ReadSettings {
  std::size_t limit = 0;  // 0: all
  Direction direction = Direction::ascending;
  OnFailure on_failure = OnFailure::raise;
  std::size_t max_tie_run = default_max_tie_run;
  /// Merges whose lanes may be asked at once; their items come out one merge after the other.
  std::size_t merges_at_once = (std::numeric_limits<std::size_t>::max)();
  std::optional<Deadline> deadline = {};
  std::stop_token stop = {};
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

  /// Adds a merge over the plan's partitions, before the first request. With an id, items of other ids are
  /// dropped.
  void add(const ReadPlan& plan, const SortKeyCondition& condition, Ties ties, std::string id = {}) {
    if (plan.groups.size() != 1)
      throw std::invalid_argument("evenkey: a read of several groups of partitions is not offered yet");
    const std::size_t first = lanes_.size();
    for (const PlannedPartition& partition : plan.groups.front().partitions)
      lanes_.emplace_back(partition, merges_.size());
    merges_.emplace_back(first, lanes_.size() - first, settings_.direction, ties, settings_.max_tie_run);
    scopes_.push_back({condition, std::move(id)});
    if (merges_.size() <= settings_.merges_at_once) activate(merges_.size() - 1);
  }

  /// How many requests can be of use at once.
  std::size_t width() const noexcept {
    std::size_t width = 0;
    for (std::size_t m = current_; m < merges_.size() && m - current_ < settings_.merges_at_once; ++m)
      width += merges_[m].lane_count();
    return width;
  }

  /// The next request to make, if one is of use now.
  std::optional<Request> next_request() {
    while (!askable_.empty()) {
      const std::size_t lane = askable_.front();
      askable_.pop_front();
      if (!wanted(lanes_[lane])) continue;
      return depart(lane);
    }
    return std::nullopt;
  }

  void on_page(std::size_t lane, Page<Item, StartKey>&& page) {
    ++requests_;
    scanned_count_ += (std::max)(page.scanned_count, page.items.size());
    consumed_read_units_ += page.consumed_read_units;
    const Scope& scope = scopes_[lanes_[lane].merge()];
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
    if (lanes_[lane].state() != Lane<Index>::State::idle) return;
    if (cancelled_) {
      abandon(lane, cancelled_);
    } else {
      askable_.push_back(lane);
    }
  }

  void on_failure(std::size_t lane, std::exception_ptr error) {
    ++requests_;
    abandon(lane, std::move(error));
  }

  /// Asks nothing more: every partition that is not read to its end, and not under way, fails for this
  /// reason.
  void cancel(const std::exception_ptr& why) {
    if (finished()) return;
    cancelled_ = why;
    askable_.clear();
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane)
      if (lanes_[lane].state() == Lane<Index>::State::idle) abandon(lane, why);
  }

  /// The next item of the answer; nothing where a page must come first, or where there is no more.
  /// Errors: `tie_run_error`.
  std::optional<Item> pop() {
    while (!finished()) {
      OrderedMerge<Index>& merge = merges_[current_];
      std::optional<Item> item = merge.pop(index_, lanes_, MergeEvents{*this});
      if (item) {
        ++given_;
        return item;
      }
      if (!merge.finished()) return std::nullopt;
      ++current_;
      if (const std::size_t next = current_ + settings_.merges_at_once - 1;
          next < merges_.size() && next >= current_)
        activate(next);
    }
    return std::nullopt;
  }

  /// No item comes after those given out: the limit is reached, every partition is read, or the read has
  /// failed.
  bool finished() const noexcept {
    return current_ == merges_.size() || (settings_.limit != 0 && given_ == settings_.limit) || raised();
  }

  const ReadSettings& settings() const noexcept { return settings_; }
  std::size_t partition_reads() const noexcept { return lanes_.size(); }
  std::size_t requests() const noexcept { return requests_; }
  std::size_t scanned_count() const noexcept { return scanned_count_; }
  double consumed_read_units() const noexcept { return consumed_read_units_; }
  std::size_t duplicates_dropped() const noexcept {
    std::size_t dropped = 0;
    for (const auto& merge : merges_)
      dropped += merge.duplicates_dropped();
    return dropped;
  }

  /// The failures so far, in the order of the plan.
  std::vector<Failure> failures() const {
    std::vector<std::pair<std::size_t, std::exception_ptr>> failed = failed_;
    std::stable_sort(failed.begin(), failed.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Failure> failures;
    failures.reserve(failed.size());
    for (auto& [lane, error] : failed) {
      const PlannedPartition& partition = lanes_[lane].partition();
      failures.push_back({std::string(partition.partition_key), partition.shard,
                          scopes_[lanes_[lane].merge()].id, error, message_of(error)});
    }
    return failures;
  }

 private:
  struct Scope {
    SortKeyCondition condition;
    std::string id;  // empty: of all ids
  };

  struct MergeEvents {
    ReadEngine& engine;
    void awaits(std::size_t lane) { engine.askable_.push_back(lane); }
    void fails(std::size_t lane, std::exception_ptr error) {
      engine.lanes_[lane].discard();
      engine.fail(lane, std::move(error));
    }
  };

  void activate(std::size_t merge) {
    for (std::size_t i = 0; i < merges_[merge].lane_count(); ++i)
      askable_.push_back(merges_[merge].first_lane() + i);
  }

  bool raised() const noexcept { return settings_.on_failure == OnFailure::raise && !failed_.empty(); }

  bool wanted(const Lane<Index>& lane) const {
    if (lane.state() != Lane<Index>::State::idle) return false;
    // A read that fails still asks every partition once, so that its error names all that fail, always the
    // same ones.
    if (raised()) return !asked_partitions_.contains(lane.partition().partition_key);
    if (finished()) return false;
    if (settings_.limit != 0) return !lane.has_head();
    return true;
  }

  Request depart(std::size_t lane) {
    const PlannedPartition& partition = lanes_[lane].partition();
    Request request;
    request.lane = lane;
    request.query.index_name = index_.name;
    request.query.partition_key = partition.partition_key;
    request.query.shard = partition.shard;
    request.query.sort_key = scopes_[lanes_[lane].merge()].condition;
    request.query.limit = page_limit(lanes_[lane]);
    request.query.direction = settings_.direction;
    request.query.deadline = settings_.deadline;
    request.query.stop = settings_.stop;
    request.query.exclusive_start_key = lanes_[lane].depart();
    asked_partitions_.insert(partition.partition_key);
    return request;
  }

  /// A limited read asks each lane for its share and a margin first, then for twice as much each time.
  std::optional<std::uint32_t> page_limit(const Lane<Index>& lane) const {
    if (settings_.limit == 0) return std::nullopt;
    const std::size_t left = settings_.limit - given_;
    const auto lanes = static_cast<double>(merges_[lane.merge()].lane_count());
    const double share = static_cast<double>(settings_.limit) / lanes;
    const double first = std::ceil(share + (lanes > 1 ? std::sqrt(share) : 0.0));
    const double asked =
        first * std::pow(2.0, static_cast<double>((std::min<std::size_t>)(lane.pages_asked(), 32)));
    // One more than is left: whether the last item has ties is known only when its follower is.
    const double most = static_cast<double>(left) + (merges_[lane.merge()].in_order() ? 1.0 : 0.0);
    constexpr double largest = 1'000'000;  // the wire's limit is an int
    return static_cast<std::uint32_t>((std::max)(1.0, (std::min)({asked, most, largest})));
  }

  bool belongs(const Scope& scope, const Item& item) const {
    if constexpr (!std::same_as<typename Index::SortKey, NoSortKey>) {
      if (scope.condition.form() != SortKeyCondition::Form::none &&
          !scope.condition.matches(sort_key_of(index_, item)))
        return false;
    }
    if constexpr (shards_by_id<Index>) {
      if (!scope.id.empty() && scope.condition.form() == SortKeyCondition::Form::none)
        return std::string_view(index_.shard_by(item)) == scope.id;
    }
    return true;
  }

  void abandon(std::size_t lane, std::exception_ptr error) {
    const bool awaited = lanes_[lane].awaits_page();
    fail(lane, std::move(error));
    if (awaited) merges_[lanes_[lane].merge()].settle(lanes_, lane);
  }

  void fail(std::size_t lane, std::exception_ptr error) {
    lanes_[lane].fail();
    // What fails after the answer is whole was only read ahead; nothing is missing.
    if (finished() && !raised()) return;
    failed_.emplace_back(lane, std::move(error));
  }

  Index index_;
  ReadSettings settings_;
  std::vector<Lane<Index>> lanes_;
  std::vector<OrderedMerge<Index>> merges_;
  std::vector<Scope> scopes_;  // one for each merge
  std::deque<std::size_t> askable_;
  std::unordered_set<std::string_view> asked_partitions_;
  std::size_t current_ = 0;
  std::size_t given_ = 0;
  std::vector<std::pair<std::size_t, std::exception_ptr>> failed_;
  std::exception_ptr cancelled_;
  std::size_t requests_ = 0;
  std::size_t scanned_count_ = 0;
  double consumed_read_units_ = 0;
};

}  // namespace evenkey::detail
