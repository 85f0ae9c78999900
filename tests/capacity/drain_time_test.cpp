// SPDX-License-Identifier: BSL-1.0
#include <evenkey/capacity/drain_time.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>

namespace {

namespace capacity = evenkey::capacity;
using capacity::drain_time;
using Limits = std::numeric_limits<double>;

static_assert(drain_time({.rows = 100'000, .entry_bytes = 1517, .live_write_units = 200}).rows_per_second ==
              400);

TEST_SUITE("capacity") {
  TEST_CASE("a drain is bounded by what live writes leave of the source's partition") {
    const auto drain = drain_time({.rows = 100'000, .entry_bytes = 1517, .live_write_units = 200});
    CHECK(drain.rows_per_second == 400);
    CHECK(drain.seconds == 250);
    CHECK(drain.source_write_units == 800);
    CHECK(drain.index_write_units == 1'600);
    CHECK(drain.total_index_units == 400'000);
  }

  TEST_CASE("the rate allowed is kept, and headroom is a lower limit") {
    CHECK(drain_time({.rows = 1'000, .rows_per_second = 50}).seconds == 20);
    CHECK(drain_time({.rows = 1'000, .live_write_units = 200}, {.write_units = 700}).rows_per_second == 500);
  }

  TEST_CASE("a partition full of live writes is never drained, and no rows take no time") {
    const auto full = drain_time({.rows = 1, .live_write_units = 1'000});
    CHECK(full.rows_per_second == 0);
    CHECK(std::isinf(full.seconds));
    CHECK(std::isinf(drain_time({.rows = 1, .live_write_units = 2'000}).seconds));
    CHECK(std::isinf(drain_time({.rows = 1, .rows_per_second = 0}).seconds));
    CHECK(drain_time({.rows = 0, .live_write_units = 2'000}).seconds == 0);
    CHECK(drain_time({}).seconds == 0);
  }

  TEST_CASE("what is no amount is refused, and the largest is not") {
    for (const double bad : {-1.0, Limits::quiet_NaN(), Limits::infinity()}) {
      CHECK_THROWS_AS(drain_time({.live_write_units = bad}), std::invalid_argument);
      CHECK_THROWS_AS(drain_time({.rows_per_second = bad}), std::invalid_argument);
    }
    const auto most = drain_time({.rows = ~std::uint64_t{0}, .entry_bytes = ~std::uint64_t{0}});
    CHECK(most.seconds > 1e30);
    CHECK(std::isfinite(most.seconds));
  }
}

}  // namespace
