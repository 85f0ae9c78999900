// SPDX-License-Identifier: BSL-1.0
#include <evenkey/capacity/expected_lift.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

namespace {

namespace capacity = evenkey::capacity;
using capacity::expected_lift;
using Limits = std::numeric_limits<double>;

TEST_SUITE("capacity") {
  TEST_CASE("small cases are as counted by hand") {
    CHECK(expected_lift(2, 2) == doctest::Approx(1.5));  // together 1, apart 2
    CHECK(expected_lift(3, 2) == doctest::Approx((1 + 2 * 2) / 3.0));
    CHECK(expected_lift(2, 3) == doctest::Approx((2 * 1 + 6 * 1.5) / 8));
    // 3 ids on 3 shards: 3 ways together, 18 as two and one, 6 apart.
    CHECK(expected_lift(3, 3) == doctest::Approx((3 * 1 + 18 * 1.5 + 6 * 3) / 27));
  }

  TEST_CASE("no ids, one id and one shard lift nothing") {
    CHECK(expected_lift(16, 0) == 1);
    CHECK(expected_lift(16, 1) == 1);
    CHECK(expected_lift(1, 1'000'000) == 1);
    CHECK(expected_lift(16, std::vector<double>{}) == 1);
    CHECK(expected_lift(16, std::vector<double>{0, 0}) == 1);
    CHECK(expected_lift(16, std::vector<double>{3}) == 1);
    CHECK_THROWS_AS(expected_lift(0, 10), std::invalid_argument);
    CHECK_THROWS_AS(expected_lift(0, std::vector<double>{1}), std::invalid_argument);
  }

  TEST_CASE("150 ids on 16 shards can be expected to give 10, not 16") {
    CHECK(expected_lift(16, 150) == doctest::Approx(10.03).epsilon(0.001));
  }

  TEST_CASE("formula and simulation agree within 1 %") {
    constexpr capacity::Simulation simulation{.seed = 6, .rounds = 2'000};
    INFO("seed ", simulation.seed);
    for (const std::uint32_t shards : {2U, 3U, 16U, 64U, 300U}) {
      for (const std::size_t ids : {2U, 20U, 200U, 201U, 1'000U}) {
        INFO(shards, " shards, ", ids, " ids");
        CHECK(expected_lift(shards, std::vector<double>(ids, 1.0), simulation) ==
              doctest::Approx(expected_lift(shards, ids)).epsilon(0.01));
      }
    }
  }

  TEST_CASE("more ids spread better, and nothing jumps where the formula changes") {
    for (const std::uint32_t shards : {2U, 16U, 100U}) {
      double before = 1;
      for (const std::uint64_t ids : {2U, 10U, 100U, 200U, 400U, 10'000U, 1'000'000U}) {
        const double lift = expected_lift(shards, ids);
        CHECK(lift > before);
        CHECK(lift < shards);
        before = lift;
      }
      CHECK(expected_lift(shards, shards * std::uint64_t{1'000'000}) ==
            doctest::Approx(expected_lift(shards, shards * std::uint64_t{1'000'000} - 1)).epsilon(1e-4));
    }
  }

  TEST_CASE("numbers without measure get an answer") {
    constexpr auto most = (std::numeric_limits<std::uint64_t>::max)();
    CHECK(expected_lift(16, most) == doctest::Approx(16));
    CHECK(expected_lift(4'294'967'295U, 150) == doctest::Approx(150).epsilon(0.001));
    CHECK(expected_lift(4'294'967'295U, most) < 4'294'967'295.0);
  }

  TEST_CASE("a long tail lifts less than ids of equal weight, and follows its seed") {
    const auto weights = capacity::zipf_weights(1'000, 1);
    double total = 0;
    for (const double weight : weights)
      total += weight;
    CHECK(total == doctest::Approx(1));
    CHECK(weights[0] / weights[9] == doctest::Approx(10));
    const double lift = expected_lift(16, weights, {.seed = 1});
    CHECK(lift < expected_lift(16, 1'000));
    CHECK(lift < 1 / weights[0]);  // the busiest id stands in one shard
    CHECK(lift == expected_lift(16, weights, {.seed = 1}));
    CHECK(lift == doctest::Approx(expected_lift(16, weights, {.seed = 2})).epsilon(0.05));
    CHECK(capacity::zipf_weights(4, 0) == std::vector<double>(4, 0.25));
    CHECK(capacity::zipf_weights(0, 1).empty());
  }

  TEST_CASE("weights, exponents and rounds that are none are refused") {
    for (const double bad : {-1.0, Limits::quiet_NaN(), Limits::infinity()}) {
      CHECK_THROWS_AS(expected_lift(4, std::vector<double>{1, bad}), std::invalid_argument);
      CHECK_THROWS_AS(capacity::zipf_weights(4, bad), std::invalid_argument);
    }
    CHECK_THROWS_AS(expected_lift(4, std::vector<double>{1}, {.rounds = 0}), std::invalid_argument);
  }
}

}  // namespace
