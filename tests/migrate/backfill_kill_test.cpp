// SPDX-License-Identifier: BSL-1.0
// A backfill that is killed at every step of it, and gone on with: a step is a call of a functor or of the
// checkpoint store, before it does anything and after.
#include <evenkey/migrate/backfill.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>

#include "support/moved_table.hpp"

using evenkey::BackfillOptions;
using support::long_drained;
using support::MovedTable;
using support::Notebook;
using support::to_shards;
using support::WaitedTime;

namespace {

struct killed {};

/// A process that dies at a step: from then on nothing that it does has an effect.
struct Process {
  MovedTable& table;
  Notebook& notebook;
  std::size_t dies_at;
  std::uint32_t segments = 1;
  /// Fails for as long as the process lives.
  std::set<std::string, std::less<>> poison = {};
  std::size_t max_failed = 100;
  std::size_t steps = 0;
  std::map<std::string, std::size_t> read = {};  // by id

  void step() {
    if (++steps >= dies_at) throw killed{};
  }

  evenkey::BackfillReport run() {
    struct Store final : evenkey::CheckpointStore {
      explicit Store(Process& p) : process(p) {}
      std::optional<std::string> load() override {
        process.step();
        return process.notebook.load();
      }
      void save(std::string_view text) override {
        process.step();
        process.notebook.save(text);
        process.step();
      }
      Process& process;
    } store(*this);
    const auto scan = [this](const evenkey::ScanRequest<std::string>& request) {
      step();
      auto page = table.scan(request);
      if (!request.limit)
        for (const auto& item : page.items)
          ++read[item.id];
      step();
      return page;
    };
    // A restamp that throws is a failed row, not a dead process: death is seen at the next call that is not
    // one.
    const auto restamp = [this](const MovedTable::Request& request) {
      step();
      if (poison.count(request.item.id) != 0) throw std::runtime_error("poison");
      auto result = table.restamp(request);
      step();
      return result;
    };
    WaitedTime clock;
    BackfillOptions options;
    options.dry_run = false;
    options.writers_drained_at = long_drained;
    options.checkpoint = &store;
    options.total_segments = segments;
    options.max_failed = max_failed;
    return backfill(to_shards, scan, restamp, options, clock);
  }

  bool dies() {
    try {
      (void)run();
      return steps >= dies_at;
    } catch (const killed&) {
      return true;
    }
  }
};

constexpr std::size_t never = static_cast<std::size_t>(-1);

}  // namespace

