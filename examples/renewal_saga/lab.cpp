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

void run_both(Variant& variant, const Settings& settings, const Population& population,
              const Progress& progress) {
  const auto [list_pages, sweeps] = variant.remedies;
  const Traffic traffic = make_traffic(settings.seed, settings.seconds, population, sweeps);
  const std::string with =
      variant.remedies == Remedies{} ? "" : ", " + std::string(name_of(variant.remedies));

  Simulation before(ConstantKeySagas{}, settings.seed, population, traffic, list_pages, settings.physical);
  run(before, "before" + with, settings, progress);
  Simulation after(ShardedSagas(settings.shards), settings.seed, population, traffic, list_pages,
                   settings.physical);
  run(after, "after" + with, settings, progress);

  variant.calls = traffic.calls.size();
  variant.before = before.summary();
  variant.after = after.summary();
  variant.comparison = compare(before, after, population);
}

/// What these remedies are compared with.
std::vector<Remedies> others_than(Remedies remedies) {
  if (remedies == Remedies{}) return {};
  std::vector<Remedies> others{{}};
  for (const Remedies alone :
       {Remedies{.list_pages = remedies.list_pages}, Remedies{.sweeps = remedies.sweeps}})
    if (alone != remedies && alone != Remedies{}) others.push_back(alone);
  return others;
}

}  // namespace

Result run_lab(const Settings& settings, const Progress& progress) {
  const Population population = make_population(settings.seed);
  Result result;
  result.seed = settings.seed;
  result.seconds = settings.seconds;
  result.shards = settings.shards;
  result.physical = settings.physical;
  result.open_sagas = population.open.size();
  result.archived_sagas = population.sagas.size() - population.open.size();
  for (const Saga& saga : population.sagas)
    result.index_bytes += static_cast<double>(saga.bytes);
  for (const Remedies remedies : others_than(settings.remedies)) {
    result.others.push_back({.remedies = remedies, .calls = 0, .before = {}, .after = {}, .comparison = {}});
    run_both(result.others.back(), settings, population, progress);
  }
  result.remedies = settings.remedies;
  run_both(result, settings, population, progress);
  return result;
}

}  // namespace lab
