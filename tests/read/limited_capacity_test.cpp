// SPDX-License-Identifier: BSL-1.0
// What a limited read spends, beside the least possible for one who knew the answer.
#include <evenkey/key.hpp>
#include <evenkey/read/prepare.hpp>
#include <evenkey/testing/memory_table/capacity_units.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

constexpr std::uint32_t shards = 16;
constexpr std::size_t rows_in_all = 4000;
// Committed: the figures below are means over these, and the same on every platform.
constexpr std::uint64_t seeds[] = {8501, 8502, 8503, 8504, 8505, 8506, 8507, 8508, 8509, 8510,
                                   8511, 8512, 8513, 8514, 8515, 8516, 8517, 8518, 8519, 8520};

struct Index {
  using PartitionKey = evenkey::ShardedKey<"P", evenkey::ShardPolicy<shards>>;
  using SortKey = evenkey::NumberKey;
  using Item = std::int64_t;
  using StartKey = std::string;
  static constexpr std::string_view name = "slim";
  static std::int64_t sort_key(const std::int64_t& key) { return key; }
  static std::string primary_key(const std::int64_t& key) { return std::to_string(key); }
  static std::string shard_by(const std::int64_t& key) { return std::to_string(key); }
};

/// The sort keys of each shard, in order.
using Layout = std::vector<std::vector<std::int64_t>>;

/// Rows that are neighbours in runs of this length, each run in one shard; 1: independent keys.
Layout layout_of(std::uint64_t seed, std::size_t run) {
  std::mt19937_64 bits(seed);
  Layout layout(shards);
  for (std::size_t row = 0; row < rows_in_all; row += run) {
    const auto first = static_cast<std::int64_t>(bits() >> 2U) & ~std::int64_t{0xFF};
    std::vector<std::int64_t>& shard = layout[bits() % shards];
    for (std::size_t i = 0; i < run; ++i)
      shard.push_back(first + static_cast<std::int64_t>(i));
  }
  for (auto& shard : layout)
    std::sort(shard.begin(), shard.end());
  return layout;
}

double units_of(std::size_t rows, std::size_t item_bytes) {
  return evenkey::testing::read_units(rows * item_bytes, evenkey::testing::Consistency::eventual);
}

/// Who knew the answer would ask each shard once, for its rows in the answer and the one behind them.
double least_units(const Layout& layout, std::size_t limit, std::size_t item_bytes) {
  std::vector<std::int64_t> all;
  for (const auto& shard : layout)
    all.insert(all.end(), shard.begin(), shard.end());
  std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(limit), all.end());
  const std::int64_t behind = all[limit];
  double least = 0;
  for (const auto& shard : layout) {
    const auto wanted = std::lower_bound(shard.begin(), shard.end(), behind) - shard.begin();
    least += units_of((std::min)(static_cast<std::size_t>(wanted) + 1, shard.size()), item_bytes);
  }
  return least;
}

/// How many of the requests that are of use at one time are made before the first of them is answered.
enum class AtOnce : std::uint8_t { one, all };

struct Spent {
  double units = 0;
  std::size_t most_requests = 0;  // to one shard
  std::size_t rounds = 0;
};

