// SPDX-License-Identifier: BSL-1.0
#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <vector>

#include "fixture.hpp"

using namespace fixture;
using namespace std::chrono_literals;

namespace {

using Table = MemoryTable<Row, ByText, ByNumber>;
const std::string throttled = "ProvisionedThroughputExceededException";

std::string query(Table& table, std::string_view partition, CallOptions call = {}) {
  return error_of([&] { return table.query<ByText>(request<ByText>(partition), call); });
}

}  // namespace

TEST_SUITE("testing") {
  TEST_CASE("a partition that is made to throttle does, and no other") {
    Table table;
    table.inject(Fault::throttle(), {.index_name = "by-text", .partition_key = "P"});
    CHECK(query(table, "P") == throttled);
    CHECK(query(table, "Q").empty());
    CHECK(error_of([&] { return table.query<ByNumber>(request<ByNumber>("P")); }).empty());
    try {
      (void)table.query<ByText>(request<ByText>("P"));
    } catch (const dynamodb_error& error) {
      CHECK(error.reasons().at(0).reason == "IndexReadKeyRangeThroughputExceeded");
    }
    CHECK(table.partition_counters<ByText>().at("P").throttled_reads == 2);
    CHECK(table.partition_counters<ByText>().at("P").read_units == 0);
    table.clear_faults();
    CHECK(query(table, "P").empty());
  }

  TEST_CASE("the k-th request fails, once or a number of times") {
    Table table;
    table.inject(Fault::error("InternalServerError"), {.skip = 2, .times = 1});
    std::vector<std::string> answers(5);
    for (std::string& answer : answers)
      answer = query(table, "P");
    CHECK(answers == std::vector<std::string>{"", "", "InternalServerError", "", ""});
    CHECK(table.counters<ByText>().failed == 1);
  }

  TEST_CASE("a script meets the matching requests one after the other, once through or round and round") {
    Table table;
    table.inject_script({Fault::throttle(), Fault::none(), Fault::error("ServiceUnavailable")},
                        {.kind = RequestKind::query});
    std::vector<std::string> answers;
    for (int i = 0; i < 5; ++i) {
      answers.push_back(query(table, "P"));
      table.put({"1", "P"});  // not of that kind
    }
    CHECK(answers == std::vector<std::string>{throttled, "", "ServiceUnavailable", "", ""});
    table.inject_script({Fault::throttle(), Fault::none()}, {.times = 5});
    answers.clear();
    for (int i = 0; i < 7; ++i)
      answers.push_back(query(table, "P"));
    CHECK(answers == std::vector<std::string>{throttled, "", throttled, "", throttled, "", ""});
    table.inject_script({}, {});
    CHECK(query(table, "P").empty());
  }

  TEST_CASE("faults match by caller and by primary key") {
    Table table;
    table.inject(Fault::throttle(), {.caller = "sweep"});
    table.inject(Fault::error("InternalServerError"), {.primary_key = "7"});
    CHECK(query(table, "P").empty());
    CHECK(query(table, "P", {.caller = "sweep"}) == throttled);
    CHECK(error_of([&] { return table.put({"7", "P"}); }) == "InternalServerError");
    CHECK(error_of([&] { return table.put({"8", "P"}); }).empty());
    CHECK_FALSE(table.get("8") == std::nullopt);
    CHECK(table.size() == 1);
  }

  TEST_CASE("a write that times out after applying was applied, and paid for") {
    Table table;
    table.put({"1", "P"});
    table.inject(Fault::time_out_after_applying(), {.kind = RequestKind::update_item, .times = 1});
    RequestRecord record;
    const auto move = [&] {
      return table.update(
          "1", [](const Row& row) { return row.pk == "P"; }, [](Row& row) { row.pk = "Q"; },
          {.record = &record});
    };
    CHECK(error_of(move) == "RequestTimeout");
    CHECK(record.outcome == RequestOutcome::failed);
    CHECK(record.write_units == 1);
    CHECK(record.index_write_units == 4);  // both indexes are keyed by it
    CHECK(table.get("1")->pk == "Q");
    const auto again = move();  // the retry sees what it did itself
    CHECK_FALSE(again.applied);
    CHECK(again.previous->pk == "Q");
    table.inject(Fault::time_out_after_applying(), {.kind = RequestKind::query});
    CHECK(query(table, "Q") == "RequestTimeout");
    CHECK(table.partition_counters<ByText>().at("Q").read_units == 0.5);
  }

  TEST_CASE("a write can be made to fail at the index partition that it touches") {
    Table table;
    table.inject(Fault::throttle(), {.index_name = "by-text", .partition_key = "P", .skip = 1, .times = 1});
    table.inject(Fault::time_out_after_applying(),
                 {.kind = RequestKind::put_item, .index_name = "by-number", .partition_key = "R"});
    CHECK(error_of([&] { return table.put({"1", "P"}); }).empty());
    CHECK(error_of([&] { return table.put({"2", "Q"}); }).empty());
    try {
      (void)table.put({"3", "P"});
      FAIL("not throttled");
    } catch (const dynamodb_error& error) {
      CHECK(error.reasons().at(0).reason == "IndexWriteKeyRangeThroughputExceeded");
      CHECK(error.reasons().at(0).resource.ends_with("/index/by-text"));
    }
    CHECK(table.put({"3", "P"}).applied);
    CHECK(error_of([&] { return table.put({"4", "R"}); }) == "RequestTimeout");
    CHECK(table.get("4"));
  }

  TEST_CASE("an empty page carries a key, and following it loses nothing, wherever it comes (F07)") {
    for (const auto direction : {evenkey::Direction::ascending, evenkey::Direction::descending}) {
      for (std::uint64_t at = 0; at < 5; ++at) {
        Table table;
        for (int i = 0; i < 6; ++i)
          table.put({std::to_string(i), "P", "s" + std::to_string(i / 2), i / 2});
        table.inject(Fault::empty_page(), {.skip = at, .times = 2});
        auto [all, pages] = all_pages<ByText>(table, request<ByText>("P", 2, direction));
        CHECK(all.size() == 6);
        CHECK(pages == (at < 4 ? 6 : 4));
        table.clear_faults();
        table.inject(Fault::empty_page(), {.skip = at, .times = 2});
        CHECK(all_pages<ByNumber>(table, request<ByNumber>("P", 2, direction)).first.size() == 6);
        table.clear_faults();
        CHECK(all == all_pages<ByText>(table, request<ByText>("P", 100, direction)).first);
      }
    }
  }

  TEST_CASE("an empty page of an empty range carries a key within the bounds") {
    using evenkey::SortKeyCondition;
    Table table;
    table.inject(Fault::empty_page());
    for (const auto& condition : {SortKeyCondition{}, SortKeyCondition::equal("k"),
                                  SortKeyCondition::less("k"), SortKeyCondition::less_equal("k"),
                                  SortKeyCondition::greater("k"), SortKeyCondition::greater_equal("k"),
                                  SortKeyCondition::between("k", "l"), SortKeyCondition::begins_with("k")}) {
      auto asked = request<ByText>("P");
      asked.sort_key = condition;
      const auto page = table.query<ByText>(asked);
      CHECK(page.items.empty());
      REQUIRE(page.last_evaluated_key);
      asked.exclusive_start_key = page.last_evaluated_key;
      CHECK(table.query<ByText>(asked).last_evaluated_key == page.last_evaluated_key);
    }
    for (const auto& condition : {SortKeyCondition{}, SortKeyCondition::equal(5), SortKeyCondition::less(5),
                                  SortKeyCondition::greater(-5.5), SortKeyCondition::between(7, 8)}) {
      auto asked = request<ByNumber>("P");
      asked.sort_key = condition;
      const auto page = table.query<ByNumber>(asked);
      REQUIRE(page.last_evaluated_key);
      asked.exclusive_start_key = page.last_evaluated_key;
      CHECK(table.query<ByNumber>(asked).items.empty());
    }
    const auto scanned = table.scan(evenkey::ScanRequest<std::string>{});
    CHECK(scanned.last_evaluated_key);
  }

  TEST_CASE("a scan goes on after an empty page") {
    Table table;
    for (int i = 0; i < 6; ++i)
      table.put({std::to_string(i), "P"});
    table.inject(Fault::empty_page(), {.kind = RequestKind::scan, .times = 1});
    evenkey::ScanRequest<std::string> scan;
    scan.total_segments = 2;
    std::size_t found = 0;
    for (scan.segment = 0; scan.segment < 2; ++scan.segment) {
      scan.exclusive_start_key.reset();
      do {
        auto page = table.scan(scan);
        found += page.items.size();
        scan.exclusive_start_key = page.last_evaluated_key;
      } while (scan.exclusive_start_key);
    }
    CHECK(found == 6);
  }

  TEST_CASE("a hook before each request may throw anything, even an int, and nothing is applied (F15)") {
    Table table({.before = [](const RequestInfo& info) {
      if (info.primary_key == "bad") throw 42;
      if (info.partition_key == "worse") throw std::string("text");
    }});
    CHECK_THROWS_AS(table.put({"bad", "P"}), int);
    CHECK_THROWS_AS((void)table.query<ByText>(request<ByText>("worse")), std::string);
    CHECK(table.put({"good", "P"}).applied);
    CHECK(table.size() == 1);
    CHECK(table.in_flight() == 0);
    CHECK(table.counters().failed == 1);
    CHECK(table.counters<ByText>().failed == 1);
  }

  TEST_CASE("an injected exception may be of any type") {
    Table table;
    table.inject(Fault::exception(42), {.partition_key = "P", .times = 1});
    CHECK_THROWS_AS((void)table.query<ByText>(request<ByText>("P")), int);
    CHECK(query(table, "P").empty());
  }

  TEST_CASE("latency is written down, adds up, and is waited for only where a function does") {
    Table quiet;
    RequestRecord record;
    quiet.inject(Fault::delay(30ms), {.partition_key = "P"});
    quiet.inject(Fault::delay(5ms));
    CHECK(query(quiet, "P", {.record = &record}).empty());
    CHECK(record.latency == 35ms);
    CHECK(query(quiet, "Q", {.record = &record}).empty());
    CHECK(record.latency == 5ms);
    CHECK(quiet.clock().now().time_since_epoch() == 0ms);

    const auto clock = std::make_shared<VirtualClock>();
    Table waiting(
        {.clock = clock,
         .latency = [](const RequestInfo& info) { return info.kind == RequestKind::query ? 4ms : 10ms; },
         .wait = [&clock](VirtualClock::duration latency) { clock->advance(latency); }});
    waiting.put({"1", "P"});
    CHECK(query(waiting, "P", {.record = &record}).empty());
    CHECK(record.latency == 4ms);
    CHECK(record.time.time_since_epoch() == 10ms);
    CHECK(clock->now().time_since_epoch() == 14ms);
  }

  TEST_CASE("the answer shows the table as it is when the latency is over") {
    Table* self = nullptr;
    Table table({.wait = [&self](VirtualClock::duration) { self->put({"late", "P"}); }});
    self = &table;
    table.inject(Fault::delay(1ms), {.kind = RequestKind::query});
    CHECK(table.query<ByText>(request<ByText>("P")).items.size() == 1);
  }
}
