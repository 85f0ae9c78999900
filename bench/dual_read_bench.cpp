// SPDX-License-Identifier: BSL-1.0
//
// What reading both sides of a migration costs beside reading one: requests and read units, which are exact, so
// that there is nothing to repeat.
#include <evenkey/migrate/migration.hpp>
#include <evenkey/read.hpp>
#include <evenkey/testing/memory_table.hpp>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "ratios.hpp"

namespace {

struct Saga {
  std::string id, person, partition_key, sort_key;
};

struct Sagas {
  static constexpr std::string_view name = "renewal-saga-person-index";
  using PartitionKey = evenkey::ShardedKey<"RenewalSaga", evenkey::ShardPolicy<16>>;
  using SortKey = evenkey::CompositeKey<evenkey::Text, evenkey::Text>;
  using Item = Saga;
  using StartKey = std::string;
  static std::string_view sort_key(const Saga& saga) { return saga.sort_key; }
  static std::string_view primary_key(const Saga& saga) { return saga.id; }
  static std::string_view shard_by(const Saga& saga) { return saga.person; }
  static std::string_view partition_key(const Saga& saga) { return saga.partition_key; }
};
using evenkey::Phase;
using Cutover = evenkey::Migration<Sagas, evenkey::UnshardedKey<"RenewalSaga">>;
constexpr Cutover cutover{evenkey::insert_visible_first};
constexpr std::size_t persons = 150;
constexpr std::size_t rows_each = 20;

/// A row, and where it stands; in the middle of the move every other one is moved.
Saga saga(std::size_t person, std::size_t number, Phase phase) {
  const std::string who = "person-" + std::to_string(1000 + person);
  const std::string when = std::to_string(100 + number);
  const bool moved = phase == Phase::destination || (phase == Phase::destination_writes && number % 2 == 0);
  const std::string_view key = Cutover::partition_key(moved ? Phase::destination : Phase::source, who);
  return {"RSAGA#" + who + "#" + when, who, std::string(key), Sagas::SortKey::encode(who, when)};
}

evenkey::ReadCost cost_in(Phase phase, std::size_t limit, std::string_view person) {
  evenkey::testing::MemoryTable<Saga, Sagas> table(evenkey::testing::MemoryTableOptions{.item_bytes = 1500});
  for (std::size_t who = 0; who < persons; ++who)
    for (std::size_t number = 0; number < rows_each; ++number)
      table.put(saga(who, number, phase));
  const auto query = table.query_functor<Sagas>();
  const auto result =
      person.empty() ? evenkey::enumerate(cutover.at(phase), query, {.limit = limit, .max_concurrency = 1})
                     : evenkey::find(cutover.at(phase), query, person);
  const std::size_t wanted = !person.empty() ? rows_each : limit != 0 ? limit : persons * rows_each;
  if (result.items.size() != wanted) {
    std::fprintf(stderr, "dual_read_bench: %zu rows of %zu\n", result.items.size(), wanted);
    std::exit(1);
  }
  return result;
}

void add(std::vector<bench::Line>& lines, const std::string& what, std::size_t limit,
         std::string_view person) {
  for (const Phase phase : {Phase::source, Phase::destination_writes, Phase::destination}) {
    const evenkey::ReadCost cost = cost_in(phase, limit, person);
    const std::string name = what + ", " + std::string(evenkey::phase_name(phase));
    lines.push_back({name, static_cast<double>(cost.requests), "requests", bench::Target::none, 0, "-"});
    lines.push_back({name, cost.consumed_read_units, "read units", bench::Target::none, 0, "-"});
  }
}

}  // namespace

int main() {
  std::vector<bench::Line> lines;
  add(lines, "list 3,000 rows of 1.5 KB", 0, {});
  add(lines, "list the first 25 of them", 25, {});
  add(lines, "find one person's 20", 0, "person-1042");
  bench::print(lines);
}
