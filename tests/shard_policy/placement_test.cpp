// SPDX-License-Identifier: BSL-1.0
#include <evenkey/hash.hpp>
#include <evenkey/shard_policy/placement.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <string_view>

#include "support/shard_vectors.hpp"

namespace {

using evenkey::Jump;
using evenkey::Modulo;

constexpr std::uint32_t max_count = (std::numeric_limits<std::uint32_t>::max)();

// The paper's own formula in doubles. It needs a machine whose doubles are IEEE 754's and are rounded after
// each operation, as on x86-64; evenkey's needs neither.
std::uint32_t jump_in_doubles(std::uint64_t key, std::uint32_t shard_count) {
  double shard = 0;
  for (double next = 0; next < static_cast<double>(shard_count);) {
    shard = next;
    key = key * 2862933555777941757U + 1;
    const double quotient = 2147483648.0 / static_cast<double>((key >> 33) + 1);
    next = static_cast<double>(static_cast<std::int64_t>((shard + 1) * quotient));
  }
  return static_cast<std::uint32_t>(shard);
}

// Jump draws from a sequence of 64-bit states, of which it uses the upper 31 bits; this is the state before
// one.
constexpr std::uint64_t state_before(std::uint64_t state) {
  constexpr std::uint64_t multiplier = 2862933555777941757U;
  std::uint64_t inverse = multiplier;
  for (int round = 0; round < 6; ++round)
    inverse *= 2 - multiplier * inverse;  // Newton's, modulo 2^64
  return (state - 1) * inverse;
}

// A hash that jumps from shard 0 to `shard` at once and then by `(shard + 1) * (2^31 / divisor)`.
std::uint64_t hash_that_jumps(std::uint64_t shard, std::uint64_t divisor) {
  for (std::uint64_t low = 0;; ++low) {
    const std::uint64_t first = state_before((divisor - 1) << 33 | low);
    if ((std::uint64_t{1} << 31) / ((first >> 33) + 1) == shard) return state_before(first);
  }
}

static_assert(Modulo::place(0x3b2bf1fd396b1d0d, 16) == 13);
static_assert(Modulo::place((std::numeric_limits<std::uint64_t>::max)(), 10) == 5);  // as unsigned
static_assert(Modulo::place((std::numeric_limits<std::uint64_t>::max)(), 1) == 0);
static_assert(Jump::place(0x3b2bf1fd396b1d0d, 16) == 4);
static_assert(Jump::place(0x3b2bf1fd396b1d0d, 1) == 0);
static_assert(Modulo::name == "mod" && Jump::name == "jump");

struct Own {
  static constexpr std::string_view name = "first";
  static constexpr std::uint32_t place(std::uint64_t, std::uint32_t) noexcept { return 0; }
};
struct Nameless {
  static constexpr std::uint32_t place(std::uint64_t, std::uint32_t) noexcept { return 0; }
};
struct Wide {
  static constexpr std::string_view name = "own";
  static constexpr std::uint64_t place(std::uint64_t hash, std::uint32_t) noexcept { return hash; }
};
struct RunTimeOnly {
  static constexpr std::string_view name = "own";
  static std::uint32_t place(std::uint64_t, std::uint32_t) noexcept { return 0; }
};
struct Throwing {
  static constexpr std::string_view name = "own";
  static constexpr std::uint32_t place(std::uint64_t, std::uint32_t) { return 0; }
};
static_assert(evenkey::placement<Modulo> && evenkey::placement<Jump> && evenkey::placement<Own>);
static_assert(evenkey::has_stored_name<Wide> && evenkey::has_stored_name<RunTimeOnly> &&
              evenkey::has_stored_name<Throwing>);
static_assert(!evenkey::has_stored_name<Nameless> && !evenkey::placement<Nameless>);
static_assert(!evenkey::places_hashes<Wide> && !evenkey::placement<Wide>);
static_assert(!evenkey::placement_is_constexpr<RunTimeOnly> && !evenkey::placement<RunTimeOnly>);
static_assert(!evenkey::placement_is_noexcept<Throwing> && !evenkey::placement<Throwing>);

}  // namespace

