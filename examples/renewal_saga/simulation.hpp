// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/evenkey.hpp>
#include <evenkey/testing/memory_table.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "census.hpp"
#include "clock.hpp"
#include "event_queue.hpp"
#include "figures.hpp"
#include "ledger.hpp"
#include "population.hpp"
#include "query_call.hpp"
#include "query_key.hpp"
#include "remedies.hpp"
#include "saga.hpp"
#include "sdk_client.hpp"
#include "traffic.hpp"

namespace lab {

/// One side of ADR-0085: the table with its index, all callers, and a clock of its own.
template <class Index>
class Simulation {
 public:
  using Table = evenkey::testing::MemoryTable<Saga, Index>;

  Simulation(Index index, std::uint64_t seed, const Population& population, const Traffic& traffic,
             ListPages list_pages, std::uint32_t physical = 0)
      : index_(std::move(index)),
        population_(population),
        traffic_(traffic),
        ledger_(index_.shard_count()),
        census_(population.persons),
        table_(index_,
               evenkey::testing::MemoryTableOptions{
                   .table_name = "propflow-prod", .physical = {.count = physical}, .seed = seed},
               item_functions()),
        list_pages_(list_pages),
        coalesced_({.time_to_live = milliseconds(assumed.coalesced_for_ms)}, SteadyClockOf{&table_.clock()}) {
    for (std::uint64_t service = 0; service < service_count; ++service)
      clients_.emplace_back(Random(seed, 10 + service));
    for (const Saga& saga : population.sagas)
      put(saga);
    // The caps come now: what was there before the first call was not written in its first second.
    for (std::uint32_t shard = 0; shard < index_.shard_count(); ++shard)
      table_.template set_caps<Index>(
          key_of_shard(shard),
          {.read_units_per_second = static_cast<double>(assumed.read_units_per_second),
           .write_units_per_second = static_cast<double>(assumed.write_units_per_second)});
  }

  /// Makes all calls, and waits until the last retry is done. `progress` hears the lab's time.
  void run(const std::function<void(Time)>& progress) {
    std::size_t next_call = 0;
    while (next_call < traffic_.calls.size() || !retries_.empty()) {
      const bool fresh = next_call < traffic_.calls.size() &&
                         (retries_.empty() || traffic_.calls[next_call].at <= retries_.next());
      table_.clock().advance_to(fresh ? traffic_.calls[next_call].at : retries_.next());
      progress(now());
      if (fresh) {
        make(traffic_.calls[next_call++]);
      } else {
        retries_.take()();
      }
    }
  }

  Side summary() {
    Side side = ledger_.summary();
    side.rows = census_.rows();
    side.answers_checked = answers_checked_;
    side.answers_wrong = answers_wrong_;
    side.queries_coalesced = coalesced_.statistics().hits;
    std::set<std::size_t> used;
    for (std::uint32_t shard = 0; shard < index_.shard_count(); ++shard) {
      side.partitions[shard].partition_key = key_of_shard(shard);
      used.insert(table_.template physical_partition_of<Index>(key_of_shard(shard)));
    }
    side.physical_used = used.size();
    side.physical_at_end = table_.template physical_partition_count<Index>();
    for (std::uint32_t person = 0; person < population_.persons.size(); ++person) {
      PartitionFigures& partition = side.partitions[shard_of(population_.persons[person])];
      ++partition.persons;
      partition.rows += census_.rows_of(person);
    }
    return side;
  }

  /// Every row, and the rows of one person, read through evenkey when all is quiet.
  std::vector<Saga> list() {
    rest();
    return evenkey::enumerate(index_, table_.template query_functor<Index>(), {.max_concurrency = 1}).items;
  }
  std::vector<Saga> rows_of(std::string_view person) {
    rest();
    return evenkey::find(index_, table_.template query_functor<Index>(), person).items;
  }

 private:
  struct Read {
    Call call;
    std::vector<std::uint32_t> persons;  // whose rows are still to come; none where all are read
    QueryCall<Table> query;
    std::uint64_t rows_before;  // that the answer would have had when the call began, or may be as old as
    std::vector<Saga> rows;
  };
  struct Write {
    Call call;
    RequestState request;
    std::uint32_t tries = 0;  // of the workflow engine, each with all of the client's attempts
  };

  static evenkey::testing::ItemFunctions<Saga> item_functions() {
    return {.size_of = [](const Saga& saga) { return saga.bytes; }};
  }
  Time now() { return table_.clock().now(); }
  SdkClient& client_of(Caller caller) { return clients_[static_cast<std::size_t>(info_of(caller).service)]; }
  std::string key_of_shard(std::uint32_t shard) const {
    return std::string(evenkey::read_plan(index_).groups.front().partitions[shard].partition_key);
  }
  // Debts of the last second are paid off.
  void rest() { table_.clock().advance(std::chrono::seconds(2)); }

