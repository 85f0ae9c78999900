// SPDX-License-Identifier: BSL-1.0
#include <evenkey/capacity/draws.hpp>
#include <evenkey/capacity/fan_out.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

namespace {

namespace capacity = evenkey::capacity;

static_assert(capacity::fan_out_units(16) == 8);
static_assert(capacity::fan_out_units(1, 40'960) == 5);

TEST_SUITE("capacity") {
  TEST_CASE("F34: 16 queries of 100 bytes cost 8 units, not half of one") {
    CHECK(capacity::fan_out_units(16, 1'600) == 8);
    CHECK(capacity::query_units(1'600) == 0.5);
  }

  TEST_CASE("each shard's part is rounded by itself") {
    CHECK(capacity::fan_out_units(2, 2 * 4'096) == 1);
    CHECK(capacity::fan_out_units(2, 2 * 4'096 + 1) == 1.5);
    CHECK(capacity::fan_out_units(4'294'967'295U, ~std::uint64_t{0}) > 2e15);
    CHECK_THROWS_AS(capacity::fan_out_units(0), std::invalid_argument);
  }

  TEST_CASE("a poll of 16 empty shards each second has a price a day") {
    CHECK(capacity::cost_per_day(capacity::fan_out_units(16), 0.125) == doctest::Approx(0.0864));
    CHECK(capacity::cost_per_day(0, 0.125) == 0);
    for (const double bad : {-1.0, std::nan(""), HUGE_VAL}) {
      CHECK_THROWS_AS(capacity::cost_per_day(bad, 1), std::invalid_argument);
      CHECK_THROWS_AS(capacity::cost_per_day(1, bad), std::invalid_argument);
    }
  }

  TEST_CASE("the slowest of N is as the largest of N samples") {
    std::vector<double> samples;
    for (int i = 1; i <= 1'000; ++i)
      samples.push_back(i);
    const auto alone = capacity::fan_out_latency(1, samples);
    CHECK(alone.mean == doctest::Approx(500.5));
    CHECK(alone.p50 == 500);
    CHECK(alone.p99 == 990);
    CHECK(alone.samples_beyond_p99 == doctest::Approx(10));
    const auto sixteen = capacity::fan_out_latency(16, samples);
    CHECK(sixteen.p50 == 958);  // 0.5^(1/16) = 0.9576
    CHECK(sixteen.p99 == 1'000);
    CHECK(sixteen.samples_beyond_p99 < 1);
    CHECK(sixteen.mean == doctest::Approx(16.0 / 17 * 1'000).epsilon(0.01));
    CHECK(capacity::fan_out_latency(4, std::vector<double>{7}).p99 == 7);
  }

  TEST_CASE("drawn fan-outs take the times foretold") {
    constexpr std::uint64_t seed = 11;
    INFO("seed ", seed);
    capacity::detail::Draws draws(seed);
    std::vector<double> samples;
    for (int i = 0; i < 5'000; ++i)
      samples.push_back(3 - 5 * std::log(1 - draws.unit()));  // 3 ms and an exponential tail
    const auto foretold = capacity::fan_out_latency(16, samples);
    std::vector<double> slowest;
    for (int round = 0; round < 20'000; ++round) {
      double most = 0;
      for (int shard = 0; shard < 16; ++shard)
        most = (std::max)(most, samples[draws.below(5'000)]);
      slowest.push_back(most);
    }
    std::sort(slowest.begin(), slowest.end());
    CHECK(slowest[10'000] == doctest::Approx(foretold.p50).epsilon(0.02));
    CHECK(slowest[18'000] == doctest::Approx(foretold.p90).epsilon(0.03));
  }

  TEST_CASE("latencies that are none are refused") {
    CHECK_THROWS_AS(capacity::fan_out_latency(4, std::vector<double>{}), std::invalid_argument);
    CHECK_THROWS_AS(capacity::fan_out_latency(4, std::vector<double>{-1}), std::invalid_argument);
    CHECK_THROWS_AS(capacity::fan_out_latency(4, std::vector<double>{std::nan("")}), std::invalid_argument);
    CHECK_THROWS_AS(capacity::fan_out_latency(0, std::vector<double>{1}), std::invalid_argument);
  }
}

}  // namespace
