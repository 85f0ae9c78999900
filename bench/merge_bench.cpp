// SPDX-License-Identifier: BSL-1.0
//
// merge_sorted beside libstdc++'s sequential multiway_merge and a merge by std::priority_queue. All give
// views of the keys (or numbers) into the same kind of vector, so what is timed is the merge. Outputs are
// compared first.
#include <evenkey/merge.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <queue>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "google_ratios.hpp"

// The peer needs OpenMP's header even for its sequential form, and clang may lack it.
#if __has_include(<omp.h>) && __has_include(<parallel/algorithm>)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wshadow"
#include <parallel/algorithm>
#define EVENKEY_BENCH_MULTIWAY_MERGE
#endif

namespace {

enum class Keys { ids_first, times_first };

std::string uuid(std::mt19937_64& random) {
  std::array<char, 40> text{};
  const std::uint64_t a = random();
  const std::uint64_t b = random();
  std::snprintf(text.data(), text.size(), "%08x-%04x-%04x-%04x-%012llx", static_cast<unsigned>(a >> 32),
                static_cast<unsigned>(a >> 16 & 0xFFFF), static_cast<unsigned>(a & 0xFFFF),
                static_cast<unsigned>(b >> 48), static_cast<unsigned long long>(b & 0xFFFFFFFFFFFF));
  return text.data();
}

/// A time of the 84 days from 2026-04-01 on, as a sort key holds it.
std::string timestamp(std::mt19937_64& random) {
  std::array<char, 40> text{};
  const auto s = static_cast<unsigned>(random() % (84ULL * 24 * 3600));
  const auto ms = static_cast<unsigned>(random() % 1000);
  std::snprintf(text.data(), text.size(), "2026-%02u-%02uT%02u:%02u:%02u.%03uZ", 4 + s / 86400 / 28,
                1 + s / 86400 % 28, s / 3600 % 24, s / 60 % 60, s % 60, ms);
  return text.data();
}

/// Sorted sources of views, and the texts that they show.
struct TextSources {
  std::vector<std::vector<std::string>> texts;
  std::vector<std::vector<std::string_view>> views;

  TextSources(Keys keys, std::size_t sources, std::size_t items) {
    std::mt19937_64 random(85);
    for (std::size_t source = 0; source < sources; ++source) {
      std::vector<std::string> sorted;
      for (std::size_t i = 0; i < items; ++i) {
        const std::string id = uuid(random);
        const std::string time = timestamp(random);
        std::string& key = sorted.emplace_back(keys == Keys::ids_first ? id : time);
        key.append("#").append(keys == Keys::ids_first ? time : id);
      }
      std::sort(sorted.begin(), sorted.end());
      texts.emplace_back(sorted);  // a copy lies in memory in the order of the keys, as a page read does
      views.emplace_back(texts.back().begin(), texts.back().end());
    }
  }
};

std::vector<std::vector<std::int64_t>> number_sources(std::size_t sources, std::size_t items) {
  std::mt19937_64 random(85);
  std::vector<std::vector<std::int64_t>> numbers(sources, std::vector<std::int64_t>(items));
  for (auto& source : numbers) {
    for (std::int64_t& number : source)
      number = static_cast<std::int64_t>(random());
    std::sort(source.begin(), source.end());
  }
  return numbers;
}

struct Evenkey {
  template <class T>
  static void merge(std::vector<std::vector<T>>& sources, std::vector<T>& out) {
    evenkey::merge_sorted(sources, out.begin());
  }
};

struct PriorityQueue {
  template <class T>
  static void merge(std::vector<std::vector<T>>& sources, std::vector<T>& out) {
    using Head = std::pair<T, std::size_t>;
    std::priority_queue<Head, std::vector<Head>, std::greater<>> heads;
    std::vector<std::size_t> next(sources.size(), 1);
    for (std::size_t source = 0; source < sources.size(); ++source)
      heads.emplace(sources[source][0], source);
    for (T& item : out) {
      const std::size_t source = heads.top().second;
      item = heads.top().first;
      heads.pop();
      if (next[source] < sources[source].size()) heads.emplace(sources[source][next[source]++], source);
    }
  }
};

#ifdef EVENKEY_BENCH_MULTIWAY_MERGE
struct MultiwayMerge {
  template <class T>
  static void merge(std::vector<std::vector<T>>& sources, std::vector<T>& out) {
    std::vector<std::pair<T*, T*>> ranges;
    for (auto& source : sources)
      ranges.emplace_back(source.data(), source.data() + source.size());
    __gnu_parallel::multiway_merge(ranges.begin(), ranges.end(), out.begin(), out.size(), std::less<>(),
                                   __gnu_parallel::sequential_tag());
  }
};
#endif

template <class Merge, class T>
void run(benchmark::State& state, std::vector<std::vector<T>>& sources) {
  std::vector<T> expected;
  for (const auto& source : sources)
    expected.insert(expected.end(), source.begin(), source.end());
  std::stable_sort(expected.begin(), expected.end());
  std::vector<T> out(expected.size());
  Merge::merge(sources, out);
  if (out != expected) state.SkipWithError("the output is not the sorted list");

  for (auto _ : state) {
    Merge::merge(sources, out);
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(out.size()));
}

template <class Merge, Keys Order>
void merge_texts(benchmark::State& state) {
  TextSources sources(Order, static_cast<std::size_t>(state.range(0)),
                      static_cast<std::size_t>(state.range(1)));
  run<Merge>(state, sources.views);
}

template <class Merge>
void merge_numbers(benchmark::State& state) {
  auto sources =
      number_sources(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)));
  run<Merge>(state, sources);
}

