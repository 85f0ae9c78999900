// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "fleet.hpp"
#include "lab.hpp"
#include "migrate.hpp"
#include "moving_index.hpp"
#include "moving_table.hpp"
#include "population.hpp"
#include "stage.hpp"

namespace lab {

/// Who carries out docs/migration.md, step by step, while the application runs.
class Operator {
 public:
  Operator(const Population& population, Stage& stage, MovingTable& table, const MovingIndex& index,
           Fleet& fleet, MigrationResult& result, const Progress& progress);

  void act();

 private:
  using WallTime = std::chrono::system_clock::time_point;

  void begin(std::string name);
  void end_step();
  void note(const std::string& text);
  void rest(std::uint32_t seconds);
  void wait_for_burst();

  void take_step(Standing from, Phase to, const evenkey::Evidence& evidence = {});
  void refuse_step(Standing from, Phase to, const evenkey::Evidence& evidence = {});
  void refuse_instance(Standing standing);
  void deploy(Standing standing);
  /// Writers of before are gone, and their last retries.
  WallTime drain();
  void backfill(Way way, WallTime drained, bool half = false);
  void prove_and_leave(Standing from, WallTime drained);
  void catch_late_writer();

  WallTime begin_moving(Way way);

  const Population& population_;
  Stage& stage_;
  MovingTable& table_;
  const MovingIndex& index_;
  Fleet& fleet_;
  MigrationResult& result_;
  const Progress& progress_;
  std::optional<evenkey::DriftReport> early_drift_;
};

}  // namespace lab
