// SPDX-License-Identifier: BSL-1.0
#include <evenkey/capacity/draws.hpp>
#include <evenkey/capacity/required_shards.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <stdexcept>

namespace {

namespace capacity = evenkey::capacity;
using capacity::Load;
using capacity::required_shards;
using Limits = std::numeric_limits<double>;

static_assert(required_shards({.writes_per_second = 2100, .write_bytes = 1}, {.target = 0.7}) == 3);
static_assert(required_shards({}) == 1);

constexpr std::uint64_t whole_above(std::uint64_t part, std::uint64_t of) {
  return part / of + (part % of != 0 ? 1 : 0);
}

TEST_SUITE("capacity") {
  TEST_CASE("F34: shards are enough for the load at the target, and no more") {
    const Load load{.writes_per_second = 3500, .write_bytes = 1500};
    CHECK(required_shards(load, {.target = 1.0}) == 7);
    CHECK(required_shards(load, {.target = 0.7}) == 10);
    CHECK(required_shards({}, {}) == 1);
    CHECK(required_shards({.writes_per_second = 1e12, .write_bytes = 1}, {.target = 1}) == 1'000'000'000);
    CHECK(required_shards({.writes_per_second = 1e12, .write_bytes = 409'600}) == capacity::most_shards);
    for (const double target : {0.0, -0.0, -0.7, 1.01, Limits::quiet_NaN(), Limits::infinity()})
      CHECK_THROWS_AS(required_shards(load, {.target = target}), std::invalid_argument);
  }

  TEST_CASE("the larger need of reads and writes decides") {
    Load load{.queries_per_second = 2000, .query_bytes = 20'000};  // 2.5 units each
    CHECK(required_shards(load, {.target = 1}) == 2);
    load.writes_per_second = 3'001;
    CHECK(required_shards(load, {.target = 1}) == 4);
  }

  TEST_CASE("limits are parameters") {
    const Load load{.queries_per_second = 9000};
    CHECK(required_shards(load, {.target = 1, .limits = {.read_units = 4500}}) == 1);
    CHECK(required_shards(load, {.target = 1}) == 2);
  }

  TEST_CASE("a boundary is exact for every target of whole percents") {
    for (std::uint64_t percent = 1; percent <= 100; ++percent) {
      const double target = static_cast<double>(percent) / 100;
      for (const std::uint64_t shards : {1U, 2U, 3U, 7U, 16U, 1'000U, 4'000'000U}) {
        // shards * 1000 * percent / 100 units fill them exactly.
        const std::uint64_t full = shards * 10 * percent;
        CHECK(required_shards({.writes_per_second = static_cast<double>(full)}, {.target = target}) ==
              shards);
        CHECK(required_shards({.writes_per_second = static_cast<double>(full + 1)}, {.target = target}) ==
              shards + 1);
      }
    }
  }

  TEST_CASE("any load of whole numbers gets what integers say") {
    constexpr std::uint64_t seed = 34;
    INFO("seed ", seed);
    capacity::detail::Draws draws(seed);
    for (int round = 0; round < 20'000; ++round) {
      const std::uint64_t writes = draws.below(1'000'000'000), bytes = draws.below(4'000);
      const std::uint64_t queries = draws.below(1'000'000'000), read = draws.below(100'000);
      const std::uint64_t percent = 1 + draws.below(100);
      const std::uint64_t by_writes = whole_above(writes * capacity::write_units(bytes), 10 * percent);
      const std::uint64_t by_reads = whole_above(queries * capacity::strong_scan_units(read), 60 * percent);
      std::uint64_t expected = by_writes > by_reads ? by_writes : by_reads;
      if (expected == 0) expected = 1;
      if (expected > capacity::most_shards) expected = capacity::most_shards;
      INFO("writes ", writes, " of ", bytes, ", queries ", queries, " of ", read, ", percent ", percent);
      REQUIRE(required_shards({.writes_per_second = static_cast<double>(writes),
                               .write_bytes = bytes,
                               .queries_per_second = static_cast<double>(queries),
                               .query_bytes = read},
                              {.target = static_cast<double>(percent) / 100}) == expected);
    }
  }

  TEST_CASE("listings cost every shard half a unit, so that more shards do not always help") {
    // 100 listings/s of 1 MB are 12,800 units/s on one shard, and about that in all on several.
    CHECK(required_shards({.listings_per_second = 100, .listing_bytes = 1 << 20}, {.target = 1}) == 5);
    CHECK(required_shards({.listings_per_second = 6'000}, {.target = 1}) == 1);
    CHECK(required_shards({.listings_per_second = 6'001}, {.target = 1}) == capacity::most_shards);
  }

  TEST_CASE("what is no load and no limit is refused") {
    for (const double bad : {-1.0, -1e-300, Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity()}) {
      CHECK_THROWS_AS(required_shards({.writes_per_second = bad}), std::invalid_argument);
      CHECK_THROWS_AS(required_shards({.queries_per_second = bad}), std::invalid_argument);
      CHECK_THROWS_AS(required_shards({.listings_per_second = bad}), std::invalid_argument);
      CHECK_THROWS_AS(required_shards({}, {.limits = {.read_units = bad}}), std::invalid_argument);
      CHECK_THROWS_AS(required_shards({}, {.limits = {.write_units = bad}}), std::invalid_argument);
    }
    CHECK_THROWS_AS(required_shards({}, {.limits = {.write_units = 0}}), std::invalid_argument);
  }

  TEST_CASE("loads without measure overflow nothing") {
    constexpr std::uint64_t most = (std::numeric_limits<std::uint64_t>::max)();
    CHECK(required_shards({.writes_per_second = (Limits::max)(), .write_bytes = most}) ==
          capacity::most_shards);
    CHECK(required_shards({.queries_per_second = (Limits::max)(),
                           .query_bytes = most,
                           .listings_per_second = (Limits::max)(),
                           .listing_bytes = most}) == capacity::most_shards);
    CHECK(required_shards({.writes_per_second = Limits::denorm_min()}) == 1);
    CHECK(required_shards({.writes_per_second = 1}, {.target = Limits::denorm_min()}) ==
          capacity::most_shards);
  }

  TEST_CASE("demand follows the share, but for the half unit of a listing") {
    const Load load{.writes_per_second = 100,
                    .write_bytes = 1025,
                    .queries_per_second = 1000,
                    .query_bytes = 4097,
                    .listings_per_second = 10,
                    .listing_bytes = 40'960};
    const auto whole = capacity::demand_on(load, 1);
    CHECK(whole.write_units == 200);
    CHECK(whole.read_units == 1000 + 10 * 5);
    const auto none = capacity::demand_on(load, 0);
    CHECK(none.write_units == 0);
    CHECK(none.read_units == 5);
    CHECK(capacity::utilisation(whole) == doctest::Approx(0.35));
    CHECK(capacity::utilisation(whole, {.write_units = 400}) == 0.5);
    for (const double bad : {-0.1, 1.1, Limits::quiet_NaN()})
      CHECK_THROWS_AS(capacity::demand_on(load, bad), std::invalid_argument);
    CHECK(capacity::demand_on({.listings_per_second = 1, .listing_bytes = ~std::uint64_t{0}}, 1).read_units >
          1e15);
  }
}

}  // namespace
