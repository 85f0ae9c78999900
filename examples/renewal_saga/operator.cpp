// SPDX-License-Identifier: BSL-1.0
#include "operator.hpp"

#include <evenkey/migrate/phase_record.hpp>

#include <cstdio>
#include <stdexcept>
#include <stop_token>
#include <utility>

#include "assumptions.hpp"
#include "numbers.hpp"

namespace lab {
namespace {

constexpr std::uint32_t between_instances_s = 2;
constexpr std::uint32_t look_around_s = 6;
// The client's last retry comes at most 1 + 2 + 4 seconds after the first attempt.
constexpr std::uint32_t drain_s = 10;
constexpr std::uint32_t watch_every_s = 5;
constexpr double steps_in_all = 15;

double seconds_of(Time time) { return std::chrono::duration<double>(time.time_since_epoch()).count(); }
std::string rows(std::uint64_t count) { return counted(count, "row"); }

}  // namespace

Operator::Operator(const Population& population, Stage& stage, MovingTable& table, const MovingIndex& index,
                   Fleet& fleet, MigrationResult& result, const Progress& progress)
    : population_(population),
      stage_(stage),
      table_(table),
      index_(index),
      fleet_(fleet),
      result_(result),
      progress_(progress) {
  result_.steps.reserve(64);  // figures are counted in place
  begin("source");
}

void Operator::act() {
  rest(look_around_s);
  refuse_step({Way::forward, Phase::source}, Phase::destination_writes);

  // Forward, and half-way back.
  WallTime drained = begin_moving(Way::forward);
  refuse_instance({Way::forward, Phase::source});
  begin("backfill, aborted half-way");
  backfill(Way::forward, drained, true);
  refuse_step({Way::forward, Phase::destination_writes}, Phase::destination,
              {.drift = early_drift_, .writers_drained_at = drained});
  // A row that the mover moved last must have shown before readers look at the shards first.
  rest(1 + (std::max)(result_.settings.assumed_lag_ms, result_.settings.index_lag_ms) / 1'000);

  begin("abort: dual_read");
  deploy({Way::back, Phase::dual_read});
  begin("abort: destination_writes");
  take_step({Way::back, Phase::dual_read}, Phase::destination_writes);
  deploy({Way::back, Phase::destination_writes});
  drained = drain();
  begin("abort: backfill, proof");
  backfill(Way::back, drained);
  prove_and_leave({Way::back, Phase::destination_writes}, drained);

  // Forward again, to the end.
  drained = begin_moving(Way::forward);
  begin("backfill, proof");
  backfill(Way::forward, drained);
  prove_and_leave({Way::forward, Phase::destination_writes}, drained);
  begin("destination");
  rest(look_around_s);
  catch_late_writer();

  // Long after: rolled back.
  drained = begin_moving(Way::back);
  begin("rollback: backfill, proof");
  backfill(Way::back, drained);
  prove_and_leave({Way::back, Phase::destination_writes}, drained);
  begin("source again");
  rest(look_around_s);
  end_step();
  fleet_.stop();
}

void Operator::begin(std::string name) {
  end_step();
  MigrationStep step;
  step.name = std::move(name);
  step.begins_s = seconds_of(stage_.now());
  result_.steps.push_back(std::move(step));
  fleet_.count_in(result_.steps.back());
  table_.count_in(result_.steps.back());
  progress_("migrate: " + result_.steps.back().name,
            static_cast<double>(result_.steps.size()) / steps_in_all);
}

void Operator::end_step() {
  if (result_.steps.empty()) return;
  MigrationStep& step = result_.steps.back();
  step.ends_s = seconds_of(stage_.now());
  step.rows_on_constant_key = table_.rows_on(false);
  step.rows_on_shards = table_.rows_on(true);
}

void Operator::note(const std::string& text) {
  result_.steps.back().notes.push_back(fixed(seconds_of(stage_.now()), 1) + " s  " + text);
}

void Operator::rest(std::uint32_t seconds) {
  if (!stage_.wait_until(stage_.now() + std::chrono::seconds(seconds)))
    throw std::runtime_error("the lab closes");
}

/// The worst moment: the cohort walker writes most of what the partition bears.
void Operator::wait_for_burst() {
  const Duration period = std::chrono::minutes(assumed.cohort_every_minutes);
  Time burst(milliseconds(first_full_minute_ms) - traffic_begins);
  while (burst < stage_.now())
    burst += period;
  if (!stage_.wait_until(burst)) throw std::runtime_error("the lab closes");
  note("the cohort walker's burst of writes begins: the mover starts now on purpose");
}

void Operator::take_step(Standing from, Phase to, const evenkey::Evidence& evidence) {
  const evenkey::Advance answer = index_.advance(from, to, evidence);
  for (const std::string& reason : answer.reasons())
    note("refused: " + reason);
  if (!answer.allowed())
    throw std::runtime_error("the step to " + name_of({from.way, to}) +
                             " was refused: " + answer.reasons().front());
  note("phase record: " + name_of(from) + " -> " + name_of({from.way, to}));
}

void Operator::refuse_step(Standing from, Phase to, const evenkey::Evidence& evidence) {
  note("too early on purpose: " + name_of(from) + " -> " + name_of({from.way, to}));
  const evenkey::Advance answer = index_.advance(from, to, evidence);
  if (answer.allowed()) throw std::runtime_error("a step that comes too early was allowed");
  for (const std::string& reason : answer.reasons())
    note("  refused: " + reason);
}

void Operator::refuse_instance(Standing standing) {
  note("an instance of phase " + name_of(standing) + " comes up late");
  try {
    fleet_.restart(0, standing);
  } catch (const evenkey::phase_error& error) {
    note(std::string("  refused: ") + error.what());
    return;
  }
  throw std::runtime_error("an instance of a phase that is over was let in");
}

void Operator::deploy(Standing standing) {
  for (std::uint32_t instance = 0; instance < Fleet::size; ++instance) {
    rest(between_instances_s);
    fleet_.restart(instance, standing);
  }
  note("all " + std::to_string(Fleet::size) + " instances are in " + name_of(standing));
}

Operator::WallTime Operator::drain() {
  rest(drain_s);
  note("drained: the last instance of before was replaced " + std::to_string(drain_s) + " s ago");
  return index_.clock().system_now();
}

Operator::WallTime Operator::begin_moving(Way way) {
  const std::string prefix = way == Way::forward ? "" : "rollback: ";
  begin(prefix + "dual_read");
  take_step({way, Phase::source}, Phase::dual_read);
  deploy({way, Phase::dual_read});
  rest(look_around_s);
  begin(prefix + "destination_writes");
  take_step({way, Phase::dual_read}, Phase::destination_writes);
  deploy({way, Phase::destination_writes});
  return drain();
}

void Operator::backfill(Way way, WallTime drained, bool half) {
  const auto scan = [this](const evenkey::ScanRequest<std::string>& request) { return table_.scan(request); };
  const auto restamp = [this](const evenkey::Restamp<Saga>& request) {
    auto result = table_.restamp(request);
    // Until there is room again. evenkey would wait a random time, and no two runs would be the same.
    if (result.is_throttled())
      stage_.wait_until(Time(std::chrono::seconds(1) +
                             std::chrono::floor<std::chrono::seconds>(stage_.now().time_since_epoch())));
    return result;
  };
  evenkey::BackfillOptions options;
  options.retry.throttled_base_delay = std::chrono::nanoseconds(0);
  options.writers_drained_at = drained;
  options.index_partition_write_units = result_.settings.move_units;
  options.table_read_units = tools_read_units;
  options.item_bytes = options.entry_bytes = assumed.row_bytes.most;
  options.page_limit = 25;
  const evenkey::BackfillReport plan = index_.backfill(way, scan, restamp, options);
  note("dry run: " + rows(plan.to_move) + " to move, " + whole(plan.table_write_units) + " + " +
       whole(plan.index_write_units) + " write units (table + index), at least " +
       fixed(plan.time_at_allowed_rate.count(), 0) + " s at the allowed rate");
  if (half) {
    early_drift_ = index_.check_drift(way, scan);
    wait_for_burst();
  }
  std::stop_source stop;
  options.dry_run = false;
  options.stop = stop.get_token();
  options.on_progress = [&](const evenkey::BackfillProgress& progress) {
    if (half && progress.moved * 2 >= plan.to_move) stop.request_stop();
  };
  const evenkey::BackfillReport done = index_.backfill(way, scan, restamp, options);
  note("backfill " + std::string(evenkey::backfill_end_name(done.end)) + ": " + rows(done.moved) +
       " moved, " + std::to_string(done.failed) + " failed, throttled " + std::to_string(done.throttled) +
       " times");
  if (!half && !done.finished) throw std::runtime_error("a backfill did not finish");
}

void Operator::prove_and_leave(Standing from, WallTime drained) {
  const auto scan = [this](const evenkey::ScanRequest<std::string>& request) { return table_.scan(request); };
  const auto query = [this](const evenkey::QueryRequest<std::string>& request) {
    return table_.query_by_tool(request);
  };
  // Reports count only if they began when the last writer's rows are visible, as assumed.
  rest(1 + result_.settings.assumed_lag_ms / 1'000);
  for (int tries = 1;; ++tries) {
    const evenkey::DriftReport drift = index_.check_drift(from.way, scan);
    note("drift: " + rows(drift.scanned) + " scanned, " + std::to_string(drift.on_source) +
         " on the source, " + std::to_string(drift.misplaced) +
         " misplaced: " + (drift.clean() ? "clean" : "not clean"));
    const evenkey::ParityReport parity = index_.check_parity({from.way, Phase::destination}, scan, query);
    note("parity: " + rows(parity.compared) + " compared, " + std::to_string(parity.missing) + " missing, " +
         std::to_string(parity.extra) + " extra, " + std::to_string(parity.mismatched + parity.misplaced) +
         " different: " + (parity.identical() ? "identical" : "not identical"));
    result_.steps.back().proofs.push_back({drift.scanned, drift.on_source, drift.misplaced, drift.clean(),
                                           parity.compared, parity.missing, parity.extra,
                                           parity.mismatched + parity.misplaced, parity.identical()});
    if ((drift.clean() && parity.identical()) || tries == 3) {
      take_step(from, Phase::destination, {.drift = drift, .parity = parity, .writers_drained_at = drained});
      break;
    }
    rest(look_around_s);  // an index that is behind comes to agree
  }
  deploy({from.way, Phase::destination});
}

void Operator::catch_late_writer() {
  const std::string& person = population_.persons.front();
  const std::string id = "RSAGA#late";
  const Time written = stage_.now() + std::chrono::seconds(2);
  stage_.at(written, [&, written] {
    const auto at_ms = std::chrono::duration_cast<std::chrono::milliseconds>(written.time_since_epoch());
    table_.create_late(make_saga(id, person, lab_starts_at + at_ms.count(), Status::open, 2'000),
                       index_.created_key({Way::forward, Phase::dual_read}, person));
    note("a worker that everybody forgot creates " + id + " on the constant key, where nobody reads");
  });
  evenkey::WatchOptions options;
  options.polls = 3;
  options.wait_between_polls = std::chrono::seconds(watch_every_s);
  options.max_concurrency = 1;
  options.on_late = [&](const evenkey::LateRow& row) {
    note("alarm: " + std::string(row.primary_key) + " is on " + std::string(row.from) + ": " +
         (row.outcome == evenkey::LateRow::Outcome::moved ? "moved to " + std::string(row.to) : "not moved"));
    if (row.outcome != evenkey::LateRow::Outcome::moved) return;
    table_.adopt(id);
    result_.late_row_hidden_s = seconds_of(stage_.now()) - seconds_of(written);
  };
  const evenkey::WatchReport watch = index_.watch_source(
      Way::forward,
      [this](const evenkey::QueryRequest<std::string>& request) { return table_.query_by_tool(request); },
      [this](const evenkey::Restamp<Saga>& request) { return table_.restamp(request); }, options);
  note("watch_source: " + std::to_string(watch.polls) + " polls, " + fixed(watch.consumed_read_units, 1) +
       " read units, " + std::to_string(watch.late) + " late, " + std::to_string(watch.moved) + " moved");
  if (watch.moved == 0) throw std::runtime_error("a late row was not caught");
  rest(look_around_s);
}

}  // namespace lab
