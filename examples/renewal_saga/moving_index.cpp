// SPDX-License-Identifier: BSL-1.0
#include "moving_index.hpp"

#include <evenkey/read.hpp>

#include <utility>

namespace lab {

std::string name_of(Standing standing) {
  const std::string phase(evenkey::phase_name(standing.phase));
  return standing.way == Way::forward ? phase : "back: " + phase;
}

MovingIndex::MovingIndex(std::uint32_t shards, evenkey::Visibility visibility, const StageClock& clock)
    : forward_(ShardedSagas(shards), Legacy{}, visibility), back_(forward_.reversed()), clock_(clock) {}

std::string MovingIndex::created_key(Standing standing, std::string_view person) const {
  return on(standing.way, [&](const auto& migration) {
    return std::string(migration.partition_key(standing.phase, person));
  });
}

MovingIndex::Rows MovingIndex::find(Standing standing, std::string_view person, Query query) const {
  return on(standing.way, [&](const auto& migration) {
    return evenkey::find(migration.at(standing.phase), query, person, {}, clock_);
  });
}

MovingIndex::Rows MovingIndex::find_many(Standing standing, const std::vector<std::string_view>& persons,
                                         Query query) const {
  return on(standing.way, [&](const auto& migration) {
    return evenkey::find_many(migration.at(standing.phase), query, persons,
                              {.on_failure = evenkey::OnFailure::collect, .max_concurrency = 1}, clock_);
  });
}

MovingIndex::Rows MovingIndex::enumerate(Standing standing, Query query) const {
  return on(standing.way, [&](const auto& migration) {
    return evenkey::enumerate(migration.at(standing.phase), query, {.max_concurrency = 1}, clock_);
  });
}

}  // namespace lab
