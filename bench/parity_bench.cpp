// SPDX-License-Identifier: BSL-1.0
//
// check_parity over rows that two functors make up as they are asked, so that neither table nor index takes
// memory: what is counted is parity's own. Rows are 36-byte ids with a 24-byte time, pages of 700 (1 MB
// of 1.5 KB items). Reported: rows a second (of the table, with as many of the index), and the most bytes
// that parity held at once beside the pages.
#include <evenkey/migrate/parity.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <malloc.h>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "google_ratios.hpp"

namespace {

std::atomic<std::size_t> held = 0;
std::atomic<std::size_t> most_held = 0;

void count(std::size_t bytes) {
  const std::size_t now = held.fetch_add(bytes) + bytes;
  std::size_t most = most_held.load();
  while (now > most && !most_held.compare_exchange_weak(most, now)) {
  }
}

}  // namespace

void* operator new(std::size_t size) {
  void* const memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  count(malloc_usable_size(memory));
  return memory;
}
void operator delete(void* memory) noexcept {
  if (memory != nullptr) held -= malloc_usable_size(memory);
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }

namespace {

struct Row {
  std::string id;
  std::string sort_key;
};

struct Rows {
  static constexpr std::string_view name = "rows";
  using PartitionKey = evenkey::ShardedKey<"Row", evenkey::ShardPolicy<16>>;
  using SortKey = evenkey::CompositeKey<evenkey::Text>;
  using Item = Row;
  using StartKey = std::string;
  static std::string_view sort_key(const Row& row) { return row.sort_key; }
  static std::string_view primary_key(const Row& row) { return row.id; }
  static std::string_view shard_by(const Row& row) { return row.id; }
};

/// Row number i is the same wherever it is asked for.
Row row_of(std::uint64_t i) {
  std::string number = std::to_string(i);
  number.insert(0, 12 - number.size(), '0');
  return {"0f8fad5b-d9cb-469f-a165-" + number, "2026-07-08T12:00:00.000Z#" + number};
}

constexpr std::size_t page_size = 700;

/// Rows [from, to) but every `hole`-th; the start key is the number of the next.
evenkey::Page<Row> page(std::uint64_t next, std::uint64_t end, std::uint64_t hole,
                        const std::vector<std::uint32_t>* numbers) {
  evenkey::Page<Row> page;
  page.items.reserve(page_size);
  for (; next < end && page.items.size() < page_size; ++next) {
    const std::uint64_t i = numbers == nullptr ? next : (*numbers)[next];
    if (hole == 0 || i % hole != 0) page.items.push_back(row_of(i));
  }
  if (next < end) page.last_evaluated_key = std::to_string(next);
  return page;
}

std::uint64_t start_of(const auto& request) {
  return request.exclusive_start_key ? std::stoull(*request.exclusive_start_key) : 0;
}

/// @param state range(0) rows, range(1): every so-many-th row is not in the index; 0: none
void parity(benchmark::State& state) {
  const auto rows = static_cast<std::uint64_t>(state.range(0));
  const auto hole = static_cast<std::uint64_t>(state.range(1));
  std::vector<std::vector<std::uint32_t>> shards(16);
  for (std::uint32_t i = 0; i < rows; ++i)
    shards[Rows::PartitionKey::shard_of(row_of(i).id).value].push_back(i);
  const auto scan = [&](const evenkey::ScanRequest<std::string>& request) {
    return page(start_of(request), rows, 0, nullptr);
  };
  const auto query = [&](const evenkey::QueryRequest<std::string>& request) {
    const auto& shard = shards[request.shard->value];
    return page(start_of(request), shard.size(), hole, &shard);
  };
  std::size_t most = 0;
  std::size_t missing = 0;
  for (auto _ : state) {
    const std::size_t before = held.load();
    most_held = before;
    const evenkey::ParityReport report = evenkey::check_parity(
        Rows{}, scan, query, {.max_concurrency = 1, .wait_between_looks = std::chrono::milliseconds(0)});
    most = (std::max)(most, most_held.load() - before);
    missing = report.missing;
    if (report.compared != rows || report.extra != 0 || report.mismatched != 0)
      state.SkipWithError("the report is wrong");
  }
  if (missing != (hole == 0 ? 0 : (rows + hole - 1) / hole))
    state.SkipWithError("rows are missing in the report");
  state.SetItemsProcessed(static_cast<std::int64_t>(rows) * state.iterations());
  state.counters["MiB"] = static_cast<double>(most) / 1048576.0;
  state.counters["missing"] = static_cast<double>(missing);
}

/// What the functors take of it.
void rows_alone(benchmark::State& state) {
  std::uint64_t i = 0;
  for (auto _ : state)
    benchmark::DoNotOptimize(row_of(++i % 1'000'000));
  state.SetItemsProcessed(state.iterations());
}

}  // namespace

BENCHMARK(rows_alone);
BENCHMARK(parity)
    ->Args({1'000'000, 0})
    ->Args({1'000'000, 100'000})
    ->Args({1'000'000, 2})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK(parity)
    ->Args({10'000'000, 10'000'000})
    ->Args({10'000'000, 2})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

namespace {

std::vector<bench::Line> lines(const bench::LeastTimes& times) {
  return {{"parity of 1 M rows, all equal", 1e6 / times("parity/1000000/0"), "k rows/s", bench::Target::none,
           0, "-"},
          {"parity of 1 M rows, half missing", 1e6 / times("parity/1000000/2"), "k rows/s",
           bench::Target::none, 0, "-"}};
}

}  // namespace

int main(int argc, char** argv) {
  return bench::run_benchmarks(argc, argv, lines, "parity/1000000/(0|2)/", 1);
}
