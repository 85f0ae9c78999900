// SPDX-License-Identifier: BSL-1.0
#include <evenkey/migrate/backfill.hpp>
#include <evenkey/migrate/scan_export.hpp>
#include <evenkey/migrate/scan_source_partition.hpp>
#include <evenkey/migrate/unstamped.hpp>
#include <evenkey/migrate/write_stamp.hpp>
#include <evenkey/read/enumerate.hpp>
#include <evenkey/testing/memory_table.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <vector>

#include "support/moved_table.hpp"

using evenkey::backfill;
using evenkey::BackfillOptions;
using evenkey::Phase;
using evenkey::RestampResult;
using support::long_drained;
using support::Moved;
using support::MovedIndex;
using support::MovedTable;
using support::Notebook;
using support::to_shards;
using support::WaitedTime;

namespace {

using Table = evenkey::testing::MemoryTable<Moved, MovedIndex>;

/// The mover's functor over the table in memory, as docs/testing.md has it.
auto restamp_in(Table& table) {
  return [&table](const evenkey::Restamp<Moved>& request) {
    const auto result = table.update(
        request.item.id, [&](const Moved& row) { return row.key == request.from; },
        [&](Moved& row) { row.key = std::string(request.to); });
    if (result.applied) return RestampResult::moved();
    if (!result.previous) return RestampResult::gone();
    return RestampResult::found(result.previous->key);
  };
}

void fill(Table& table, std::size_t rows) {
  for (std::size_t i = 0; i < rows; ++i)
    table.put({MovedTable::id_of(i), "p" + std::to_string(i), "S", "s" + std::to_string(i)});
}

BackfillOptions real(Notebook* notebook = nullptr) {
  return {.dry_run = false, .writers_drained_at = long_drained, .checkpoint = notebook};
}

}  // namespace

