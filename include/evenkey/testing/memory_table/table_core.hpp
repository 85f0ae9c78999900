// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/page.hpp>
#include <evenkey/testing/memory_table/base_table.hpp>
#include <evenkey/testing/memory_table/index_state.hpp>
#include <evenkey/testing/memory_table/options.hpp>
#include <evenkey/testing/memory_table/request_runner.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace evenkey::testing::detail {

/// How the requests are carried out: base table, indexes and buckets together, under the runner's lock.
template <class Item, class... Indexes>
class TableCore {
 public:
  using Stored = StoredItem<Item>;
  using States = std::tuple<IndexState<Item, Indexes>...>;

  TableCore(MemoryTableOptions options, ItemFunctions<Item> functions, Indexes... definitions)
      : runner(std::move(options)),
        indexes(IndexState<Item, Indexes>(std::move(definitions), runner.options)...),
        throughput(runner.options.caps, runner.options.bucket_of),
        base(runner.options.seed),
        functions_(std::move(functions)) {
    if constexpr (sizeof...(Indexes) == 0) {
      if (!functions_.primary_key)
        throw std::invalid_argument("evenkey: a table without indexes needs ItemFunctions::primary_key");
    }
  }

  std::string primary_key_of(const Item& item) const {
    if (functions_.primary_key) return functions_.primary_key(item);
    if constexpr (sizeof...(Indexes) > 0) {
      return item_primary_key(std::get<0>(indexes).definition(), item);
    } else {
      return {};
    }
  }

  std::optional<Item> get(std::string_view primary_key, const CallOptions& call) {
    return run_on_base(RequestKind::get_item, primary_key, call, [&](Tally& tally, auto now, auto* buckets) {
      if (buckets && !buckets->read.admits(now)) throw throttled(RequestKind::get_item, {});
      const Stored stored = base.find(primary_key);
      tally.read_units = read_units(stored.bytes, call.consistency.value_or(Consistency::strong));
      tally.scanned = tally.items = stored.item ? 1 : 0;
      if (buckets) buckets->read.charge(tally.read_units);
      return stored.item ? std::optional<Item>(*stored.item) : std::nullopt;
    });
  }

  /// `condition(const Item*)`; `make(const Item*)` gives what is to be stored, or null to delete.
  template <class Condition, class Make>
  WriteResult<Item> write(RequestKind kind, std::string_view primary_key, Condition condition, Make make,
                          const CallOptions& call) {
    return run_on_base(kind, primary_key, call, [&](Tally& tally, auto now, auto* buckets) {
      if (buckets && !buckets->write.admits(now)) throw throttled(kind, {});
      const Stored before = base.find(primary_key);
      WriteResult<Item> result;
      if (before.item) result.previous = *before.item;
      Stored after;
      result.applied = condition(before.item.get());
      if (result.applied) {
        after.item = make(before.item.get());
        if (after.item) {
          after.bytes = functions_.size_of ? functions_.size_of(*after.item) : runner.options.item_bytes;
          if (primary_key_of(*after.item) != primary_key)
            throw validation_error(kind, "a write cannot change the item's primary key");
        }
        plan_indexes(kind, before, after, now);
      }
      tally.condition_failed = !result.applied;
      tally.write_units = result.write_units = write_units((std::max)(before.bytes, after.bytes));
      if (buckets) buckets->write.charge(tally.write_units);
      if (result.applied) {
        tally.index_write_units = result.index_write_units = commit_indexes(primary_key, after, now);
        base.set(primary_key, std::move(after));
      }
      return result;
    });
  }

  template <class StartKey, class Filter>
  Page<Item, StartKey> scan(const ScanRequest<StartKey>& request, Filter& filter, const CallOptions& call) {
    const RequestInfo info{.kind = RequestKind::scan};
    return runner.run(info, call, meter_of_base(), [&](Tally& tally, auto, const Fault& fault) {
      std::size_t bytes = 0;
      const auto& hooks = start_key_hooks_for<StartKey>();
      Page<Item, StartKey> page = fault.action == Fault::Action::empty_page
                                      ? base.empty_page(request, hooks)
                                      : base.scan(request, hooks, runner.options, filter, bytes);
      page.consumed_read_units = read_units(bytes, call.consistency.value_or(Consistency::strong));
      note_read(tally, page);
      return page;
    });
  }

  template <class State, class StartKey, class Filter>
  Page<Item, StartKey> query(State& state, const QueryRequest<StartKey>& request, Filter& filter,
                             const CallOptions& call) {
    const std::string_view index_name = state.name();
    const RequestInfo info{
        .kind = RequestKind::query, .index_name = index_name, .partition_key = request.partition_key};
    const auto meter = [&](auto now) -> Meter& {
      deliver_due(now);
      return state.partition(request.partition_key).meter;
    };
    return runner.run(info, call, meter, [&](Tally& tally, auto now, const Fault& fault) {
      check_partition_key(RequestKind::query, request.partition_key, runner.options.key_text);
      if (!request.index_name.empty() && request.index_name != index_name)
        throw validation_error(RequestKind::query, "the request names another index");
      if (request.limit && *request.limit == 0)
        throw validation_error(RequestKind::query, "limit must be at least 1");
      if (call.consistency == Consistency::strong)
        throw validation_error(RequestKind::query,
                               "consistent reads are not supported on global secondary indexes");
      auto* buckets = throughput.find(index_name, request.partition_key);
      if (buckets && !buckets->read.admits(now)) throw throttled(RequestKind::query, index_name);
      std::size_t bytes = 0;
      Page<Item, StartKey> page = fault.action == Fault::Action::empty_page
                                      ? state.empty_page(request, runner.options.key_text)
                                      : state.query(request, runner.options, filter, bytes);
      page.consumed_read_units = read_units(bytes, Consistency::eventual);
      note_read(tally, page);
      if (buckets) buckets->read.charge(tally.read_units);
      return page;
    });
  }

