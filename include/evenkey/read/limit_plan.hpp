// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/page.hpp>
#include <evenkey/read/lane.hpp>
#include <evenkey/read/ordered_merge.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace evenkey::detail {

/// Some lanes that stand one behind the other.
struct LaneRange {
  std::size_t first = 0;
  std::size_t end = 0;

  std::size_t size() const noexcept { return end - first; }
  bool contains(std::size_t lane) const noexcept { return first <= lane && lane < end; }
};

/// How a limited read of L items spends little more capacity than one partition would: it asks each of N
/// lanes for its share of L and a margin, L/N + sqrt(L/N); then, round by round, only the lanes that may
/// still hold one of the first L items, the lower half of these, and each for as many items again as it was
/// asked for so far.
///
/// Asking each lane for L at once would read N · L items; asking only the one lane that blocks the merge
/// would take as many round trips as lanes. Since a lane's sum doubles with each request, none is asked more
/// than log2(L) + 2 times, unless it is pages or runs of equal sort keys that end early or late. What a read
/// unit covers is free, so a request is rounded up to whole 4 KiB, by the largest size that the items seen so
/// far can have: they are told by the units that they cost. tests/read/limited_capacity_test.cpp has the
/// figures.
struct LimitPlan {
  std::size_t left = 0;       // items that are still to be given out
  std::size_t lanes = 1;      // lanes that share the limit
  double item_bytes = 0;      // as seen so far; 0: not known
  std::size_t evaluated = 0;  // items that the store has looked at so far
  std::size_t kept = 0;       // of these, items that belong to the answer
  std::size_t run = 0;        // items of one sort key that wait for the last of their kind
  std::size_t behind = 0;     // items at the place that the read resumes after: they come again

  /// How many items to ask a lane for that was asked `times` before. At least 1.
  std::uint32_t page_limit(std::size_t times, std::size_t limit, bool needs_follower) const {
    constexpr double largest = 1'000'000;  // the wire's limit is a positive int
    const double most = most_wanted(needs_follower);
    const double share = static_cast<double>(limit) / static_cast<double>(lanes);
    const double first = lanes == 1 ? most : std::ceil(share + std::sqrt(share));
    const double again = std::exp2(static_cast<double>((std::clamp<std::size_t>)(times, 1, 33) - 1));
    return static_cast<std::uint32_t>((std::max)(1.0, (std::min)({round_up(first * again), most, largest})));
  }

  /// Of the lanes `asked` that may go on, those to ask next: the lower half of the ones that may hold one of
  /// the items left, as far as the lanes of `merge` tell.
  template <class Index>
  std::vector<std::size_t> next_round(const Index& index, const std::vector<Lane<Index>>& all,
                                      const OrderedMerge<Index>& merge, LaneRange asked,
                                      Direction direction) const {
    using Key = OwnedKey<SortKeyOf<Index>>;
    const auto before = [direction](const auto& a, const auto& b) {
      return compare_toward(direction, a, b) < 0;
    };
    std::vector<SortKeyOf<Index>> held;
    if (merge.run_length() != 0) held.assign(merge.run_length(), *merge.run_key());
    struct Open {
      std::optional<Key> last;
      std::size_t lane;
    };
    std::vector<Open> open;
    for (std::size_t lane = merge.first_lane(); lane < merge.first_lane() + merge.lane_count(); ++lane) {
      all[lane].for_each_key(index, [&](auto&& key) { held.push_back(std::forward<decltype(key)>(key)); });
      if (asked.contains(lane) && all[lane].state() == Lane<Index>::State::idle)
        open.push_back({all[lane].last_fetched(index), lane});
    }
    if (held.size() >= left && left > 0) {
      const auto last_wanted = held.begin() + static_cast<std::ptrdiff_t>(left - 1);
      std::nth_element(held.begin(), last_wanted, held.end(), before);
      // A lane whose last key equals the last wanted one may hold a tie that comes before it.
      std::erase_if(open, [&](const Open& o) { return o.last && before(*last_wanted, *o.last); });
    }
    std::sort(open.begin(), open.end(), [&](const Open& a, const Open& b) {
      if (a.last && b.last && (before(*a.last, *b.last) || before(*b.last, *a.last)))
        return before(*a.last, *b.last);
      return a.last.has_value() == b.last.has_value() ? a.lane < b.lane : b.last.has_value();
    });
    std::vector<std::size_t> round;
    for (std::size_t i = 0; i < (open.size() + 1) / 2; ++i)
      round.push_back(open[i].lane);
    return round;
  }

 private:
  double most_wanted(bool needs_follower) const {
    // One more than is left: whether the last item has ties is known only when its follower is.
    double most = static_cast<double>(left) + (needs_follower ? 1.0 : 0.0);
    if (evaluated == 0) most += static_cast<double>(behind);
    // Of a run of ties nobody knows the length; nor where the next item is that belongs to the answer, if
    // the store looks at many that do not. Both are sought by doubling: never for more than was read so far.
    if (run > 1) most += static_cast<double>(run);
    const double density = static_cast<double>(evaluated + 1) / static_cast<double>(kept + 1);
    return (std::min)(std::ceil(most * density), most + static_cast<double>(evaluated));
  }
  double round_up(double items) const {
    constexpr double block = 4096;
    if (item_bytes <= 0) return items;
    return (std::max)(items, std::floor(std::ceil(items * item_bytes / block) * block / item_bytes));
  }
};

}  // namespace evenkey::detail
