// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/testing/memory_table/visibility.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace evenkey::testing::detail {

/// A change of an index with the content that it carries.
template <class Item, class SortKey>
struct PendingEvent {
  IndexEvent event;
  SortKey sort_key;
  std::shared_ptr<const Item> item;
  std::size_t bytes = 0;
};

/// The changes of one index that readers do not see yet, by due time.
template <class Item, class SortKey>
class PendingEvents {
 public:
  using Pending = PendingEvent<Item, SortKey>;

  bool empty() const noexcept { return events_.empty(); }

  void add(Pending pending) {
    const When when{pending.event.due, pending.event.id};
    of_item_[pending.event.primary_key].push_back(when);
    events_.emplace(when, std::move(pending));
  }

  std::optional<Pending> take_due(VirtualClock::time_point now) {
    if (events_.empty() || events_.begin()->first.first > now) return std::nullopt;
    return take(events_.begin());
  }
  std::optional<Pending> take(std::uint64_t id) {
    for (auto event = events_.begin(); event != events_.end(); ++event)
      if (event->first.second == id) return take(event);
    return std::nullopt;
  }

  /// A later state of that place is visible: what came before must not come back.
  void drop_older(const IndexEvent& seen) {
    const auto found = of_item_.find(seen.primary_key);
    if (found == of_item_.end()) return;
    std::erase_if(found->second, [&](const When& when) {
      const auto event = events_.find(when);
      const IndexEvent& other = event->second.event;
      if (other.id >= seen.id || other.partition_key != seen.partition_key || other.sort_key != seen.sort_key)
        return false;
      events_.erase(event);
      return true;
    });
    if (found->second.empty()) of_item_.erase(found);
  }

  void list(std::vector<IndexEvent>& into) const {
    for (const auto& [when, pending] : events_)
      into.push_back(pending.event);
  }

 private:
  using When = std::pair<VirtualClock::time_point, std::uint64_t>;
  using Events = std::map<When, Pending>;

  std::optional<Pending> take(typename Events::iterator event) {
    const When when = event->first;
    Pending pending = std::move(event->second);
    events_.erase(event);
    const auto found = of_item_.find(pending.event.primary_key);
    std::erase(found->second, when);
    if (found->second.empty()) of_item_.erase(found);
    return pending;
  }

  Events events_;
  std::unordered_map<std::string, std::vector<When>> of_item_;
};

}  // namespace evenkey::testing::detail
