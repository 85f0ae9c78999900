// SPDX-License-Identifier: BSL-1.0
//
// docs/migration.md as a program: every snippet of the runbook is in it, over a table in memory.
#include <evenkey/capacity/moved_fraction.hpp>
#include <evenkey/migrate.hpp>
#include <evenkey/read.hpp>
#include <evenkey/testing/memory_table.hpp>

#include <chrono>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

namespace {

// --- the definition ---

struct Saga {
  std::string id;  // base-table key
  std::string person_id;
  std::string opened_at;
  std::string gsi4pk;
  std::string gsi4sk;
  bool operator==(const Saga&) const = default;
};

struct RenewalSagas {
  static constexpr std::string_view name = "renewal-saga-person-index";
  using PartitionKey = evenkey::ShardedKey<"RenewalSaga", evenkey::ShardPolicy<16>>;  // the destination
  using SortKey = evenkey::CompositeKey<evenkey::Text, evenkey::Text>;
  using Item = Saga;
  using StartKey = std::string;
  static std::string_view sort_key(const Saga& saga) { return saga.gsi4sk; }
  static std::string_view primary_key(const Saga& saga) { return saga.id; }
  // What a migration needs beside: what is sharded by, and the stored key, "" where there is none.
  static std::string_view shard_by(const Saga& saga) { return saga.person_id; }
  static std::string_view partition_key(const Saga& saga) { return saga.gsi4pk; }
};

using evenkey::Phase;
using Cutover = evenkey::Migration<RenewalSagas, evenkey::UnshardedKey<"RenewalSaga">>;
constexpr Cutover cutover{evenkey::visible_within(std::chrono::milliseconds(50))};
constexpr auto way_back = cutover.reversed();

// --- the application: the phase comes from its configuration ---

using Table = evenkey::testing::MemoryTable<Saga, RenewalSagas>;

class Instance {
 public:
  Instance(Table& table, evenkey::MemoryRecordStore& phases, evenkey::MemoryRecordStore& layouts, Phase phase)
      : table_(table), phase_(phase) {
    evenkey::check_phase(cutover, phases, phase);    // refuses a phase that the record does not allow
    evenkey::check_layout(layouts, cutover, phase);  // and over rows of another layout
  }

  void open(const std::string& person, const std::string& opened_at) {
    // The ratchet: a row that is created is stamped by the phase; an update leaves the key alone.
    const evenkey::WriteStamp stamp = evenkey::created_stamp(cutover, phase_, person, person, opened_at);
    (void)table_.put(
        {"RSAGA#" + person + "#" + opened_at, person, opened_at, stamp.partition_key, stamp.sort_key});
  }
  std::size_t rows_of(std::string_view person) {
    return evenkey::find(cutover.at(phase_), table_.query_functor<RenewalSagas>(), person).items.size();
  }

