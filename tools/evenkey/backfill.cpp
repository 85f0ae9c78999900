// SPDX-License-Identifier: BSL-1.0
#include <evenkey/migrate/backfill.hpp>
#include <evenkey/migrate/backfill_shared.hpp>
#include <evenkey/migrate/phase_record.hpp>

#include "commands.hpp"
#include "reports.hpp"

namespace evenkey_cli {

namespace {

void add(Json& json, const evenkey::BackfillCounts& counts) {
  json["scanned"] = counts.scanned;
  json["in_place"] = counts.in_place;
  json["to_move"] = counts.to_move;
  json["moved"] = counts.moved;
  json["already_moved"] = counts.already_moved;
  json["deleted"] = counts.deleted;
  json["changed"] = counts.changed;
  json["misplaced"] = counts.misplaced;
  json["foreign"] = counts.foreign;
  json["unindexed"] = counts.unindexed;
}

Json report_json(const evenkey::BackfillReport& report) {
  Json json = json_of(static_cast<const evenkey::ReportHead&>(report));
  add(json, report);
  json["failed"] = report.failed;
  json["moved_by_all_runs"] = report.overall.moved;
  json["table_write_units"] = report.table_write_units;
  json["index_write_units"] = report.index_write_units;
  json["seconds_at_allowed_rate"] = report.time_at_allowed_rate.count();
  json["throttled"] = report.throttled;
  Json samples = Json::array();
  for (const evenkey::BackfillSample& sample : report.samples)
    samples.push_back(std::string(sample.what) + " " + sample.primary_key +
                      (sample.detail.empty() ? "" : ": " + sample.detail));
  json["samples"] = std::move(samples);
  json["end"] = evenkey::backfill_end_name(report.end);
  json["finished"] = report.finished;
  return json;
}

}  // namespace

int backfill(const Options& options, const std::stop_token& stop) {
  std::optional<std::chrono::system_clock::time_point> drained;
  if (!options.writers_drained_at.empty()) drained = parse_time(options.writers_drained_at);
  const Target target = open(options);
  const Migration migration = migration_of(options, target, VisibilityIs::unused);
  StateItem place = target.state(options, "checkpoint " + migration.id());
  ItemCheckpoint checkpoint(place);
  if (options.execute) {
    StateItem phases = target.state(options, "phase " + target.names.index);
    evenkey::check_mover(migration, phases);
  }
  ItemLeases leases([&](std::uint32_t segment) {
    return target.state(options, "lease " + migration.id() + " " + std::to_string(segment));
  });
  const bool shared = !options.host.empty() && options.execute;
  if (options.restart && options.execute) {
    place.remove();
    for (std::uint32_t segment = 0; segment < options.segments; ++segment)
      leases.remove(segment);
  }

  Progress progress(options.execute ? "backfill" : "backfill, dry run");
  evenkey::BackfillOptions how;
  how.dry_run = !options.execute;
  how.writers_drained_at = drained;
  if (options.execute && !shared) how.checkpoint = &checkpoint;
  how.stop = stop;
  how.max_concurrency = options.concurrency;
  how.total_segments = options.segments;
  how.index_partition_write_units = options.index_partition_write_units;
  how.table_write_units = options.table_write_units;
  how.table_read_units = options.read_units;
  how.expected_rows = target.table.item_count;
  how.table = target.table.name;
  if (options.page_limit != 0) how.page_limit = options.page_limit;
  if (!target.table.replicas.empty()) {
    if (options.execute && !options.only_mover_region)
      throw std::runtime_error(
          "the table has replicas in other Regions: movers may run in one Region alone; say so by "
          "--only-mover-region");
    how.global_table = evenkey::GlobalTable::only_mover_region;
  }
  how.on_progress = [&](const evenkey::BackfillProgress& so_far) {
    const double done = static_cast<double>(so_far.done);
    progress.show(so_far.total && *so_far.total > 0 ? done / static_cast<double>(*so_far.total) : -1,
                  std::to_string(so_far.done) + " rows, " + std::to_string(so_far.moved) + " moved" +
                      (so_far.eta ? ", " + std::to_string(so_far.eta->count()) + " s to go" : ""));
  };
  const auto duration = std::chrono::milliseconds(options.lease_ms);
  const evenkey::LeaseOptions lease{.host = options.host, .duration = duration, .poll = duration / 6};
  const evenkey::BackfillReport report =
      shared ? evenkey::backfill_shared(migration, target.scan(), target.restamp(), leases, lease, how)
             : evenkey::backfill(migration, target.scan(), target.restamp(), how);
  Json json = report_json(report);
  json["dry_run"] = !options.execute;
  print(options, json);
  if (!options.execute && report.to_move != 0)
    note("nothing was written: add --execute --writers-drained-at TIME to move these rows");
  const bool has_ids = all_rows_have_ids(target);
  return has_ids && (!options.execute || report.finished) ? 0 : 1;
}

}  // namespace evenkey_cli
