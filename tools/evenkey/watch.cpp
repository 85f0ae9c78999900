// SPDX-License-Identifier: BSL-1.0
#include <evenkey/migrate/watch.hpp>

#include "commands.hpp"
#include "phase_watch.hpp"
#include "reports.hpp"

namespace evenkey_cli {

int watch(const Options& options, const std::stop_token& stop) {
  if (options.second_index)
    refuse_for_second_index("watch",
                            "rows without the new key are in no partition that could be polled: run drift");
  const Target target = open(options);
  const Migration migration = migration_of(options, target.names, VisibilityIs::unused);
  evenkey::WatchOptions how;
  how.polls = options.polls;
  how.wait_between_polls = std::chrono::milliseconds(options.interval_ms);
  how.max_concurrency = options.concurrency;
  PhaseWatch<Migration> phase(migration, target.state(options).item("phase " + target.names.index), stop);
  how.stop = phase.stop();
  if (options.execute) how.before_poll = [&] { phase.look_now(); };
  how.on_late = [&](const evenkey::LateRow& row) {
    note("late row " + std::string(row.primary_key) + " on " + std::string(row.from) +
         (row.message.empty() ? "" : ": " + std::string(row.message)));
  };
  const auto move = target.restamp();
  const auto report = evenkey::watch_source(
      migration, target.query(),
      [&](const evenkey::Restamp<dynamodb::Item>& restamp) {
        if (!options.execute) throw std::runtime_error("left there; add --execute to move it");
        phase.look();
        return move(restamp);
      },
      how);
  phase.end();
  Json json = json_of(static_cast<const evenkey::ReportHead&>(report));
  json["polls"] = report.polls;
  json["late"] = report.late;
  json["moved"] = report.moved;
  json["deleted"] = report.deleted;
  json["changed"] = report.changed;
  json["failed"] = report.failed;
  json["stale"] = report.stale;
  json["foreign"] = report.foreign;
  json["samples"] = report.samples;
  json["dry_run"] = !options.execute;
  json["quiet"] = report.quiet();
  print(options, json);
  if (!report.whole())
    note("evenkey: the watch was stopped after " + std::to_string(report.polls) + " of " +
         std::to_string(options.polls) + " polls: what it did not look at is not proven");
  return report.quiet() && report.whole() ? 0 : 1;
}

}  // namespace evenkey_cli
