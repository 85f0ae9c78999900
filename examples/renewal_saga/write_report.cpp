// SPDX-License-Identifier: BSL-1.0
#include "write_report.hpp"

#include "population.hpp"
#include "report_page.hpp"
#include "weeks.hpp"

namespace lab {

MigrationTimeline timeline_of(const MigrationResult& moved) {
  MigrationTimeline timeline;
  for (const MigrationStep& step : moved.steps)
    timeline.steps.push_back({.name = step.name,
                              .begins_s = step.begins_s,
                              .ends_s = step.ends_s,
                              .rows_left = step.rows_on_constant_key,
                              .rows_on_shards = step.rows_on_shards,
                              .moved = step.moved,
                              .requests = step.requests,
                              .throttled = step.throttled,
                              .throttled_by_tools = step.throttled_by_tools,
                              .lost = step.lost,
                              .doubled = step.doubled});
  // Nothing is moved in the first step: it is the application as it was.
  if (!timeline.steps.empty()) timeline.rows_at_start = timeline.steps.front().rows_left;
  return timeline;
}

void write_pages(const Pages& pages, const Result& result, const MigrationResult* moved,
                 const Progress& progress) {
  if (!pages.report.empty()) {
    progress("weeks", 0);
    PageData data{.result = result,
                  .weeks = simulate_weeks({.seed = result.seed}, make_population(result.seed))};
    if (moved != nullptr) data.migration = timeline_of(*moved);
    progress("weeks", 1);
    write_file(pages.report, html_page(data));
  }
  if (!pages.picture.empty()) write_file(pages.picture, picture(result));
}

}  // namespace lab
