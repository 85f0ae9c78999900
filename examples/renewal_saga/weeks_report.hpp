// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "lab.hpp"
#include "weeks.hpp"

namespace lab {

/// What `--weeks` plays.
struct WeeksReportSettings {
  std::uint64_t seed = 85;  ///< the first of `seeds`
  std::uint32_t seeds = 3;
  std::uint32_t seconds = WeeksSettings{}.seconds;
  std::uint32_t compared_seconds = 3'600;
};

/// One figure of the busy hour: as simulated second by second, and request by request.
struct Compared {
  std::string what;
  double simulated = 0;
  double by_request = 0;
  double may_differ = 0;  ///< as a part of what came of it request by request

  bool agrees() const;
};

struct WeeksReport {
  WeeksReportSettings settings;
  std::vector<std::vector<WeeksOfShards>> by_seed;
  std::vector<Compared> hour;
};

/// Six weeks for each seed, and the busy hour of the first one both ways. All of it follows from the seed.
WeeksReport run_weeks(const WeeksReportSettings& settings, const Progress& progress);

/// The two ways do not agree: the lab then ends with exit status 1.
std::vector<std::string> problems_of(const WeeksReport& report);

std::string text_report(const WeeksReport& report);
std::string json_report(const WeeksReport& report);

}  // namespace lab