 private:
  Table& table_;
  Phase phase_;
};

// --- the operator's functors ---

evenkey::RestampResult restamp_in(Table& table, const evenkey::Restamp<Saga>& request) {
  const auto result = table.update(
      request.item.id, [&](const Saga& stored) { return stored.gsi4pk == request.from; },
      [&](Saga& stored) { stored.gsi4pk = request.to; });
  if (result.applied) return evenkey::RestampResult::moved();
  if (!result.previous) return evenkey::RestampResult::gone();
  return evenkey::RestampResult::found(result.previous->gsi4pk);
}

/// In a program: a file beside which a new one is written and then renamed, or an item of a table.
struct Notebook : evenkey::CheckpointStore {
  std::optional<std::string> text;
  std::optional<std::string> load() override { return text; }
  void save(std::string_view checkpoint) override { text = std::string(checkpoint); }
};

void say(const evenkey::Advance& answer, std::string_view step) {
  std::printf("%.*s: %s\n", static_cast<int>(step.size()), step.data(),
              answer.allowed() ? "allowed" : "refused");
  for (const std::string& reason : answer.reasons())
    std::printf("  %s\n", reason.c_str());
}
void need(bool condition, const char* what) {
  if (!condition) throw std::runtime_error(what);
}

template <class Migration, class Scan, class Query>
evenkey::Evidence prove(const Migration& migration, Scan scan, Query query,
                        std::chrono::system_clock::time_point drained) {
  // Begun once the last writer's rows are visible; strongly consistent.
  evenkey::SteadyClock().wait_until(std::chrono::steady_clock::now() + migration.visibility().lag(), {});
  const auto drift = evenkey::check_drift(migration, scan, {.max_read_units_per_second = 500});
  const auto parity = evenkey::check_parity(migration.at(Phase::destination), scan, query,
                                            {.max_read_units_per_second = 500, .buckets = 4096});
  std::printf("drift: %zu on the source, %zu misplaced; parity: %zu compared, %s\n", drift.on_source,
              drift.misplaced, parity.compared, parity.identical() ? "identical" : "NOT identical");
  for (const std::string& sample : drift.samples)
    std::printf("  %s\n", sample.c_str());
  return {.drift = drift, .parity = parity, .writers_drained_at = drained};
}

void run() {
  Table table(evenkey::testing::MemoryTableOptions{.table_name = "propflow-prod"});
  evenkey::MemoryRecordStore phases, layouts;  // in a program: two items of a table
  const auto scan = table.scan_functor<RenewalSagas>();
  const auto query = table.query_functor<RenewalSagas>();
  const auto restamp = [&](const evenkey::Restamp<Saga>& request) { return restamp_in(table, request); };

  Instance at_source(table, phases, layouts, Phase::source);
  for (int person = 0; person < 40; ++person)
    at_source.open("person-" + std::to_string(person), "2026-07-01");

  // --- step 0: how much is there to do? ---
  const evenkey::BackfillReport plan = evenkey::backfill(cutover, scan, restamp);  // a dry run by default
  std::printf("%llu of %llu rows to move, %.0f + %.0f write units (table + index)\n",
              static_cast<unsigned long long>(plan.to_move), static_cast<unsigned long long>(plan.scanned),
              plan.table_write_units, plan.index_write_units);
  const auto before = evenkey::record_rows(cutover.at(Phase::source), query);  // to be compared with step 5

  // --- step 1: readers read both ---
  say(cutover.advance(Phase::source, Phase::destination_writes), "source -> destination_writes");
  say(evenkey::advance_phase(phases, cutover, Phase::source, Phase::dual_read, {}, "ann"),
      "source -> dual_read");
  Instance dual_read(table, phases, layouts, Phase::dual_read);  // beside at_source, until it is gone

  // --- step 2: writers stamp the shards ---
  say(evenkey::advance_phase(phases, cutover, Phase::dual_read, Phase::destination_writes, {}, "ann"),
      "dual_read -> destination_writes");
  Instance new_writer(table, phases, layouts, Phase::destination_writes);
  dual_read.open("person-7", "2026-07-02");
  new_writer.open("person-7", "2026-07-03");
  std::printf("person-7 has %zu rows, for both phases: %zu\n", new_writer.rows_of("person-7"),
              dual_read.rows_of("person-7"));
  try {
    Instance late(table, phases, layouts, Phase::source);
  } catch (const evenkey::phase_error&) {
    std::printf("an instance of phase source does not start any more\n");
  }

  // --- step 3: drain, then move ---
  auto drained = std::chrono::system_clock::now();  // the last instance of before ended long enough ago
  Notebook notebook;
  std::stop_source stop;  // request_stop() ends a run between two rows
  evenkey::BackfillOptions options;
  options.dry_run = false;
  options.writers_drained_at = drained;
  options.checkpoint = &notebook;
  options.stop = stop.get_token();
  options.index_partition_write_units = 500;  // of the 1,000 that a partition bears
  options.page_limit = 10;
  options.on_progress = [&](const evenkey::BackfillProgress& progress) {
    if (progress.moved >= 20) stop.request_stop();  // here: the operator loses heart half-way
  };
  evenkey::check_mover(cutover, phases);  // not before the record says so, nor once the way back has begun
  evenkey::BackfillReport moved = evenkey::backfill(cutover, scan, restamp, options);
  std::printf("backfill %s: %llu moved\n", evenkey::backfill_end_name(moved.end).data(),
              static_cast<unsigned long long>(moved.moved));
  options.stop = {};
  options.on_progress = {};
  moved = evenkey::backfill(cutover, scan, restamp, options);  // goes on from the checkpoint
  std::printf("backfill %s: %llu moved, %llu in all\n", evenkey::backfill_end_name(moved.end).data(),
              static_cast<unsigned long long>(moved.moved),
              static_cast<unsigned long long>(moved.overall.moved));

  // --- step 4: prove it, and read the shards alone ---
  say(cutover.advance(Phase::destination_writes, Phase::destination), "without evidence");
  const evenkey::Evidence evidence = prove(cutover, scan, query, drained);
  evenkey::adopt_layout(layouts, cutover);
  say(evenkey::advance_phase(phases, cutover, Phase::destination_writes, Phase::destination, evidence, "ann"),
      "destination_writes -> destination");
  Instance sharded(table, phases, layouts, Phase::destination);

  // --- step 5: watch ---
  dual_read.open("person-9", "2026-07-04");  // a worker that everybody forgot
  evenkey::WatchOptions watching;
  watching.on_late = [](const evenkey::LateRow& row) {
    std::printf("alarm: %s was late\n", std::string(row.primary_key).c_str());
  };
  // Not once the way back has begun: what it throws ends the watch.
  watching.before_poll = [&] { evenkey::check_mover(cutover, phases); };
  const evenkey::WatchReport watch = evenkey::watch_source(cutover, query, restamp, watching);
  std::printf("late %zu, moved %zu; person-9 has %zu rows\n", watch.late, watch.moved,
              sharded.rows_of("person-9"));
  const auto after = evenkey::record_rows(cutover.at(Phase::destination), query);
  const evenkey::ParityReport since = evenkey::compare_recordings(before, after);
  std::printf("since step 0: %zu rows more, %zu missing, %zu mismatched\n", since.extra, since.missing,
              since.mismatched);

  // --- the way back: the same steps of the reversed migration ---
  static_assert(Cutover::mirrored(Phase::destination) == Phase::source);
  need(evenkey::advance_phase(phases, way_back, Phase::source, Phase::dual_read, {}, "bob").allowed(),
       "back 1");
  need(evenkey::advance_phase(phases, way_back, Phase::dual_read, Phase::destination_writes, {}, "bob")
           .allowed(),
       "back 2");
  drained = std::chrono::system_clock::now();
  const auto back =
      evenkey::backfill(way_back, scan, restamp, {.dry_run = false, .writers_drained_at = drained});
  std::printf("back: %llu moved\n", static_cast<unsigned long long>(back.moved));
  evenkey::adopt_layout(layouts, way_back);
  say(evenkey::advance_phase(phases, way_back, Phase::destination_writes, Phase::destination,
                             prove(way_back, scan, query, drained), "bob"),
      "back: destination_writes -> destination");
  Instance again(table, phases, layouts, Phase::source);
  std::printf("person-7 has %zu rows\n", again.rows_of("person-7"));
}

// --- changing N, and the second index ---

struct SagasOn24 : RenewalSagas {
  // A new generation shares no name with the old one: RenewalSaga#g2#0 to RenewalSaga#g2#23.
  using PartitionKey =
      evenkey::ShardedKey<"RenewalSaga", evenkey::ShardPolicy<24>, evenkey::KeyFormat{.generation = 2}>;
};
using Resharding = evenkey::Migration<SagasOn24, RenewalSagas::PartitionKey>;
static_assert(Resharding::partition_key(Phase::dual_read, "person-42") == "RenewalSaga#13");
static_assert(
    Resharding::partition_key(Phase::destination_writes, "person-42").starts_with("RenewalSaga#g2#"));
static_assert(evenkey::capacity::moved_fraction(16, 32) == 0.5);  // in place; a new generation moves all

struct SagasBySecondIndex : RenewalSagas {
  static constexpr std::string_view name = "renewal-saga-person-index-2";  // its keys are gsi5pk and gsi4sk
  static std::string_view partition_key(const Saga&) { return {}; }        // in a program: saga.gsi5pk
};
using SecondIndex = evenkey::Migration<SagasBySecondIndex, evenkey::Unstamped>;
static_assert(SecondIndex::partition_key(Phase::dual_read, "person-42").empty());  // nothing new is stamped
static_assert(SecondIndex::partition_key(Phase::destination_writes, "person-42") == "RenewalSaga#13");

}  // namespace

int main() {
  try {
    run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