  /// Calls visit(state) for each index of that name, which are one or none.
  template <class Visit>
  bool visit_index(std::string_view name, Visit visit) {
    return std::apply([&](auto&... state) { return ((state.name() == name && (visit(state), true)) || ...); },
                      indexes);
  }
  template <class Visit>
  void visit_indexes(Visit visit) {
    std::apply([&](auto&... state) { (visit(state), ...); }, indexes);
  }

  void deliver_due(VirtualClock::time_point now) {
    visit_indexes([now](auto& state) { state.deliver_due(now); });
  }

  RequestRunner runner;
  // Under the runner's mutex:
  States indexes;
  Throughput throughput;
  BaseTable<Item> base;
  Meter base_meter;
  std::uint64_t next_event = 1;

 private:
  template <class StartKey>
  static void note_read(Tally& tally, const Page<Item, StartKey>& page) {
    tally.read_units = page.consumed_read_units;
    tally.items = page.items.size();
    tally.scanned = page.scanned_count;
  }

  /// The first index definition that makes such start keys by itself, or nothing.
  template <class StartKey, std::size_t At = 0>
  decltype(auto) start_key_hooks_for() const {
    if constexpr (At == sizeof...(Indexes)) {
      static constexpr NoHooks none{};
      return (none);
    } else {
      using Definition = std::tuple_element_t<At, std::tuple<Indexes...>>;
      if constexpr (start_key_hooks<Definition, StartKey>) {
        return (std::get<At>(indexes).definition());
      } else {
        return start_key_hooks_for<StartKey, At + 1>();
      }
    }
  }

  auto meter_of_base() {
    return [this](VirtualClock::time_point now) -> Meter& {
      deliver_due(now);
      return base_meter;
    };
  }

  template <class Body>
  auto run_on_base(RequestKind kind, std::string_view primary_key, const CallOptions& call, Body body) {
    const std::string partition_key =
        functions_.base_partition ? functions_.base_partition(primary_key) : std::string(primary_key);
    const RequestInfo info{.kind = kind, .partition_key = partition_key, .primary_key = primary_key};
    return runner.run(info, call, meter_of_base(), [&](Tally& tally, auto now, const Fault&) {
      if (primary_key.empty()) throw validation_error(kind, "the primary key is empty");
      check_partition_key(kind, partition_key, runner.options.key_text);
      return body(tally, now, throughput.find({}, partition_key));
    });
  }

  dynamodb_error throttled(RequestKind kind, std::string_view index_name) const {
    return throttling_error(kind, {runner.hot_partition(index_name, kind)});
  }

  // What the write would do to each index, and whether each has room for it.
  void plan_indexes(RequestKind kind, const Stored& before, const Stored& after,
                    VirtualClock::time_point now) {
    const bool same = before.item && after.item && same_content(*before.item, *after.item);
    visit_indexes([&](auto& state) { state.plan(kind, before, after, same, runner.options.key_text); });
    std::vector<ThrottlingReason> reasons;
    visit_indexes([&](auto& state) {
      bool refused = false;
      state.visit_plan([&](std::string_view partition_key, double) {
        auto* buckets = throughput.find(state.name(), partition_key);
        if (!buckets || buckets->write.admits(now)) return;
        Counters& counters = state.partition(partition_key).meter.counters;
        ++counters.writes;
        ++counters.throttled_writes;
        refused = true;
      });
      if (refused) reasons.push_back(runner.hot_partition(state.name(), kind));
    });
    if (!reasons.empty()) throw throttling_error(kind, std::move(reasons));
  }

  double commit_indexes(std::string_view primary_key, const Stored& after, VirtualClock::time_point now) {
    double total = 0;
    visit_indexes([&](auto& state) {
      state.visit_plan([&](std::string_view partition_key, double units) {
        if (auto* buckets = throughput.find(state.name(), partition_key)) buckets->write.charge(units);
        Meter& touched = state.partition(partition_key).meter;
        ++touched.counters.writes;
        touched.write(units, now);
        total += units;
      });
      state.commit(std::string(primary_key), after, next_event, now);
    });
    return total;
  }

  bool same_content(const Item& left, const Item& right) const {
    if (functions_.same_content) return functions_.same_content(left, right);
    if constexpr (std::equality_comparable<Item>) {
      return left == right;
    } else {
      return false;
    }
  }

  ItemFunctions<Item> functions_;
};

}  // namespace evenkey::testing::detail
