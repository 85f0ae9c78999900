// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/page.hpp>
#include <evenkey/testing/memory_table/table_core.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace evenkey::testing {

/// The server-side filter that keeps everything.
struct KeepAll {
  /// True.
  template <class Item>
  constexpr bool operator()(const Item&) const noexcept {
    return true;
  }
};

/// A DynamoDB table in memory, with typed items and any number of global secondary indexes.
///
/// Use it wherever a test needs a store that pages, lags, throttles and fails as DynamoDB does. Each index is
/// given by an index definition, the same that the program reads with; indexes project whole items.
/// Units: what a request consumes is in its answer, the counters and the log.
/// Cost: O(log n) to find a place, then O(page); one copy of each item handed out.
/// Errors: `dynamodb_error`, and whatever `before`, an injected fault or a functor of the caller's throws.
/// Threads: safe; one mutex around each request. Conditions, changes, filters, accessors and lags run under
/// it and must not call the table.
/// Source: docs/testing.md, which also lists where the table differs from DynamoDB.
template <class Item, class... Indexes>
class MemoryTable {
 public:
  /// Of a write.
  using Result = WriteResult<Item>;

  /// With index definitions that need no arguments.
  explicit MemoryTable(MemoryTableOptions options = {}, ItemFunctions<Item> functions = {})
      : core_(std::move(options), std::move(functions), Indexes{}...) {}
  /// With index definitions that hold something.
  explicit MemoryTable(Indexes... indexes, MemoryTableOptions options = {},
                       ItemFunctions<Item> functions = {}) requires(sizeof...(Indexes) > 0)
      : core_(std::move(options), std::move(functions), std::move(indexes)...) {}

  // --- the base table ---

  /// GetItem. Strong unless `call` says otherwise.
  std::optional<Item> get(std::string_view primary_key, const CallOptions& call = {}) {
    return core_.get(primary_key, call);
  }

  /// PutItem: stores the item, in the place of what was there.
  Result put(Item item, const CallOptions& call = {}) { return put_if(std::move(item), always, call); }
  /// PutItem with a condition on what is stored: `bool(const Item*)`, where null stands for nothing, or
  /// `bool(const Item&)`, which does not hold where nothing is stored.
  template <class Condition>
  Result put_if(Item item, Condition condition, const CallOptions& call = {}) {
    const std::string key = core_.primary_key_of(item);
    return core_.write(
        RequestKind::put_item, key, on_stored(condition),
        [&item](const Item*) { return std::make_shared<const Item>(std::move(item)); }, call);
  }

  /// UpdateItem of an item that must be there: `change(Item&)` is applied where the condition holds.
  template <class Condition, class Change>
  Result update(std::string_view primary_key, Condition condition, Change change,
                const CallOptions& call = {}) {
    return change_item(
        primary_key, [&](const Item* stored) { return stored && on_stored(condition)(stored); }, change,
        call);
  }
  /// UpdateItem as DynamoDB has it: where nothing is stored and the condition holds all the same, `change`
  /// gets an `Item{}`, must set its primary key, and the item is created.
  template <class Condition, class Change>
  Result upsert(std::string_view primary_key, Condition condition, Change change,
                const CallOptions& call = {}) {
    return change_item(primary_key, on_stored(condition), change, call);
  }

  /// DeleteItem; of what is not there, it succeeds.
  Result erase(std::string_view primary_key, const CallOptions& call = {}) {
    return erase_if(primary_key, always, call);
  }
  /// Deletes an item where the condition holds for it.
  template <class Condition>
  Result erase_if(std::string_view primary_key, Condition condition, const CallOptions& call = {}) {
    return core_.write(
        RequestKind::delete_item, primary_key, on_stored(condition),
        [](const Item*) { return std::shared_ptr<const Item>(); }, call);
  }

  /// Scan of the base table, strong unless `call` says otherwise. `filter(const Item&)` is the server's: it
  /// saves no capacity, and limit and page size count what it drops.
  template <class StartKey, class Filter = KeepAll>
  Page<Item, StartKey> scan(const ScanRequest<StartKey>& request, const CallOptions& call = {},
                            Filter filter = {}) {
    return core_.scan(request, filter, call);
  }

  // --- the indexes ---

