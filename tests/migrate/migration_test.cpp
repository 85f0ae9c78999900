// SPDX-License-Identifier: BSL-1.0
#include <evenkey/migrate/migration.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/two_copies.hpp"

namespace {

using evenkey::Phase;
using support::CopiesBy;

using Index = CopiesBy<16>;
using Legacy = evenkey::UnshardedKey<"C">;
using Cutover = evenkey::Migration<Index, Legacy>;
constexpr Cutover cutover{evenkey::insert_visible_first};
constexpr std::array<Phase, 4> phases{Phase::source, Phase::dual_read, Phase::destination_writes,
                                      Phase::destination};

// All of it is there at compile time.
static_assert(Cutover::partition_key(Phase::source, "person-42") == "C");
static_assert(Cutover::partition_key(Phase::dual_read, "person-42") == "C");
static_assert(Cutover::partition_key(Phase::destination_writes, "person-42") == "C#13");
static_assert(Cutover::partition_key(Phase::destination, "person-42") == "C#13");
static_assert(cutover.at<Phase::destination>().partition_keys().of("person-42") == "C#13");
static_assert(Cutover::mirrored(Phase::source) == Phase::destination);

/// An index whose keys are known at run time only.
struct Dynamic : CopiesBy<16> {
  using PartitionKey = evenkey::DynamicShardedKey;
  evenkey::DynamicShardedKey keys;
  const evenkey::DynamicShardedKey& partition_keys() const { return keys; }
};

std::vector<std::string> partitions(const evenkey::ReadPlan& plan) {
  std::vector<std::string> keys;
  for (const auto& group : plan.groups) {
    if (!keys.empty()) keys.emplace_back("|");
    for (const auto& partition : group.partitions)
      keys.emplace_back(partition.partition_key);
  }
  return keys;
}
using Keys = std::vector<std::string>;

}  // namespace

