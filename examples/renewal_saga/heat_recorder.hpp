// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include "migrate.hpp"
#include "moving_table.hpp"
#include "stage.hpp"

namespace lab {

/// Writes down at the end of each second of the stage what every partition of the index has served, and how many
/// rows have moved. It only looks, so that a run is the same without it.
class HeatRecorder {
 public:
  /// @param result where it writes; must outlive the stage's run
  HeatRecorder(Stage& stage, MovingTable& table, MigrationResult& result);

  void start();
  /// The second that runs is the last.
  void stop() { stopped_ = true; }

 private:
  void record();

  Stage& stage_;
  MovingTable& table_;
  MigrationResult& result_;
  std::vector<evenkey::testing::Counters> before_;  // of each partition, at the last look
  std::uint64_t moved_before_ = 0;
  bool stopped_ = false;
};

}  // namespace lab