TEST_SUITE("migrate") {
  TEST_CASE("rows of a table are moved through a scan in segments, by several threads") {
    Table table({.page_bytes = 2000});
    fill(table, 120);
    BackfillOptions options = real();
    options.total_segments = 4;
    options.max_concurrency = 4;
    options.index_partition_write_units = options.table_write_units = evenkey::unlimited_rate;
    const auto report = backfill(to_shards, table.scan_functor<MovedIndex>(), restamp_in(table), options);
    CHECK(report.finished);
    CHECK(report.moved == 120);
    CHECK(report.consumed_read_units > 0);
    const auto query = table.query_functor<MovedIndex>();
    CHECK(evenkey::enumerate(to_shards.at<Phase::destination>(), query).items.size() == 120);
    CHECK(evenkey::enumerate(to_shards.at<Phase::source>(), query).items.empty());
  }

  TEST_CASE("the source's partition is a scan source too, and goes on from a checkpoint") {
    Table table({.page_bytes = 1000});
    fill(table, 20);
    const auto scan = evenkey::scan_source_partition(to_shards, table.query_functor<MovedIndex>());
    Notebook notebook;
    std::stop_source stop;
    notebook.after_save = [&] { stop.request_stop(); };
    WaitedTime clock;
    BackfillOptions options = real(&notebook);
    options.stop = stop.get_token();
    const auto first = backfill(to_shards, scan, restamp_in(table), options, clock);
    CHECK(first.moved > 0);
    CHECK(first.moved < 20);
    const auto rest = backfill(to_shards, scan, restamp_in(table), real(&notebook), clock);
    CHECK(rest.finished);
    CHECK(first.moved + rest.moved == 20);
    // A checkpoint of one scan source is none of another.
    CHECK_THROWS_AS(
        (void)backfill(to_shards, table.scan_functor<MovedIndex>(), restamp_in(table), real(&notebook)),
        evenkey::checkpoint_error);
    // The way back has a segment for each shard.
    const auto back = evenkey::scan_source_partition(to_shards.reversed(), table.query_functor<MovedIndex>());
    CHECK(back.total_segments() == 4);
    CHECK(backfill(to_shards.reversed(), back, restamp_in(table), real(), clock).moved == 20);
    BackfillOptions other = real();
    other.total_segments = 2;
    CHECK_THROWS_AS((void)backfill(to_shards.reversed(), back, restamp_in(table), other),
                    evenkey::migration_error);
  }

  TEST_CASE("rows of an export are moved where they still are as exported, and others are judged") {
    MovedTable table(2500);
    std::vector<Moved> rows;
    for (const auto& [id, row] : table.rows)
      rows.push_back(row);
    table.rows.erase(MovedTable::id_of(3));
    table.rows.find(MovedTable::id_of(4))->second.key = MovedIndex::PartitionKey::of("p4");
    table.put({"created later", "p", std::string(MovedIndex::PartitionKey::of("p"))});
    Notebook notebook;
    std::stop_source stop;
    notebook.after_save = [&] { stop.request_stop(); };
    BackfillOptions options = real(&notebook);
    options.stop = stop.get_token();
    WaitedTime clock;
    const auto first =
        backfill(to_shards, evenkey::scan_export(rows, "july"), table.restamp_functor(), options, clock);
    CHECK(first.scanned == 1000);
    const auto rest = backfill(to_shards, evenkey::scan_export(rows, "july"), table.restamp_functor(),
                               real(&notebook), clock);
    CHECK(rest.finished);
    CHECK(rest.overall.moved == 2498);
    CHECK(rest.overall.deleted == 1);
    CHECK(rest.overall.already_moved == 1);
    CHECK_THROWS_AS((void)backfill(to_shards, evenkey::scan_export(rows, "august"), table.restamp_functor(),
                                   real(&notebook), clock),
                    evenkey::checkpoint_error);
  }

  TEST_CASE("an export that is read by fewer rows than asked for is read to its end") {
    MovedTable table(10);
    std::vector<Moved> rows;
    for (const auto& [id, row] : table.rows)
      rows.push_back(row);
    const auto by_threes = [&](std::uint64_t first, std::size_t most) {
      std::vector<Moved> some;
      for (auto i = static_cast<std::size_t>(first); i < rows.size() && some.size() < most && some.size() < 3;
           ++i)
        some.push_back(rows[i]);
      return some;
    };
    const auto report =
        backfill(to_shards, evenkey::scan_export(by_threes), table.restamp_functor(), real(), WaitedTime());
    CHECK(report.finished);
    CHECK(report.moved == 10);
    CHECK(table.on_source() == 0);
  }

  TEST_CASE("an export gives as many rows as are asked for, and goes on from a row's number only") {
    const std::vector<Moved> rows{{"a", "p", "S", "s"}, {"b", "p", "S", "s"}, {"c", "p", "S", "s"}};
    const auto scan = evenkey::scan_export(rows);
    evenkey::ScanRequest<std::string> request;
    request.limit = 2;
    CHECK(scan(request).items.size() == 2);
    CHECK(scan(request).last_evaluated_key == "2");
    request.exclusive_start_key = "2";
    CHECK(scan(request).items.size() == 1);
    for (const char* none : {"", "x", "2x", "-1", " 2", "99999999999999999999999"}) {
      CAPTURE(none);
      request.exclusive_start_key = none;
      CHECK_THROWS_WITH_AS((void)scan(request), doctest::Contains("goes on from a row's number"),
                           std::invalid_argument);
    }
  }

  TEST_CASE("a scan that does not go on from its start key ends the run instead of reading for ever") {
    MovedTable table(4);
    const auto stuck = [&](evenkey::ScanRequest<std::string> request) {
      request.exclusive_start_key.reset();
      return table.scan(request);
    };
    CHECK_THROWS_AS((void)backfill(to_shards, stuck, table.restamp_functor(), real(), WaitedTime()),
                    evenkey::order_error);
    CHECK(table.scans == 2);
  }

  // F05, F08 and F29 over the table in memory, with conditions as DynamoDB has them
  TEST_CASE(
      "a row deleted before its turn is not brought back, and one that a writer changed is not touched") {
    Table table;
    fill(table, 2);
    const auto restamp = [&, move = restamp_in(table)](const evenkey::Restamp<Moved>& request) {
      if (request.item.id == MovedTable::id_of(0)) table.erase(request.item.id);
      if (request.item.id == MovedTable::id_of(1))
        table.put({request.item.id, request.item.person, std::string(request.to), "closed", 8});
      return move(request);
    };
    const auto report = backfill(to_shards, table.scan_functor<MovedIndex>(), restamp, real());
    CHECK(report.deleted == 1);
    CHECK(report.already_moved == 1);  // the writer's key is the destination's
    CHECK(!table.get(MovedTable::id_of(0)));
    CHECK(table.get(MovedTable::id_of(1))->version == 8);
    CHECK(table.get(MovedTable::id_of(1))->sort_key == "closed");
  }

  TEST_CASE("rolling back keeps what came after the switch (F29)") {
    Table table;
    fill(table, 10);
    const auto restamp = restamp_in(table);
    CHECK(backfill(to_shards, table.scan_functor<MovedIndex>(), restamp, real()).moved == 10);
    const auto stamp =
        evenkey::created_stamp(to_shards, Phase::destination, "px", std::string("px"), std::string("1"));
    table.put({"X", "px", stamp.partition_key, stamp.sort_key});
    table.update(MovedTable::id_of(1), evenkey::testing::always, [](Moved& row) { row.version = 2; });
    table.erase(MovedTable::id_of(2));

    const auto back = to_shards.reversed();
    const auto report = backfill(back, table.scan_functor<MovedIndex>(), restamp, real());
    CHECK(report.finished);
    CHECK(report.moved == 10);
    const auto query = table.query_functor<MovedIndex>();
    const auto old_way = evenkey::enumerate(to_shards.at<Phase::source>(), query).items;
    CHECK(old_way.size() == 10);
    std::size_t x = 0, y = 0, z = 0;
    for (const Moved& row : old_way) {
      x += row.id == "X" ? 1U : 0U;
      y += row.id == MovedTable::id_of(1) && row.version == 2 ? 1U : 0U;
      z += row.id == MovedTable::id_of(2) ? 1U : 0U;
    }
    CHECK(x == 1);
    CHECK(y == 1);
    CHECK(z == 0);
  }

  TEST_CASE("a second index is stamped by the same backfill, and costs one entry a row") {
    MovedTable table;
    for (int i = 0; i < 9; ++i)
      table.put({MovedTable::id_of(static_cast<std::size_t>(i)), "p" + std::to_string(i), ""});
    constexpr evenkey::Migration<MovedIndex, evenkey::Unstamped> migration{evenkey::insert_visible_first};
    const auto plan = backfill(migration, table.scan_functor(), table.restamp_functor());
    CHECK(plan.to_move == 9);
    CHECK(plan.index_write_units == 9);
    const auto report = backfill(migration, table.scan_functor(), table.restamp_functor(), real());
    CHECK(report.finished);
    CHECK(table.in_place() == 9);
  }

  TEST_CASE("doubling N in place moves the rows that must move, and leaves those that stay") {
    struct Doubled : MovedIndex {
      using PartitionKey = evenkey::ShardedKey<"S", evenkey::ShardPolicy<8>>;
    };
    using Four = MovedIndex::PartitionKey;
    constexpr evenkey::Migration<Doubled, Four> migration{evenkey::insert_visible_first};
    MovedTable table;
    std::size_t moving = 0;
    for (std::size_t i = 0; i < 50; ++i) {
      const std::string person = "p" + std::to_string(i);
      table.put({MovedTable::id_of(i), person, std::string(Four::of(person))});
      moving += Four::of(person) == Doubled::PartitionKey::of(person) ? 0U : 1U;
    }
    table.put({"astray", "p", Four::of("p") == "S#3" ? "S#2" : "S#3"});
    const auto report = backfill(migration, table.scan_functor(), table.restamp_functor(), real());
    CHECK(report.moved == moving);
    CHECK(report.in_place == 50 - moving);
    CHECK(report.misplaced == 1);
    CHECK(backfill(migration, table.scan_functor(), table.restamp_functor(), real()).to_move == 0);
  }

  TEST_CASE("writers stamp both keys of a row that they create, by the phase, and only by the ratchet") {
    const auto before =
        evenkey::created_stamp(to_shards, Phase::dual_read, "p", std::string("p"), std::string("1"));
    CHECK(before.partition_key == "S");
    CHECK(before.sort_key == "p#1");
    const auto after =
        evenkey::created_stamp(to_shards, Phase::destination_writes, "p", std::string("p"), std::string("1"));
    CHECK(after.partition_key == MovedIndex::PartitionKey::of("p"));
    CHECK(evenkey::ratchet_update_expression() ==
          "SET #gsi_pk = if_not_exists(#gsi_pk, :gsi_pk), #gsi_sk = if_not_exists(#gsi_sk, :gsi_sk)");
    CHECK(evenkey::ratchet_update_expression(evenkey::StampedSortKey::written, {.sort_key = "#s"}) ==
          "SET #gsi_pk = if_not_exists(#gsi_pk, :gsi_pk), #s = :gsi_sk");
    CHECK(evenkey::kept_key_condition_expression() == "#gsi_pk = :gsi_pk");
    CHECK(evenkey::restamp_update_expression() == "SET #pk = :to");
    CHECK(evenkey::restamp_update_expression({.marker = "#m"}) == "SET #pk = :to, #m = :marker");
    CHECK(evenkey::restamp_condition_expression() == "#pk = :from");
    CHECK(evenkey::first_stamp_condition_expression() ==
          "attribute_exists(#id) AND attribute_not_exists(#pk)");
    CHECK_THROWS_AS(
        (void)evenkey::created_stamp(to_shards, Phase::source, "", std::string("p"), std::string("1")),
        evenkey::key_error);
  }
}
