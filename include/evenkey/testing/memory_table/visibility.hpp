// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/testing/memory_table/entry_order.hpp>
#include <evenkey/testing/memory_table/start_key.hpp>
#include <evenkey/testing/memory_table/virtual_clock.hpp>

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

namespace evenkey::testing {

/// What a write of the base table makes of an index entry. A row whose key changes is a remove and an insert.
enum class IndexChange : std::uint8_t { insert, remove, replace };

/// A change of an index that readers do not see yet.
struct IndexEvent {
  /// Rises with every write; what `deliver` takes.
  std::uint64_t id = 0;
  IndexChange change = IndexChange::insert;
  std::string index_name;
  std::string partition_key;
  MemorySortKey sort_key;
  std::string primary_key;
  /// When it becomes visible by itself; `time_point::max()`: only by `deliver`.
  VirtualClock::time_point due;
};

/// How long after a write its changes of an index become visible, and in which order.
///
/// Use it to try what DynamoDB leaves open: the entry of a re-keyed row may vanish from its old partition
/// before or after it appears in the new one. Order: events of one row at one place (partition and sort key)
/// never overtake: a later one that is delivered first makes the earlier one void. So the index always comes
/// to agree with the table. All events of one due time become visible at once.
class VisibilityLag {
 public:
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
  /// A lag for each event from a function of yours, called under the table's lock. Its `due` is not set yet.
  static VisibilityLag each(std::function<duration(const IndexEvent&)> lag) {
    VisibilityLag made;
    made.each_ = std::move(lag);
    return made;
  }
  /// A lag for each event between two ends, drawn by a seed: the same in every run.
  static VisibilityLag random(std::uint64_t seed, duration least, duration most) {
    if (least < duration::zero() || most < least || most == (duration::max)())
      throw std::invalid_argument(
          "evenkey: a random lag lies between 0 and an end that is not below its start");
    return each([seed, least, most](const IndexEvent& event) {
      const auto span = static_cast<std::uint64_t>((most - least).count()) + 1;
      const std::uint64_t drawn = detail::seeded_hash(std::to_string(event.id), seed) % span;
      return least + duration(static_cast<duration::rep>(drawn));
    });
  }

  bool immediate() const noexcept {
    return !each_ && inserts_ == duration::zero() && removes_ == duration::zero();
  }
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
