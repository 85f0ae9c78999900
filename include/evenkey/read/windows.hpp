// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/index.hpp>
#include <evenkey/page.hpp>
#include <evenkey/page/key_range.hpp>
#include <evenkey/page/sort_key_condition.hpp>
#include <evenkey/read/lane.hpp>
#include <evenkey/read/limit_plan.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace evenkey::detail {

/// How a merge of two groups of partitions steps through its range, so that a row on the move from the first
/// group, the source, to the second, the destination, is never missed: **before any page of the destination
/// is asked for a range, the source's pages of that range have been answered**.
///
/// A window reaches from the end of the one before up to the frontier: the least of the last keys that the
/// source's partitions have answered, that key itself left out, since more rows of it may follow. Within the
/// window the destination is read lazily; items past it are held back. A plain merge of both groups would ask
/// later pages of the source after the destination was found empty there, and miss the row that moved
/// between.
template <class Index>
class Windows {
 public:
  using Key = OwnedKey<SortKeyOf<Index>>;
  using Lanes = std::vector<Lane<Index>>;
  using State = typename Lane<Index>::State;

  Windows(LaneRange source, LaneRange destination, Direction direction)
      : source_(source), destination_(destination), direction_(direction) {}

  LaneRange source() const noexcept { return source_; }
  LaneRange destination() const noexcept { return destination_; }

  /// The source is being read, for the next window; else the destination, within one.
  bool at_source() const noexcept { return at_source_; }
  /// The window open now is the last: the source is read to its end.
  bool is_last() const noexcept { return last_; }
  /// The range of the window opened last, and the one condition that covers it. @pre one was opened
  const KeyRange& range() const noexcept { return range_; }
  const SortKeyCondition& condition() const noexcept { return condition_; }
  /// Where it ends: the first key that is not in it; nothing where it is the last.
  const std::optional<Key>& end() const noexcept { return end_; }

  /// All of the window is given out: the source's turn.
  void close() noexcept { at_source_ = true; }

  /// Whether another page of this source lane must come before a window that spans `pages` can be opened.
  bool needs_page(const Index& index, const Lane<Index>& lane, std::size_t pages) const {
    return goes_on(lane) && (lane.pages_held() < pages || !is_past_end(index, lane));
  }

  /// Whether this source lane is read past the end of the last window, so that the next is not empty.
  bool is_past_end(const Index& index, const Lane<Index>& lane) const {
    if (!goes_on(lane)) return true;
    if constexpr (!index_with_order<Index>) return false;  // no place within a partition can be named
    const std::optional<Key> last = lane.last_fetched(index);
    return last && (!end_ || compare_toward(direction_, *end_, *last) < 0);
  }

  /// Opens the next window, up to the frontier.
  /// @pre every source lane is read past the end of the last window
  void open(const Index& index, const Lanes& lanes, const KeyRange& all) {
    std::optional<Key> frontier;
    last_ = true;
    for (std::size_t lane = source_.first; lane < source_.end; ++lane) {
      if (!goes_on(lanes[lane])) continue;
      last_ = false;
      std::optional<Key> last = lanes[lane].last_fetched(index);
      if (!frontier || compare_toward(direction_, *last, *frontier) < 0) frontier = std::move(last);
    }
    range_ = all;
    if constexpr (index_with_order<Index>) {
      if (end_) direction_ == Direction::ascending ? range_.at_least(*end_) : range_.at_most(*end_);
      if (frontier) direction_ == Direction::ascending ? range_.below(*frontier) : range_.above(*frontier);
    }
    condition_ = range_.empty() ? SortKeyCondition{} : range_.condition();
    end_ = std::move(frontier);
    at_source_ = false;
    pages_ = (std::min)(pages_ * 2, most_pages);
  }

  /// How many pages of each source partition the next window should span: few at first, so that the first
  /// item comes soon; then more, since every window asks all of the destination's partitions.
  std::size_t pages() const noexcept { return pages_; }

 private:
  static constexpr std::size_t most_pages = 4;

  static bool goes_on(const Lane<Index>& lane) noexcept {
    return lane.state() == State::idle || lane.state() == State::in_flight;
  }

  LaneRange source_;
  LaneRange destination_;
  Direction direction_;
  bool at_source_ = true;
  bool last_ = false;
  std::size_t pages_ = 1;
  std::optional<Key> end_;
  KeyRange range_;
  SortKeyCondition condition_;
};

}  // namespace evenkey::detail