TEST_SUITE("migrate") {
  TEST_CASE("a created row is stamped by the phase, and an empty id is refused") {
    for (const Phase phase : phases) {
      const bool to = phase >= Phase::destination_writes;
      CHECK(Cutover::partition_key(phase, "person-42") == (to ? "C#13" : "C"));
      CHECK(cutover.reversed().partition_key(phase, "person-42") == (to ? "C" : "C#13"));
      CHECK_THROWS_AS((void)Cutover::partition_key(phase, ""), evenkey::key_error);
    }
  }

  TEST_CASE(
      "every place that a phase's writer may put a row is read by the readers of it and of its neighbours") {
    for (const Phase writer : phases)
      for (const Phase reader : phases) {
        if (std::abs(static_cast<int>(writer) - static_cast<int>(reader)) > 1) continue;
        const auto read = partitions(evenkey::read_plan(cutover.at(reader), "person-42"));
        const std::string key(Cutover::partition_key(writer, "person-42"));
        CHECK(std::find(read.begin(), read.end(), key) != read.end());
      }
  }

  TEST_CASE("readers of the middle phases look into the source first, the others into one side") {
    const auto find = [](Phase phase) {
      return partitions(evenkey::read_plan(cutover.at(phase), "person-42"));
    };
    CHECK(find(Phase::source) == Keys{"C"});
    CHECK(find(Phase::dual_read) == Keys{"C", "|", "C#13"});
    CHECK(find(Phase::destination_writes) == Keys{"C", "|", "C#13"});
    CHECK(find(Phase::destination) == Keys{"C#13"});
    CHECK(evenkey::read_plan(cutover.at(Phase::dual_read)).groups[1].partitions.size() == 16);
  }

  TEST_CASE("the way back of the way back is the way there, and mirrored phases use the same partitions") {
    static_assert(std::is_same_v<decltype(cutover.reversed().reversed()), Cutover>);
    const auto back = cutover.reversed();
    CHECK(back.id() == "copies: C#0 (xxh3_64/mod/16 #n) -> C (unsharded)");
    CHECK(back.reversed().id() == cutover.id());
    for (const Phase phase : phases) {
      CHECK(Cutover::mirrored(Cutover::mirrored(phase)) == phase);
      CHECK(Cutover::partition_key(phase, "p") == back.partition_key(Cutover::mirrored(phase), "p"));
      auto there = partitions(evenkey::read_plan(cutover.at(phase), "p"));
      auto here = partitions(evenkey::read_plan(back.at(Cutover::mirrored(phase)), "p"));
      std::sort(there.begin(), there.end());
      std::sort(here.begin(), here.end());
      CHECK(there == here);
    }
  }

  TEST_CASE("a wait for visibility is in the plan of two sides alone") {
    constexpr Cutover patient{evenkey::visible_within(std::chrono::milliseconds(300))};
    for (const Phase phase : phases) {
      const bool both = phase == Phase::dual_read || phase == Phase::destination_writes;
      CHECK(evenkey::read_plan(patient.at(phase)).visibility_wait.count() == (both ? 300 : 0));
      CHECK(evenkey::read_plan(cutover.at(phase)).visibility_wait.count() == 0);
    }
    CHECK_THROWS_AS((void)evenkey::visible_within(std::chrono::milliseconds(0)), std::invalid_argument);
    CHECK_NOTHROW((void)evenkey::visible_within(std::chrono::hours(24)));
    CHECK_THROWS_WITH_AS((void)evenkey::visible_within(std::chrono::hours(24) + std::chrono::milliseconds(1)),
                         doctest::Contains("a day at most"), std::invalid_argument);
  }

  TEST_CASE("a name that both sides have is asked once, before what leaves it and after what comes to it") {
    constexpr evenkey::Migration<CopiesBy<4>, CopiesBy<2>::PartitionKey> doubling{
        evenkey::insert_visible_first};
    // Rows go from 0 and 1 to 2 and 3: those that leave are in the source, which is read first.
    CHECK(partitions(evenkey::read_plan(doubling.at(Phase::dual_read))) ==
          Keys{"C#0", "C#1", "|", "C#2", "C#3"});
    CHECK(partitions(evenkey::read_plan(doubling.reversed().at(Phase::dual_read))) ==
          Keys{"C#2", "C#3", "|", "C#0", "C#1"});
  }

  TEST_CASE("the source of a second index is one partition without a key, that no stored key is of") {
    using evenkey::Unstamped;
    CHECK(Unstamped::value().empty());
    CHECK(Unstamped::of("a").empty());
    CHECK(Unstamped::shard_of("a") == evenkey::ShardId{0});
    CHECK(Unstamped::size() == 1);
    CHECK(Unstamped::parse("") == evenkey::ShardId{0});
    CHECK(!Unstamped::parse("C#0"));
  }

  TEST_CASE("keys known at run time are looked at when the migration is made") {
    using Doubling = evenkey::Migration<Dynamic, evenkey::DynamicShardedKey>;
    const auto make = [](std::uint32_t from, std::uint32_t to) {
      return Doubling(Dynamic{{}, evenkey::DynamicShardedKey("C", to)}, evenkey::DynamicShardedKey("C", from),
                      evenkey::insert_visible_first);
    };
    const Doubling doubling = make(4, 8);
    const evenkey::DynamicShardedKey eight("C", 8);
    CHECK(doubling.partition_key(Phase::destination, "person-42") == eight.of("person-42"));
    CHECK_NOTHROW((void)make(8, 4));
    CHECK_NOTHROW((void)make(1, 7));
    for (const auto& [from, to] :
         {std::pair{4U, 6U}, std::pair{3U, 4U}, std::pair{10U, 12U}, std::pair{6U, 4U}})
      CHECK_THROWS_AS((void)make(from, to), evenkey::migration_error);
    try {
      (void)make(4, 6);
    } catch (const evenkey::migration_error& error) {
      CHECK(std::string(error.what()).find("give the destination a generation") != std::string::npos);
    }
  }

  TEST_CASE("keys of one name by two placements, or in two formats, are refused when the migration is made") {
    using Jump = evenkey::BasicDynamicShardedKey<evenkey::Xxh3_64, evenkey::Jump>;
    CHECK_THROWS_WITH_AS((evenkey::Migration<Dynamic, Jump>(Dynamic{{}, evenkey::DynamicShardedKey("C", 8)},
                                                            Jump("C", 4), evenkey::insert_visible_first)),
                         doctest::Contains("in cycles"), evenkey::migration_error);
    // From C#10 on, keys of width 2 have the names of those without a width.
    CHECK_THROWS_WITH_AS(
        (evenkey::Migration<Dynamic, evenkey::DynamicShardedKey>(
            Dynamic{{}, evenkey::DynamicShardedKey("C", 24)},
            evenkey::DynamicShardedKey("C", 12, {.width = 2}), evenkey::insert_visible_first)),
        doctest::Contains("in cycles"), evenkey::migration_error);
  }

  TEST_CASE("sharded keys of another generation never share a name, so any N goes to any other") {
    using Old = evenkey::ShardedKey<"C", evenkey::ShardPolicy<4>>;
    using New = evenkey::ShardedKey<"C", evenkey::ShardPolicy<6>, evenkey::KeyFormat{.generation = 2}>;
    constexpr evenkey::Migration<Index, Old, New> resharding{evenkey::insert_visible_first};
    CHECK(resharding.id() == "copies: C#0 (xxh3_64/mod/4 #n) -> C#g2#0 (xxh3_64/mod/6 #g2#n)");
    CHECK(evenkey::read_plan(resharding.at(Phase::dual_read)).groups[0].partitions.size() == 4);
  }
}
