// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/testing/memory_table/entry_order.hpp>
#include <evenkey/testing/memory_table/start_key.hpp>
#include <evenkey/testing/memory_table/virtual_clock.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace evenkey::testing {

/// What a write of the base table makes of an index entry. A row whose key changes is a remove and an insert.
enum class IndexChange : std::uint8_t { insert, remove, replace };

/// Which of a re-keyed row's two events becomes visible first.
enum class VisibilityOrder : std::uint8_t { any, insert_first, remove_first, simultaneous };

/// A change of an index that readers do not see yet.
struct IndexEvent {
  /// Rises with every event; what `deliver` takes.
  std::uint64_t id = 0;
  /// Rises with every write; events of one write share it.
  std::uint64_t write = 0;
  IndexChange change = IndexChange::insert;  ///< insert, update or remove
  std::string index_name;                    ///< in which index
  std::string partition_key;                 ///< of the entry
  MemorySortKey sort_key;                    ///< of the entry
  std::string primary_key;                   ///< of the item
  /// When it becomes visible by itself; `time_point::max()`: only by `deliver`.
  VirtualClock::time_point due;
};

/// How long after a write its changes of an index become visible, and in which order.
///
/// Use it to try what DynamoDB leaves open: the entry of a re-keyed row may vanish from its old partition
/// before or after it appears in the new one.
/// Order: a row's events at one place (partition and sort key) never overtake; a later one that is visible
/// first makes the earlier ones void. So the index always comes to agree with the table. All events that are
/// due when a request comes become visible at once.
class VisibilityLag {
 public:
  /// Of the virtual clock.
  using duration = VirtualClock::duration;

  /// Everything is visible when the write is answered. The default.
  VisibilityLag() = default;
  /// Inserts and replacements after one time, removals after another.
  VisibilityLag(duration inserts, duration removes) : inserts_(inserts), removes_(removes) {
    if (inserts < duration::zero() || removes < duration::zero())
      throw std::invalid_argument("evenkey: a lag is not negative");
  }

  /// Both at the same moment: no reader sees one without the other.
  static VisibilityLag simultaneous(duration lag) { return {lag, lag}; }
  /// The new entry appears at once, the old one vanishes later: a reader may see a row twice.
  static VisibilityLag insert_first(duration gap) { return {duration::zero(), gap}; }
  /// The old entry vanishes at once, the new one appears later: a reader may see a row nowhere.
  static VisibilityLag remove_first(duration gap) { return {gap, duration::zero()}; }
  /// Nothing becomes visible until `deliver`: for tests that go through all orders.
  static VisibilityLag by_hand() { return {(duration::max)(), (duration::max)()}; }
  /// A lag for each event from a function of yours, called under the table's lock; it must not throw. The
  /// event's `due` is still the time of the write. The largest duration means by hand.
  static VisibilityLag each(std::function<duration(const IndexEvent&)> lag) {
    VisibilityLag made;
    made.each_ = std::move(lag);
    return made;
  }
  /// Lags between two ends, drawn by a seed: the same in every run. The order holds between the events of one
  /// write; the first and the second may fall together.
  static VisibilityLag random(std::uint64_t seed, duration least, duration most,
                              VisibilityOrder order = VisibilityOrder::any) {
    if (least < duration::zero() || most < least || most == (duration::max)())
      throw std::invalid_argument(
          "evenkey: a random lag lies between 0 and an end that is not below its start");
    return each([seed, least, most, order](const IndexEvent& event) {
      const auto draw = [&](std::string_view what) {
        const auto span = static_cast<std::uint64_t>((most - least).count()) + 1;
        const std::uint64_t drawn = detail::seeded_hash(event.index_name + std::to_string(event.write), seed);
        return least + duration(static_cast<duration::rep>(detail::seeded_hash(what, drawn) % span));
      };
      const duration one = draw("one");
      const duration other = order == VisibilityOrder::simultaneous ? one : draw("other");
      const bool insert = event.change != IndexChange::remove;
      if (order == VisibilityOrder::any) return insert ? one : other;
      return insert == (order == VisibilityOrder::insert_first) ? (std::min)(one, other)
                                                                : (std::max)(one, other);
    });
  }

  /// Whether every change shows at once.
  bool immediate() const noexcept {
    return !each_ && inserts_ == duration::zero() && removes_ == duration::zero();
  }
  /// When a change shows. @param now when it was written
  VirtualClock::time_point due(const IndexEvent& event, VirtualClock::time_point now) const {
    duration lag = event.change == IndexChange::remove ? removes_ : inserts_;
    if (each_) lag = each_(event);
    if (lag >= (VirtualClock::time_point::max)() - now) return (VirtualClock::time_point::max)();
    return now + lag;
  }

 private:
  duration inserts_{0};
  duration removes_{0};
  std::function<duration(const IndexEvent&)> each_;
};

}  // namespace evenkey::testing
