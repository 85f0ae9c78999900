// SPDX-License-Identifier: BSL-1.0
//
// ShardedKey::of beside what people write by hand: the bare hash and modulo, absl::StrCat, fmt::format.
// 36-byte ids.
#include <evenkey/key.hpp>

#include <absl/base/config.h>
#include <absl/strings/str_cat.h>
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#define XXH_INLINE_ALL  // the bare hash as fast as it can be
#include <xxhash.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "google_ratios.hpp"

namespace {

using Key = evenkey::ShardedKey<"RenewalSaga", evenkey::ShardPolicy<16>>;

std::uint64_t bare_hash(std::string_view id) { return XXH3_64bits(id.data(), id.size()); }

/// Ids that look like UUIDs, from a fixed seed; the outputs of all contenders are compared before anything is
/// timed.
const std::vector<std::string>& ids() {
  static const std::vector<std::string> made = [] {
    std::mt19937_64 random(85);
    std::vector<std::string> all(1024);
    for (std::string& id : all) {
      id = fmt::format("{:016x}-{:016x}-ab", random(), random());
      const std::string_view key = Key::of(id);
      if (id.size() != 36 || key != absl::StrCat("RenewalSaga#", bare_hash(id) % 16) ||
          key != fmt::format("RenewalSaga#{}", bare_hash(id) % 16)) {
        std::fputs("sharded_key_bench: the contenders differ\n", stderr);
        std::abort();
      }
    }
    return all;
  }();
  return made;
}

template <class MakeKey>
void run(benchmark::State& state, MakeKey make_key) {
  const std::vector<std::string>& all = ids();
  // Whole rounds: the division that a ring of ids takes would cost more than the hash.
  for (auto _ : state) {
    for (const std::string& id : all)
      benchmark::DoNotOptimize(make_key(std::string_view(id)));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(all.size()));
}

void sharded_key_of(benchmark::State& state) {
  run(state, [](std::string_view id) { return Key::of(id); });
}
void bare_hash_mod_16(benchmark::State& state) {
  run(state, [](std::string_view id) { return bare_hash(id) % 16; });
}
void absl_str_cat(benchmark::State& state) {
  run(state, [](std::string_view id) { return absl::StrCat("RenewalSaga#", bare_hash(id) % 16); });
}
void fmt_format(benchmark::State& state) {
  run(state, [](std::string_view id) { return fmt::format("RenewalSaga#{}", bare_hash(id) % 16); });
}

BENCHMARK(bare_hash_mod_16);
BENCHMARK(sharded_key_of);
BENCHMARK(absl_str_cat);
BENCHMARK(fmt_format);

std::vector<bench::Line> lines(const bench::LeastTimes& times) {
  using bench::Target;
  const std::string absl = "absl::StrCat, Abseil " + std::to_string(ABSL_LTS_RELEASE_VERSION);
  const std::string fmt = "fmt::format, fmt " + std::to_string(FMT_VERSION / 10000) + "." +
                          std::to_string(FMT_VERSION / 100 % 100) + "." + std::to_string(FMT_VERSION % 100);
  const std::string xxhash = "bare hash % 16, xxHash " + std::to_string(XXH_VERSION_MAJOR) + "." +
                             std::to_string(XXH_VERSION_MINOR) + "." + std::to_string(XXH_VERSION_RELEASE);
  const std::string what = "ShardedKey::of, 36-byte ids";
  const double ours = times("sharded_key_of");
  return {{what, ours / times("bare_hash_mod_16"), "x", Target::at_most, 1.15, xxhash},
          {what, times("absl_str_cat") / ours, "x faster", Target::at_least, 3, absl},
          {what, times("fmt_format") / ours, "x faster", Target::at_least, 7, fmt},
          {what, ours, "ns", Target::none, 0, "-"}};
}

}  // namespace

int main(int argc, char** argv) { return bench::run_benchmarks(argc, argv, lines); }
