// SPDX-License-Identifier: BSL-1.0
#include <doctest/doctest.h>

#include <chrono>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "fixture.hpp"

using namespace fixture;
using namespace std::chrono_literals;

namespace {

const std::string throttled = "ProvisionedThroughputExceededException";

VirtualClock::time_point at(VirtualClock::duration time) { return VirtualClock::time_point(time); }

/// How many of the calls were admitted.
template <class Call>
int admitted(int calls, Call call) {
  int count = 0;
  for (int i = 0; i < calls; ++i)
    count += error_of(call).empty() ? 1 : 0;
  return count;
}

}  // namespace

TEST_SUITE("testing") {
  TEST_CASE("a bucket is filled at each full second and holds no more than one") {
    TokenBucket bucket(10);
    CHECK(bucket.admits(at(0s)));
    bucket.charge(10);
    CHECK_FALSE(bucket.admits(at(0s)));
    CHECK_FALSE(bucket.admits(at(999ms)));
    CHECK(bucket.admits(at(1s)));
    CHECK(bucket.tokens(at(1s)) == 10);
    CHECK(bucket.tokens(at(100s)) == 10);  // no burst out of idle time
  }

  TEST_CASE("a bucket admits while anything is left, and pays its debt before it admits again") {
    TokenBucket bucket(10);
    bucket.charge(9.5);
    CHECK(bucket.admits(at(0s)));
    bucket.charge(20);
    CHECK(bucket.tokens(at(0s)) == -19.5);
    CHECK_FALSE(bucket.admits(at(1s)));
    CHECK(bucket.admits(at(2s)));
    CHECK(bucket.tokens(at(2s)) == 0.5);
  }

  TEST_CASE("a bucket of zero admits nothing; one that is no number is refused") {
    TokenBucket none(0);
    CHECK_FALSE(none.admits(at(1000s)));
    CHECK_THROWS_AS(TokenBucket(-1), std::invalid_argument);
    CHECK_THROWS_AS(TokenBucket{std::nan("")}, std::invalid_argument);
    CHECK_THROWS_AS((MemoryTable<Row, ByText>({.caps = ThroughputCaps{-1, 1}})), std::invalid_argument);
  }

  TEST_CASE("by default nothing is throttled") {
    MemoryTable<Row, ByText> table({.item_bytes = 400'000});
    table.put({"1", "P"});
    CHECK(admitted(10'000, [&] { return table.query<ByText>(request<ByText>("P")); }) == 10'000);
  }

  TEST_CASE("the hot partition throttles at its cap, and its neighbour does not notice") {
    MemoryTable<Row, ByText> table({.caps = ThroughputCaps{}});  // 3000 and 1000
    const auto read = [&](std::string_view partition) {
      return [&table, partition] { return table.query<ByText>(request<ByText>(partition)); };
    };
    CHECK(admitted(7000, read("P")) == 6000);  // half a unit each
    CHECK(admitted(100, read("Q")) == 100);
    table.clock().advance(999ms);
    CHECK(admitted(10, read("P")) == 0);
    table.clock().advance(1ms);
    CHECK(admitted(7000, read("P")) == 6000);
    table.clock().advance(1h);
    CHECK(admitted(7000, read("P")) == 6000);  // no burst above the cap, however long it was idle
    const auto counters = table.partition_counters<ByText>().at("P");
    CHECK(counters.reads == 7000 * 3 + 10);
    CHECK(counters.throttled_reads == 1000 * 3 + 10);
    CHECK(counters.peak_read_units == 3000);
  }

  TEST_CASE("the error names the index and says that a key range is hot") {
    MemoryTable<Row, ByText> table({.table_name = "sagas", .caps = ThroughputCaps{0, 1000}});
    try {
      (void)table.query<ByText>(request<ByText>("P"));
      FAIL("not throttled");
    } catch (const dynamodb_error& error) {
      CHECK(error.name() == throttled);
      CHECK(error.request() == RequestKind::query);
      CHECK(error.kind() == evenkey::ErrorKind::throttled);
      CHECK(evenkey::is_hot_key(error.reasons()));
      REQUIRE(error.reasons().size() == 1);
      CHECK(error.reasons()[0].reason == "IndexReadKeyRangeThroughputExceeded");
      CHECK(error.reasons()[0].resource.ends_with(":table/sagas/index/by-text"));
      CHECK(std::string(error.what()).find("Query") != std::string::npos);
    }
    MemoryTable<Row, ByText> on_demand(
        {.caps = ThroughputCaps{0, 0}, .throttling_error = "ThrottlingException"});
    CHECK(error_of([&] { return on_demand.put({"1", "P"}); }) == "ThrottlingException");
  }

  TEST_CASE("an index partition that cannot take its writes throttles the base table's, and is named") {
    MemoryTable<Row, ByText, ByNumber> table({.table_name = "sagas"});
    table.put({"1", "P"});
    table.set_caps<ByText>("Q", {3000, 2});
    const auto move = [&](std::string_view id, std::string_view from, std::string_view to) {
      return table.update(
          id, [&](const Row& row) { return row.pk == from; }, [&](Row& row) { row.pk = to; });
    };
    CHECK(table.put({"2", "Q"}).applied);
    CHECK(move("1", "P", "Q").applied);
    try {
      (void)table.put({"3", "Q"});
      FAIL("not throttled");
    } catch (const dynamodb_error& error) {
      CHECK(error.name() == throttled);
      CHECK(error.request() == RequestKind::put_item);
      REQUIRE(error.reasons().size() == 1);
      CHECK(error.reasons()[0].reason == "IndexWriteKeyRangeThroughputExceeded");
      CHECK(error.reasons()[0].resource.ends_with("/index/by-text"));
    }
    CHECK_FALSE(table.get("3"));  // nothing was applied
    CHECK(table.query<ByNumber>(request<ByNumber>("Q")).items.size() == 2);
    // leaving a partition is a write of it, too
    CHECK(error_of([&] { return move("1", "Q", "P"); }) == throttled);
    CHECK(error_of([&] { return table.erase("2"); }) == throttled);
    // a failed condition is not an index's business
    CHECK_FALSE(move("1", "P", "Q").applied);
    CHECK(table.put({"4", "P"}).applied);
    CHECK(table.counters().throttled_writes == 3);
    CHECK(table.partition_counters<ByText>().at("Q").throttled_writes == 3);
    table.clock().advance(1s);
    CHECK(move("1", "Q", "P").applied);
  }

  TEST_CASE("a hot item throttles in the base table") {
    MemoryTable<Row, ByText> table({.caps = ThroughputCaps{10, 5}});
    const auto write = [&] { return table.put({"1", ""}); };
    CHECK(admitted(10, write) == 5);
    CHECK(admitted(20, [&] { return table.get("1"); }) == 10);
    try {
      (void)write();
      FAIL("not throttled");
    } catch (const dynamodb_error& error) {
      CHECK(error.reasons().at(0).reason == "TableWriteKeyRangeThroughputExceeded");
      CHECK(error.reasons().at(0).resource.ends_with(":table/table"));
    }
    CHECK(table.put({"2", ""}).applied);
  }

  TEST_CASE("caps may come when the table is filled, for all partitions or for one") {
    MemoryTable<Row, ByText> table;
    for (int i = 0; i < 50; ++i)
      table.put({std::to_string(i), "P"});
    table.set_caps(ThroughputCaps{1, 10});
    CHECK(admitted(20, [&] { return table.put({"1", "P", "s", 1}); }) == 10);
    CHECK(admitted(5, [&] { return table.query<ByText>(request<ByText>("P")); }) == 1);
    table.set_caps<ByText>("P", {3, 10});
    CHECK(admitted(5, [&] { return table.query<ByText>(request<ByText>("P")); }) == 2);
    CHECK(admitted(5, [&] { return table.query<ByText>(request<ByText>("Q")); }) == 2);
    table.set_caps(std::nullopt);
    CHECK(admitted(5, [&] { return table.query<ByText>(request<ByText>("P")); }) == 5);
    CHECK_THROWS_AS(table.set_caps(ThroughputCaps{1, -1}), std::invalid_argument);
  }

  TEST_CASE("a throttled request consumes nothing; an admitted one may leave a debt") {
    MemoryTable<Row, ByText> table({.item_bytes = 4096 * 10, .caps = ThroughputCaps{3, 1e6}});
    table.put({"1", "P"});
    const auto read = [&] { return table.query<ByText>(request<ByText>("P")); };
    CHECK(admitted(3, read) == 1);  // 5 units of 3
    table.clock().advance(1s);
    CHECK(admitted(3, read) == 1);  // -2 + 3 = 1
    CHECK(table.counters<ByText>().read_units == 10);
  }

  TEST_CASE("the base table's partition may be a part of the primary key") {
    MemoryTable<Row, ByText> table(
        {.caps = ThroughputCaps{10, 5}},
        {.base_partition = [](std::string_view key) { return std::string(key.substr(0, key.find('#'))); }});
    int id = 0;
    CHECK(admitted(10, [&] { return table.put({"order#" + std::to_string(id++), ""}); }) == 5);
  }

  TEST_CASE("the map from keys to buckets can be replaced: many keys on few physical partitions") {
    MemoryTable<Row, ByText> table(
        {.caps = ThroughputCaps{10, 10}, .bucket_of = [](std::string_view index, std::string_view partition) {
           return index.empty() ? std::string(partition) : std::string(partition.substr(0, 1));
         }});
    const auto read = [&](std::string_view partition) {
      return [&table, partition] { return table.query<ByText>(request<ByText>(partition)); };
    };
    CHECK(admitted(15, read("P1")) == 15);
    CHECK(admitted(15, read("P2")) == 5);
    CHECK(admitted(15, read("Q1")) == 15);
  }

  TEST_CASE("tables may share a clock, which does not go back") {
    const auto clock = std::make_shared<VirtualClock>();
    MemoryTable<Row, ByText> one({.caps = ThroughputCaps{0.5, 1}, .clock = clock});
    MemoryTable<Row, ByText> other({.caps = ThroughputCaps{0.5, 1}, .clock = clock});
    const auto read = [](auto& table) {
      return [&] { return table.template query<ByText>(request<ByText>("P")); };
    };
    CHECK(admitted(2, read(one)) == 1);
    CHECK(admitted(2, read(other)) == 1);
    one.clock().advance(1s);
    CHECK(admitted(2, read(other)) == 1);
    CHECK(clock->now() == at(1s));
    clock->advance_to(at(500ms));
    CHECK(clock->now() == at(1s));
    clock->advance_to(at(2s));
    CHECK(clock->now() == at(2s));
    CHECK_THROWS_AS(clock->advance(-1ns), std::invalid_argument);
  }
}
