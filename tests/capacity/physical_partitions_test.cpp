// SPDX-License-Identifier: BSL-1.0
#include <evenkey/capacity/physical_partitions.hpp>
#include <evenkey/capacity/split_simulation.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace {

namespace capacity = evenkey::capacity;
using capacity::SortKeys;
using capacity::SplitSimulation;

static_assert(capacity::physical_partitions({.read_units = 12'000, .write_units = 4'000}) == 4);
static_assert(capacity::physical_partitions({}) == 1);
static_assert(capacity::physical_partitions({.write_units = 1'001}) == 2);
static_assert(capacity::physical_partitions({.read_units = 1e300}) == 4'294'967'295U);

TEST_SUITE("capacity") {
  TEST_CASE("formula and simulation of the ceiling agree within 5 %") {
    constexpr capacity::Simulation simulation{.seed = 4, .rounds = 1'000};
    INFO("seed ", simulation.seed);
    for (const std::uint32_t keys : {1U, 2U, 4U, 16U, 64U}) {
      for (const std::uint32_t partitions : {1U, 2U, 4U, 16U, 40U}) {
        INFO(keys, " keys on ", partitions, " physical partitions");
        const auto formula = capacity::expected_ceiling(keys, partitions);
        const auto drawn = capacity::simulated_ceiling(std::vector<double>(keys, 1), partitions, simulation);
        CHECK(drawn.lift_before_splits == doctest::Approx(formula.lift_before_splits).epsilon(0.05));
        CHECK(drawn.lift_after_splits == doctest::Approx(formula.lift_after_splits).epsilon(0.05));
      }
    }
  }

  TEST_CASE("they agree for shards that do not bear the same") {
    const std::vector<double> loads{18, 15, 12, 12, 10, 10, 9, 9, 9, 8, 8, 8, 7, 6, 5, 4};
    const auto formula = capacity::expected_ceiling(loads, 4);
    const auto drawn = capacity::simulated_ceiling(loads, 4, {.seed = 9});
    CHECK(drawn.lift_before_splits == doctest::Approx(formula.lift_before_splits).epsilon(0.05));
    CHECK(formula.lift_after_splits == doctest::Approx(150.0 / 18));
    CHECK(drawn.lift_after_splits == doctest::Approx(formula.lift_after_splits).epsilon(0.05));
  }

  TEST_CASE("16 keys do not bear 16 times on the first day") {
    const auto ceiling = capacity::expected_ceiling(16, 4);
    CHECK(ceiling.lift_before_splits < 3);
    CHECK(ceiling.before_splits().write_units < 3'000);
    CHECK(ceiling.after_splits().write_units == 16'000);
    CHECK(ceiling.after_splits({.read_units = 4'500}).read_units == 72'000);
  }

  TEST_CASE("one constant key is never split where sort keys rise, and is where they do not") {
    const std::vector<double> one{1};
    SplitSimulation rising(one, 4, 1);
    SplitSimulation any(one, 4, 1, {.sort_keys = SortKeys::any});
    for (int minute = 0; minute < 60; ++minute) {
      rising.minute(3);
      any.minute(3);
    }
    CHECK(rising.lift() == 1);
    CHECK(rising.physical_partition_count() == 4);
    CHECK(any.lift() >= 3);
  }

  TEST_CASE("heat splits after minutes of it, not in a burst") {
    const std::vector<double> sixteen(16, 1);
    SplitSimulation partitions(sixteen, 1, 1);
    for (int burst = 0; burst < 100; ++burst) {
      for (int minute = 0; minute < 4; ++minute)
        partitions.minute(8);
      partitions.minute(0.1);
    }
    CHECK(partitions.lift() == 1);
    for (int minute = 0; minute < 5; ++minute)
      partitions.minute(8);
    CHECK(partitions.lift() == doctest::Approx(2));
    for (int minute = 0; minute < 60; ++minute)
      partitions.minute(8);
    CHECK(partitions.lift() > 8);
    const auto settled = partitions.physical_partition_count();
    for (int minute = 0; minute < 60; ++minute)
      partitions.minute(0);
    CHECK(partitions.physical_partition_count() == settled);  // they never merge
  }

  TEST_CASE("warm throughput for a lift gives that lift, and less does not") {
    for (const double lift : {1.0, 2.0, 4.0, 8.0, 14.0}) {
      const auto throughput = capacity::warm_throughput_for(16, lift);
      const auto partitions = capacity::physical_partitions(throughput);
      CHECK(capacity::expected_ceiling(16, partitions).lift_before_splits >= lift);
      if (partitions > 1) CHECK(capacity::expected_ceiling(16, partitions - 1).lift_before_splits < lift);
    }
    CHECK(capacity::warm_throughput_for(1, 1).write_units == 1'000);
    for (const double lift : {0.0, -1.0, 14.5, 16.0, std::nan("")})
      CHECK_THROWS_AS(capacity::warm_throughput_for(16, lift), std::invalid_argument);
  }

  TEST_CASE(
      "the fewest partitions that bear reads and writes, rounded up, and never more than can be counted") {
    CHECK(capacity::physical_partitions({}) == 1);
    CHECK(capacity::physical_partitions({.read_units = 6'000}) == 2);
    CHECK(capacity::physical_partitions({.read_units = 6'001}) == 3);
    CHECK(capacity::physical_partitions({.read_units = 9'001, .write_units = 1'000}) == 4);
    CHECK(capacity::physical_partitions({.read_units = 3'000, .write_units = 4'000}) == 4);
    CHECK(capacity::physical_partitions({.read_units = 1e300}) == 4294967295U);
  }

  TEST_CASE("no partitions and no load are refused") {
    const std::vector<double> one{1}, none, zero{0}, negative{1, -1};
    CHECK_THROWS_AS(capacity::expected_ceiling(4, 0), std::invalid_argument);
    CHECK_THROWS_AS(capacity::expected_ceiling(0, 4), std::invalid_argument);
    CHECK_THROWS_AS(capacity::expected_ceiling(one, 0), std::invalid_argument);
    CHECK_THROWS_AS(capacity::expected_ceiling(negative, 4), std::invalid_argument);
    CHECK(capacity::expected_ceiling(none, 4).lift_after_splits == 1);
    CHECK_THROWS_AS(SplitSimulation(one, 0, 1), std::invalid_argument);
    CHECK_THROWS_AS(SplitSimulation(none, 4, 1), std::invalid_argument);
    CHECK_THROWS_AS(SplitSimulation(zero, 4, 1), std::invalid_argument);
    CHECK_THROWS_AS(SplitSimulation(negative, 4, 1), std::invalid_argument);
    CHECK_THROWS_AS(capacity::physical_partitions({.read_units = -1}), std::invalid_argument);
  }
}

}  // namespace