// For any type: where Google Benchmark keeps its own differs by version.
constexpr auto shapes = [](auto* benchmark) {
  benchmark->ArgNames({"sources", "items"})
      ->Args({16, 2000})
      ->Args({128, 500})
      ->Unit(benchmark::kMicrosecond);
};

BENCHMARK(merge_texts<Evenkey, Keys::ids_first>)->Apply(shapes);
BENCHMARK(merge_texts<PriorityQueue, Keys::ids_first>)->Apply(shapes);
BENCHMARK(merge_texts<Evenkey, Keys::times_first>)->Apply(shapes);
BENCHMARK(merge_texts<PriorityQueue, Keys::times_first>)->Apply(shapes);
BENCHMARK(merge_numbers<Evenkey>)->Apply(shapes);
BENCHMARK(merge_numbers<PriorityQueue>)->Apply(shapes);
#ifdef EVENKEY_BENCH_MULTIWAY_MERGE
BENCHMARK(merge_texts<MultiwayMerge, Keys::ids_first>)->Apply(shapes);
BENCHMARK(merge_texts<MultiwayMerge, Keys::times_first>)->Apply(shapes);
BENCHMARK(merge_numbers<MultiwayMerge>)->Apply(shapes);
#endif

/// Comparisons an item, of keys for which nothing stands but the comparison.
double comparisons_an_item(std::size_t sources, std::size_t items) {
  TextSources texts(Keys::ids_first, sources, items);
  std::vector<std::string_view> out(sources * items);
  std::size_t comparisons = 0;
  evenkey::merge_sorted(texts.views, out.begin(), std::identity{},
                        [&](std::string_view a, std::string_view b) {
                          ++comparisons;
                          return a < b;
                        });
  return static_cast<double>(comparisons) / static_cast<double>(out.size());
}

std::vector<bench::Line> lines(const bench::LeastTimes& times) {
  using bench::Target;
  std::vector<bench::Line> lines;
  const std::string library = bench::standard_library();
  for (const std::string shape : {"sources:16/items:2000", "sources:128/items:500"}) {
    const std::string of_shape = shape == "sources:16/items:2000" ? ", 16 x 2000" : ", 128 x 500";
    for (const std::string order : {"ids_first", "times_first"}) {
      const std::string what = "merge of text, " + order + of_shape;
      const auto texts = [&](const std::string& contender) {
        return times("merge_texts<" + contender + ", Keys::" + order + ">/" + shape);
      };
#ifdef EVENKEY_BENCH_MULTIWAY_MERGE
      lines.push_back({what, texts("MultiwayMerge") / texts("Evenkey"), "x faster", Target::at_least, 2.5,
                       "multiway_merge, " + library});
#endif
      lines.push_back({what, texts("PriorityQueue") / texts("Evenkey"), "x faster", Target::at_least, 3,
                       "std::priority_queue, " + library});
      lines.push_back({what, texts("Evenkey"), "ns/item", Target::none, 0, "-"});
    }
    const auto numbers = [&](const std::string& contender) {
      return times("merge_numbers<" + contender + ">/" + shape);
    };
#ifdef EVENKEY_BENCH_MULTIWAY_MERGE
    lines.push_back({"merge of integers" + of_shape, numbers("MultiwayMerge") / numbers("Evenkey"),
                     "x faster", Target::at_least, 1, "multiway_merge, " + library});
#endif
    lines.push_back({"merge of integers" + of_shape, numbers("PriorityQueue") / numbers("Evenkey"),
                     "x faster", Target::at_least, 1, "std::priority_queue, " + library});
  }
  lines.push_back({"merge, 16 x 2000", comparisons_an_item(16, 2000), "comparisons/item", Target::at_most, 4,
                   "ceil(log2 k)"});
  lines.push_back({"merge, 128 x 500", comparisons_an_item(128, 500), "comparisons/item", Target::at_most, 7,
                   "ceil(log2 k)"});
  return lines;
}

}  // namespace

int main(int argc, char** argv) { return bench::run_benchmarks(argc, argv, lines); }
