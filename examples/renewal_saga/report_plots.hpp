// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "figures.hpp"
#include "svg.hpp"
#include "weeks.hpp"

namespace lab {

/// A migration as it went: what the plots need to know of it. Made from whatever moved the rows.
struct MigrationTimeline {
  struct Step {
    std::string name;
    double begins_s = 0;
    double ends_s = 0;
    std::uint64_t rows_left = 0;  ///< on the constant key, when it ended
    std::uint64_t rows_on_shards = 0;
    std::uint64_t moved = 0;
    std::uint64_t requests = 0;
    std::uint64_t throttled = 0;
    std::uint64_t throttled_by_tools = 0;  ///< of these: only because rows were moved
    std::uint64_t lost = 0;
    std::uint64_t doubled = 0;
  };
  std::uint64_t rows_at_start = 0;
  std::vector<Step> steps;
};

/// The share of its limits that a partition's second used: 1 is full, reads or writes.
double fullness(const Second& second);

/// The second of a run at which it begins, `m:ss`.
std::string minutes_and_seconds(double seconds);

/// The fewest shards with which the busiest partition stays within `sizing_target` in its worst second; the
/// most that were played, where none does.
inline constexpr double sizing_target = 0.7;
std::uint32_t recommended_shards(const std::vector<WeeksOfShards>& weeks);
double fullness(const WeeksOfShards& weeks);

/// How full the busiest partition is, second by second, before and after.
Drawing busiest_partition_plot(const Result& result);
/// Each partition's heat over time, before and after.
Drawing heat_plot(const Result& result);
/// Throttled requests of each caller, before and after.
Drawing throttles_plot(const Result& result);
/// How full the busiest partition gets in its worst second, over N.
Drawing choice_plot(const std::vector<WeeksOfShards>& weeks);
/// Persons and reads of each shard.
Drawing spread_plot(const Result& result);
/// The rows that are left on the constant key, step after step.
Drawing migration_plot(const MigrationTimeline& migration);

}  // namespace lab
