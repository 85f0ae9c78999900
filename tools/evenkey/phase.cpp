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
#include "standing.hpp"

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

std::string other_migration(const evenkey::PhaseRecord& record, const std::string& own) {
  std::string text = "the phase record is of another migration: " + record.migration + "; this one is " +
                     own + ": look at --from, --prefix, --shards and their kin";
  if (record.phase == Phase::destination) text += "; that other one has ended, and not where this one begins";
  return text;
}

/// Where the migration stands, seen from its own side.
template <class AnyMigration>
Phase stands_in(const AnyMigration& migration, const std::optional<evenkey::PhaseRecord>& record) {
  if (!record) return Phase::source;
  if (const auto phase = evenkey::recorded_phase(migration, *record)) return *phase;
  throw evenkey::phase_error(other_migration(*record, migration.id()));
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

/// Says in the layout record what a step makes true, before the step: what instances find at their start.
template <class AnyMigration>
void keep_layout(StateItem layouts, const AnyMigration& migration, Phase from, Phase to) {
  evenkey::check_layout(layouts, migration, from);  // the first of all steps stores the source's
  if (to == Phase::destination) evenkey::adopt_layout(layouts, migration);
}

/// One step of a migration, in whichever direction it goes.
template <class AnyMigration>
int step(const Options& options, const Target& target, const AnyMigration& migration, Phase to,
         const std::stop_token& stop) {
  const StatePlace state = target.state(options);
  StateItem store = state.item("phase " + target.names.index);
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
  if (answer.allowed() && options.execute) {
    if (stop.stop_requested()) throw std::runtime_error("stopped before the step was taken");
    keep_layout(state.item("layout " + target.names.index), migration, from, to);
    answer = evenkey::advance_phase(store, migration, from, to, evidence, who());
  }
  report["allowed"] = answer.allowed();
  report["reasons"] = answer.reasons();
  print(options, report);
  if (answer.allowed() && !options.execute) note("nothing was written: add --execute to take the step");
  if (answer.allowed() && options.execute)
    note("now deploy instances of phase " + std::string(evenkey::phase_name(to)) + " of " + migration.id());
  return answer.allowed() ? 0 : 1;
}

template <class AnyMigration>
Json status_json(const Options& options, const Target& target, const AnyMigration& migration) {
  const StatePlace state = target.state(options);
  StateItem store = state.item("phase " + target.names.index);
  const auto record = load_record(store);
  Json report{{"table", target.table.name},
              {"index", target.names.index},
              {"migration", migration.id()},
              {"recorded", record_json(record)},
              {"stands_in", evenkey::phase_name(stands_in(migration, record))}};
  const auto layout = state.item("layout " + target.names.index).load();
  report["layout"] = layout ? evenkey::parse_layout_record(*layout).value_or("damaged") : "not recorded";
  report["backfill"] = standing_json(state, migration.id());
  if constexpr (requires { migration.reversed(); }) {
    report["backfill_of_the_way_back"] = standing_json(state, migration.reversed().id());
    const RowsLeft left =
        rows_on(target, migration.source(), options.count_all ? Counts::all_pages : Counts::one_page);
    report["rows_left"] = left.exact ? Json(left.rows) : Json(nullptr);
    report["rows_left_at_least"] = left.rows;
  } else {
    report["rows_left"] = nullptr;  // they are in no partition that could be counted: drift knows
  }
  return report;
}

}  // namespace

int status(const Options& options) {
  const Target target = open(options);
  print(options, with_migration(options, target, VisibilityIs::unused, [&](const auto& migration) {
          return status_json(options, target, migration);
        }));
  return 0;
}

int advance(const Options& options, const std::stop_token& stop) {
  const Phase to = *evenkey::parse_phase(options.phase);
  const Target target = open(options, VisibilityIs::needed);
  return with_migration(options, target, VisibilityIs::needed,
                        [&](const auto& migration) { return step(options, target, migration, to, stop); });
}

int rollback(const Options& options, const std::stop_token& stop) {
  if (options.second_index)
    refuse_for_second_index("rollback", "it has no way back: let readers read the old index again, at once");
  const Target target = open(options, VisibilityIs::needed);
  const Migration back = migration_of(options, target.names, VisibilityIs::needed).reversed();
  const StatePlace state = target.state(options);
  StateItem store = state.item("phase " + target.names.index);
  const auto record = load_record(store);
  if (!record) throw std::runtime_error("no migration of this index is recorded: nothing to roll back");
  const Phase from = stands_in(back, record);
  if (from == Phase::destination) {
    print(options, {{"migration", back.id()}, {"stands_in", "destination"}});
    note("nothing to go back: rows are read and written by " + std::string(back.destination().at({0})));
    return 0;
  }
  // The turn: a mover of the other way that still runs would take rows away from readers.
  if (record->migration != back.id())
    for (const std::string& host : holders(ItemLeases(state, record->migration)))
      note("the host " + host + " holds a lease of the other way: end it, and wait until its last row shows");
  return step(options, target, back, static_cast<Phase>(static_cast<int>(from) + 1), stop);
}

}  // namespace evenkey_cli
