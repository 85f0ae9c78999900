// SPDX-License-Identifier: BSL-1.0
#include <evenkey/migrate/backfill.hpp>
#include <evenkey/migrate/backfill_shared.hpp>
#include <evenkey/migrate/layout_record.hpp>
#include <evenkey/migrate/phase_record.hpp>

#include <algorithm>
#include <chrono>
#include <random>
#include <unistd.h>

#include "commands.hpp"
#include "phase_watch.hpp"
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
  json["to_retry"] = report.to_retry;
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

bool is_shared(const Options& options) { return options.hosts > 1 || !options.host.empty(); }

/// A name that no other host has, where none was given.
std::string host_name(const Options& options) {
  if (!options.host.empty()) return options.host;
  char host[256] = {};
  if (gethostname(host, sizeof(host) - 1) != 0) host[0] = '?';
  return std::string(host) + "." + std::to_string(getpid()) + "." +
         std::to_string(std::random_device{}() % 10'000);
}

/// How often a run looks whether it may go on: a host that is quick to lose its lease is quick to look, too.
std::chrono::milliseconds looks_every(const Options& options) {
  constexpr std::chrono::milliseconds at_most = std::chrono::seconds(2);
  return (std::min)(at_most, std::chrono::milliseconds(options.lease_ms) / 4);
}

/// Errors: what must be said and is not, before anything is stored or removed → `usage_error`; other segments
/// than the hosts share → `std::runtime_error`.
void check_before(const Options& options, const evenkey::BackfillOptions& how, const StateItem& place,
                  const ItemLeases& leases) {
  if (options.restart) return;  // with a time of its own, and segments that nobody has yet
  const std::uint32_t agreed = is_shared(options) ? leases.segments().value_or(0) : 0;
  const bool goes_on = is_shared(options) ? agreed != 0 : place.load().has_value();
  if (!how.writers_drained_at && !goes_on)
    throw usage_error("--writers-drained-at is missing: say since when no writer of an earlier phase lives");
  if (agreed != 0 && options.segments != 0 && options.segments != agreed)
    throw std::runtime_error("the hosts share " + std::to_string(agreed) +
                             " segments: leave --segments away, or begin anew by --restart on one host");
}

evenkey::BackfillOptions how_of(const Options& options, const Target& target, const std::stop_token& stop) {
  evenkey::BackfillOptions how;
  how.dry_run = !options.execute;
  if (!options.writers_drained_at.empty()) how.writers_drained_at = parse_time(options.writers_drained_at);
  how.stop = stop;
  how.max_concurrency = options.concurrency;
  how.total_segments = segments_of(options);
  how.index_partition_write_units = options.index_partition_write_units / options.hosts;
  how.table_write_units = options.table_write_units / options.hosts;
  how.table_read_units = options.read_units / options.hosts;
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
  return how;
}

template <class AnyMigration>
evenkey::BackfillReport run(const Options& options, const Target& target, const AnyMigration& migration,
                            evenkey::BackfillOptions& how) {
  if (!options.execute) return evenkey::backfill(migration, target.scan(), target.restamp(), how);

  const StatePlace state = target.state(options);
  StateItem phases = state.item("phase " + target.names.index);
  StateItem layouts = state.item("layout " + target.names.index);
  StateItem place = state.item("checkpoint " + migration.id());
  ItemLeases leases(state, migration.id());
  evenkey::check_mover(migration, phases);
  check_before(options, how, place, leases);
  evenkey::check_layout(layouts, migration, evenkey::Phase::destination_writes);
  if (options.restart) {
    place.remove();
    leases.remove();
  }
  PhaseWatch<AnyMigration> watch(migration, std::move(phases), how.stop, looks_every(options));
  how.stop = watch.stop();
  const auto scan = [&, page_of = target.scan()](const evenkey::ScanRequest<dynamodb::Item>& request) {
    watch.look();
    return page_of(request);
  };
  const auto restamp = [&, move = target.restamp()](const evenkey::Restamp<dynamodb::Item>& row) {
    watch.look();
    return move(row);
  };
  const auto ended = [&](evenkey::BackfillReport report) {
    watch.end();
    return report;
  };
  if (!is_shared(options)) {
    ItemCheckpoint checkpoint(place);
    how.checkpoint = &checkpoint;
    return ended(evenkey::backfill(migration, scan, restamp, how));
  }
  constexpr std::uint32_t for_several_hosts = 16;
  how.total_segments = leases.agree_on(options.segments == 0 ? for_several_hosts : options.segments);
  if (options.segments != 0 && options.segments != how.total_segments)
    throw std::runtime_error("another host began meanwhile, with " + std::to_string(how.total_segments) +
                             " segments: leave --segments away");
  evenkey::LeaseOptions lease;
  lease.host = host_name(options);
  lease.duration = std::chrono::milliseconds(options.lease_ms);
  lease.poll = (std::max)(lease.duration / 6, std::chrono::milliseconds(20));
  return ended(evenkey::backfill_shared(migration, scan, restamp, leases, lease, how));
}

}  // namespace

int backfill(const Options& options, const std::stop_token& stop) {
  if (options.restart && options.writers_drained_at.empty())
    throw usage_error(
        "--restart forgets since when no writer of an earlier phase lives: say it by --writers-drained-at");
  const Target target = open(options);
  Progress progress(options.execute ? "backfill" : "backfill, dry run");
  evenkey::BackfillOptions how = how_of(options, target, stop);
  how.on_progress = [&](const evenkey::BackfillProgress& so_far) {
    const double done = static_cast<double>(so_far.done);
    progress.show(so_far.total && *so_far.total > 0 ? done / static_cast<double>(*so_far.total) : -1,
                  std::to_string(so_far.done) + " rows, " + std::to_string(so_far.moved) + " moved" +
                      (so_far.eta ? ", " + std::to_string(so_far.eta->count()) + " s to go" : ""));
  };
  const evenkey::BackfillReport report =
      with_migration(options, target, VisibilityIs::unused,
                     [&](const auto& migration) { return run(options, target, migration, how); });
  Json json = report_json(report);
  json["dry_run"] = !options.execute;
  print(options, json);
  if (!options.execute && report.to_move != 0)
    note("nothing was written: add --execute --writers-drained-at TIME to move these rows");
  if (options.execute && !report.finished)
    note("evenkey: the backfill is not finished: " + std::string(evenkey::backfill_end_name(report.end)) +
         ", " + std::to_string(report.failed) +
         " rows failed; samples say why; run it again, it goes on from there");
  const bool has_ids = all_rows_have_ids(target);
  return has_ids && (!options.execute || report.finished) ? 0 : 1;
}

}  // namespace evenkey_cli