  void make(const Call& call) {
    ledger_.call(call.caller);
    if (call.kind == Call::Kind::step || call.kind == Call::Kind::open) {
      write(std::make_shared<Write>(Write{call, {}}));
    } else {
      const bool whole = call.kind == Call::Kind::enumerate;
      QueryCall<Table> query(table_, client_of(call.caller), ledger_, call.caller,
                             whole ? Pages::remembered : Pages::forgotten,
                             is_coalesced(call) ? &coalesced_ : nullptr);
      read(std::make_shared<Read>(Read{call, persons_of(call), std::move(query), rows_before(call), {}}));
    }
  }

  void read(const std::shared_ptr<Read>& reading) {
    // Collected, not raised: each request that was throttled goes its own way, as an SDK's would.
    const auto collect = evenkey::OnFailure::collect;
    evenkey::ReadResult<Saga> result;
    switch (reading->call.kind) {
      case Call::Kind::find_portfolio:
        result = evenkey::find_many(index_, reading->query, ids_of(reading->persons),
                                    {.on_failure = collect, .max_concurrency = 1});
        break;
      case Call::Kind::find_person:
        result = evenkey::find(index_, reading->query, population_.persons[reading->call.subject],
                               {.on_failure = collect});
        break;
      default:
        reading->rows.clear();  // and read again, from the pages that are remembered
        result = evenkey::enumerate(index_, reading->query, {.on_failure = collect, .max_concurrency = 1});
    }
    std::move(result.items.begin(), result.items.end(), std::back_inserter(reading->rows));
    if (result.complete()) {
      ++answers_checked_;
      if (!Census::right(reading->rows, {reading->rows_before, rows_expected(reading->call)}))
        ++answers_wrong_;
    } else if (const auto due = reading->query.next_due()) {
      std::erase_if(reading->persons, [&](std::uint32_t person) {
        return std::none_of(
            result.failures.begin(), result.failures.end(),
            [&](const evenkey::Failure& failure) { return failure.id == population_.persons[person]; });
      });
      retries_.schedule(*due, [this, reading] { read(reading); });
    } else {
      ledger_.call_failed(reading->call.caller);
    }
  }

  std::vector<std::uint32_t> persons_of(const Call& call) const {
    if (call.kind == Call::Kind::find_portfolio) return traffic_.portfolios[call.subject];
    return {};
  }
  std::vector<std::string_view> ids_of(const std::vector<std::uint32_t>& persons) const {
    std::vector<std::string_view> ids;
    ids.reserve(persons.size());
    for (const std::uint32_t person : persons)
      ids.push_back(population_.persons[person]);
    return ids;
  }
  std::uint64_t rows_expected(const Call& call) const {
    if (call.kind == Call::Kind::enumerate) return census_.rows();
    if (call.kind == Call::Kind::find_person) return census_.rows_of(call.subject);
    return census_.rows_of(traffic_.portfolios[call.subject]);
  }

  /// Only what polls: whoever opens a detail page has clicked, and wants to see what is there now.
  bool is_coalesced(const Call& call) const {
    return list_pages_ == ListPages::coalesced && call.caller == Caller::list_page;
  }
  std::uint64_t rows_before(const Call& call) {
    if (!is_coalesced(call)) return rows_expected(call);
    return census_.rows_of(traffic_.portfolios[call.subject], now() - milliseconds(assumed.coalesced_for_ms));
  }

  void write(const std::shared_ptr<Write>& writing) {
    const bool opens = writing->call.kind == Call::Kind::open;
    const Saga& saga = (opens ? traffic_.opened : population_.sagas)[writing->call.subject];
    const Account account{writing->call.caller, shard_of(saga.person_id)};
    try {
      (void)attempt(
          writing->request, client_of(writing->call.caller), ledger_, account, now(),
          [&] { return opens ? put(saga) : step(saga); },
          [](const auto& result) { return Units{.read = 0, .write = result.index_write_units}; });
    } catch (const unanswered_error&) {
      Time again = writing->request.due;
      if (writing->request.gave_up) {
        // The workflow engine never forgets an activity: it makes a fresh request after a while.
        ledger_.call_failed(writing->call.caller);
        again = now() + std::chrono::seconds(1U << (std::min)(writing->tries++, 6U));
        writing->request = {};
      }
      retries_.schedule(again, [this, writing] { write(writing); });
    }
  }

  auto put(Saga saga) {
    saga.gsi4pk = index_.partition_key_of(saga.person_id);
    auto result = table_.put(saga);
    if (result.applied && !result.previous) census_.add_row(saga.person_id, now());
    return result;
  }
  auto step(const Saga& saga) {
    return table_.update(
        saga.id, [](const Saga&) { return true; }, [](Saga& stored) { ++stored.transitions; });
  }
  std::uint32_t shard_of(std::string_view person) const {
    return evenkey::read_plan(index_, person)
        .groups.front()
        .partitions.front()
        .shard.value_or(evenkey::ShardId{0})
        .value;
  }

  Index index_;
  const Population& population_;
  const Traffic& traffic_;
  Ledger ledger_;
  Census census_;
  Table table_;
  const ListPages list_pages_;
  CoalescedQueries coalesced_;  // of the web service, which is one process
  std::vector<SdkClient> clients_;
  EventQueue retries_;
  std::uint64_t answers_checked_ = 0;
  std::uint64_t answers_wrong_ = 0;
};

}  // namespace lab
