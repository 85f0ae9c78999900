// SPDX-License-Identifier: BSL-1.0
#include <evenkey/migrate/backfill_shared.hpp>
#include <evenkey/migrate/standing.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "support/moved_table.hpp"

using evenkey::backfill_standing;
using evenkey::BackfillOptions;
using evenkey::BackfillStanding;
using evenkey::MemoryLeaseStore;
using evenkey::SegmentState;
using support::long_drained;
using support::MovedTable;
using support::Notebook;
using support::to_shards;
using support::WaitedTime;

namespace {

BackfillOptions real_run(std::uint32_t segments) {
  return {.dry_run = false, .writers_drained_at = long_drained, .total_segments = segments};
}

void share(MovedTable& table, MemoryLeaseStore& leases, const char* host, const BackfillOptions& options) {
  WaitedTime clock;
  (void)evenkey::backfill_shared(to_shards, table.scan_functor(), table.restamp_functor(), leases,
                                 {.host = host}, options, clock);
}

}  // namespace

TEST_SUITE("migrate") {
  TEST_CASE("a backfill that was not begun has no standing") {
    Notebook notebook;
    CHECK_FALSE(backfill_standing(notebook));
    MemoryLeaseStore leases;
    const BackfillStanding standing = backfill_standing(leases, 3);
    CHECK_FALSE(standing.finished);
    CHECK(standing.segments == 3);
    CHECK(standing.segments_read == 0);
    REQUIRE(standing.leases.size() == 3);
    for (std::uint32_t segment = 0; segment < 3; ++segment) {
      CHECK(standing.leases[segment].segment == segment);
      CHECK(standing.leases[segment].state == SegmentState::not_begun);
      CHECK(standing.leases[segment].token == 0);
    }
    CHECK_FALSE(backfill_standing(leases, 0).finished);  // of nothing, nothing is proven
  }

  TEST_CASE("a checkpoint tells how far one host is, after every page") {
    MovedTable table(18);
    Notebook notebook;
    BackfillOptions options = real_run(2);
    options.checkpoint = &notebook;
    std::uint64_t scanned = 0;
    notebook.after_save = [&] {
      const auto standing = backfill_standing(notebook);
      REQUIRE(standing);
      CHECK(standing->counts.scanned >= scanned);
      CHECK(standing->counts.moved == standing->counts.scanned);
      CHECK(standing->segments == 2);
      CHECK(standing->finished == (standing->segments_read == 2));
      scanned = standing->counts.scanned;
    };
    (void)evenkey::backfill(to_shards, table.scan_functor(), table.restamp_functor(), options);
    const auto standing = backfill_standing(notebook);
    REQUIRE(standing);
    CHECK(standing->finished);
    CHECK(standing->counts.scanned == 18);
    CHECK(standing->counts.moved == 18);
    CHECK(standing->leases.empty());
  }

  TEST_CASE("rows that are to be tried again keep a backfill from being finished") {
    MovedTable table(18);
    table.before = [](const MovedTable::Request& request) {
      if (request.item.id == MovedTable::id_of(7)) throw std::runtime_error("no");
    };
    Notebook notebook;
    MemoryLeaseStore leases;
    BackfillOptions options = real_run(2);
    share(table, leases, "a", options);
    options.checkpoint = &notebook;
    (void)evenkey::backfill(to_shards, table.scan_functor(), table.restamp_functor(), options);
    const auto alone = backfill_standing(notebook);
    REQUIRE(alone);
    for (const BackfillStanding& standing : {*alone, backfill_standing(leases, 2)}) {
      CHECK(standing.failed == 1);
      CHECK(standing.segments_read == 2);
      CHECK_FALSE(standing.finished);
    }
    const BackfillStanding shared = backfill_standing(leases, 2);
    const bool first = shared.leases[0].state == SegmentState::free;
    CHECK(shared.leases[first ? 0 : 1].state == SegmentState::free);
    CHECK(shared.leases[first ? 1 : 0].state == SegmentState::finished);
  }

  TEST_CASE("leases tell who holds which segment while rows move, and what all hosts did") {
    MovedTable table(18);
    MemoryLeaseStore leases;
    std::size_t looks = 0;
    table.before = [&](const MovedTable::Request&) {
      const BackfillStanding standing = backfill_standing(leases, 3);
      std::size_t held = 0;
      for (const auto& segment : standing.leases) {
        if (segment.state != SegmentState::held) {
          CHECK(segment.host.empty());
          continue;
        }
        ++held;
        CHECK(segment.host == "a");
        CHECK(segment.token == 1);
      }
      CHECK(held == 1);
      CHECK_FALSE(standing.finished);
      ++looks;
    };
    share(table, leases, "a", real_run(3));
    CHECK(looks == 18);
    table.before = nullptr;
    const BackfillStanding standing = backfill_standing(leases, 3);
    CHECK(standing.finished);
    CHECK(standing.segments_read == 3);
    CHECK(standing.counts.moved == 18);
    CHECK(standing.failed == 0);
    for (const auto& segment : standing.leases) {
      CHECK(segment.state == SegmentState::finished);
      CHECK(segment.host.empty());
      CHECK(segment.beat > 0);
    }
  }

  TEST_CASE("what is no lease or checkpoint, or of other segments, is refused") {
    MovedTable table(18);
    MemoryLeaseStore leases;
    share(table, leases, "a", real_run(3));
    CHECK_THROWS_AS((void)backfill_standing(leases, 2), evenkey::checkpoint_error);
    CHECK_THROWS_AS((void)backfill_standing(leases, 4), evenkey::checkpoint_error);
    CHECK(leases.replace(1, leases.load(1), "evenkey-lease/1\nnonsense"));
    CHECK_THROWS_AS((void)backfill_standing(leases, 3), evenkey::checkpoint_error);
    Notebook notebook;
    notebook.text = "nonsense";
    CHECK_THROWS_AS((void)backfill_standing(notebook), evenkey::checkpoint_error);
  }

  TEST_CASE("the states of a segment have names") {
    CHECK(evenkey::segment_state_name(SegmentState::not_begun) == "not_begun");
    CHECK(evenkey::segment_state_name(SegmentState::free) == "free");
    CHECK(evenkey::segment_state_name(SegmentState::held) == "held");
    CHECK(evenkey::segment_state_name(SegmentState::finished) == "finished");
  }
}
