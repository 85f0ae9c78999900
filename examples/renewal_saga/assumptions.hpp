// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lab {

/// From a least to a most value, both included, each as likely.
struct Range {
  std::uint32_t least;
  std::uint32_t most;
};

/// The numbers behind the traffic. The first three are ADR-0085's or follow from it; the others are not in
/// it, and are chosen so that one partition is about two thirds full between bursts: an office in its busy
/// hour.
struct Assumptions {
  std::uint32_t persons = 150;
  std::uint32_t open_sagas = 179;
  Range poll_every_ms{3'000, 5'000};

  Range archived_per_person{0, 8};
  Range row_bytes{1'600, 2'800};

  std::uint32_t managers = 52;
  Range portfolio{40, 150};
  std::uint32_t coalesced_for_ms = 3'000;
  Range detail_every_ms{10'000, 40'000};
  Range message_every_ms{200, 800};

  std::uint32_t workflow_health_minutes = 1;
  std::uint32_t retry_failed_prepare_minutes = 1;
  std::uint32_t stuck_saga_minutes = 2;
  std::uint32_t agent_metrics_minutes = 5;
  Range job_starts_after_ms{0, 900};

  Range step_every_ms{200, 600};
  std::uint32_t write_follows_after_ms = 50;
  std::uint32_t cohort_every_minutes = 2;
  Range cohort_lasts_ms{2'000, 3'000};
  std::uint32_t steps_per_cohort = 5;
  std::uint32_t opened_per_cohort = 2;

  std::uint32_t read_units_per_second = 3'000;
  std::uint32_t write_units_per_second = 1'000;
  std::uint32_t attempts = 4;
  std::uint32_t retry_base_ms = 1'000;
  std::uint32_t retry_cap_ms = 20'000;
  std::uint32_t retry_tokens = 500;
  std::uint32_t retry_costs = 5;
};

inline constexpr Assumptions assumed;

/// One line of the list that the lab prints: what it concerns, and what was assumed.
struct AssumptionText {
  std::string_view topic;
  std::string text;
};
std::vector<AssumptionText> describe(const Assumptions& numbers);

}  // namespace lab
