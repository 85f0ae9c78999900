// SPDX-License-Identifier: BSL-1.0
#include <evenkey/capacity/units.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>

namespace {

namespace capacity = evenkey::capacity;

constexpr std::uint64_t max_bytes = (std::numeric_limits<std::uint64_t>::max)();

static_assert(capacity::write_units(0) == 1 && capacity::write_units(1) == 1);
static_assert(capacity::write_units(1024) == 1 && capacity::write_units(1025) == 2);
static_assert(capacity::write_units(409'600) == 400);
static_assert(capacity::write_units(max_bytes) == std::uint64_t{1} << 54);
static_assert(capacity::rekey_units(1517, 1517) == 4 && capacity::rekey_units(1024, 1025) == 3);
static_assert(capacity::rekey_units(max_bytes, max_bytes) == std::uint64_t{1} << 55);
static_assert(capacity::query_units(0) == 0.5 && capacity::query_units(4096) == 0.5);
static_assert(capacity::query_units(4097) == 1.0 && capacity::query_units(20'000) == 2.5);
static_assert(capacity::query_units(1 << 20) == 128);
static_assert(capacity::query_units(max_bytes) == static_cast<double>(std::uint64_t{1} << 51));
static_assert(capacity::strong_scan_units(0) == 1 && capacity::strong_scan_units(4097) == 2);
static_assert(capacity::strong_scan_units(max_bytes) == std::uint64_t{1} << 52);

TEST_SUITE("capacity") {
  TEST_CASE("F34: units are rounded where DynamoDB rounds them") {
    CHECK(capacity::write_units(1024) == 1);
    CHECK(capacity::write_units(1025) == 2);
    CHECK(capacity::rekey_units(1517, 1517) == 4);  // not ceil of 3034 bytes, 3
    CHECK(capacity::query_units(40 * 1024 + 820) == 5.5);
    CHECK(16 * capacity::query_units(100) == 8);  // each query by itself, not 0.5 for 1,600 bytes
  }
}

}  // namespace
