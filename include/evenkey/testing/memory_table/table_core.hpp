// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/page.hpp>
#include <evenkey/testing/memory_table/base_table.hpp>
#include <evenkey/testing/memory_table/index_state.hpp>
#include <evenkey/testing/memory_table/options.hpp>
#include <evenkey/testing/memory_table/request_runner.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
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
        throughput(runner.options.caps, runner.options.bucket_of, runner.options.physical,
                   runner.options.seed),
        base(runner.options.seed),
        functions_(std::move(functions)) {
    static_assert(
        (shows_its_keys<Indexes, Item> && ...),
        "evenkey: an index of the table in memory needs name, primary_key(item), and sort_key(item) "
        "or SortKey = NoSortKey");
    std::vector<std::string_view> names;
    visit_indexes([&](const auto& state) { names.push_back(state.name()); });
    std::sort(names.begin(), names.end());
    if (std::adjacent_find(names.begin(), names.end()) != names.end())
      throw std::invalid_argument("evenkey: two indexes of one table have the same name");
    if constexpr (sizeof...(Indexes) == 0) {
      if (!functions_.primary_key)
        throw std::invalid_argument("evenkey: a table without indexes needs ItemFunctions::primary_key");
    }
  }

  std::string primary_key_of(const Item& item) const {
    if (functions_.primary_key) return functions_.primary_key(item);
    if constexpr (sizeof...(Indexes) > 0) {
      return kept_text(std::get<0>(indexes).definition().primary_key(item));
    } else {
      return {};
    }
  }

  std::optional<Item> get(std::string_view primary_key, const CallOptions& call) {
    return run_on_base(RequestKind::get_item, primary_key, call, [&](const Attempt& attempt, auto* buckets) {
      Tally& tally = attempt.tally;
      if (buckets && !buckets->read.admits(attempt.now)) throw runner.throttled({}, RequestKind::get_item);
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
    return run_on_base(kind, primary_key, call, [&](const Attempt& attempt, auto* buckets) {
      Tally& tally = attempt.tally;
      if (buckets && !buckets->write.admits(attempt.now)) throw runner.throttled({}, kind);
      const Stored before = base.find(primary_key);
      WriteResult<Item> result;
      if (before.item) result.previous = *before.item;
      Stored after;
      result.applied = condition(before.item.get());
      if (result.applied) {
        after.item = make(before.item.get());
        if (after.item) {
          after.bytes = functions_.size_of ? functions_.size_of(*after.item) : runner.options.item_bytes;
          if (after.bytes > max_item_bytes)
            throw validation_error(kind, "the item has more than 409600 bytes");
          if (primary_key_of(*after.item) != primary_key)
            throw validation_error(kind, "a write cannot change the item's primary key");
        }
        plan_indexes(attempt, before, after);
      }
      tally.condition_failed = !result.applied;
      tally.write_units = result.write_units = write_units((std::max)(before.bytes, after.bytes));
      if (buckets) buckets->write.charge(tally.write_units);
      if (result.applied) {
        tally.index_write_units = result.index_write_units = commit_indexes(primary_key, after, attempt.now);
        base.set(primary_key, std::move(after));
      }
      return result;
    });
  }

  template <class StartKey, class Filter>
  Page<Item, StartKey> scan(const ScanRequest<StartKey>& request, Filter& filter, const CallOptions& call) {
    const RequestInfo info{.kind = RequestKind::scan};
    return runner.run(info, call, arrive_at_base(), [&](const Attempt& attempt) {
      std::size_t bytes = 0;
      const auto& hooks = std::apply(
          [](const auto&... state) -> const auto& {
            return start_key_hooks_of<StartKey>(state.definition()...);
          },
          indexes);
      Page<Item, StartKey> page = attempt.fault.action == Fault::Action::empty_page
                                      ? base.empty_page(request, hooks)
                                      : base.scan(request, hooks, runner.options, filter, bytes);
      page.consumed_read_units = read_units(bytes, call.consistency.value_or(Consistency::strong));
      note_read(attempt.tally, page);
      return page;
    });
  }

  template <class State, class StartKey, class Filter>
  Page<Item, StartKey> query_index(State& state, const QueryRequest<StartKey>& request, Filter& filter,
                                   const CallOptions& call) {
    const std::string_view index_name = state.name();
    const RequestInfo info{
        .kind = RequestKind::query, .index_name = index_name, .partition_key = request.partition_key};
    typename State::Partition* partition = nullptr;
    const auto arrive = [&](auto now) -> Meter& {
      deliver_due(now);
      partition = &state.partition(request.partition_key);
      return partition->meter;
    };
    return runner.run(info, call, arrive, [&](const Attempt& attempt) {
      check_partition_key(RequestKind::query, request.partition_key, runner.options.key_text);
      if (!request.index_name.empty() && request.index_name != index_name)
        throw validation_error(RequestKind::query, "the request names another index");
      if (request.limit && *request.limit == 0)
        throw validation_error(RequestKind::query, "limit must be at least 1");
      if (call.consistency == Consistency::strong)
        throw validation_error(RequestKind::query,
                               "consistent reads are not supported on global secondary indexes");
      auto* buckets = throughput.find(index_name, request.partition_key, attempt.now);
      if (buckets && !buckets->read.admits(attempt.now))
        throw runner.throttled(index_name, RequestKind::query);
      std::size_t bytes = 0;
      Page<Item, StartKey> page = attempt.fault.action == Fault::Action::empty_page
                                      ? state.empty_page(request, *partition, runner.options.key_text)
                                      : state.query(request, *partition, runner.options, filter, bytes);
      page.consumed_read_units = read_units(bytes, Consistency::eventual);
      note_read(attempt.tally, page);
      if (buckets) buckets->read.charge(page.consumed_read_units);
      return page;
    });
  }

  /// Query of the index that the request names.
  template <class StartKey, class Filter>
  Page<Item, StartKey> query(const QueryRequest<StartKey>& request, Filter& filter, const CallOptions& call) {
    static_assert((makes_start_key<Indexes, StartKey> || ...),
                  "evenkey: no index of this table has such a StartKey");
    Page<Item, StartKey> page;
    const auto try_one = [&](auto& state) {
      if (state.name() != request.index_name) return false;
      if constexpr (makes_start_key<std::remove_cvref_t<decltype(state.definition())>, StartKey>) {
        page = query_index(state, request, filter, call);
      } else {
        throw validation_error(RequestKind::query, "this index has another type of start key");
      }
      return true;
    };
    if (!std::apply([&](auto&... state) { return (try_one(state) || ...); }, indexes))
      throw validation_error(RequestKind::query, "the table does not have the specified index");
    return page;
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
  EventNumbers numbers;

 private:
  template <class StartKey>
  static void note_read(Tally& tally, const Page<Item, StartKey>& page) {
    tally.read_units = page.consumed_read_units;
    tally.items = page.items.size();
    tally.scanned = page.scanned_count;
  }

  auto arrive_at_base() {
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
    return runner.run(info, call, arrive_at_base(), [&](const Attempt& attempt) {
      if (primary_key.empty()) throw validation_error(kind, "the primary key is empty");
      check_partition_key(kind, partition_key, runner.options.key_text);
      return body(attempt, throughput.find({}, partition_key, attempt.now));
    });
  }

  // What the write would do to each index, and whether each has room for it.
  void plan_indexes(const Attempt& attempt, const Stored& before, const Stored& after) {
    const RequestKind kind = attempt.info.kind;
    const bool same = before.item && after.item && same_content(*before.item, *after.item);
    visit_indexes([&](auto& state) { state.plan(kind, before, after, same, runner.options.key_text); });
    std::vector<ThrottlingReason> reasons;
    visit_indexes([&](auto& state) {
      bool refused = false;
      state.visit_plan([&](std::string_view partition_key, double) {
        meet_faults(attempt, state.name(), partition_key);
        auto* buckets = throughput.find(state.name(), partition_key, attempt.now);
        if (!buckets || buckets->write.admits(attempt.now)) return;
        Counters& counters = state.partition(partition_key).meter.counters;
        ++counters.writes;
        ++counters.throttled_writes;
        refused = true;
      });
      if (refused) reasons.push_back(runner.hot_partition(state.name(), kind));
    });
    if (!reasons.empty()) throw runner.throttling_error(kind, std::move(reasons));
  }

  void meet_faults(const Attempt& attempt, std::string_view index_name, std::string_view partition_key) {
    if (runner.faults.empty()) return;
    RequestInfo touched = attempt.info;
    touched.index_name = index_name;
    touched.partition_key = partition_key;
    const Fault fault = runner.faults.meet_index_write(touched);
    attempt.tally.latency += fault.latency;
    if (fault.action == Fault::Action::time_out_after_applying) attempt.tally.answer_lost = true;
    runner.fail_before(fault, touched);
  }

  double commit_indexes(std::string_view primary_key, const Stored& after, VirtualClock::time_point now) {
    ++numbers.writes;
    double total = 0;
    visit_indexes([&](auto& state) {
      state.visit_plan([&](std::string_view partition_key, double units) {
        if (auto* buckets = throughput.find(state.name(), partition_key, now)) buckets->write.charge(units);
        Meter& touched = state.partition(partition_key).meter;
        ++touched.counters.writes;
        touched.write(units, now);
        total += units;
      });
      state.commit(std::string(primary_key), after, numbers, now);
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