TEST_SUITE("migrate") {
  TEST_CASE(
      "killed at any step and started again: nothing is lost, nothing is moved twice, one page read again") {
    for (const std::uint32_t segments : {1U, 3U}) {
      std::size_t deaths = 0;
      for (std::size_t dies_at = 1;; ++dies_at) {
        CAPTURE(dies_at);
        MovedTable table(20);
        Notebook notebook;
        Process first{table, notebook, dies_at, segments};
        if (!first.dies()) break;
        ++deaths;
        Process second{table, notebook, never, segments};
        const auto report = second.run();
        REQUIRE(report.finished);
        REQUIRE(table.in_place() == 20);
        REQUIRE(table.most_moves_of_a_row() == 1);
        REQUIRE(report.overall.scanned == 20);
        std::size_t read_again = 0;
        for (const auto& [id, times] : first.read)
          read_again += second.read.count(id);
        REQUIRE(read_again <= table.page_size * segments);
      }
      MESSAGE("killed at each of ", deaths, " steps, ", segments, " segments");
      CHECK(deaths > 50);
    }
  }

  TEST_CASE("killed at any two steps and started again") {
    std::size_t deaths = 0;
    for (std::size_t first_death = 1;; ++first_death) {
      MovedTable untouched(9);
      Notebook none;
      if (!Process{untouched, none, first_death}.dies()) break;
      for (std::size_t second_death = 1;; ++second_death) {
        MovedTable table(9);
        Notebook notebook;
        (void)Process{table, notebook, first_death}.dies();
        const bool died = Process{table, notebook, second_death}.dies();
        REQUIRE(Process{table, notebook, never}.run().finished);
        REQUIRE(table.in_place() == 9);
        REQUIRE(table.most_moves_of_a_row() == 1);
        ++deaths;
        if (!died) break;
      }
    }
    MESSAGE(deaths, " pairs of steps");
  }

  // F09
  TEST_CASE("the checkpoint does not pass an item that failed (F09)") {
    for (std::size_t dies_at = 1;; ++dies_at) {
      CAPTURE(dies_at);
      MovedTable table(5);
      table.page_size = 1;
      Notebook notebook;
      Process first{table, notebook, dies_at};
      first.poison = {MovedTable::id_of(2)};  // the third, until a restart
      const bool died = first.dies();
      REQUIRE(table.rows.find(MovedTable::id_of(2))->second.key == "S");
      const auto report = Process{table, notebook, never}.run();
      REQUIRE(report.finished);
      REQUIRE(table.in_place() == 5);
      REQUIRE(table.most_moves_of_a_row() == 1);
      if (!died) {
        CHECK(report.moved == 1);
        CHECK(report.scanned == 0);
        CHECK(report.overall.moved == 5);
        break;
      }
    }
  }

  TEST_CASE("failed rows are found again though their page is cut otherwise now, or they are gone") {
    for (std::size_t poisoned = 0; poisoned < 12; ++poisoned)
      for (int change = 0; change < 6; ++change) {
        CAPTURE(poisoned);
        CAPTURE(change);
        MovedTable table(12);
        Notebook notebook;
        Process first{table, notebook, never};
        first.poison = {MovedTable::id_of(poisoned), MovedTable::id_of(11)};
        REQUIRE(!first.run().finished);
        const std::string id = MovedTable::id_of(poisoned);
        std::size_t rows = 12;
        if (change == 1) {  // rows that come in before it
          for (int i = 0; i < 8; ++i) {
            const std::string more =
                MovedTable::id_of(poisoned == 0 ? 0 : poisoned - 1) + "-" + std::to_string(i);
            const std::string person = "q" + std::to_string(i);
            table.put({poisoned == 0 ? "a" + more : more, person,
                       std::string(support::MovedIndex::PartitionKey::of(person))});
            ++rows;
          }
        }
        if (change == 2) rows -= table.rows.erase(id);
        if (change == 3) {  // the page's other rows go, and those behind it
          for (std::size_t i = 0; i < 12; ++i)
            if (i != poisoned) rows -= table.rows.erase(MovedTable::id_of(i));
        }
        if (change == 4)
          table.rows.find(id)->second.key =
              support::MovedIndex::PartitionKey::of("p" + std::to_string(poisoned));
        if (change == 5) table.rows.find(id)->second.key = "elsewhere";
        const auto report = Process{table, notebook, never}.run();
        REQUIRE(report.finished);
        REQUIRE(report.failed == 0);
        REQUIRE(table.on_source() == 0);
        REQUIRE(table.in_place() == rows - (change == 5 ? 1U : 0U));
        REQUIRE(report.deleted == (change == 2 ? 1U : change == 3 && poisoned != 11 ? 1U : 0U));
        REQUIRE(report.already_moved == (change == 4 ? 1U : 0U));
        REQUIRE(report.changed == (change == 5 ? 1U : 0U));
        REQUIRE(table.most_moves_of_a_row() == 1);
      }
  }

  TEST_CASE("a stop at any row, with several threads, loses nothing and moves nothing twice") {
    for (std::size_t stop_at = 1; stop_at <= 60; ++stop_at) {
      CAPTURE(stop_at);
      MovedTable table(60);
      Notebook notebook;
      std::stop_source stop;
      table.after = [&](const MovedTable::Request&) {
        if (table.restamps == stop_at) stop.request_stop();
      };
      BackfillOptions options{.dry_run = false,
                              .writers_drained_at = long_drained,
                              .checkpoint = &notebook,
                              .stop = stop.get_token(),
                              .max_concurrency = 3,
                              .total_segments = 4,
                              .index_partition_write_units = evenkey::unlimited_rate,
                              .table_write_units = evenkey::unlimited_rate};
      const auto first = backfill(to_shards, table.scan_functor(), table.restamp_functor(), options);
      options.stop = {};
      const auto second = backfill(to_shards, table.scan_functor(), table.restamp_functor(), options);
      REQUIRE(second.finished);
      REQUIRE(first.moved + second.moved == 60);
      REQUIRE(table.in_place() == 60);
      REQUIRE(table.most_moves_of_a_row() == 1);
      REQUIRE(second.overall.scanned == 60);
    }
  }
}
