// SPDX-License-Identifier: BSL-1.0
//
// The phase record: what it says, and the steps there and back.
#include <evenkey/migrate/layout_record.hpp>
#include <evenkey/migrate/phase_record.hpp>

#include <array>
#include <cstdlib>
#include <unistd.h>

#include "commands.hpp"
#include "reports.hpp"

namespace evenkey_cli {

namespace {

using evenkey::Phase;

std::optional<evenkey::PhaseRecord> load_record(StateItem& store) {
  const auto text = store.load();
  if (!text) return std::nullopt;
  auto record = evenkey::parse_phase_record(*text);
  if (!record) throw evenkey::phase_error("the phase record is damaged or of a later version of evenkey");
  return record;
}

/// Where the migration stands, seen from its own side.
Phase stands_in(const Migration& migration, const std::optional<evenkey::PhaseRecord>& record) {
  if (!record || record->migration == migration.id()) return record ? record->phase : Phase::source;
  if (record->migration == migration.reversed().id()) return Migration::mirrored(record->phase);
  throw evenkey::phase_error("the phase record is of another migration: " + record->migration +
                             "; this one is " + migration.id());
}

std::string who() {
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) host[0] = '?';
  const char* user = std::getenv("USER");
  return std::string(user == nullptr ? "?" : user) + "@" + host.data();
}

Json record_json(const std::optional<evenkey::PhaseRecord>& record) {
  if (!record) return {{"phase", "source"}, {"recorded", false}};
  return {{"phase", evenkey::phase_name(record->phase)},
          {"recorded", true},
          {"of", record->migration},
          {"version", record->version},
          {"since", time_text(record->changed_at)},
          {"by", record->changed_by}};
}

/// One step of a migration, in whichever direction it goes.
int step(const Options& options, const Target& target, const Migration& migration, Phase to,
         const std::stop_token& stop) {
  StateItem store = target.state(options, "phase " + target.names.index);
  const Phase from = stands_in(migration, load_record(store));
  evenkey::Evidence evidence;
  Json report{{"migration", migration.id()},
              {"from", evenkey::phase_name(from)},
              {"to", evenkey::phase_name(to)},
              {"dry_run", !options.execute}};
  if (to == Phase::destination && from == Phase::destination_writes) {
    if (!options.writers_drained_at.empty())
      evidence.writers_drained_at = parse_time(options.writers_drained_at);
    evidence.drift = run_drift(options, target, migration, stop);
    evidence.parity = run_parity(options, target, migration, stop);
    report["drift"] = json_of(*evidence.drift);
    report["parity"] = json_of(*evidence.parity);
  }
  evenkey::Advance answer = migration.advance(from, to, evidence);
  if (answer.allowed() && !all_rows_have_ids(target)) answer.refuse("rows have no id");
  if (answer.allowed() && options.execute)
    answer = evenkey::advance_phase(store, migration, from, to, evidence, who());
  report["allowed"] = answer.allowed();
  report["reasons"] = answer.reasons();
  print(options, report);
  if (answer.allowed() && !options.execute) note("nothing was written: add --execute to take the step");
  if (answer.allowed() && options.execute)
    note("now deploy instances of phase " + std::string(evenkey::phase_name(to)) + " of " + migration.id());
  return answer.allowed() ? 0 : 1;
}

}  // namespace

int status(const Options& options) {
  const Target target = open(options);
  const Migration migration = migration_of(options, target, VisibilityIs::unused);
  StateItem store = target.state(options, "phase " + target.names.index);
  const auto record = load_record(store);
  Json report{{"table", target.table.name},
              {"index", target.names.index},
              {"migration", migration.id()},
              {"recorded", record_json(record)},
              {"stands_in", evenkey::phase_name(stands_in(migration, record))}};
  report["checkpoint"] =
      target.state(options, "checkpoint " + migration.id()).load() ? "a backfill was begun" : "none";
  report["checkpoint_of_the_way_back"] =
      target.state(options, "checkpoint " + migration.reversed().id()).load() ? "a backfill was begun"
                                                                              : "none";
  bool rows_on_source = false;
  for (std::uint32_t shard = 0; shard < migration.source().size(); ++shard) {
    evenkey::QueryRequest<dynamodb::Item> request;
    request.index_name = target.names.index;
    request.partition_key = migration.source().at(evenkey::ShardId{shard});
    request.limit = 1;
    rows_on_source = rows_on_source || !target.query()(request).items.empty();
  }
  report["rows_on_source"] = rows_on_source;
  print(options, report);
  return 0;
}

int advance(const Options& options, const std::stop_token& stop) {
  const auto to = evenkey::parse_phase(options.phase);
  if (!to) throw usage_error("a phase is source, dual_read, destination_writes or destination");
  const Target target = open(options);
  return step(options, target, migration_of(options, target, VisibilityIs::needed), *to, stop);
}

int rollback(const Options& options, const std::stop_token& stop) {
  const Target target = open(options);
  const Migration back = migration_of(options, target, VisibilityIs::needed).reversed();
  StateItem store = target.state(options, "phase " + target.names.index);
  const Phase from = stands_in(back, load_record(store));
  if (from == Phase::destination) {
    print(options, {{"migration", back.id()}, {"stands_in", "destination"}});
    note("nothing to go back: rows are read and written by " + std::string(back.destination().at({0})));
    return 0;
  }
  return step(options, target, back, static_cast<Phase>(static_cast<int>(from) + 1), stop);
}

}  // namespace evenkey_cli
