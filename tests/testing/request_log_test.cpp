// SPDX-License-Identifier: BSL-1.0
#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <vector>

#include "fixture.hpp"

using namespace fixture;
using namespace std::chrono_literals;

namespace {
using Table = MemoryTable<Row, ByText>;
}

TEST_SUITE("testing") {
  TEST_CASE("the log is off unless asked for; the counters are always on") {
    Table table;
    table.put({"1", "P"});
    (void)table.query<ByText>(request<ByText>("P"));
    CHECK(table.log().empty());
    CHECK(table.requests() == 2);
    CHECK(table.counters().writes == 1);
    CHECK(table.counters<ByText>().reads == 1);
    CHECK(table.counters<ByText>().writes == 1);
    CHECK(table.counters<ByText>().items == 1);
    CHECK(table.counters<ByText>().read_units == 0.5);
  }

  TEST_CASE("the log says who asked what, when, and what it cost") {
    Table table({.item_bytes = 1500, .caps = ThroughputCaps{1, 100}, .log_capacity = 10});
    table.put({"1", "P"}, {.caller = "writer"});
    table.clock().advance(1500ms);
    {
      const CallerScope scope("sweep");
      (void)table.query<ByText>(request<ByText>("P"), {}, [](const Row&) { return false; });
      {
        const CallerScope inner("detail");
        (void)table.query<ByText>(request<ByText>("P"));
      }
      (void)error_of([&] { return table.query<ByText>(request<ByText>("P")); });
    }
    (void)table.update(
        "1", [](const Row&) { return false; }, [](Row&) {});
    (void)error_of([&] { return table.query<ByText>(request<ByText>("P", 0)); });
    const auto log = table.log();
    REQUIRE(log.size() == 6);
    CHECK(log[0].number == 1);
    CHECK(log[0].kind == RequestKind::put_item);
    CHECK(log[0].caller == "writer");
    CHECK(log[0].index_name.empty());
    CHECK(log[0].partition_key == "1");
    CHECK(log[0].write_units == 2);
    CHECK(log[0].index_write_units == 2);
    CHECK(log[1].kind == RequestKind::query);
    CHECK(log[1].index_name == "by-text");
    CHECK(log[1].partition_key == "P");
    CHECK(log[1].caller == "sweep");
    CHECK(log[1].time.time_since_epoch() == 1500ms);
    CHECK(log[1].items == 0);
    CHECK(log[1].scanned == 1);
    CHECK(log[1].read_units == 0.5);
    CHECK(log[2].caller == "detail");
    CHECK(log[2].items == 1);
    CHECK(log[3].caller == "sweep");
    CHECK(log[3].outcome == RequestOutcome::throttled);
    CHECK(log[3].read_units == 0);
    CHECK(log[4].outcome == RequestOutcome::condition_failed);
    CHECK(log[4].caller.empty());
    CHECK(log[5].outcome == RequestOutcome::failed);
    const auto callers = table.caller_counters();
    CHECK(callers.size() == 3);
    CHECK(callers.at("sweep").reads == 2);
    CHECK(callers.at("sweep").throttled_reads == 1);
    CHECK(callers.at("detail").items == 1);
    CHECK(callers.at("writer").write_units == 2);
  }

  TEST_CASE("the log keeps the last requests and counts what it dropped") {
    Table table({.log_capacity = 3});
    for (int i = 0; i < 5; ++i)
      table.put({std::to_string(i), "P"});
    std::vector<std::uint64_t> numbers;
    for (const RequestRecord& record : table.log())
      numbers.push_back(record.number);
    CHECK(numbers == std::vector<std::uint64_t>{3, 4, 5});
    CHECK(table.log_dropped() == 2);
    table.clear_log();
    CHECK(table.log().empty());
    CHECK(table.log_dropped() == 0);
  }

  TEST_CASE("a call's own record is filled also when it throws") {
    Table table;
    table.inject(Fault::throttle());
    RequestRecord record;
    CHECK_FALSE(error_of([&] { return table.get("1", {.caller = "me", .record = &record}); }).empty());
    CHECK(record.outcome == RequestOutcome::throttled);
    CHECK(record.caller == "me");
    CHECK(record.number == 1);
  }

  TEST_CASE("peaks are by the second of the virtual clock") {
    Table table;
    table.put({"1", "P"});
    for (const int requests : {4, 10, 2}) {
      for (int i = 0; i < requests; ++i)
        (void)table.query<ByText>(request<ByText>("P"));
      table.clock().advance(1s);
    }
    CHECK(table.partition_counters<ByText>().at("P").peak_read_units == 5);
    CHECK(table.partition_counters<ByText>().at("P").peak_write_units == 1);
    CHECK(table.counters<ByText>().read_units == 8);
  }

  TEST_CASE("requests with keys that cannot be are counted, without a partition of their own") {
    Table table;
    CHECK(error_of([&] { return table.query<ByText>(request<ByText>("")); }) == validation);
    CHECK(table.partition_counters<ByText>().empty());
    CHECK(table.counters<ByText>().failed == 1);
  }
}