  /// Query of the index whose name the request carries. `filter` as with `scan`.
  template <class StartKey, class Filter = KeepAll>
  Page<Item, StartKey> query(const QueryRequest<StartKey>& request, const CallOptions& call = {},
                             Filter filter = {}) {
    return core_.query(request, filter, call);
  }
  /// Query of one index, which the request need not name.
  template <class Index, class StartKey = typename Index::StartKey, class Filter = KeepAll>
  requires(std::same_as<Index, Indexes> ||
           ...) Page<Item, StartKey> query(const QueryRequest<StartKey>& request,
                                           const CallOptions& call = {}, Filter filter = {}) {
    return core_.query_index(state<Index>(), request, filter, call);
  }

  /// A query functor over this table, for evenkey's reads. The table and the caller's tag must outlive it.
  template <class Index, class Filter = KeepAll>
  auto query_functor(CallOptions call = {}, Filter filter = {}) {
    return [this, call, filter](const QueryRequest<typename Index::StartKey>& request) {
      return this->template query<Index>(request, call, filter);
    };
  }
  /// One for all indexes: it asks the index that the request names.
  auto query_functor(CallOptions call = {}) {
    return [this, call]<class StartKey>(const QueryRequest<StartKey>& request) {
      return this->query(request, call);  // clang 14 does not see `this` used without it
    };
  }
  /// A scan functor over this table, with the index's item and start key.
  template <class Index, class Filter = KeepAll>
  auto scan_functor(CallOptions call = {}, Filter filter = {}) {
    return [this, call, filter](const ScanRequest<typename Index::StartKey>& request) {
      return scan(request, call, filter);
    };
  }

  // --- time, visibility and faults ---

  /// Its time: advance it to let indexes catch up and buckets fill.
  VirtualClock& clock() noexcept { return *core_.runner.clock; }

