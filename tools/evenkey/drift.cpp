// SPDX-License-Identifier: BSL-1.0
#include <evenkey/migrate/drift.hpp>

#include "commands.hpp"
#include "reports.hpp"

namespace evenkey_cli {

Json json_of(const evenkey::ReportHead& head) {
  Json json;
  if (!head.migration.empty()) json["migration"] = head.migration;
  json["layout"] = head.layout;
  json["started"] = time_text(head.started);
  json["whole"] = head.whole();
  json["requests"] = head.requests;
  json["consumed_read_units"] = head.consumed_read_units;
  return json;
}

// All but the token: no command goes on from one.
Json json_of(const evenkey::DriftReport& report) {
  Json json = json_of(static_cast<const evenkey::ReportHead&>(report));
  json["scanned"] = report.scanned;
  json["in_place"] = report.in_place;
  json["on_source"] = report.on_source;
  json["misplaced"] = report.misplaced;
  json["foreign"] = report.foreign;
  json["unindexed"] = report.unindexed;
  json["stranded"] = report.stranded;
  json["regressed"] = report.regressed;
  json["samples"] = report.samples;
  json["clean"] = report.clean();
  return json;
}

template <class AnyMigration>
evenkey::DriftReport run_drift(const Options& options, const Target& target, const AnyMigration& migration,
                               const std::stop_token& stop) {
  Progress progress("drift");
  evenkey::DriftOptions how;
  how.total_segments = segments_of(options);
  how.max_concurrency = options.concurrency;
  how.max_read_units_per_second = options.read_units;
  how.stop = stop;
  if (options.page_limit != 0) how.page_limit = options.page_limit;
  how.progress = [&](const evenkey::DriftReport& so_far) {
    const double rows = static_cast<double>(so_far.scanned);
    const double total = static_cast<double>(target.table.item_count);
    progress.show(total > 0 ? rows / total : -1, std::to_string(so_far.scanned) + " rows, " +
                                                     std::to_string(so_far.on_source) + " on the source, " +
                                                     std::to_string(so_far.misplaced) + " misplaced");
  };
  return evenkey::check_drift(migration, target.scan(), how);
}

template evenkey::DriftReport run_drift(const Options&, const Target&, const Migration&,
                                        const std::stop_token&);
template evenkey::DriftReport run_drift(const Options&, const Target&, const SecondIndex&,
                                        const std::stop_token&);

int drift(const Options& options, const std::stop_token& stop) {
  const Target target = open(options);
  const evenkey::DriftReport report =
      with_migration(options, target, VisibilityIs::unused,
                     [&](const auto& migration) { return run_drift(options, target, migration, stop); });
  print(options, json_of(report));
  return all_rows_have_ids(target) && report.clean() ? 0 : 1;
}

}  // namespace evenkey_cli
