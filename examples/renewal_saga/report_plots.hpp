// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "figures.hpp"
#include "svg.hpp"
#include "weeks.hpp"

namespace lab {

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

}  // namespace lab