Spent read(const Layout& layout, std::size_t limit, std::size_t item_bytes, AtOnce at_once) {
  using namespace evenkey::detail;
  evenkey::EnumerateOptions options;
  options.limit = limit;
  ReadEngine<Index> engine(Index{}, settings_of(options));
  add_listing(engine, options.order, options.range);

  std::vector<std::int64_t> given;
  std::vector<std::size_t> requests(shards);
  Spent spent;
  std::vector<ReadEngine<Index>::Request> under_way;
  const auto answer = [&](const ReadEngine<Index>::Request& request) {
    const auto& shard = layout[request.lane];
    ++requests[request.lane];
    const auto& start = request.query.exclusive_start_key;
    const std::size_t position = start ? std::stoul(*start) : 0;
    const std::size_t fits = (std::size_t{1} << 20) / item_bytes + 1;
    const std::size_t asked = request.query.limit.value_or(UINT32_MAX);
    const std::size_t count = (std::min)({asked, fits, shard.size() - position});
    evenkey::Page<std::int64_t> page;
    const auto first = shard.begin() + static_cast<std::ptrdiff_t>(position);
    page.items.assign(first, first + static_cast<std::ptrdiff_t>(count));
    page.scanned_count = count;
    page.consumed_read_units = units_of(count, item_bytes);
    if (count == (std::min)(asked, fits)) page.last_evaluated_key = std::to_string(position + count);
    spent.units += page.consumed_read_units;
    engine.on_page(request.lane, std::move(page));
  };
  while (!engine.finished()) {
    while (auto item = engine.pop()) {
      engine.give();
      given.push_back(*item);
    }
    while (auto request = engine.next_request()) {
      under_way.push_back(*std::move(request));
      if (at_once == AtOnce::one) break;
    }
    if (under_way.empty()) break;
    ++spent.rounds;
    for (const auto& request : under_way)
      answer(request);
    under_way.clear();
  }
  REQUIRE(given.size() == limit);
  REQUIRE(std::is_sorted(given.begin(), given.end()));
  spent.most_requests = *std::max_element(requests.begin(), requests.end());
  return spent;
}

double most_requests_of_a_shard(std::size_t limit) { return std::log2(static_cast<double>(limit)) + 2; }

struct Case {
  std::size_t run;
  std::size_t item_bytes;
  std::size_t limit;
  double most;  // times the least
};

}  // namespace

TEST_SUITE("read") {
  TEST_CASE("a limited read spends little more than one who knew the answer, whatever the rows look like") {
    std::vector<Case> cases;
    for (const std::size_t limit : {25U, 100U, 1000U}) {
      for (const std::size_t bytes : {300U, 1500U})
        cases.push_back({1, bytes, limit, limit == 25 ? 1.75 : 1.6});
      cases.push_back({1, 8192, limit, 1.8});
      for (const std::size_t run : {10U, 25U})
        for (const std::size_t bytes : {300U, 1500U, 8192U})
          cases.push_back({run, bytes, limit, 2.5});
    }
    std::map<std::size_t, std::vector<Layout>> layouts;
    for (const std::size_t run : {1U, 10U, 25U})
      for (const std::uint64_t seed : seeds)
        layouts[run].push_back(layout_of(seed, run));
    for (const Case& c : cases) {
      for (const AtOnce at_once : {AtOnce::one, AtOnce::all}) {
        double ratios = 0;
        double rounds = 0;
        std::size_t most_requests = 0;
        for (const Layout& layout : layouts[c.run]) {
          const Spent spent = read(layout, c.limit, c.item_bytes, at_once);
          ratios += spent.units / least_units(layout, c.limit, c.item_bytes);
          rounds += static_cast<double>(spent.rounds);
          most_requests = (std::max)(most_requests, spent.most_requests);
        }
        const double mean = ratios / std::size(seeds);
        INFO("runs of " << c.run << ", " << c.item_bytes << " bytes, limit " << c.limit << ", "
                        << (at_once == AtOnce::one ? "one request at a time" : "a round at once"));
        CHECK(mean <= c.most);
        CHECK(static_cast<double>(most_requests) <= most_requests_of_a_shard(c.limit));
        if (at_once == AtOnce::all) CHECK(rounds / std::size(seeds) <= 5);
      }
    }
  }

  TEST_CASE("no shard is asked more than log2(L) + 2 times, even one that holds the whole answer") {
    Layout layout(shards);
    for (std::int64_t key = 0; key < 1100; ++key)
      layout[3].push_back(key);
    for (std::size_t shard = 0; shard < shards; ++shard)
      for (std::int64_t key = 2000; shard != 3 && key < 2100; ++key)
        layout[shard].push_back(key);
    for (const std::size_t bytes : {1U, 300U, 1500U, 8192U}) {
      for (std::size_t limit = 1; limit <= 1050; limit += limit < 70 ? 1 : 49) {
        INFO(bytes << " bytes, limit " << limit);
        const Spent spent = read(layout, limit, bytes, AtOnce::all);
        CHECK(static_cast<double>(spent.most_requests) <= most_requests_of_a_shard(limit));
      }
    }
  }
}
