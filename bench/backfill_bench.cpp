// SPDX-License-Identifier: BSL-1.0
//
// What the engine of a backfill costs a row, against a store that does nothing: the scan hands out rows that
// are there already, the restamp says that it moved them, and rates are not limited. One thread.
//   taskset -c 1 backfill_bench
#include <evenkey/migrate/backfill.hpp>

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "google_ratios.hpp"

namespace {

struct Saga {
  std::string id;
  std::string person_id;
  std::string gsi4pk;
  std::string gsi4sk;
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

using Cutover = evenkey::Migration<RenewalSagas, evenkey::UnshardedKey<"RenewalSaga">>;

struct Nowhere : evenkey::CheckpointStore {
  std::optional<std::string> load() override { return std::nullopt; }
  void save(std::string_view text) override { benchmark::DoNotOptimize(text.data()); }
};

enum Checkpoints : std::int64_t { none, every_page };

constexpr std::size_t page_rows = 500;  // 1 MB of rows of 2 KB
constexpr std::size_t pages = 200;

std::vector<Saga> page_of_rows() {
  std::vector<Saga> rows;
  for (std::size_t i = 0; i < page_rows; ++i) {
    const std::string person = "person-" + std::to_string(1'000'000 + i * 7919);
    rows.push_back({"RSAGA#" + person, person, "RenewalSaga", person + "#2026-07-08T12:00:00.000Z"});
  }
  return rows;
}

void moves_rows(benchmark::State& state) {
  const std::vector<Saga> rows = page_of_rows();
  constexpr Cutover cutover{evenkey::insert_visible_first};
  const auto restamp = [](const evenkey::Restamp<Saga>& request) {
    benchmark::DoNotOptimize(request.to.data());
    return evenkey::RestampResult::moved();
  };
  Nowhere nowhere;
  evenkey::BackfillOptions options;
  options.dry_run = false;
  options.writers_drained_at = std::chrono::system_clock::time_point{};
  options.checkpoint = state.range(0) == every_page ? &nowhere : nullptr;
  options.index_partition_write_units = evenkey::unlimited_rate;
  options.table_write_units = evenkey::unlimited_rate;
  options.table_read_units = evenkey::unlimited_rate;
  std::uint64_t moved = 0;
  for (auto _ : state) {
    std::size_t page = 0;
    const auto scan = [&](const evenkey::ScanRequest<std::string>&) {
      evenkey::Page<Saga> answer;
      answer.items = rows;  // the client's part, copied here: it is in the figure
      if (++page < pages) answer.last_evaluated_key = std::to_string(page);
      return answer;
    };
    const auto report = evenkey::backfill(cutover, scan, restamp, options);
    if (!report.finished || report.moved != page_rows * pages) std::abort();
    moved += report.moved;
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(moved));
}
BENCHMARK(moves_rows)->Arg(none)->Arg(every_page)->ArgName("checkpoints")->Unit(benchmark::kMillisecond);

std::vector<bench::Line> lines(const bench::LeastTimes& times) {
  const auto rate = [&](const char* name) { return 1e6 / times(name); };
  return {{"backfill engine, no checkpoint", rate("moves_rows/checkpoints:0"), "k rows/s",
           bench::Target::at_least, 200, "a store that does nothing"},
          {"backfill engine, a checkpoint a page", rate("moves_rows/checkpoints:1"), "k rows/s",
           bench::Target::at_least, 200, "a store that does nothing"}};
}

}  // namespace

int main(int argc, char** argv) { return bench::run_benchmarks(argc, argv, lines, {}, 5); }
