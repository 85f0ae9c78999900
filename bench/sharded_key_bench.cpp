// SPDX-License-Identifier: BSL-1.0
//
// ShardedKey::of beside what people write by hand: the bare hash and modulo, absl::StrCat, fmt::format.
// 36-byte ids.
#include <evenkey/key.hpp>

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
  std::size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(make_key(std::string_view(all[next])));
    next = (next + 1) % all.size();
  }
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

}  // namespace
