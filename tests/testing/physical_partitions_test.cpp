// SPDX-License-Identifier: BSL-1.0
#include <evenkey/capacity/physical_partitions.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "fixture.hpp"

using namespace fixture;
using namespace std::chrono_literals;

namespace {

using Table = MemoryTable<Row, ByText>;

std::vector<std::string> keys(int count) {
  std::vector<std::string> made;
  for (int i = 0; i < count; ++i)
    made.push_back("P#" + std::to_string(i));
  return made;
}

/// Reads each key, half a unit at a time, round and round until all are refused. @returns units served
double drain(Table& table, const std::vector<std::string>& of) {
  double units = 0;
  for (std::size_t refused = 0; refused < of.size();) {
    refused = 0;
    for (const std::string& key : of) {
      if (error_of([&] { return table.query<ByText>(request<ByText>(key)); }).empty()) {
        units += .5;
      } else {
        ++refused;
      }
    }
  }
  return units;
}

/// So many minutes in which each key is read as much as its partition gives, each second.
void heat(Table& table, const std::vector<std::string>& of, int minutes) {
  for (int second = 0; second < 60 * minutes; ++second) {
    table.clock().advance(1s);
    drain(table, of);
  }
}

Table table_of(std::uint32_t count, std::uint64_t seed = 1) {
  return Table({.caps = ThroughputCaps{10, 10}, .physical = {.count = count}, .seed = seed});
}

/// Two keys of an index with one physical partition.
const std::vector<std::string> two = keys(2);

}  // namespace

