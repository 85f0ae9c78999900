// SPDX-License-Identifier: BSL-1.0
//
// What the read engine itself costs: `enumerate` over pages that lie ready in memory, beside gathering the
// same pages and sorting them; and how many requests a stream makes before its first item is there.
#include <evenkey/read.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>
#include <time.h>
#include <vector>

#include "ratios.hpp"
#include "rows.hpp"

namespace {

/// Neither side waits for anything, so their processor time is what is compared: it tells nothing of other
/// work on the machine.
double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// Processor seconds of one run. What the allocator has put off when rows were freed before is done first.
template <class Run>
auto timed(bench::Least& least, Run run) {
  delete[] new char[std::size_t{1} << 16];
  const double begin = processor_seconds();
  auto result = run();
  least.take(processor_seconds() - begin);
  return result;
}

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "engine_bench: %s\n", what);
  std::exit(1);
}

template <class Row>
std::vector<std::string> ids_of(const std::vector<Row>& rows) {
  std::vector<std::string> ids;
  for (const Row& row : rows)
    ids.push_back(row.id);
  return ids;
}

/// All rows of all pages, moved into one vector of the right size from the start, and sorted into the total
/// order.
template <class Row>
std::vector<Row> gather_and_sort(bench::PageStore<Row>& store, std::size_t rows) {
  std::vector<Row> all;
  all.reserve(rows);
  for (std::size_t shard = 0; shard < bench::shard_count; ++shard) {
    evenkey::QueryRequest<std::string> request;
    request.shard = evenkey::ShardId{static_cast<std::uint32_t>(shard)};
    for (bool more = true; more;) {
      evenkey::Page<Row> page = store(request);
      all.insert(all.end(), std::move_iterator(page.items.begin()), std::move_iterator(page.items.end()));
      more = page.last_evaluated_key.has_value();
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const Row& a, const Row& b) {
    const int order = a.sort_key.compare(b.sort_key);
    return order != 0 ? order < 0 : a.id < b.id;
  });
  return all;
}

/// The store's own part, the moves of 64 pages, counts on both sides.
template <class Row>
void compare_with_sorting(std::string_view row_name, bool quick, std::vector<bench::Line>& lines) {
  constexpr std::size_t rows = 2'000;
  const bench::Pages<Row> pages = bench::make_pages<Row>(rows, 500);
  const bench::RowIndex<Row> index;
  evenkey::ThreadPool pool(bench::shard_count);
  bench::Least alone;
  bench::Least pooled;
  bench::Least sorting;
  for (int repetition = 0; repetition < (quick ? 2 : 40); ++repetition) {
    bench::PageStore<Row> for_alone(pages);
    const auto listed =
        timed(alone, [&] { return evenkey::enumerate(index, for_alone, {.max_concurrency = 1}); });
    bench::PageStore<Row> for_pool(pages);
    const auto by_pool = timed(pooled, [&] { return evenkey::enumerate(index, for_pool, {}, pool); });
    bench::PageStore<Row> for_sorting(pages);
    const auto sorted =
        timed(sorting, [&] { return gather_and_sort(for_sorting, rows * bench::shard_count); });
    if (repetition == 0) {
      require(ids_of(sorted).size() == rows * bench::shard_count, "rows are missing");
      require(ids_of(listed.items) == ids_of(sorted), "enumerate gives another list than sorting");
      require(ids_of(by_pool.items) == ids_of(sorted), "enumerate on a pool gives another list than sorting");
    }
  }
  const std::string peer = "gather + std::stable_sort, " + bench::standard_library();
  const std::string what = "engine, 16 x 2000 " + std::string(row_name);
  lines.push_back(
      {what + ", one thread", alone.value() / sorting.value(), "x", bench::Target::at_most, 0.5, peer});
  lines.push_back(
      {what + ", warm pool", pooled.value() / sorting.value(), "x", bench::Target::none, 0, peer});
  const double items = static_cast<double>(rows * bench::shard_count);
  lines.push_back(
      {what + ", one thread", alone.value() / items * 1e9, "ns/item", bench::Target::none, 0, "-"});
  lines.push_back({"gather + sort, 16 x 2000 " + std::string(row_name), sorting.value() / items * 1e9,
                   "ns/item", bench::Target::none, 0, "-"});
}

/// A count, not a time: each shard's first page is what the first item waits for, and no more than that is
/// asked.
void count_to_first_item(std::vector<bench::Line>& lines) {
  using Row = bench::SmallRow;
  bench::PageStore<Row> store(bench::make_pages<Row>(2'000, 100));
  std::size_t requests = 0;
  const auto counting = [&](const evenkey::QueryRequest<std::string>& request) {
    ++requests;
    return store(request);
  };
  auto rows = evenkey::stream(bench::RowIndex<Row>{}, counting, {.max_concurrency = 1});
  require(rows.begin() != rows.end(), "the stream is empty");
  lines.push_back({"stream: requests before the first item, 16 shards", static_cast<double>(requests),
                   "requests", bench::Target::at_most, 16, "one page a shard"});
}

}  // namespace

int main(int argc, char** argv) {
  const bool quick = argc > 1 && std::string_view(argv[1]) == "--quick";
  std::vector<bench::Line> lines;
  compare_with_sorting<bench::SmallRow>("rows of 2 strings", quick, lines);
  compare_with_sorting<bench::SagaRow>("rows of 6 strings", quick, lines);
  count_to_first_item(lines);
  bench::print(lines);
}
