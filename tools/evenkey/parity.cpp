// SPDX-License-Identifier: BSL-1.0
#include <evenkey/migrate/parity.hpp>

#include "commands.hpp"
#include "reports.hpp"

namespace evenkey_cli {

// All but the token: no command goes on from one, and it is no text.
Json json_of(const evenkey::ParityReport& report) {
  Json json = json_of(static_cast<const evenkey::ReportHead&>(report));
  json["compared"] = report.compared;
  json["missing"] = report.missing;
  json["extra"] = report.extra;
  json["mismatched"] = report.mismatched;
  json["misplaced"] = report.misplaced;
  json["foreign"] = report.foreign;
  json["unindexed"] = report.unindexed;
  json["settled"] = report.settled;
  json["looks"] = report.looks;
  json["samples"] = report.samples;
  json["identical"] = report.identical();
  return json;
}

template <class AnyMigration>
evenkey::ParityReport run_parity(const Options& options, const Target& target, const AnyMigration& migration,
                                 const std::stop_token& stop) {
  Progress progress("parity");
  evenkey::ParityOptions how;
  how.total_segments = segments_of(options);
  how.max_concurrency = options.concurrency;
  how.max_read_units_per_second = options.read_units;
  how.stop = stop;
  if (options.page_limit != 0) how.page_limit = options.page_limit;
  how.progress = [&](const evenkey::ParityProgress& so_far) {
    progress.show(-1, "look " + std::to_string(so_far.look) + ", " + std::to_string(so_far.table_rows) +
                          " rows of the table, " + std::to_string(so_far.index_rows) + " of the index");
  };
  return evenkey::check_parity(migration.at(evenkey::Phase::destination), target.scan(), target.query(), how);
}

template evenkey::ParityReport run_parity(const Options&, const Target&, const Migration&,
                                          const std::stop_token&);
template evenkey::ParityReport run_parity(const Options&, const Target&, const SecondIndex&,
                                          const std::stop_token&);

int parity(const Options& options, const std::stop_token& stop) {
  const Target target = open(options);
  const evenkey::ParityReport report =
      with_migration(options, target, VisibilityIs::unused,
                     [&](const auto& migration) { return run_parity(options, target, migration, stop); });
  print(options, json_of(report));
  return all_rows_have_ids(target) && report.identical() ? 0 : 1;
}

}  // namespace evenkey_cli
