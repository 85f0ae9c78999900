// SPDX-License-Identifier: BSL-1.0
//
// Query requests a second against the table in memory, on one thread, pages of three items: the table must
// not be what a test or the lab waits for.
#include <evenkey/key.hpp>
#include <evenkey/testing/memory_table.hpp>

#include <benchmark/benchmark.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "google_ratios.hpp"

namespace {

struct Saga {
  std::string id, person_id, opened_at, gsi4pk, gsi4sk, state;
};

struct RenewalSagas {
  static constexpr std::string_view name = "renewal-saga-person-index";
  using PartitionKey = evenkey::ShardedKey<"RenewalSaga", evenkey::ShardPolicy<16>>;
  using SortKey = evenkey::CompositeKey<evenkey::Text, evenkey::Text>;
  using Item = Saga;
  using StartKey = std::string;
  static std::string_view sort_key(const Saga& saga) { return saga.gsi4sk; }
  static std::string_view primary_key(const Saga& saga) { return saga.id; }
  static std::string_view shard_by(const Saga& saga) { return saga.person_id; }
  static std::string_view partition_key(const Saga& saga) { return saga.gsi4pk; }
};

using Table = evenkey::testing::MemoryTable<Saga, RenewalSagas>;
constexpr int persons = 2'000;

std::string person(int number) { return "person-0f3c9a52-7b1e-4d6a-" + std::to_string(100'000 + number); }

void fill(Table& table) {
  for (int p = 0; p < persons; ++p) {
    for (const char* day : {"01", "02", "03"}) {
      const std::string id = person(p);
      const std::string opened = std::string("2026-07-") + day + "T12:00:00.000Z";
      table.put({"RSAGA#" + id + "#" + day, id, opened, std::string(RenewalSagas::PartitionKey::of(id)),
                 RenewalSagas::SortKey::encode(id, opened), "Open"});
    }
  }
}

// One person's sagas: the whole answer is a page of three.
void query_by_prefix(benchmark::State& state) {
  Table table(evenkey::testing::MemoryTableOptions{
      .caps =
          state.range(0) != 0 ? std::optional(evenkey::testing::ThroughputCaps{1e12, 1e12}) : std::nullopt,
      .log_capacity = state.range(0) != 0 ? std::size_t{1000} : 0});
  fill(table);
  int number = 0;
  for (auto _ : state) {
    const std::string id = person(number);
    number = (number + 7919) % persons;
    evenkey::QueryRequest<std::string> request;
    request.partition_key = RenewalSagas::PartitionKey::of(id);
    request.sort_key = evenkey::SortKeyCondition::begins_with(RenewalSagas::SortKey::prefix(id));
    auto page = table.query<RenewalSagas>(request);
    if (page.items.size() != 3) state.SkipWithError("a page of another size");
    benchmark::DoNotOptimize(page);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(query_by_prefix)->ArgName("caps_and_log")->Arg(0)->Arg(1);

// A partition from one end to the other, three items a page, each page from the start key of the one before.
void query_page_after_page(benchmark::State& state) {
  Table table;
  fill(table);
  evenkey::QueryRequest<std::string> request;
  request.partition_key = RenewalSagas::PartitionKey::at(evenkey::ShardId{7});
  request.limit = 3;
  for (auto _ : state) {
    auto page = table.query<RenewalSagas>(request);
    request.exclusive_start_key = std::move(page.last_evaluated_key);
    benchmark::DoNotOptimize(page);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(query_page_after_page);

void conditional_update(benchmark::State& state) {
  Table table;
  fill(table);
  int number = 0;
  for (auto _ : state) {
    const std::string key = "RSAGA#" + person(number) + "#02";
    number = (number + 7919) % persons;
    auto result = table.update(
        key, [](const Saga& saga) { return !saga.gsi4pk.empty(); },
        [](Saga& saga) { saga.state = saga.state == "Open" ? "Closed" : "Open"; });
    benchmark::DoNotOptimize(result);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(conditional_update);

std::vector<bench::Line> lines(const bench::LeastTimes& times) {
  using bench::Target;
  return {
      {"table in memory: query of 3 rows", times("query_by_prefix/caps_and_log:0") / 1e3, "us", Target::none,
       0, "-"},
      {"table in memory: query of 3 rows, caps and log", times("query_by_prefix/caps_and_log:1") / 1e3, "us",
       Target::none, 0, "-"},
      {"table in memory: conditional update", times("conditional_update") / 1e3, "us", Target::none, 0, "-"}};
}

}  // namespace

int main(int argc, char** argv) { return bench::run_benchmarks(argc, argv, lines); }
