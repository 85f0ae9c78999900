// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/page.hpp>
#include <evenkey/testing/memory_table/counters.hpp>
#include <evenkey/testing/memory_table/entry_order.hpp>
#include <evenkey/testing/memory_table/item_place.hpp>
#include <evenkey/testing/memory_table/key_range.hpp>
#include <evenkey/testing/memory_table/options.hpp>
#include <evenkey/testing/memory_table/page_builder.hpp>
#include <evenkey/testing/memory_table/pending_events.hpp>
#include <evenkey/testing/memory_table/start_key.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace evenkey::testing::detail {

/// How many writes and events of indexes there were.
struct EventNumbers {
  std::uint64_t writes = 0;
  std::uint64_t events = 0;
};

/// One index of a table: its partitions as readers see them, and what they do not see yet.
template <class Item, class Index>
class IndexState {
 public:
  using SortKey = sort_key_type<Index, Item>;
  using Key = EntryKey<SortKey>;
  using Stored = StoredItem<Item>;
  using Entries = std::map<Key, Stored, EntryOrder<SortKey>>;
  struct Partition {
    Entries entries;
    Meter meter;
  };

  IndexState(Index index, const MemoryTableOptions& options)
      : index_(std::move(index)), lag_(options.lag), seed_(options.seed) {}

  const Index& definition() const noexcept { return index_; }
  std::string_view name() const { return std::string_view(index_.name); }
  void set_lag(VisibilityLag lag) { lag_ = std::move(lag); }

  Partition& partition(std::string_view key) {
    if (key.empty() || key.size() > max_partition_key_bytes) return no_partition_;
    const auto found = partitions_.find(key);
    return found != partitions_.end() ? found->second : partitions_[std::string(key)];
  }
  std::map<std::string, Counters> partition_counters() const {
    std::map<std::string, Counters> all;
    for (const auto& [key, one] : partitions_)
      all.emplace(key, one.meter.counters);
    return all;
  }
  Counters counters() const {
    Counters sum = no_partition_.meter.counters;
    for (const auto& [key, one] : partitions_)
      sum += one.meter.counters;
    return sum;
  }

  // --- a write: plan, ask for room, commit ---

  /// What a write would do here.
  /// Errors: ValidationException for a key that DynamoDB refuses.
  void plan(RequestKind request, const Stored& before, const Stored& after, bool same_content, KeyText text) {
    plan_ = {};
    if (before.item) plan_.before = place_of(index_, *before.item, request, text);
    if (after.item) plan_.after = place_of(index_, *after.item, request, text);
    const double old_units = testing::write_units(before.bytes);
    const double new_units = testing::write_units(after.bytes);
    plan_.in_place = plan_.before && plan_.after && *plan_.before == *plan_.after;
    if (plan_.in_place) {
      plan_.insert_units = same_content ? 0 : (std::max)(old_units, new_units);
    } else {
      plan_.remove_units = plan_.before ? old_units : 0;
      plan_.insert_units = plan_.after ? new_units : 0;
    }
  }

  /// Calls visit(partition key, units) for each partition that the planned write touches.
  template <class Visit>
  void visit_plan(Visit visit) {
    if (plan_.remove_units > 0) visit(std::string_view(plan_.before->partition_key), plan_.remove_units);
    if (plan_.insert_units > 0) visit(std::string_view(plan_.after->partition_key), plan_.insert_units);
  }

  void commit(const std::string& primary_key, const Stored& after, EventNumbers& numbers,
              VirtualClock::time_point now) {
    const auto change = [&](IndexChange kind, Place<SortKey> place) {
      typename PendingEvents<Item, SortKey>::Pending pending{
          {++numbers.events, numbers.writes, kind, std::string(name()), std::move(place.partition_key),
           place.sort_key, primary_key, now},
          place.sort_key,
          kind == IndexChange::remove ? nullptr : after.item,
          after.bytes};
      if (!lag_.immediate()) pending.event.due = lag_.due(pending.event, now);
      if (pending.event.due <= now) {
        deliver(std::move(pending));
      } else {
        pending_.add(std::move(pending));
      }
    };
    if (plan_.remove_units > 0) change(IndexChange::remove, std::move(*plan_.before));
    if (plan_.insert_units > 0)
      change(plan_.in_place ? IndexChange::replace : IndexChange::insert, std::move(*plan_.after));
  }

  // --- visibility ---

  void deliver_due(VirtualClock::time_point now) {
    while (auto pending = pending_.take_due(now))
      deliver(std::move(*pending));
  }
  bool deliver(std::uint64_t id) {
    auto pending = pending_.take(id);
    if (!pending) return false;
    deliver(std::move(*pending));
    return true;
  }
  void list_pending(std::vector<IndexEvent>& into) const { pending_.list(into); }

  // --- query ---

