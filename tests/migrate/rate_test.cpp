// SPDX-License-Identifier: BSL-1.0
#include <evenkey/migrate/backfill.hpp>
#include <evenkey/page/store_error.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <deque>
#include <string>
#include <vector>

#include "support/moved_table.hpp"

namespace detail = evenkey::detail;
using evenkey::backfill;
using evenkey::BackfillOptions;
using std::chrono::milliseconds;
using std::chrono::seconds;
using support::long_drained;
using support::MovedTable;
using support::to_shards;
using support::WaitedTime;

namespace {

using Time = detail::RateTime;
constexpr Time start{seconds(100)};

double seconds_since_start(Time time) { return std::chrono::duration<double>(time - start).count(); }

/// Rows of several sizes.
struct SizedIndex : support::MovedIndex {
  static std::size_t item_bytes(const support::Moved& row) {
    return static_cast<std::size_t>(row.version) * 1000;
  }
  static std::size_t entry_bytes(const support::Moved&) { return 1517; }
};

BackfillOptions real() { return {.dry_run = false, .writers_drained_at = long_drained}; }

}  // namespace

TEST_SUITE("migrate") {
  TEST_CASE("a bucket gives units out at its rate, after what it saved up") {
    detail::TokenBucket bucket(100);
    Time last{};
    for (int i = 0; i < 211; ++i)
      last = bucket.take(1, start, 1);
    CHECK(seconds_since_start(last) == doctest::Approx(2.0));  // 10 were saved up in 100 ms
    detail::TokenBucket slow(100);
    (void)slow.take(0, start, 1);
    (void)slow.take(50, start, 0.5);
    CHECK(seconds_since_start(slow.take(1, start, 0.5)) == doctest::Approx(0.9));
    detail::TokenBucket none(evenkey::unlimited_rate);
    for (int i = 0; i < 100; ++i)
      CHECK(none.take(1e9, start, 1) == start);
    detail::TokenBucket huge(1e-300);
    CHECK(huge.take(1e300, start, 1.0 / 64) == start);
    CHECK(huge.take(1e300, start, 1.0 / 64) > start);
    CHECK(huge.take(1e300, start, 1.0 / 64) < start + std::chrono::hours(72));
  }

  TEST_CASE(
      "the pace halves at once when the store throttles, once for requests made together, and grows slowly") {
    detail::AdaptivePace pace;
    CHECK(pace.on_throttled(start, start + seconds(1)));
    CHECK(!pace.on_throttled(start, start + seconds(1)));  // was under way when the pace was cut
    CHECK(pace.value() == 0.5);
    pace.on_served(start + milliseconds(1999));
    CHECK(pace.value() == 0.5);
    for (int i = 0; i < 1000; ++i)
      pace.on_served(start + seconds(2));
    CHECK(pace.value() == doctest::Approx(0.55));
    CHECK(pace.on_throttled(start + seconds(3), start + seconds(3)));
    CHECK(pace.value() == doctest::Approx(0.275));
    for (int i = 4; i < 40; ++i)
      CHECK((pace.on_throttled(start + seconds(i), start + seconds(i)),
             pace.value() >= detail::AdaptivePace::least));
    CHECK(pace.value() == detail::AdaptivePace::least);
    for (int i = 40; i < 80; ++i)
      pace.on_served(start + seconds(i));
    CHECK(pace.value() == 1);
  }

  TEST_CASE("a move costs a base write, a delete on the source and a put on the destination, by size") {
    MovedTable table;
    table.put({"a", "p", "S", "s", 1});  // 1,000 bytes: one unit
    table.put({"b", "q", "S", "s", 3});  // 3,000 bytes: three
    constexpr evenkey::Migration<SizedIndex, evenkey::UnshardedKey<"S">> migration{
        evenkey::insert_visible_first};
    const auto plan = backfill(migration, table.scan_functor(), table.restamp_functor());
    CHECK(plan.table_write_units == 4);
    CHECK(plan.index_write_units == 8);
    CHECK(detail::write_units(1024) == 1);
    CHECK(detail::write_units(1025) == 2);
    CHECK(detail::write_units(0) == 1);
  }

  TEST_CASE(
      "a run never uses more than the rate of the source's partition, and takes as long as the dry run "
      "said") {
    MovedTable table(500);
    table.page_size = 100;
    WaitedTime clock;
    BackfillOptions options = real();
    options.index_partition_write_units = 50;
    std::vector<Time> moved;
    const auto restamp = [&](const MovedTable::Request& request) {
      moved.push_back(clock.now());
      return table.restamp(request);
    };
    options.dry_run = true;
    const auto plan = backfill(to_shards, table.scan_functor(), restamp, options, clock);
    options.dry_run = false;
    const auto report = backfill(to_shards, table.scan_functor(), restamp, options, clock);
    CHECK(report.finished);
    CHECK(plan.time_at_allowed_rate == seconds(10));
    CHECK(std::chrono::duration<double>(moved.back() - moved.front()).count() == doctest::Approx(9.98));
    std::deque<Time> second;
    std::size_t most = 0;
    for (const Time time : moved) {
      second.push_back(time);
      while (second.front() <= time - seconds(1))
        second.pop_front();
      most = (std::max)(most, second.size());
    }
    CHECK(most <= 55);  // and what was saved up
  }

  TEST_CASE("the destination's one partition bounds the way back, and the table's rate bounds all") {
    MovedTable table(200);
    WaitedTime clock;
    BackfillOptions options = real();
    options.index_partition_write_units = evenkey::unlimited_rate;
    options.table_write_units = 20;
    (void)backfill(to_shards, table.scan_functor(), table.restamp_functor(), options, clock);
    CHECK(std::chrono::duration<double>(clock.now().time_since_epoch()).count() == doctest::Approx(9.95));
    options.index_partition_write_units = 10;
    options.table_write_units = evenkey::unlimited_rate;
    options.dry_run = true;
    const auto back =
        backfill(to_shards.reversed(), table.scan_functor(), table.restamp_functor(), options, clock);
    CHECK(back.to_move == 200);
    CHECK(back.time_at_allowed_rate == seconds(20));
  }

  TEST_CASE("the scan is paid for by what its pages cost") {
    MovedTable table(30);
    WaitedTime clock;
    BackfillOptions options;
    options.table_read_units = 5;
    const auto scan = [&](const evenkey::ScanRequest<std::string>& request) {
      auto page = table.scan(request);
      page.consumed_read_units = 10;
      return page;
    };
    const auto plan = backfill(to_shards, scan, table.restamp_functor(), options, clock);
    CHECK(plan.consumed_read_units == 100);
    CHECK(plan.requests == 10);
    CHECK(std::chrono::duration<double>(clock.now().time_since_epoch()).count() ==
          doctest::Approx(18.0).epsilon(0.02));
  }

  TEST_CASE("a throttled restamp is made again later and slower, and does not count as failed") {
    for (const bool thrown : {true, false}) {
      MovedTable table(100);
      WaitedTime clock;
      std::size_t calls = 0;
      std::vector<Time> times;
      const auto restamp = [&](const MovedTable::Request& request) {
        times.push_back(clock.now());
        if (++calls % 10 == 0) {
          if (thrown) throw evenkey::store_error("ThrottlingException", "slow down");
          return evenkey::RestampResult::throttled();
        }
        return table.restamp(request);
      };
      BackfillOptions options = real();
      options.retry.throttled_base_delay = {};  // what is slower then is the rate
      const auto report = backfill(to_shards, table.scan_functor(), restamp, options, clock);
      CHECK(report.finished);
      CHECK(report.moved == 100);
      CHECK(report.failed == 0);
      CHECK(report.throttled == 11);
      CHECK(calls == 111);
      CHECK(clock.now() - Time{} > seconds(1));  // 100 rows at 500 a second would take 0.2
    }
  }

  TEST_CASE("a store that throttles everything is not hammered, and the run ends by saying so") {
    MovedTable table(1000);
    WaitedTime clock;
    std::size_t calls = 0;
    BackfillOptions options = real();
    options.max_failed = 5;
    options.retry.max_attempts = 4;
    const auto report = backfill(
        to_shards, table.scan_functor(),
        [&](const MovedTable::Request&) {
          ++calls;
          return evenkey::RestampResult::throttled();
        },
        options, clock);
    CHECK(report.end == evenkey::BackfillEnd::too_many_failed);
    CHECK(report.failed == 5);
    CHECK(calls == 40);
    CHECK(report.throttled == 40);
  }

  TEST_CASE("an observer is told of pages and of throttling") {
    struct {
      std::size_t pages = 0;
      std::size_t throttles = 0;
      std::size_t hot = 0;
      void on_page(const evenkey::PageEvent& event) { pages += event.items; }
      void on_throttled(const evenkey::ThrottleEvent& event) {
        ++throttles;
        hot += event.cause == evenkey::ThrottleEvent::Cause::hot_partition ? 1U : 0U;
      }
    } seen;
    MovedTable table(10);
    WaitedTime clock;
    bool thrown = false;
    const auto restamp = [&](const MovedTable::Request& request) {
      if (!thrown) {
        thrown = true;
        throw evenkey::store_error("ThrottlingException", "hot",
                                   {{"IndexWriteKeyRangeThroughputExceeded", "arn"}});
      }
      return table.restamp(request);
    };
    CHECK(backfill(to_shards, table.scan_functor(), restamp, real(), clock, seen).moved == 10);
    CHECK(seen.pages == 10);
    CHECK(seen.throttles == 1);
    CHECK(seen.hot == 1);
  }

  TEST_CASE("a scan that is throttled is made again, and one that fails for a while too") {
    MovedTable table(10);
    WaitedTime clock;
    std::size_t calls = 0;
    const auto scan = [&](const evenkey::ScanRequest<std::string>& request) {
      if (++calls % 2 == 1)
        throw evenkey::store_error(calls % 4 == 1 ? "ThrottlingException" : "InternalServerError", "");
      return table.scan(request);
    };
    CHECK(backfill(to_shards, scan, table.restamp_functor(), real(), clock).moved == 10);
  }
}
