// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/index.hpp>
#include <evenkey/page.hpp>
#include <evenkey/page/key_range.hpp>
#include <evenkey/read/lane.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

namespace evenkey::detail {

/// A place in the total order, by value: all items up to this one were given out or are not wanted.
template <class Index>
struct ReadPosition {
  OwnedKey<SortKeyOf<Index>> sort_key = {};
  std::string primary_key = {};
};

/// A place in a listing by shard: the number of the partition in the plan, and the start key of its next
/// page.
template <class Index>
struct ShardPosition {
  std::size_t partition = 0;
  std::optional<typename Index::StartKey> start_key = {};
};

/// Where a read began and how far it has come, as a place by value.
template <class Index>
class Progress {
 public:
  using Item = typename Index::Item;
  using Position = ReadPosition<Index>;

  /// The read leaves out all items up to this place.
  void begin_after(Position position) { begin_ = place_ = std::move(position); }
  bool begins_midway() const noexcept { return begin_.has_value(); }

  /// Narrows a range to what can lie behind the beginning.
  void narrow(KeyRange& range, Direction direction) const {
    if constexpr (index_with_order<Index>) {
      if (!begin_) return;
      if (direction == Direction::ascending) {
        range.at_least(SortKeyValue(begin_->sort_key));
      } else {
        range.at_most(SortKeyValue(begin_->sort_key));
      }
    }
  }

  /// The item lies behind the beginning. @pre its sort key, `key`, is in the narrowed range
  template <class Key>
  bool passes(const Index& index, const Item& item, const Key& key, Direction direction) const {
    return !begin_ || compare_keys(key, begin_->sort_key) != 0 ||
           compare_toward(direction, primary_key_of(index, item), begin_->primary_key) > 0;
  }

  void reach(const Index& index, const Item& item) {
    if (!place_) place_.emplace();
    place_->sort_key = sort_key_of(index, item);
    place_->primary_key = primary_key_of(index, item);
  }

  /// A partition is missing from here on: the place to go on from is this one, however far the others are
  /// read.
  void freeze() {
    if (frozen_) return;
    frozen_ = true;
    frozen_place_ = place_;
  }

  /// The place up to which nothing is unread. Nothing: the beginning of the index.
  const std::optional<Position>& place() const noexcept { return frozen_ ? frozen_place_ : place_; }

 private:
  std::optional<Position> begin_;
  std::optional<Position> place_;
  std::optional<Position> frozen_place_;
  bool frozen_ = false;
};

}  // namespace evenkey::detail
