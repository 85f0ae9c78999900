// SPDX-License-Identifier: BSL-1.0
#include "lab.hpp"

#include <chrono>
#include <string>
#include <vector>

#include "clock.hpp"
#include "population.hpp"
#include "saga.hpp"
#include "simulation.hpp"
#include "traffic.hpp"

namespace lab {
namespace {

template <class Index>
void run(Simulation<Index>& simulation, std::string_view side, const Settings& settings,
         const Progress& progress) {
  const Duration whole = std::chrono::seconds(settings.seconds);
  simulation.run([&](Time now) {
    progress(side, static_cast<double>(now.time_since_epoch().count()) / static_cast<double>(whole.count()));
  });
  progress(side, 1);
}

std::vector<Saga> without_partition_key(std::vector<Saga> rows) {
  for (Saga& row : rows)
    row.gsi4pk.clear();
  return rows;
}

template <class Before, class After>
Comparison compare(Simulation<Before>& before, Simulation<After>& after, const Population& population) {
  Comparison comparison;
  comparison.same_listing = without_partition_key(before.list()) == without_partition_key(after.list());
  for (const std::string& person : population.persons) {
    ++comparison.persons;
    if (without_partition_key(before.rows_of(person)) != without_partition_key(after.rows_of(person)))
      ++comparison.persons_differing;
  }
  return comparison;
}

}  // namespace

Result run_lab(const Settings& settings, const Progress& progress) {
  const Population population = make_population(settings.seed);
  const Traffic traffic = make_traffic(settings.seed, settings.seconds, population);

  Simulation before(ConstantKeySagas{}, settings.seed, population, traffic);
  run(before, "before", settings, progress);
  Simulation after(ShardedSagas(settings.shards), settings.seed, population, traffic);
  run(after, "after", settings, progress);

  Result result;
  result.seed = settings.seed;
  result.seconds = settings.seconds;
  result.shards = settings.shards;
  result.calls = traffic.calls.size();
  result.open_sagas = population.open.size();
  result.archived_sagas = population.sagas.size() - population.open.size();
  for (const Saga& saga : population.sagas)
    result.index_bytes += static_cast<double>(saga.bytes);
  result.before = before.summary();
  result.after = after.summary();
  result.comparison = compare(before, after, population);
  return result;
}

}  // namespace lab
