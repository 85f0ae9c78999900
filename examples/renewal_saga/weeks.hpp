// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <vector>

#include "population.hpp"

namespace lab {

/// How ADR-0085's traffic goes over weeks, second by second, on 1, 2, 4 … 64 shards.
struct WeeksSettings {
  std::uint64_t seed = 85;
  std::uint32_t seconds = 6 * 7 * 24 * 3'600;  ///< ADR-0085 saw throttling for about six weeks
  /// Weekdays with their hours and nights; or the busy hour that the lab plays, all the time.
  enum class Hours : std::uint8_t { office, busy } hours = Hours::office;
};

/// What one N would have seen.
struct WeeksOfShards {
  std::uint32_t shards = 1;
  double attempts = 0;
  double throttled = 0;
  double errors = 0;
  std::uint64_t seconds_throttled = 0;  ///< in which at least one request was
  std::uint64_t bursts = 0;             ///< of throttled seconds, less than a minute apart
  std::uint64_t longest_burst = 0;      ///< seconds from its first to its last
  double peak_rcu = 0;                  ///< asked for anew of one partition in one second
  double peak_wcu = 0;
};

/// The same traffic on each N. The population stays as it is: what is opened replaces what is archived.
///
/// It follows from the seed alone. Its numbers are the lab's assumptions and, for office hours, those of
/// weeks.cpp: ADR-0085 gives none, and nothing here is fitted to its count of error events.
std::vector<WeeksOfShards> simulate_weeks(const WeeksSettings& settings, const Population& population);

}  // namespace lab
