// SPDX-License-Identifier: BSL-1.0
#include <evenkey/migrate/backfill.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "support/moved_table.hpp"

using evenkey::backfill;
using evenkey::BackfillEnd;
using evenkey::BackfillOptions;
using evenkey::RestampResult;
using support::long_drained;
using support::Moved;
using support::MovedTable;
using support::Notebook;
using support::to_shards;
using support::WaitedTime;

namespace {

using Request = evenkey::Restamp<Moved>;

evenkey::BackfillReport run(MovedTable& table, BackfillOptions options = {}) {
  WaitedTime clock;
  options.dry_run = false;
  if (!options.writers_drained_at) options.writers_drained_at = long_drained;
  return backfill(to_shards, table.scan_functor(), table.restamp_functor(), options, clock);
}

}  // namespace

TEST_SUITE("migrate") {
  TEST_CASE("a dry run is the default: it counts, tells the cost, and writes neither rows nor checkpoint") {
    MovedTable table(7);
    Notebook notebook;
    WaitedTime clock;
    const auto plan = backfill(to_shards, table.scan_functor(), table.restamp_functor(),
                               {.checkpoint = &notebook, .item_bytes = 1500, .entry_bytes = 1025}, clock);
    CHECK(plan.scanned == 7);
    CHECK(plan.to_move == 7);
    CHECK(plan.moved == 0);
    CHECK(plan.finished);
    CHECK(plan.table_write_units == 14);
    CHECK(plan.index_write_units == 28);  // two a row out of the source, two into the destination
    CHECK(plan.time_at_allowed_rate.count() == doctest::Approx(14.0 / 500));
    CHECK(table.restamps == 0);
    CHECK(!notebook.text);
    CHECK(plan.whole());
    CHECK(plan.migration == to_shards.id());
  }

  TEST_CASE("a real run needs to know since when no writer of an earlier phase lives") {
    MovedTable table(1);
    CHECK_THROWS_AS(
        (void)backfill(to_shards, table.scan_functor(), table.restamp_functor(), {.dry_run = false}),
        evenkey::migration_error);
    const auto tomorrow = std::chrono::system_clock::now() + std::chrono::hours(24);
    CHECK_THROWS_AS((void)run(table, {.writers_drained_at = tomorrow}), evenkey::migration_error);
    CHECK(table.scans == 0);
  }

  TEST_CASE("every row is moved once, and a second run has nothing to do") {
    for (const std::size_t concurrency : {1U, 4U})
      for (const std::uint32_t segments : {1U, 5U}) {
        MovedTable table(40);
        const auto report = run(table, {.max_concurrency = concurrency, .total_segments = segments});
        CHECK(report.finished);
        CHECK(report.end == BackfillEnd::finished);
        CHECK(report.scanned == 40);
        CHECK(report.moved == 40);
        CHECK(table.in_place() == 40);
        CHECK(table.most_moves_of_a_row() == 1);
        const auto again = run(table);
        CHECK(again.moved == 0);
        CHECK(again.in_place == 40);
      }
  }

  TEST_CASE("rows that are not the mover's are counted, named and left alone") {
    MovedTable table(1);
    table.put({"a", "p", "T"});
    table.put({"b", "p", ""});
    table.put({"c", "", "S"});
    table.put({"d", "p", "S", ""});
    const std::string other(support::MovedIndex::PartitionKey::of("p") == "S#0" ? "S#1" : "S#0");
    table.put({"e", "p", other});
    const auto report = run(table);
    CHECK(report.moved == 1);
    CHECK(report.foreign == 1);
    CHECK(report.unindexed == 3);
    CHECK(report.misplaced == 1);
    CHECK(report.finished);
    CHECK(table.restamps == 1);
    CHECK(report.samples.size() == 5);
    CHECK(table.rows.find("e")->second.key == other);
  }

  TEST_CASE("what a functor found is judged: at its destination, elsewhere, gone") {
    MovedTable table(4);
    table.before = [&](const Request& request) {
      Moved& row = table.rows.find(request.item.id)->second;
      if (request.item.id == MovedTable::id_of(0)) row.key = request.to;
      if (request.item.id == MovedTable::id_of(1)) row.key = "elsewhere";
      if (request.item.id == MovedTable::id_of(2)) row.key = "";
    };
    const auto report = run(table);
    CHECK(report.already_moved == 1);
    CHECK(report.changed == 2);
    CHECK(report.moved == 1);
    CHECK(table.restamps == 4);  // none is tried again
    CHECK(table.rows.find(MovedTable::id_of(1))->second.key == "elsewhere");
    REQUIRE(report.samples.size() == 2);
    CHECK(report.samples[0].what == "changed");
    CHECK(report.samples[0].detail == "elsewhere");
  }

  // F05
  TEST_CASE("a row that is deleted before its turn stays deleted (F05)") {
    MovedTable table(1);
    table.before = [&](const Request& request) { table.rows.erase(request.item.id); };
    const auto report = run(table);
    CHECK(report.deleted == 1);
    CHECK(report.moved == 0);
    CHECK(table.rows.empty());
    CHECK(report.finished);
  }

  // F08
  TEST_CASE("a row that a live write changed is left as it is, and not tried again (F08)") {
    MovedTable table;
    table.put({"r", "p", "S", "s", 7});
    table.before = [&](const Request&) { table.put({"r", "p", "new key", "closed", 8}); };
    const auto report = run(table);
    CHECK(report.changed == 1);
    CHECK(report.moved == 0);
    CHECK(table.restamps == 1);
    CHECK(table.rows.find("r")->second.key == "new key");
    CHECK(table.rows.find("r")->second.version == 8);
    CHECK(table.rows.find("r")->second.sort_key == "closed");
  }

  TEST_CASE("a row whose restamp throws is tried again before the run ends, whatever was thrown") {
    MovedTable table(10);
    std::size_t thrown = 0;
    table.before = [&](const Request& request) {
      if (request.item.id != MovedTable::id_of(4) || thrown == 2) return;
      ++thrown;
      if (thrown == 1) throw 1;
      throw std::runtime_error("no");
    };
    const auto report = run(table);
    CHECK(report.finished);
    CHECK(report.moved == 10);
    CHECK(report.failed == 0);
    CHECK(table.restamps == 12);
  }

  TEST_CASE("a row that was moved though its answer was lost counts as moved, once") {
    MovedTable table(3);
    bool lost = false;
    table.after = [&](const Request& request) {
      if (request.item.id != MovedTable::id_of(1) || lost) return;
      lost = true;
      throw std::runtime_error("connection reset");
    };
    const auto report = run(table);
    CHECK(report.moved == 3);
    CHECK(report.already_moved == 0);
    CHECK(table.most_moves_of_a_row() == 1);
  }

  TEST_CASE("a row that keeps failing does not stop the others") {
    MovedTable table(10);
    table.before = [&](const Request& request) {
      if (request.item.id == MovedTable::id_of(2)) throw std::runtime_error("poison");
    };
    const auto report = run(table);
    CHECK(report.moved == 9);
    CHECK(report.failed == 1);
    CHECK(!report.finished);
    CHECK(report.end == BackfillEnd::rows_failed);
    CHECK(report.whole());
    REQUIRE(report.samples.size() == 1);
    CHECK(report.samples[0].what == "failed");
    CHECK(report.samples[0].primary_key == MovedTable::id_of(2));
    CHECK(report.samples[0].detail == "poison");
  }

  TEST_CASE("a functor that finds the source's key and did not move the row has failed") {
    MovedTable table(1);
    WaitedTime clock;
    const auto report = backfill(
        to_shards, table.scan_functor(), [](const Request&) { return RestampResult::found("S"); },
        {.dry_run = false, .writers_drained_at = long_drained}, clock);
    CHECK(report.failed == 1);
    CHECK(report.changed == 0);
  }

  TEST_CASE(
      "when the list of failed rows is full they are tried again, and the run ends if that is no help") {
    MovedTable table(50);
    bool out = true;
    std::size_t attempts = 0;
    table.before = [&](const Request&) {
      ++attempts;
      if (out) throw std::runtime_error("out");
    };
    Notebook notebook;
    const auto report = run(table, {.checkpoint = &notebook, .max_failed = 7});
    CHECK(report.end == BackfillEnd::too_many_failed);
    CHECK(!report.finished);
    CHECK(report.failed == 7);
    CHECK(attempts == 14);
    out = false;
    const auto rest = run(table, {.checkpoint = &notebook, .max_failed = 7});
    CHECK(rest.finished);
    CHECK(rest.moved == 50);  // six that were in the list, the seventh's page was read again
    CHECK(rest.overall.scanned == 50);
    CHECK(rest.overall.to_move == 50);
    CHECK(rest.overall.moved == 50);

    MovedTable other(50);
    attempts = 0;
    other.before = [&](const Request&) {
      if (++attempts <= 7) throw std::runtime_error("out for a while");
    };
    CHECK(run(other, {.max_failed = 7}).moved == 50);
  }

  TEST_CASE("a stop is heeded between rows, and the next run goes on") {
    MovedTable table(20);
    std::stop_source stop;
    Notebook notebook;
    table.after = [&](const Request& request) {
      if (request.item.id == MovedTable::id_of(7)) stop.request_stop();
    };
    const auto first = run(table, {.checkpoint = &notebook, .stop = stop.get_token()});
    CHECK(!first.finished);
    CHECK(first.end == BackfillEnd::stopped);
    CHECK(!first.whole());
    CHECK(first.moved == 8);
    const auto second = run(table, {.checkpoint = &notebook});
    CHECK(second.finished);
    CHECK(second.moved == 12);
    CHECK(second.scanned == 14);  // from the page under way on
    CHECK(second.overall.scanned == 20);
    CHECK(second.whole());
    CHECK(run(table, {.checkpoint = &notebook}).scanned == 0);  // it is done
    // Writers lived longer than was thought: everything is looked at again.
    CHECK(run(table, {.writers_drained_at = long_drained + std::chrono::hours(1), .checkpoint = &notebook})
              .scanned == 20);
  }

  TEST_CASE("a later run may leave out since when writers are gone: the checkpoint knows") {
    MovedTable table(4);
    std::stop_source stop;
    Notebook notebook;
    notebook.after_save = [&] { stop.request_stop(); };
    (void)run(table, {.checkpoint = &notebook, .stop = stop.get_token()});
    WaitedTime clock;
    const auto report = backfill(to_shards, table.scan_functor(), table.restamp_functor(),
                                 {.dry_run = false, .checkpoint = &notebook}, clock);
    CHECK(report.finished);
    CHECK(table.in_place() == 4);
  }

  TEST_CASE(
      "rows that an old writer creates behind a run that was stopped are found by a later drained time") {
    MovedTable table(12);
    std::stop_source stop;
    Notebook notebook;
    notebook.after_save = [&] { stop.request_stop(); };
    const auto stopped = run(table, {.checkpoint = &notebook, .stop = stop.get_token()});
    CHECK(!stopped.finished);
    notebook.after_save = [] {};
    table.put({"a", "p", "S"});  // on the source, before the place of the run
    const auto later = long_drained + std::chrono::hours(1);
    const auto report = run(table, {.writers_drained_at = later, .checkpoint = &notebook});
    CHECK(report.finished);
    CHECK(table.in_place() == 13);
    CHECK(report.moved == 13 - stopped.moved);
    CHECK(report.scanned == 13 + report.moved - 1);  // what was left without the new row, then everything
    CHECK(report.overall.scanned == 13);
    CHECK(run(table, {.writers_drained_at = later, .checkpoint = &notebook}).scanned == 0);
  }

  TEST_CASE(
      "a run that goes on with an earlier drained time, stopped before all is looked at again, says so") {
    MovedTable table(12);
    std::stop_source stop;
    Notebook notebook;
    notebook.after_save = [&] { stop.request_stop(); };
    CHECK(!run(table, {.checkpoint = &notebook, .stop = stop.get_token()}).finished);
    table.put({"a", "p", "S"});
    const auto later = long_drained + std::chrono::hours(1);
    std::size_t turns = 0;
    for (bool finished = false; !finished; ++turns) {
      REQUIRE(turns < 40);
      std::stop_source again;
      notebook.after_save = [&] { again.request_stop(); };
      const auto report =
          run(table, {.writers_drained_at = later, .checkpoint = &notebook, .stop = again.get_token()});
      finished = report.finished;
      CHECK((finished || report.end == BackfillEnd::stopped));
    }
    CHECK(table.in_place() == 13);
    CHECK(turns > 3);  // one a page, twice
  }

  TEST_CASE("progress tells done, total, rate and what is left") {
    MovedTable table(9);
    std::vector<evenkey::BackfillProgress> told;
    const auto report = run(table, {.index_partition_write_units = 1,
                                    .expected_rows = 12,
                                    .on_progress = [&](const auto& progress) { told.push_back(progress); }});
    CHECK(report.finished);
    REQUIRE(told.size() == 3);
    CHECK(told[1].done == 6);
    CHECK(told[1].moved == 6);
    CHECK(told[1].total == 12U);
    CHECK(told[1].rows_per_second == doctest::Approx(6 / 5.0));
    REQUIRE(told[1].eta);
    CHECK(told[1].eta->count() == 5);
  }

  TEST_CASE("options that no run could follow are refused before any request") {
    MovedTable table(1);
    CHECK_THROWS_AS((void)run(table, {.max_concurrency = 0}), std::invalid_argument);
    CHECK_THROWS_AS((void)run(table, {.index_partition_write_units = 0}), std::invalid_argument);
    CHECK_THROWS_AS((void)run(table, {.table_write_units = -1}), std::invalid_argument);
    CHECK_THROWS_AS((void)run(table, {.max_failed = 0}), std::invalid_argument);
    CHECK(table.scans == 0);
  }

  TEST_CASE("the way back moves every row to where it was") {
    MovedTable table(30);
    CHECK(run(table).moved == 30);
    WaitedTime clock;
    const auto report = backfill(to_shards.reversed(), table.scan_functor(), table.restamp_functor(),
                                 {.dry_run = false, .writers_drained_at = long_drained}, clock);
    CHECK(report.finished);
    CHECK(report.moved == 30);
    CHECK(table.on_source() == 30);
  }

  TEST_CASE("a scan that fails for good ends the run, and the checkpoint stays good") {
    MovedTable table(9);
    Notebook notebook;
    WaitedTime clock;
    std::size_t calls = 0;
    const auto failing = [&](const evenkey::ScanRequest<std::string>& request) {
      if (++calls == 3) throw std::logic_error("scan");
      return table.scan(request);
    };
    const BackfillOptions options{
        .dry_run = false, .writers_drained_at = long_drained, .checkpoint = &notebook};
    CHECK_THROWS_AS((void)backfill(to_shards, failing, table.restamp_functor(), options, clock),
                    std::logic_error);
    CHECK(table.in_place() == 6);
    const auto rest = backfill(to_shards, failing, table.restamp_functor(), options, clock);
    CHECK(rest.finished);
    CHECK(rest.scanned == 3);
  }
}
