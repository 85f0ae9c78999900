// SPDX-License-Identifier: BSL-1.0
#include <evenkey/shard_policy.hpp>
#include <evenkey/shard_policy/random.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <iterator>
#include <limits>
#include <random>
#include <string_view>

namespace {

using evenkey::RandomShardPolicy;
using evenkey::ShardId;

// Gives First … Last in turn, so that a test can go through all that a generator can give.
template <std::uint64_t First, std::uint64_t Last>
struct InTurn {
  using result_type = std::uint64_t;
  static constexpr result_type size = Last - First + 1;
  static constexpr result_type min() { return First; }
  static constexpr result_type max() { return Last; }
  result_type operator()() { return First + given++ % size; }
  std::uint64_t given = 0;
};

// A generator of three values, so that a shard takes several draws.
struct OneToThree {
  using result_type = unsigned;
  static constexpr result_type min() { return 1; }
  static constexpr result_type max() { return 3; }
  result_type operator()() { return 1 + static_cast<unsigned>(source() % 3); }
  std::mt19937_64 source{5};
};

template <class Policy>
concept places_ids = requires(std::string_view id) {
  Policy::shard_of(id);
};

static_assert(RandomShardPolicy<16>::shard_count == 16);
static_assert(RandomShardPolicy<16>::fingerprint() == "random/any/16");
static_assert(RandomShardPolicy<16>::shards().size() == 16);
static_assert(!places_ids<RandomShardPolicy<16>> && places_ids<evenkey::ShardPolicy<16>>);

// How often each shard is drawn while the generator goes through all its values `turns` times. (A
// distribution may refuse some values and draw again.)
template <std::uint32_t N, class Generator>
std::array<int, N> drawn(int turns) {
  Generator generator;
  std::array<int, N> counts{};
  for (;;) {
    const ShardId shard = RandomShardPolicy<N>::any(generator);
    REQUIRE(shard.value < N);
    if (generator.given > static_cast<std::uint64_t>(turns) * Generator::size) return counts;
    ++counts[shard.value];
  }
}

template <std::uint32_t N>
bool are_equal_and_not_zero(const std::array<int, N>& counts) {
  return counts.front() > 0 && std::count(counts.begin(), counts.end(), counts.front()) == std::ssize(counts);
}

}  // namespace

TEST_SUITE("shard_policy") {
  TEST_CASE("a random shard is each of N equally often when the generator gives all that it can") {
    CHECK(are_equal_and_not_zero<16>(drawn<16, InTurn<0, 15>>(7)));   // as many values as shards
    CHECK(are_equal_and_not_zero<16>(drawn<16, InTurn<0, 255>>(3)));  // a multiple
    CHECK(are_equal_and_not_zero<10>(drawn<10, InTurn<0, 255>>(3)));  // more, and no multiple
    CHECK(are_equal_and_not_zero<3>(drawn<3, InTurn<5, 11>>(100)));   // not from 0
  }

  TEST_CASE("a random shard is fair when one draw of the generator has fewer values than shards") {
    OneToThree generator;
    std::array<int, 16> counts{};
    for (int round = 0; round < 16'000; ++round)
      ++counts[RandomShardPolicy<16>::any(generator).value];
    for (const int count : counts) {
      CHECK(count > 850);
      CHECK(count < 1150);
    }
    CHECK(RandomShardPolicy<1>::any(generator) == ShardId{0});
  }

  TEST_CASE("a random shard of a real generator is below N and fair") {
    std::mt19937_64 wide(1);
    std::mt19937 narrow(1);
    std::array<int, 24> counts{};
    for (int round = 0; round < 24'000; ++round) {
      ++counts[RandomShardPolicy<24>::any(wide).value];
      ++counts[RandomShardPolicy<24>::any(narrow).value];
    }
    for (const int count : counts) {
      CHECK(count > 1750);
      CHECK(count < 2250);
    }
    constexpr std::uint32_t most = (std::numeric_limits<std::uint32_t>::max)();
    CHECK(RandomShardPolicy<most>::any(wide).value < most);
  }
}