  /// From now on; events that wait already keep their time.
  template <class Index>
  void set_lag(VisibilityLag lag) {
    const std::lock_guard lock(core_.runner.mutex);
    state<Index>().set_lag(std::move(lag));
  }
  /// The changes of all indexes that readers do not see yet, in the order in which they were written.
  std::vector<IndexEvent> pending() {
    const std::lock_guard lock(core_.runner.mutex);
    core_.deliver_due(core_.runner.clock->now());
    std::vector<IndexEvent> events;
    core_.visit_indexes([&](const auto& index) { index.list_pending(events); });
    std::sort(events.begin(), events.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
    return events;
  }
  /// Makes one change visible now. @returns false if it is not pending (any more)
  bool deliver(std::uint64_t event_id) {
    const std::lock_guard lock(core_.runner.mutex);
    bool delivered = false;
    core_.visit_indexes([&](auto& index) { delivered = delivered || index.deliver(event_id); });
    return delivered;
  }
  /// Makes all changes visible at once, whatever their time.
  void deliver_all() {
    const std::lock_guard lock(core_.runner.mutex);
    core_.deliver_due((VirtualClock::time_point::max)());
  }

  /// The fault meets every request that matches.
  void inject(Fault fault, RequestMatch match = {}) {
    std::vector<Fault> script;
    script.push_back(std::move(fault));
    add_faults(std::move(script), std::move(match));
  }
  /// The faults of a script meet the matching requests one after the other: once through, or round and round
  /// until `match.times` is reached.
  void inject_script(std::vector<Fault> script, RequestMatch match = {}) {
    if (script.empty()) return;
    if (match.times == RequestMatch{}.times) match.times = script.size();
    add_faults(std::move(script), std::move(match));
  }
  /// Nothing goes wrong any more.
  void clear_faults() {
    const std::lock_guard lock(core_.runner.mutex);
    core_.runner.faults.clear();
  }
  /// Caps of all partitions from now on, whose buckets are full; empty: nothing is throttled. For a table
  /// that is filled first.
  void set_caps(std::optional<ThroughputCaps> caps) {
    const std::lock_guard lock(core_.runner.mutex);
    core_.throughput.set_caps(caps);
  }
  /// Caps of one partition's bucket, in the place of the options'; full at once. Zero throttles everything.
  /// Where partition keys share a physical partition: of the one that this key falls on.
  template <class Index>
  void set_caps(std::string_view partition_key, ThroughputCaps caps) {
    const std::lock_guard lock(core_.runner.mutex);
    core_.throughput.set_caps(state<Index>().name(), partition_key, caps);
  }

  // --- physical partitions ---

  /// How many an index has, since its last request; 0: one for each partition key. See `PhysicalPartitions`.
  template <class Index>
  std::size_t physical_partition_count() {
    const std::lock_guard lock(core_.runner.mutex);
    const auto* space = core_.throughput.space(state<Index>().name());
    return space == nullptr ? 0 : space->size();
  }
  /// Which of them a partition key falls on: 0 … count - 1, in the order of the key space. A split gives
  /// those above it another number.
  template <class Index>
  std::size_t physical_partition_of(std::string_view partition_key) {
    const std::lock_guard lock(core_.runner.mutex);
    auto* space = core_.throughput.space(state<Index>().name());
    return space == nullptr ? 0 : space->number_of(partition_key);
  }

  // --- what happened ---

  /// Items in the base table.
  std::size_t size() const {
    const std::lock_guard lock(core_.runner.mutex);
    return core_.base.size();
  }
  /// Requests of the base table.
  Counters counters() const {
    const std::lock_guard lock(core_.runner.mutex);
    return core_.base_meter.counters;
  }
  /// Of all partitions of an index together.
  template <class Index>
  Counters counters() const {
    const std::lock_guard lock(core_.runner.mutex);
    return state<Index>().counters();
  }
  /// Of an index, by partition key.
  template <class Index>
  std::map<std::string, Counters> partition_counters() const {
    const std::lock_guard lock(core_.runner.mutex);
    return state<Index>().partition_counters();
  }
  /// By the tag of the caller; requests without one are not in it.
  std::map<std::string, Counters> caller_counters() const {
    const std::lock_guard lock(core_.runner.mutex);
    std::map<std::string, Counters> all;
    for (const auto& [caller, meter] : core_.runner.callers)
      all.emplace(caller, meter.counters);
    return all;
  }
  /// The last requests, oldest first; empty unless `log_capacity` is set.
  std::vector<RequestRecord> log() const {
    const std::lock_guard lock(core_.runner.mutex);
    return core_.runner.log.records();
  }
  /// Requests that the log no longer holds.
  std::uint64_t log_dropped() const {
    const std::lock_guard lock(core_.runner.mutex);
    return core_.runner.log.dropped();
  }
  /// The log begins anew.
  void clear_log() {
    const std::lock_guard lock(core_.runner.mutex);
    core_.runner.log.clear();
  }
  /// Requests so far.
  std::uint64_t requests() const noexcept { return core_.runner.requests(); }
  /// Requests under way.
  std::size_t in_flight() const noexcept { return core_.runner.in_flight(); }
  /// The most requests under way at one time.
  std::size_t peak_in_flight() const noexcept { return core_.runner.peak_in_flight(); }

 private:
  template <class Condition>
  static auto on_stored(const Condition& condition) {
    return [&condition](const Item* stored) -> bool {
      if constexpr (std::is_invocable_v<const Condition&, const Item&>) {
        return stored != nullptr && condition(*stored);
      } else {
        return condition(stored);
      }
    };
  }
  template <class Condition, class Change>
  Result change_item(std::string_view primary_key, Condition condition, Change& change,
                     const CallOptions& call) {
    const auto make = [&change](const Item* stored) {
      auto changed = stored ? std::make_shared<Item>(*stored) : std::make_shared<Item>();
      change(*changed);
      return std::shared_ptr<const Item>(std::move(changed));
    };
    return core_.write(RequestKind::update_item, primary_key, condition, make, call);
  }
  void add_faults(std::vector<Fault> script, RequestMatch match) {
    const std::lock_guard lock(core_.runner.mutex);
    core_.runner.faults.add(std::move(match), std::move(script));
  }
  template <class Index>
  auto& state() {
    return std::get<detail::IndexState<Item, Index>>(core_.indexes);
  }
  template <class Index>
  const auto& state() const {
    return std::get<detail::IndexState<Item, Index>>(core_.indexes);
  }

  detail::TableCore<Item, Indexes...> core_;
};

}  // namespace evenkey::testing
