// SPDX-License-Identifier: BSL-1.0
#include <evenkey/capacity/spread.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <limits>
#include <list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace capacity = evenkey::capacity;
using evenkey::ShardPolicy;
using Limits = std::numeric_limits<double>;

std::vector<std::string> persons(std::size_t count) {
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < count; ++i)
    ids.push_back("person-" + std::to_string(i));
  return ids;
}

TEST_SUITE("capacity") {
  TEST_CASE("150 persons with a row each do not get 16 times from 16 shards") {
    const auto spread = capacity::measure<ShardPolicy<16>>(persons(150));
    REQUIRE(spread.per_shard.size() == 16);
    CHECK(spread.total == 150);
    CHECK(spread.per_shard[spread.hottest.value] == doctest::Approx(150 * spread.hottest_share));
    CHECK(spread.effective_lift == doctest::Approx(1 / spread.hottest_share));
    CHECK(spread.effective_lift < 14);
    CHECK(spread.effective_lift > 6);
  }

  TEST_CASE("a policy made at run time spreads as the one known to the compiler") {
    const auto ids = persons(1000);
    const auto fixed = capacity::measure<ShardPolicy<12, evenkey::Xxh64, evenkey::Jump>>(ids);
    const auto made = capacity::measure(evenkey::DynamicShardPolicy<evenkey::Xxh64, evenkey::Jump>(12), ids);
    CHECK(fixed.per_shard == made.per_shard);
    CHECK(fixed.hottest == made.hottest);
  }

  TEST_CASE("weights say more than the number of ids") {
    auto ids = persons(100);
    std::vector<int> weights(100, 1);
    weights[7] = 901;  // of 1,000 in all
    const auto spread = capacity::measure<ShardPolicy<16>>(ids, weights);
    CHECK(spread.total == 1000);
    CHECK(spread.hottest == ShardPolicy<16>::shard_of(ids[7]));
    CHECK(spread.hottest_share >= 0.901);
    CHECK(spread.effective_lift < 1.2);
    CHECK(capacity::measure(evenkey::DynamicShardPolicy<>(16), ids, weights).per_shard == spread.per_shard);
  }

  TEST_CASE("an id in the list twice counts twice") {
    const std::list<std::string_view> rows{"a", "a", "a", "b"};
    const auto spread = capacity::measure<ShardPolicy<4>>(rows);
    CHECK(spread.total == 4);
    CHECK(spread.hottest_share >= 0.75);
  }

  TEST_CASE("nothing to spread lifts nothing") {
    const std::vector<std::string> none;
    for (const auto& spread :
         {capacity::measure<ShardPolicy<16>>(none),
          capacity::measure<ShardPolicy<16>>(persons(3), std::vector<double>{0, 0, 0})}) {
      CHECK(spread.per_shard == std::vector<double>(16));
      CHECK(spread.total == 0);
      CHECK(spread.hottest_share == 0);
      CHECK(spread.effective_lift == 1);
    }
    const auto one = capacity::measure<ShardPolicy<16>>(persons(1));
    CHECK(one.hottest_share == 1);
    CHECK(one.effective_lift == 1);
  }

  TEST_CASE("weights that are none are refused") {
    const auto ids = persons(2);
    const auto measured = [&](std::vector<double> weights) {
      return capacity::measure<ShardPolicy<4>>(ids, weights);
    };
    CHECK_THROWS_AS(measured({1}), std::invalid_argument);
    CHECK_THROWS_AS(measured({1, 2, 3}), std::invalid_argument);
    CHECK_THROWS_AS(measured({1, -1}), std::invalid_argument);
    CHECK_THROWS_AS(measured({1, Limits::quiet_NaN()}), std::invalid_argument);
    CHECK_THROWS_AS(measured({1, Limits::infinity()}), std::invalid_argument);
    CHECK_THROWS_AS(measured({(Limits::max)(), (Limits::max)()}), std::invalid_argument);
    CHECK(measured({Limits::denorm_min(), 0}).effective_lift == 1);
  }
}

}  // namespace