TEST_SUITE("testing") {
  TEST_CASE("by default each partition key has its own caps") {
    Table table({.caps = ThroughputCaps{10, 10}});
    CHECK(drain(table, keys(16)) == 160);
    CHECK(table.physical_partition_count<ByText>() == 0);
    CHECK(table.physical_partition_of<ByText>("P#1") == 0);
  }

  TEST_CASE("partition keys on one physical partition share its caps, and its neighbours do not notice") {
    auto table = table_of(4);
    CHECK(table.physical_partition_count<ByText>() == 4);
    std::set<std::size_t> used;
    for (const std::string& key : keys(16))
      used.insert(table.physical_partition_of<ByText>(key));
    CHECK(used.size() > 1);
    CHECK(*used.rbegin() < 4);
    CHECK(drain(table, keys(16)) == 10 * static_cast<double>(used.size()));
    auto one = table_of(1);
    CHECK(drain(one, keys(16)) == 10);
  }

  TEST_CASE("writes share the caps of the physical partition, and the base table has partitions of its own") {
    Table table({.caps = ThroughputCaps{1000, 3}, .physical = {.count = 1}});
    CHECK(error_of([&] { return table.put({"1", "P#0"}); }).empty());
    CHECK(error_of([&] { return table.put({"2", "P#1"}); }).empty());
    CHECK(error_of([&] { return table.put({"3", "P#2"}); }).empty());
    CHECK_FALSE(error_of([&] { return table.put({"4", "P#3"}); }).empty());
  }

  TEST_CASE("a seed places the keys in the same way each time, and another seed in another") {
    std::vector<std::size_t> first, again, other;
    auto table = table_of(64), same = table_of(64), seeded = table_of(64, 2);
    for (const std::string& key : keys(16)) {
      first.push_back(table.physical_partition_of<ByText>(key));
      again.push_back(same.physical_partition_of<ByText>(key));
      other.push_back(seeded.physical_partition_of<ByText>(key));
    }
    CHECK(first == again);
    CHECK(first != other);
  }

  TEST_CASE("what N keys bear at once is what the formula expects, as a mean over placements") {
    const auto all = keys(16);
    double lift = 0;
    constexpr std::uint64_t rounds = 400;
    for (std::uint64_t seed = 1; seed <= rounds; ++seed) {
      auto table = table_of(4, seed);
      std::vector<int> on(4);
      int most = 0;
      for (const std::string& key : all) {
        int& count = on[table.physical_partition_of<ByText>(key)];
        most = ++count > most ? count : most;
      }
      lift += 16.0 / most;
    }
    // The mean of the lifts is not the lift of the mean, but near it.
    CHECK(lift / rounds ==
          doctest::Approx(evenkey::capacity::expected_ceiling(16, 4).lift_before_splits).epsilon(.05));
  }

  TEST_CASE("minutes of heat split a physical partition between its keys, and then each has all of it") {
    auto table = table_of(1);
    CHECK(drain(table, two) == 10);
    heat(table, two, 4);
    CHECK(table.physical_partition_count<ByText>() == 1);
    heat(table, two, 2);
    CHECK(table.physical_partition_count<ByText>() == 2);
    table.clock().advance(1s);
    CHECK(drain(table, two) == 20);
  }

  TEST_CASE("a burst does not split it, nor does heat with a break, nor load below the mark") {
    auto burst = table_of(1);
    heat(burst, two, 3);
    burst.clock().advance(2min);
    heat(burst, two, 3);
    CHECK(burst.physical_partition_count<ByText>() == 1);
    auto mild = table_of(1);
    for (int second = 0; second < 1'200; ++second) {
      mild.clock().advance(1s);
      for (int half = 0; half < 16; ++half)  // 8 of 10 units
        (void)mild.query<ByText>(request<ByText>(two[static_cast<std::size_t>(half % 2)]));
    }
    CHECK(mild.physical_partition_count<ByText>() == 1);
  }

  TEST_CASE("a single hot key is never split, however long it is hot") {
    auto table = table_of(1);
    heat(table, {"P#0"}, 30);
    CHECK(table.physical_partition_count<ByText>() == 1);
    table.clock().advance(1s);
    CHECK(drain(table, {"P#0"}) == 10);
    // Nor is a key that shared its partition, once it has one to itself.
    auto shared = table_of(1);
    heat(shared, two, 40);
    CHECK(shared.physical_partition_count<ByText>() == 2);
  }

  TEST_CASE("a rising sort key does not help a hot key: its writes stay at the cap") {
    Table table({.caps = ThroughputCaps{1000, 10}, .physical = {.count = 1}});
    std::uint64_t row = 0;
    const auto write = [&] {
      int written = 0;
      while (error_of([&] {
               Row made;
               made.id = std::to_string(row++);
               made.pk = "P";
               made.sk = std::to_string(1'000'000 + row);
               return table.put(made);
             }).empty())
        ++written;
      return written;
    };
    for (int second = 0; second < 600; ++second) {
      table.clock().advance(1s);
      CHECK(write() <= 10);
    }
    CHECK(table.physical_partition_count<ByText>() == 1);
  }

  TEST_CASE("caps set for one key are those of its physical partition, and of both halves after a split") {
    Table table({.physical = {.count = 1}});
    CHECK(
        error_of([&] { return table.query<ByText>(request<ByText>("P#0")); }).empty());  // nothing limits it
    table.set_caps<ByText>("P#0", {10, 10});
    CHECK(drain(table, two) == 10);
    heat(table, two, 6);
    table.clock().advance(1s);
    CHECK(drain(table, two) == 20);
    table.set_caps(ThroughputCaps{4, 4});
    CHECK(drain(table, two) == 8);
  }

  TEST_CASE("rules that are none are refused") {
    for (const double bad : {0.0, -1.0, 1.1})
      CHECK_THROWS_AS(Table({.physical = {.count = 1, .hot_at = bad}}), std::invalid_argument);
    CHECK_THROWS_AS(Table({.physical = {.count = 1, .after_minutes = 0}}), std::invalid_argument);
    CHECK_THROWS_AS(
        Table({.bucket_of = [](std::string_view, std::string_view) { return ""; }, .physical = {.count = 1}}),
        std::invalid_argument);
  }
}
