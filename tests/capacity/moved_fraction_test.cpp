// SPDX-License-Identifier: BSL-1.0
#include <evenkey/capacity/moved_fraction.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

namespace capacity = evenkey::capacity;
using capacity::moved_fraction;
using evenkey::Jump;
using evenkey::Modulo;

/// Fills the shards up one after the other.
struct Ranges {
  static constexpr std::string_view name = "range";
  static constexpr std::uint32_t place(std::uint64_t hash, std::uint32_t shard_count) noexcept {
    return static_cast<std::uint32_t>(((hash >> 32) * shard_count) >> 32);
  }
};

static_assert(moved_fraction(16, 32) == 0.5);
static_assert(moved_fraction(16, 16) == 0);

TEST_SUITE("capacity") {
  TEST_CASE("what moves is what the placement makes of it") {
    CHECK(moved_fraction(16, 20) == doctest::Approx(0.8));
    CHECK(moved_fraction(16, 20, Jump{}) == doctest::Approx(0.2));
    CHECK(moved_fraction(3, 4, Modulo{}) == doctest::Approx(0.75));
    CHECK(moved_fraction(32, 16) == 0.5);
    CHECK(moved_fraction(1, 4, Jump{}) == 0.75);
    CHECK(moved_fraction(1, 2, Ranges{}) == doctest::Approx(0.5).epsilon(0.02));
    CHECK(moved_fraction(4'294'967'295U, 4'294'967'294U) == doctest::Approx(1));
  }

  TEST_CASE("the formula agrees with ids that were moved") {
    std::vector<std::string> ids;
    for (int i = 0; i < 20'000; ++i)
      ids.push_back("person-" + std::to_string(i));
    for (const auto& change : {std::pair{16U, 20U}, {4U, 6U}, {16U, 8U}, {10U, 12U}}) {
      const std::uint32_t from = change.first, to = change.second;  // clang 14 captures no bindings
      const auto moved = [&](auto placement) {
        using Policy = evenkey::DynamicShardPolicy<evenkey::Xxh3_64, decltype(placement)>;
        return capacity::measure_moved(Policy(from), Policy(to), ids);
      };
      CHECK(moved(Modulo{}) == doctest::Approx(moved_fraction(from, to)).epsilon(0.03));
      CHECK(moved(Jump{}) == doctest::Approx(moved_fraction(from, to, Jump{})).epsilon(0.05));
    }
    CHECK(capacity::measure_moved(evenkey::ShardPolicy<4>{}, evenkey::ShardPolicy<4>{}, ids) == 0);
    CHECK(capacity::measure_moved(evenkey::ShardPolicy<4>{}, evenkey::ShardPolicy<8>{},
                                  std::vector<std::string>{}) == 0);
  }

  TEST_CASE("no shards are refused") {
    CHECK_THROWS_AS(moved_fraction(0, 4), std::invalid_argument);
    CHECK_THROWS_AS(moved_fraction(4, 0, Jump{}), std::invalid_argument);
  }
}

}  // namespace
