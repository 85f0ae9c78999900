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
    const auto found = partitions_.find(key);
    return found != partitions_.end() ? found->second : partitions_[std::string(key)];
  }
  std::map<std::string, Counters> partition_counters() const {
    std::map<std::string, Counters> all;
    for (const auto& [key, partition] : partitions_)
      all.emplace(key, partition.meter.counters);
    return all;
  }

  // --- writes: plan, ask for room, commit
  // -------------------------------------------------------------------------

  /// What a write would do here. Errors: ValidationException for a key that DynamoDB refuses.
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
  double planned_units() const noexcept { return plan_.remove_units + plan_.insert_units; }

  /// Calls visit(partition key, units) for each partition that the planned write touches.
  template <class Visit>
  void visit_plan(Visit visit) {
    if (plan_.remove_units > 0) visit(std::string_view(plan_.before->partition_key), plan_.remove_units);
    if (plan_.insert_units > 0) visit(std::string_view(plan_.after->partition_key), plan_.insert_units);
  }

  void commit(const std::string& primary_key, const Stored& after, std::uint64_t& next_event,
              VirtualClock::time_point now) {
    const auto change = [&](IndexChange kind, Place<SortKey> place) {
      typename PendingEvents<Item, SortKey>::Pending pending{
          {next_event++, kind, std::string(name()), std::move(place.partition_key), place.sort_key,
           primary_key, now},
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

  // --- visibility
  // --------------------------------------------------------------------------------------------------

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

  // --- query
  // -------------------------------------------------------------------------------------------------------

  /// Evaluates one page. The caller has checked partition key, limit and consistency.
  template <class StartKey, class Filter>
  Page<Item, StartKey> query(const QueryRequest<StartKey>& request, const MemoryTableOptions& options,
                             Filter& filter, std::size_t& evaluated_bytes) const {
    check_condition<SortKey>(request.sort_key, options.key_text);
    Page<Item, StartKey> page;
    std::optional<MemoryStartKey> start;
    if (request.exclusive_start_key) start = checked_start(request);
    const auto found = partitions_.find(request.partition_key);
    if (found == partitions_.end()) return page;
    const Entries& entries = found->second.entries;
    auto [first, last] = key_range<SortKey>(entries, request.sort_key);
    const bool ascending = request.direction == Direction::ascending;
    if (start) (ascending ? first : last) = position_of(entries, std::move(*start), ascending);

    PageBuilder<Item, Filter> builder(request.limit, options, filter);
    builder.reserve(entries.size());
    using Step = typename PageBuilder<Item, Filter>::Step;
    Step step = Step::goes_on;
    while (first != last && step == Step::goes_on) {
      const auto at = ascending ? first : std::prev(last);
      step = builder.offer(at->second);
      if (step == Step::was_last) page.last_evaluated_key = start_key_at<StartKey>(request.partition_key, at);
      if (step == Step::begins_next)
        page.last_evaluated_key =
            start_key_at<StartKey>(request.partition_key, ascending ? std::prev(at) : last);
      (ascending ? first : last) = ascending ? std::next(at) : at;
    }
    page.items = builder.take_items();
    page.scanned_count = builder.scanned();
    evaluated_bytes = builder.bytes();
    return page;
  }

  /// A page that evaluates nothing but says where to go on, like a page that a filter left empty.
  template <class StartKey>
  Page<Item, StartKey> empty_page(const QueryRequest<StartKey>& request, KeyText text) const {
    check_condition<SortKey>(request.sort_key, text);
    Page<Item, StartKey> page;
    page.last_evaluated_key = request.exclusive_start_key;
    if (page.last_evaluated_key) {
      (void)checked_start(request);
      return page;
    }
    auto sort_key = any_sort_key<SortKey>(request.sort_key);
    if (const auto found = partitions_.find(request.partition_key); found != partitions_.end()) {
      const auto [first, last] = key_range<SortKey>(found->second.entries, request.sort_key);
      if (first != last)
        sort_key = (request.direction == Direction::ascending ? first : std::prev(last))->first.sort_key;
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

  auto position_of(const Entries& entries, MemoryStartKey start, bool ascending) const {
    SortKey sort_key = std::move(*std::get_if<SortKey>(&start.sort_key));
    if (start.primary_key.empty()) {
      using E = Edge<SortKey>;
      return entries.lower_bound(E{std::move(sort_key), ascending ? E::Side::before : E::Side::after});
    }
    const Key key = key_of(std::move(sort_key), std::move(start.primary_key));
    return ascending ? entries.upper_bound(key) : entries.lower_bound(key);
  }

  template <class StartKey>
  StartKey start_key_at(std::string_view partition_key, typename Entries::const_iterator at) const {
    return to_start_key<StartKey>(
        index_, MemoryStartKey{std::string(partition_key), at->first.sort_key, at->first.primary_key});
  }

  Index index_;
  VisibilityLag lag_;
  std::uint64_t seed_;
  std::unordered_map<std::string, Partition, TextHash, std::equal_to<>> partitions_;
  PendingEvents<Item, SortKey> pending_;
  Plan plan_;
};

}  // namespace evenkey::testing::detail
