// SPDX-License-Identifier: BSL-1.0
#include "migrate.hpp"

#include <evenkey/migrate/visibility.hpp>

#include <chrono>
#include <utility>

#include "fleet.hpp"
#include "heat_recorder.hpp"
#include "moving_index.hpp"
#include "moving_table.hpp"
#include "operator.hpp"
#include "population.hpp"
#include "stage.hpp"
#include "traffic.hpp"

namespace lab {
namespace {

constexpr std::uint32_t traffic_for_s = 20 * 60;  // more than the longest run takes

evenkey::Visibility visibility_of(const MigrationSettings& settings) {
  if (settings.assumed_lag_ms == 0) return evenkey::insert_visible_first;
  return evenkey::visible_within(std::chrono::milliseconds(settings.assumed_lag_ms));
}

}  // namespace

StepFigures& StepFigures::operator+=(const StepFigures& other) {
  requests += other.requests;
  throttled += other.throttled;
  throttled_by_tools += other.throttled_by_tools;
  failed_calls += other.failed_calls;
  reads += other.reads;
  lost += other.lost;
  doubled += other.doubled;
  moved += other.moved;
  moves_throttled += other.moves_throttled;
  return *this;
}

MigrationResult run_migration(const MigrationSettings& settings, const Progress& progress) {
  MigrationResult result;
  result.settings = settings;
  result.instances = Fleet::size;
  const Population population = make_population(settings.seed);
  const Traffic traffic = make_traffic(settings.seed, traffic_for_s, population);
  MovingTable table(settings, population, MovingIndex::Legacy::value());
  Stage stage(table.table().clock());
  const MovingIndex index(settings.shards, visibility_of(settings), StageClock(stage, lab_starts_at));
  Fleet fleet(settings, stage, table, index, population, traffic);
  Operator carries_out(population, stage, table, index, fleet, result, progress);
  fleet.start();
  HeatRecorder recorder(stage, table, result);
  recorder.start();
  stage.at(stage.now(), [&carries_out, &recorder] {
    carries_out.act();
    recorder.stop();
  });
  stage.run();
  for (const MigrationStep& step : result.steps)
    result.total += step;
  result.losses = fleet.losses();
  return result;
}

std::vector<std::string> problems_of(const MigrationResult& result) {
  std::vector<std::string> problems;
  if (!result.assumption_held()) return problems;
  if (result.total.lost != 0)
    problems.push_back("rows were lost in " + std::to_string(result.total.lost) +
                       " places of answers, although the assumption held");
  if (result.total.doubled != 0)
    problems.push_back("rows were doubled in " + std::to_string(result.total.doubled) +
                       " places of answers, although the assumption held");
  return problems;
}

}  // namespace lab