  /// Evaluates one page. The caller has checked partition key, limit and consistency.
  template <class StartKey, class Filter>
  Page<Item, StartKey> query(const QueryRequest<StartKey>& request, const Partition& asked,
                             const MemoryTableOptions& options, Filter& filter,
                             std::size_t& evaluated_bytes) const {
    check_condition<SortKey>(request.sort_key, options.key_text);
    Page<Item, StartKey> page;
    std::optional<MemoryStartKey> start;
    if (request.exclusive_start_key) start = checked_start(request);
    const Entries& entries = asked.entries;
    PageBuilder<Item, Filter> builder(request.limit, options, filter);
    using Step = typename PageBuilder<Item, Filter>::Step;
    const Key* last = nullptr;
    const auto offer = [&](const typename Entries::value_type& entry) {
      if (!in_range(entry.first.sort_key, request.sort_key)) return false;
      const Step step = builder.offer(entry.second);
      if (step != Step::begins_next) last = &entry.first;
      if (step != Step::goes_on)
        page.last_evaluated_key = start_key_at<StartKey>(request.partition_key, *last);
      return step == Step::goes_on;
    };
    if (request.direction == Direction::ascending) {
      auto at =
          start ? after_start(entries, std::move(*start)) : range_begin<SortKey>(entries, request.sort_key);
      while (at != entries.end() && offer(*at))
        ++at;
    } else {
      auto at =
          start ? before_start(entries, std::move(*start)) : range_end<SortKey>(entries, request.sort_key);
      while (at != entries.begin() && offer(*std::prev(at)))
        --at;
    }
    page.items = builder.take_items();
    page.scanned_count = builder.scanned();
    evaluated_bytes = builder.bytes();
    return page;
  }

  /// A page that evaluates nothing but says where to go on, like a page that a filter left empty.
  template <class StartKey>
  Page<Item, StartKey> empty_page(const QueryRequest<StartKey>& request, const Partition& asked,
                                  KeyText text) const {
    check_condition<SortKey>(request.sort_key, text);
    Page<Item, StartKey> page;
    page.last_evaluated_key = request.exclusive_start_key;
    if (page.last_evaluated_key) {
      (void)checked_start(request);
      return page;
    }
    auto sort_key = any_sort_key<SortKey>(request.sort_key);
    const bool ascending = request.direction == Direction::ascending;
    const auto at = ascending ? range_begin<SortKey>(asked.entries, request.sort_key)
                              : range_end<SortKey>(asked.entries, request.sort_key);
    if (at != (ascending ? asked.entries.end() : asked.entries.begin())) {
      const Key& key = (ascending ? at : std::prev(at))->first;
      if (in_range(key.sort_key, request.sort_key)) sort_key = key.sort_key;
    }
    if (sort_key)
      page.last_evaluated_key = to_start_key<StartKey>(
          index_, MemoryStartKey{std::string(request.partition_key), std::move(*sort_key), {}});
    return page;
  }

 private:
  struct Plan {
    std::optional<Place<SortKey>> before;
    std::optional<Place<SortKey>> after;
    double remove_units = 0;
    double insert_units = 0;
    bool in_place = false;
  };

  Key key_of(SortKey sort_key, std::string primary_key) const {
    const std::uint64_t tie = seeded_hash(primary_key, seed_);
    return {std::move(sort_key), tie, std::move(primary_key)};
  }

  void deliver(PendingEvent<Item, SortKey> pending) {
    if (!pending_.empty()) pending_.drop_older(pending.event);
    Entries& entries = partition(pending.event.partition_key).entries;
    Key key = key_of(std::move(pending.sort_key), std::move(pending.event.primary_key));
    if (pending.event.change == IndexChange::remove) {
      entries.erase(key);
    } else {
      entries.insert_or_assign(std::move(key), Stored{std::move(pending.item), pending.bytes});
    }
  }

  template <class StartKey>
  MemoryStartKey checked_start(const QueryRequest<StartKey>& request) const {
    auto start = from_start_key(index_, *request.exclusive_start_key);
    if (!start)
      throw validation_error(RequestKind::query, "the exclusive start key is not one that this table gave");
    const auto* sort_key = std::get_if<SortKey>(&start->sort_key);
    if (sort_key == nullptr)
      throw validation_error(RequestKind::query, "the exclusive start key has another type of sort key");
    if (start->partition_key != request.partition_key)
      throw validation_error(RequestKind::query, "the exclusive start key is of another partition");
    if constexpr (!std::same_as<SortKey, std::monostate>) {
      if (!request.sort_key.matches(*sort_key))
        throw validation_error(RequestKind::query, "the exclusive start key is outside the query's bounds");
    }
    return std::move(*start);
  }

  // A start key without a primary key stands before, or descending after, all items of its sort key.
  auto after_start(const Entries& entries, MemoryStartKey start) const {
    if (start.primary_key.empty()) return edge_of(entries, start, Side::before);
    return entries.upper_bound(
        key_of(std::move(std::get<SortKey>(start.sort_key)), std::move(start.primary_key)));
  }
  auto before_start(const Entries& entries, MemoryStartKey start) const {
    if (start.primary_key.empty()) return edge_of(entries, start, Side::after);
    return entries.lower_bound(
        key_of(std::move(std::get<SortKey>(start.sort_key)), std::move(start.primary_key)));
  }
  static auto edge_of(const Entries& entries, const MemoryStartKey& start, Side side) {
    return entries.lower_bound(Edge<SortKey>{std::get<SortKey>(start.sort_key), side});
  }

  template <class StartKey>
  StartKey start_key_at(std::string_view partition_key, const Key& key) const {
    return to_start_key<StartKey>(index_,
                                  MemoryStartKey{std::string(partition_key), key.sort_key, key.primary_key});
  }

  Index index_;
  Partition no_partition_;  // where requests with a key that cannot be are counted
  VisibilityLag lag_;
  std::uint64_t seed_;
  std::unordered_map<std::string, Partition, TextHash, std::equal_to<>> partitions_;
  PendingEvents<Item, SortKey> pending_;
  Plan plan_;
};

}  // namespace evenkey::testing::detail
