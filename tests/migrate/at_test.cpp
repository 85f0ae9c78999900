// SPDX-License-Identifier: BSL-1.0
//
// That nothing of the other side is compiled in is proven on the type here, and on a binary by one_side/.
#include <evenkey/migrate/migration.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <type_traits>

#include "support/two_copies.hpp"

namespace {

using evenkey::Phase;

using Index = support::CopiesBy<16>;
using Keys = Index::PartitionKey;
using Legacy = evenkey::UnshardedKey<"C">;
using Cutover = evenkey::Migration<Index, Legacy>;
constexpr Cutover cutover{evenkey::insert_visible_first};

using AtSource = decltype(cutover.at<Phase::source>());
using AtDestination = decltype(cutover.at<Phase::destination>());

// The types of the first and the last phase name one side, and have room for no other.
static_assert(std::is_same_v<AtSource, evenkey::OneSideIndex<Index, Legacy>>);
static_assert(std::is_same_v<AtDestination, evenkey::OneSideIndex<Index, Keys>>);
static_assert(std::is_empty_v<AtSource> && std::is_empty_v<AtDestination>);
static_assert(std::is_same_v<AtSource::PartitionKey, Legacy>);
static_assert(std::is_same_v<AtDestination::PartitionKey, Keys>);
// They do not depend on where the rows come from or go to.
static_assert(
    std::is_same_v<AtDestination,
                   decltype(evenkey::Migration<Index, evenkey::ShardedKey<"Z", evenkey::ShardPolicy<2>>>(
                                evenkey::insert_visible_first)
                                .at<Phase::destination>())>);
static_assert(std::is_same_v<AtSource, decltype(cutover.reversed().at<Phase::destination>())>);
// Those between name both.
static_assert(
    std::is_same_v<decltype(cutover.at<Phase::dual_read>()), evenkey::PhaseIndex<Index, Legacy, Keys>>);
static_assert(std::is_same_v<decltype(cutover.at<Phase::destination_writes>()),
                             evenkey::PhaseIndex<Index, Legacy, Keys>>);
// All are definitions, for every verb.
static_assert(evenkey::index_by_id<AtSource> && evenkey::index_by_id<AtDestination>);
static_assert(evenkey::index_with_order<decltype(cutover.at(Phase::source))>);

}  // namespace

TEST_SUITE("migrate") {
  TEST_CASE("a phase fixed at compile time reads what the same phase from a flag reads") {
    const auto same = [](const auto& fixed, Phase phase) {
      const auto flagged = cutover.at(phase);
      const auto a = evenkey::read_plan(fixed);
      const auto b = evenkey::read_plan(flagged);
      REQUIRE(a.groups.size() == b.groups.size());
      for (std::size_t group = 0; group < a.groups.size(); ++group) {
        REQUIRE(a.groups[group].partitions.size() == b.groups[group].partitions.size());
        for (std::size_t i = 0; i < a.groups[group].partitions.size(); ++i)
          CHECK(a.groups[group].partitions[i].partition_key == b.groups[group].partitions[i].partition_key);
      }
      CHECK(evenkey::layout_of(fixed) == evenkey::layout_of(flagged));
    };
    same(cutover.at<Phase::source>(), Phase::source);
    same(cutover.at<Phase::dual_read>(), Phase::dual_read);
    same(cutover.at<Phase::destination_writes>(), Phase::destination_writes);
    same(cutover.at<Phase::destination>(), Phase::destination);
  }
}
