// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "figures.hpp"
#include "lab.hpp"

namespace lab {

/// What `--migrate` plays.
struct MigrationSettings {
  std::uint64_t seed = 85;
  std::uint32_t shards = 16;
  std::uint32_t managers = 52;  ///< who keep the list page open: most of the traffic
  std::uint32_t index_lag_ms = 300;
  /// What readers wait for a moved row; 0: they assume that its new entry is never seen later than its old
  /// one goes.
  std::uint32_t assumed_lag_ms = 500;
  std::uint32_t move_units = 100;  ///< write units a second that the mover takes of one index partition
};

struct StepFigures {
  std::uint64_t requests = 0;   ///< the application's, as they reached the table
  std::uint64_t throttled = 0;  ///< of these
  /// Of these: would not have been, had the mover and the checks not used the partition too.
  std::uint64_t throttled_by_tools = 0;
  std::uint64_t failed_calls = 0;
  std::uint64_t reads = 0;    ///< answers that were checked
  std::uint64_t lost = 0;     ///< rows that were there all the time and are not in the answer
  std::uint64_t doubled = 0;  ///< rows that are in an answer twice
  std::uint64_t moved = 0;
  std::uint64_t moves_throttled = 0;

  StepFigures& operator+=(const StepFigures& other);
};

/// What one look at table and index showed, before the last step of a way.
struct Proof {
  std::uint64_t scanned = 0;
  std::uint64_t on_source = 0;
  std::uint64_t misplaced = 0;
  bool clean = false;
  std::uint64_t compared = 0;
  std::uint64_t missing = 0;
  std::uint64_t extra = 0;
  std::uint64_t different = 0;
  bool identical = false;
};

/// What the operator did, and what the application met meanwhile.
struct MigrationStep : StepFigures {
  std::string name;
  double begins_s = 0;
  double ends_s = 0;
  /// When it ended.
  std::uint64_t rows_on_constant_key = 0;
  std::uint64_t rows_on_shards = 0;
  std::vector<Proof> proofs;       ///< by drift and parity
  std::vector<std::string> notes;  ///< a line each, begun with the time
};

/// One partition key of the index, second by second: all that it served and throttled, tools included.
struct PartitionHeat {
  std::string partition_key;
  std::vector<Second> seconds;
};

/// One second of the move.
struct MovedSecond {
  std::uint64_t rows_left = 0;  ///< on the constant key, when it ended
  std::uint64_t moved = 0;      ///< rows, either way
};

struct MigrationResult {
  MigrationSettings settings;
  std::vector<MigrationStep> steps;
  StepFigures total;
  std::vector<PartitionHeat> heat;  ///< the constant key, then the shards; all have as many seconds
  std::vector<MovedSecond> seconds;
  std::vector<std::string> losses;  ///< some rows that were lost, and how
  double late_row_hidden_s = 0;     ///< the row of a writer that should have been gone
  std::uint32_t instances = 0;

  /// Every moved row was visible as readers assume.
  bool assumption_held() const {
    return settings.assumed_lag_ms == 0 ? settings.index_lag_ms == 0
                                        : settings.index_lag_ms <= settings.assumed_lag_ms;
  }
};

/// Moves the index under the ADR's traffic: forward and half-way back, forward, and back.
/// Errors: `std::runtime_error` where a step is refused that should not be.
MigrationResult run_migration(const MigrationSettings& settings, const Progress& progress);

/// What must not be: rows lost or doubled although the assumption held. The lab then ends with exit status 1.
std::vector<std::string> problems_of(const MigrationResult& result);

std::string text_report(const MigrationResult& result);
std::string json_report(const MigrationResult& result);

}  // namespace lab
