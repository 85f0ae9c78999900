// SPDX-License-Identifier: BSL-1.0
#include <evenkey/migrate.hpp>

#include <chrono>

#include "moving_index.hpp"

namespace lab {

void MovingIndex::check_phase(Standing standing) const {
  on(standing.way, [&](const auto& migration) { evenkey::check_phase(migration, record_, standing.phase); });
}

evenkey::Advance MovingIndex::advance(Standing from, Phase to, const evenkey::Evidence& evidence) const {
  return on(from.way, [&](const auto& migration) {
    return evenkey::advance_phase(record_, migration, from.phase, to, evidence, "the lab's operator", clock_);
  });
}

evenkey::Advance MovingIndex::would_advance(Standing from, Phase to,
                                            const evenkey::Evidence& evidence) const {
  return on(from.way, [&](const auto& migration) { return migration.advance(from.phase, to, evidence); });
}

evenkey::BackfillReport MovingIndex::backfill(Way way, Scan scan, Restamp restamp,
                                              const evenkey::BackfillOptions& options) const {
  return on(way, [&](const auto& migration) {
    return evenkey::backfill(migration, scan, restamp, options, clock_);
  });
}

evenkey::DriftReport MovingIndex::check_drift(Way way, Scan scan) const {
  return on(way, [&](const auto& migration) {
    return evenkey::check_drift(
        migration, scan, {.max_concurrency = 1, .max_read_units_per_second = tools_read_units}, clock_);
  });
}

evenkey::ParityReport MovingIndex::check_parity(Standing standing, Scan scan, Query query) const {
  return on(standing.way, [&](const auto& migration) {
    return evenkey::check_parity(migration.at(standing.phase), scan, query,
                                 {.max_concurrency = 1,
                                  .max_read_units_per_second = tools_read_units,
                                  .buckets = std::size_t{1} << 12U},
                                 clock_);
  });
}

evenkey::WatchReport MovingIndex::watch_source(Way way, Query query, Restamp restamp,
                                               const evenkey::WatchOptions& options) const {
  return on(way, [&](const auto& migration) {
    return evenkey::watch_source(migration, query, restamp, options, clock_);
  });
}

}  // namespace lab
