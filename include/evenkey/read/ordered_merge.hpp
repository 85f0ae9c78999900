// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/merge/heads_for.hpp>
#include <evenkey/merge/loser_tree.hpp>
#include <evenkey/page.hpp>
#include <evenkey/read/failure.hpp>
#include <evenkey/read/lane.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace evenkey::detail {

/// Merges some lanes into the total order (sort key, primary key), one item at a time, and never past a lane
/// whose next item is not known.
///
/// The store leaves items of equal sort keys in any order, so a run of them is gathered whole, put in order
/// by primary key and only then given out. A row that is seen in two partitions was moved between the two
/// requests: it is given once. With `Ties::as_stored` (one lane only) items pass as they come.
template <class Index>
class OrderedMerge {
 public:
  using IndexType = Index;
  using Item = typename Index::Item;
  using Key = SortKeyOf<Index>;
  using Lanes = std::vector<Lane<Index>>;
  using Heads = decltype(heads_for<Key>(std::size_t{}, Direction{}));
  enum class Ties : std::uint8_t { by_primary_key, as_stored };

  OrderedMerge(std::size_t first_lane, std::size_t lane_count, Direction direction, Ties ties,
               std::size_t max_tie_run)
      : first_lane_(first_lane),
        lane_count_(lane_count),
        awaited_(lane_count),
        direction_(direction),
        ties_(ties),
        max_tie_run_(max_tie_run) {}

  std::size_t first_lane() const noexcept { return first_lane_; }
  std::size_t lane_count() const noexcept { return lane_count_; }
  std::size_t duplicates_dropped() const noexcept { return duplicates_dropped_; }
  bool in_order() const noexcept { return ties_ == Ties::by_primary_key; }
  /// Items taken from their lanes that are not given out yet, since one of the same sort key may come.
  std::size_t run_length() const noexcept { return run_open_ ? run_.size() : 0; }
  const std::optional<Key>& run_key() const noexcept { return run_key_; }
  bool finished() const noexcept {
    return !holding_back_ && awaited_ == 0 && heads_ == 0 && all_taken_given();
  }

  /// Nothing at or past this key is given out: what comes between is not read yet. No key: nothing at all.
  void hold_back_from(std::optional<OwnedKey<Key>> key) {
    holding_back_ = true;
    held_back_from_ = std::move(key);
  }
  void give_all() noexcept { holding_back_ = false; }
  /// All is given out that is not held back.
  bool at_bound(const Lanes& lanes) {
    return holding_back_ && awaited_ == 0 && all_taken_given() && (heads_ == 0 || holds_back_first(lanes));
  }

  [[noreturn]] void throw_tie_run_error(const Index& index) const {
    throw tie_run_error(
        "evenkey: more than " + std::to_string(max_tie_run_) + " items of " + std::string(index.name) +
        " have one sort key, too many to put in order; make the sort key unique by a suffix, raise "
        "max_tie_run, or list with Order::by_shard (does the functor pass on exclusive_start_key?)");
  }

  /// A lane without a head, of which nothing was expected, is going to be asked.
  void await() noexcept { ++awaited_; }

  /// The lane went without a head and now has one, or is exhausted.
  void settle(Lanes& lanes, std::size_t lane) {
    --awaited_;
    if (lanes[lane].has_head()) push_head(lanes, lane);
  }

  /// Gives `item` the next one; nothing where a page must come first or all is given out.
  /// `events.turned_page(lane)` is told of a lane that has given out a page, `events.fails(lane, error)` of
  /// one whose item cannot be placed.
  /// Errors: `tie_run_error`.
  /// @param item is empty; by reference, since each move of an item is much of what it costs
  template <class Events>
  void pop(const Index& index, Lanes& lanes, Events&& events, std::optional<Item>& item) {
    for (;;) {
      if (ready_position_ < ready_.size()) {
        item.emplace(std::move(ready_[ready_position_++].item));
        return;
      }
      if (awaited_ != 0) return;
      if (run_open_) {
        if (heads_ != 0 && compare_keys(*run_key_, lanes[first_in_order()].head()) == 0) {
          extend_run(index, lanes, events);
        } else {
          close_run(index, lanes, events);
        }
        continue;
      }
      if (heads_ == 0 || holds_back_first(lanes)) return;
      const std::size_t lane = first_in_order();
      const bool alone = !in_order() || !another_lane_ties();
      take_first(index, lanes, lane, events, item);
      if (!in_order() || (alone && !may_tie_behind(lanes[lane]))) return;
      run_.clear();
      run_.push_back({*std::move(item), lane});
      item = std::nullopt;
      run_key_.emplace(sort_key_of(index, run_.front().item));
      run_open_ = true;
    }
  }

 private:
  struct Taken {
    Item item;
    std::size_t lane;
  };

  bool all_taken_given() const noexcept { return !run_open_ && ready_position_ == ready_.size(); }
  /// @pre there is a head
  bool holds_back_first(const Lanes& lanes) {
    return holding_back_ && (!held_back_from_ || compare_toward(direction_, lanes[first_in_order()].head(),
                                                                *held_back_from_) >= 0);
  }

