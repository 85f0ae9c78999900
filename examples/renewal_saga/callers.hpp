// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lab {

/// Who asks the index, by ADR-0085's list.
enum class Caller : std::uint8_t {
  list_page,
  detail_page,
  workflow_health_sweep,
  retry_failed_prepare,
  stuck_saga_sweep,
  agent_metrics,
  workflow_reads,
  workflow_writes,
  inbound_messages
};

/// What one SDK client serves: its calls share a bucket of retries.
enum class Service : std::uint8_t { web, sweeps, workflow, clara };
inline constexpr std::size_t service_count = 4;

struct CallerInfo {
  Caller caller;
  Service service;
  std::string_view name;   ///< in tables
  std::string_view field;  ///< in JSON
};

inline constexpr std::array callers{
    CallerInfo{Caller::list_page, Service::web, "list page", "list_page"},
    CallerInfo{Caller::detail_page, Service::web, "detail page", "detail_page"},
    CallerInfo{Caller::workflow_health_sweep, Service::sweeps, "workflow-health", "workflow_health_sweep"},
    CallerInfo{Caller::retry_failed_prepare, Service::sweeps, "retry-prepare", "retry_failed_prepare"},
    CallerInfo{Caller::stuck_saga_sweep, Service::sweeps, "stuck-saga", "stuck_saga_sweep"},
    CallerInfo{Caller::agent_metrics, Service::sweeps, "agent-metrics", "agent_metrics"},
    CallerInfo{Caller::workflow_reads, Service::workflow, "workflow reads", "workflow_reads"},
    CallerInfo{Caller::workflow_writes, Service::workflow, "workflow writes", "workflow_writes"},
    CallerInfo{Caller::inbound_messages, Service::clara, "inbound messages", "inbound_messages"},
};
inline constexpr std::size_t caller_count = callers.size();

constexpr std::size_t number_of(Caller caller) { return static_cast<std::size_t>(caller); }
constexpr const CallerInfo& info_of(Caller caller) { return callers[number_of(caller)]; }

}  // namespace lab
