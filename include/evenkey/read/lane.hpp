// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/index.hpp>
#include <evenkey/merge/text_heads.hpp>
#include <evenkey/page.hpp>
#include <evenkey/read/failure.hpp>
#include <evenkey/read/start_key_traits.hpp>

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace evenkey::detail {

template <sort_key_text A, sort_key_text B>
std::strong_ordering compare_keys(const A& left, const B& right) noexcept {
  const std::string_view a = left;
  const std::string_view b = right;
  // Most keys that are compared differ early, and a call of memcmp is worth more than that.
  if (a.size() >= 8 && b.size() >= 8)
    if (const auto word = big_endian_word(a.data()), other = big_endian_word(b.data()); word != other)
      return word <=> other;
  return a.compare(b) <=> 0;  // unsigned bytes, as the store
}
template <sort_key_number A, sort_key_number B>
constexpr std::strong_ordering compare_keys(A left, B right) noexcept {
  return compare_numbers(left, right);
}
constexpr std::strong_ordering compare_keys(std::monostate, std::monostate) noexcept {
  return std::strong_ordering::equal;
}

/// Compares in the direction of the read: `less` comes first in the answer.
template <class A, class B>
std::strong_ordering compare_toward(Direction direction, const A& left, const B& right) noexcept {
  return direction == Direction::ascending ? compare_keys(left, right) : compare_keys(right, left);
}

/// A sort key that outlives the item it was taken from.
template <class Key>
using OwnedKey = std::conditional_t<std::same_as<Key, std::string_view>, std::string, Key>;

/// One partition under one condition, as a queue of items that its pages fill.
///
/// It knows whether a page is under way, whether more can come, and the key of its first item. Items stay
/// where the page put them until they are taken, because keys may be views into them.
template <class Index>
class Lane {
 public:
  using Item = typename Index::Item;
  using StartKey = typename Index::StartKey;
  using Key = SortKeyOf<Index>;

  enum class State : std::uint8_t {
    idle,
    in_flight,
    parked,  ///< read to the end of a window; another window may follow
    ended,
    failed
  };
  /// How an item that was just taken stands to the one behind it in the same partition.
  enum class Next : std::uint8_t { unknown, equal, later };
  /// What a page without a last evaluated key ends: the partition, or one window of it.
  enum class AtEnd : std::uint8_t { ends, parks };

  Lane(PlannedPartition partition, std::size_t merge, std::size_t group = 0)
      : partition_(partition), merge_(merge), group_(group) {}
  // Items may not be copied, also not by a vector of lanes that grows.
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;
  Lane(Lane&&) = default;
  Lane& operator=(Lane&&) = default;
  ~Lane() = default;

  /// Starts where an earlier read left off, before the first request.
  void start_at(StartKey key) { start_ = std::move(key); }
  /// Nothing can be in the lane's range: no request is made.
  void end() noexcept { state_ = State::ended; }
  /// Asks nothing before a window is opened.
  void park() noexcept { state_ = State::parked; }
  /// Reads a range anew from its beginning. @pre parked, nothing is held
  void reopen(AtEnd at_end) noexcept {
    state_ = State::idle;
    at_end_ = at_end;
    pages_asked_ = 0;
    start_.reset();
  }

  const PlannedPartition& partition() const noexcept { return partition_; }
  std::size_t merge() const noexcept { return merge_; }
  /// The group of the plan that the partition is of.
  std::size_t group() const noexcept { return group_; }
  State state() const noexcept { return state_; }
  std::size_t pages_asked() const noexcept { return pages_asked_; }
  std::size_t pages_held() const noexcept { return pages_.size(); }
  std::size_t items_held() const noexcept {
    std::size_t items = 0;
    for (const HeldPage& page : pages_)
      items += page.items.size();
    return items - position_;
  }
  bool has_head() const noexcept { return head_.has_value(); }
  const Key& head() const noexcept { return *head_; }
  /// No head now, but a page may bring one.
  bool awaits_page() const noexcept {
    return !has_head() && (state_ == State::idle || state_ == State::in_flight);
  }

  /// The lane's next page is being asked; gives the key to start at, which is kept for the case that it
  /// fails.
  std::optional<StartKey> depart(std::size_t limit) {
    state_ = State::in_flight;
    ++pages_asked_;
    limit_ = limit;
    return start_;
  }
  /// The limit of the request under way or last made; 0: none.
  std::size_t limit() const noexcept { return limit_; }
  /// Nothing is held, and nothing can come.
  bool done() const noexcept { return pages_.empty() && state_ == State::ended; }
  /// Where a listing goes on that has given out all pages before the first that is held.
  const std::optional<StartKey>& start_key() const noexcept {
    return pages_.empty() ? start_ : pages_.front().start;
  }
  /// The item taken last was the last one of its page.
  bool turned_page() const noexcept { return position_ == 0; }

  /// A page came; all of its items belong to the answer.
  /// Errors: `order_error` where its items are not in `direction`'s order, or it leads back to its own start
  /// key; what an accessor throws.
  void receive(const Index& index, Direction direction, bool in_order, Page<Item, StartKey>&& page) {
    if (stands_still(start_, page.last_evaluated_key)) throw_no_progress(partition_.partition_key);
    if (!page.items.empty()) {
      pages_.push_back({std::move(page.items), start_});
      if (!has_head()) load_head(index, direction, in_order);
    }
    const bool more = leads_on(page.last_evaluated_key);
    start_ = more ? std::move(page.last_evaluated_key) : std::nullopt;
    state_ = more ? State::idle : at_end_ == AtEnd::parks ? State::parked : State::ended;
  }

  /// Whether it waits in the engine's queue already. @return what it was before
  bool set_queued(bool queued) noexcept { return std::exchange(queued_, queued); }

  void fail() noexcept { state_ = State::failed; }

  /// The key of the last item that any page brought; nothing where there is none to be seen.
  std::optional<OwnedKey<Key>> last_fetched(const Index& index) const {
    if (pages_.empty()) return last_;
    try {
      return OwnedKey<Key>(sort_key_of(index, pages_.back().items.back()));
    } catch (...) {
      return std::nullopt;  // the item fails the lane when its turn comes, and not before
    }
  }

  /// Calls `visit(key)` for every item that is held, in order, up to one that has no key to be seen.
  template <class Visit>
  void for_each_key(const Index& index, Visit visit) const {
    std::size_t position = position_;
    for (const HeldPage& page : pages_) {
      for (; position < page.items.size(); ++position) {
        try {
          visit(sort_key_of(index, page.items[position]));
        } catch (...) {
          return;  // as in last_fetched
        }
      }
      position = 0;
    }
  }

  /// Drops what is held by a lane that failed: an item cannot be placed, so none behind it can. A listing that
  /// goes on reads the page again of which not all was given.
  void discard() noexcept {
    if (!pages_.empty()) start_ = std::move(pages_.front().start);
    pages_.clear();
    position_ = 0;
    head_.reset();
    ahead_.reset();
  }

  /// Moves the first item out and loads the next head, if it is here. Where the next item cannot be placed,
  /// this one is given all the same and `broken()` says why: what a lane gives does not depend on when its
  /// pages come.
  /// @param item takes it: an item is moved as seldom as can be, since that is much of what a read costs
  /// @pre has_head()
  void take(const Index& index, Direction direction, bool in_order, std::optional<Item>& item) {
    std::vector<Item>& page = pages_.front().items;
    if (position_ + 1 < page.size()) {
      // The next key is read before this item moves away: the head may be a view into it.
      std::optional<Key> next;
      try {
        if (ahead_) {
          next = std::move(ahead_);
          ahead_.reset();
        } else {
          next.emplace(sort_key_of(index, page[position_ + 1]));
        }
        if (in_order) next_ = follow(direction, *head_, *next);
      } catch (...) {
        broken_ = std::current_exception();
        next.reset();
        next_ = Next::unknown;
      }
      item.emplace(std::move(page[position_]));
      ++position_;
      head_ = std::move(next);
      look_ahead(index);
      return;
    }
    if constexpr (!std::same_as<Key, std::monostate>) last_.emplace(std::move(*head_));
    head_.reset();
    next_ = Next::unknown;
    item.emplace(std::move(page[position_]));
    pages_.pop_front();
    position_ = 0;
    try {
      if (!pages_.empty()) load_head(index, direction, in_order);
    } catch (...) {
      broken_ = std::current_exception();
      head_.reset();
    }
  }

  /// Why the item behind the one taken last cannot be placed; null where it can.
  const std::exception_ptr& broken() const noexcept { return broken_; }

  /// How the item taken last stands to the one behind it; `unknown` where that one is not here.
  Next next() const noexcept { return next_; }

 private:
  struct HeldPage {
    std::vector<Item> items;
    std::optional<StartKey> start;
  };

  void load_head(const Index& index, Direction direction, bool in_order) {
    Key head = sort_key_of(index, pages_.front().items[position_]);
    if (in_order && last_) next_ = follow(direction, *last_, head);
    head_.emplace(std::move(head));
  }

  // Many lanes are walked by turns, so a lane's next item comes from far memory unless it is asked for a turn
  // before; waiting for it is most of what an item costs. Its key is read a turn before too: the bytes may
  // lie elsewhere.
  void look_ahead(const Index& index) noexcept {
#if defined(__GNUC__)
    const std::vector<Item>& page = pages_.front().items;
    if (position_ + 2 < page.size()) {
      const auto* const bytes = reinterpret_cast<const char*>(&page[position_ + 2]);
      for (std::size_t i = 0; i < sizeof(Item) && i < 256; i += 64)
        __builtin_prefetch(bytes + i);
    }
    if constexpr (std::same_as<Key, std::string_view>) {
      if (position_ + 1 >= page.size()) return;
      try {
        ahead_.emplace(sort_key_of(index, page[position_ + 1]));
      } catch (...) {
        return;  // take() meets it again, in its turn
      }
      __builtin_prefetch(ahead_->data());
    }
#endif
  }

  template <class Before>
  Next follow(Direction direction, const Before& before, const Key& after) const {
    const auto order = compare_toward(direction, before, after);
    if (order > 0)
      throw order_error(
          "evenkey: " + std::string(partition_.partition_key) +
          " answered its items out of order; does sort_key(item) give the index's own sort key, and "
          "does the functor pass on the direction?");
    return order == 0 ? Next::equal : Next::later;
  }

  PlannedPartition partition_;
  std::size_t merge_;
  std::size_t group_;
  AtEnd at_end_ = AtEnd::ends;
  State state_ = State::idle;
  std::size_t pages_asked_ = 0;
  std::size_t limit_ = 0;
  bool queued_ = false;
  Next next_ = Next::unknown;
  std::optional<StartKey> start_;
  std::deque<HeldPage> pages_;
  std::size_t position_ = 0;  // of the head in the first page
  std::optional<Key> head_;
  std::optional<Key> ahead_;  // the key behind the head, where it was looked at already
  std::exception_ptr broken_;
  std::optional<OwnedKey<Key>> last_;  // key of the last item taken of a page that is gone
};

}  // namespace evenkey::detail