  static bool may_tie_behind(const Lane<Index>& lane) noexcept {
    return lane.next() == Lane<Index>::Next::equal ||
           (lane.next() == Lane<Index>::Next::unknown && lane.awaits_page());
  }

  // The tree keeps views of the lanes' heads, or their addresses. A head stays where it is until its lane is
  // taken from or discarded, and before that, or in the same step, its leaf loses it.
  void push_head(const Lanes& lanes, std::size_t lane) {
    ++heads_;
    if (lane_count_ == 1) return;
    if (!tree_) tree_.emplace(lane_count_, heads_for<Key>(lane_count_, direction_));
    tree_->insert(lane - first_lane_, head_of<Heads>(lanes[lane].head()));
  }
  void pop_head() noexcept {
    --heads_;
    if (tree_) tree_->remove_top();
  }
  void drop_head(std::size_t lane) noexcept {
    --heads_;
    if (tree_) tree_->remove(lane - first_lane_);
  }

  /// The lane whose head goes first. @pre heads_ != 0
  std::size_t first_in_order() {
    if (!tree_) return first_lane_;
    [[maybe_unused]] const bool there = tree_->has_top();  // plays the games that are still to be played
    return first_lane_ + tree_->top();
  }
  /// @pre first_in_order() was asked
  bool another_lane_ties() { return tree_ && tree_->top_is_tied(); }

  /// @param lane what first_in_order() says
  template <class Events>
  void take_first(const Index& index, Lanes& lanes, std::size_t lane, Events& events,
                  std::optional<Item>& item) {
    pop_head();  // costs nothing if the lane has another
    lanes[lane].take(index, direction_, in_order(), item);
    if (lanes[lane].broken()) events.fails(lane, lanes[lane].broken());
    if (lanes[lane].has_head()) {
      push_head(lanes, lane);
    } else if (lanes[lane].awaits_page()) {
      ++awaited_;
    }
    if (lanes[lane].turned_page()) events.turned_page(lane);
  }

  template <class Events>
  void extend_run(const Index& index, Lanes& lanes, Events& events) {
    if (run_.size() >= max_tie_run_) throw_tie_run_error(index);
    const std::size_t lane = first_in_order();
    std::optional<Item> item;
    take_first(index, lanes, lane, events, item);
    run_.push_back({*std::move(item), lane});
    // Anew, since it may be a view into an item that push_back has moved.
    run_key_.emplace(sort_key_of(index, run_.front().item));
  }

  template <class Events>
  void close_run(const Index& index, Lanes& lanes, Events& events) {
    run_open_ = false;
    ready_.clear();
    ready_position_ = 0;
    if (run_.size() > 1) sort_run(index, lanes, events);
    std::swap(ready_, run_);
  }

  template <class Events>
  void sort_run(const Index& index, Lanes& lanes, Events& events) {
    using PrimaryKey = OwnedKey<decltype(primary_key_of(index, run_.front().item))>;
    struct Placed {
      PrimaryKey key;
      std::size_t position;
    };
    std::vector<Placed> order;
    order.reserve(run_.size());
    for (std::size_t i = 0; i < run_.size(); ++i) {
      try {
        order.push_back({PrimaryKey(primary_key_of(index, run_[i].item)), i});
      } catch (...) {
        if (lanes[run_[i].lane].has_head()) drop_head(run_[i].lane);
        events.fails(run_[i].lane, std::current_exception());
      }
    }
    // Of two copies of a row the one of the later partition comes first and stays: a later group holds the
    // newer copy.
    std::sort(order.begin(), order.end(), [&](const Placed& a, const Placed& b) {
      const auto by_key = compare_toward(direction_, a.key, b.key);
      if (by_key != 0) return by_key < 0;
      if (run_[a.position].lane != run_[b.position].lane)
        return run_[a.position].lane > run_[b.position].lane;
      return a.position < b.position;
    });
    std::vector<Taken> sorted;
    sorted.reserve(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      Taken& taken = run_[order[i].position];
      // Two items of one partition are two rows, even if the definition gives them one primary key.
      const bool copy =
          i > 0 && compare_keys(order[i - 1].key, order[i].key) == 0 && sorted.back().lane != taken.lane;
      if (copy) {
        ++duplicates_dropped_;
      } else {
        sorted.push_back(std::move(taken));
      }
    }
    run_ = std::move(sorted);
  }

  std::size_t first_lane_;
  std::size_t lane_count_;
  std::size_t awaited_;  // lanes that have no head yet but may get one
  Direction direction_;
  Ties ties_;
  std::size_t max_tie_run_;
  std::size_t duplicates_dropped_ = 0;
  bool holding_back_ = false;
  std::optional<OwnedKey<Key>> held_back_from_;
  std::size_t heads_ = 0;                 // lanes that have a head
  std::optional<LoserTree<Heads>> tree_;  // of these heads; none where there is one lane only
  std::vector<Taken> run_;                // items of one sort key, being gathered
  std::optional<Key> run_key_;
  bool run_open_ = false;
  std::vector<Taken> ready_;  // a run in order, being given out
  std::size_t ready_position_ = 0;
};

}  // namespace evenkey::detail
