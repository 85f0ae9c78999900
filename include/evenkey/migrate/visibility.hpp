// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <stdexcept>

namespace evenkey {

/// The assumption that a moved row's new index entry is never visible later than the old one vanishes.
struct InsertVisibleFirst {};
inline constexpr InsertVisibleFirst insert_visible_first{};

/// The assumption that both changes of a moved row are visible within a time, in whatever order.
struct VisibleWithin {
  std::chrono::milliseconds lag;  ///< 0: a row's new entry is never seen later than its old one goes
};

/// Both changes of a moved row are visible within `lag`, in whatever order: readers wait that long
/// between source and destination.
///
/// AWS says that changes reach an index "normally within a fraction of a second", and longer when
/// something fails: no bound is promised. Where the lag is longer than assumed, a reader can miss a row
/// that moves while it reads.
/// Errors: a lag that is not positive, or longer than a day → `std::invalid_argument`.
constexpr VisibleWithin visible_within(std::chrono::milliseconds lag) {
  if (lag.count() <= 0)
    throw std::invalid_argument(
        "evenkey: visible_within needs a time that is more than zero; without a wait only "
        "insert_visible_first is safe");
  if (lag > std::chrono::hours(24))  // "for ever" would overflow, and not be waited for at all
    throw std::invalid_argument("evenkey: visible_within takes a day at most: each read waits that long");
  return {lag};
}

/// How the index is assumed to show a moved row: `insert_visible_first` or `visible_within(…)`.
///
/// There is no default, since AWS promises neither an order nor a bound: the choice is the reader's, and what
/// it costs when it is wrong is in docs/design/migration.md.
class Visibility {
 public:
  /// Of `insert_visible_first`.
  constexpr Visibility(InsertVisibleFirst) noexcept {}
  /// Errors: as `visible_within`.
  constexpr Visibility(VisibleWithin within) : lag_(visible_within(within.lag).lag) {}

  /// How long a reader waits between source and destination; zero where the order is assumed.
  constexpr std::chrono::milliseconds lag() const noexcept { return lag_; }

 private:
  std::chrono::milliseconds lag_{0};
};

}  // namespace evenkey
