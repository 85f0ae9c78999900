// SPDX-License-Identifier: BSL-1.0
#include "assumptions.hpp"

#include "numbers.hpp"

namespace lab {
namespace {

std::string range(Range range) { return grouped(range.least) + " to " + grouped(range.most); }
std::string seconds(std::uint32_t milliseconds) {
  return milliseconds % 1'000 == 0 ? grouped(milliseconds / 1'000) : fixed(milliseconds / 1'000.0, 1);
}
std::string seconds(Range range) { return seconds(range.least) + " to " + seconds(range.most) + " s"; }
std::string kilobytes(Range range) {
  return fixed(range.least / 1'000.0, 1) + " to " + fixed(range.most / 1'000.0, 1) + " KB";
}

}  // namespace

std::vector<AssumptionText> describe(const Assumptions& n) {
  return {
      {"from the ADR", grouped(n.open_sagas) + " open sagas of " + grouped(n.persons) +
                           " persons; the list page polls every " + seconds(n.poll_every_ms) +
                           ", one query per tenant"},
      {"rows", range(n.archived_per_person) + " archived sagas a person; " + kilobytes(n.row_bytes) +
                   " a row, all of it in the index"},
      {"list page", grouped(n.managers) + " managers keep it open, each with a portfolio of " +
                        range(n.portfolio) + " tenants"},
      {"detail page", "each manager opens one every " + seconds(n.detail_every_ms)},
      {"messages", "one inbound message every " + seconds(n.message_every_ms) + ", one query each"},
      {"sweeps", "on the full minute, starting within " + seconds(n.job_starts_after_ms.most) +
                     " s: workflow-health every " + grouped(n.workflow_health_minutes) +
                     " min, retry-prepare " + grouped(n.retry_failed_prepare_minutes) + ", stuck-saga " +
                     grouped(n.stuck_saga_minutes) + ", agent-metrics " + grouped(n.agent_metrics_minutes)},
      {"workflow", "a step is one query and one write; one every " + seconds(n.step_every_ms)},
      {"write bursts", "every " + grouped(n.cohort_every_minutes) + " min on the full minute " +
                           grouped(n.steps_per_cohort) + " steps of every open saga within " +
                           seconds(n.cohort_lasts_ms) + ", and " + grouped(n.opened_per_cohort) +
                           " sagas opened"},
      {"a partition", grouped(n.read_units_per_second) + " RCU/s and " + grouped(n.write_units_per_second) +
                          " WCU/s, no bursting above; every partition key has one of its own"},
      {"SDK retries", grouped(n.attempts) + " attempts; waits at random up to " + seconds(n.retry_base_ms) +
                          " s, doubled each time; " + grouped(n.retry_tokens) + " retry tokens a service, " +
                          grouped(n.retry_costs) + " a retry"},
      {"not modelled",
       "latency (only waiting for a retry takes time), splits for heat, caching but that of --coalesce"},
  };
}

}  // namespace lab