TEST_SUITE("shard_policy") {
  TEST_CASE("every golden vector has its shards by modulo and by jump") {
    for (const auto& vector : support::read_shard_vectors()) {
      CAPTURE(vector.id.size());
      REQUIRE(vector.mod.size() == 10);
      REQUIRE(vector.jump.size() == 2);
      for (const auto& [shard_count, shard] : vector.mod) {
        CHECK(Modulo::place(vector.xxh3_64, shard_count) == shard);
      }
      for (const auto& [shard_count, shard] : vector.jump) {
        CHECK(Jump::place(vector.xxh3_64, shard_count) == shard);
      }
    }
  }

  TEST_CASE("jump's integers give what the paper's doubles give") {
    const auto seed = std::random_device{}();
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    for (int round = 0; round < 200'000; ++round) {
      const std::uint64_t hash = random();
      for (const std::uint32_t shard_count : {2U, 16U, 1000U, 1U << 21, max_count}) {
        REQUIRE(Jump::place(hash, shard_count) == jump_in_doubles(hash, shard_count));
      }
      const auto any = static_cast<std::uint32_t>(random() >> (32 + round % 32)) | 1U;
      REQUIRE(Jump::place(hash, any) == jump_in_doubles(hash, any));
    }
  }

  TEST_CASE("jump rounds as doubles do, also where the exact quotient is an integer") {
    // In exact arithmetic 49 * (2^31 / (49 * 2^25)) is 64, which N = 64 does not have; in doubles it is a
    // little less.
    const std::uint64_t divisor = std::uint64_t{49} << 25;
    CHECK(jump_in_doubles(hash_that_jumps(48, divisor), 64) == 63);
    CHECK(Jump::place(hash_that_jumps(48, divisor), 64) == 63);

    for (std::uint64_t shard = 1; shard < 120; ++shard) {
      for (std::uint64_t multiple = shard + 1; multiple <= std::uint64_t{1} << 31; multiple *= 2) {
        const std::uint64_t hash = hash_that_jumps(shard, multiple);
        for (std::uint32_t shard_count = 1; shard_count != 0; shard_count *= 2) {
          CAPTURE(shard);
          CAPTURE(multiple);
          CHECK(Jump::place(hash, shard_count) == jump_in_doubles(hash, shard_count));
        }
      }
    }
  }

  TEST_CASE("when shards are added, jump moves rows to new shards only, and its fair part of them") {
    constexpr int rows = 20'000;
    for (const auto& [before, after] : {std::pair{8U, 16U}, {16U, 17U}, {16U, 24U}, {1U, 2U}, {100U, 128U}}) {
      int moved = 0;
      for (int row = 0; row < rows; ++row) {
        const std::uint64_t hash = evenkey::Xxh3_64{}("person-" + std::to_string(row));
        const std::uint32_t old_shard = Jump::place(hash, before);
        const std::uint32_t new_shard = Jump::place(hash, after);
        if (new_shard == old_shard) continue;
        ++moved;
        CHECK(new_shard >= before);
      }
      const double fair = rows * (1.0 - static_cast<double>(before) / after);
      CHECK(moved > fair * 0.9);
      CHECK(moved < fair * 1.1);
    }
  }

  TEST_CASE("a placement stays below N, up to the largest N") {
    std::mt19937_64 random(7);
    for (int round = 0; round < 10'000; ++round) {
      const std::uint64_t hash = random();
      for (const std::uint32_t shard_count : {1U, 2U, 3U, 4096U, max_count}) {
        CHECK(Modulo::place(hash, shard_count) < shard_count);
        CHECK(Jump::place(hash, shard_count) < shard_count);
      }
    }
  }
}
