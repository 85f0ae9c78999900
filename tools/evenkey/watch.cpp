// SPDX-License-Identifier: BSL-1.0
#include <evenkey/migrate/phase_record.hpp>
#include <evenkey/migrate/watch.hpp>

#include "commands.hpp"
#include "reports.hpp"

namespace evenkey_cli {

int watch(const Options& options, const std::stop_token& stop) {
  if (options.second_index)
    refuse_for_second_index("watch",
                            "rows without the new key are in no partition that could be polled: run drift");
  const Target target = open(options);
  const Migration migration = migration_of(options, target, VisibilityIs::unused);
  evenkey::WatchOptions how;
  how.polls = options.polls;
  how.wait_between_polls = std::chrono::milliseconds(options.interval_ms);
  how.max_concurrency = options.concurrency;
  how.stop = stop;
  StateItem phases = target.state(options).item("phase " + target.names.index);
  if (options.execute) how.before_poll = [&] { evenkey::check_mover(migration, phases); };
  how.on_late = [&](const evenkey::LateRow& row) {
    note("late row " + std::string(row.primary_key) + " on " + std::string(row.from) +
         (row.message.empty() ? "" : ": " + std::string(row.message)));
  };
  const auto move = target.restamp();
  const auto report = evenkey::watch_source(
      migration, target.query(),
      [&](const evenkey::Restamp<dynamodb::Item>& restamp) {
        if (!options.execute) throw std::runtime_error("left there; add --execute to move it");
        return move(restamp);
      },
      how);
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
  return report.quiet() ? 0 : 1;
}

}  // namespace evenkey_cli
