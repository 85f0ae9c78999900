// SPDX-License-Identifier: BSL-1.0
#include <evenkey/shard_policy.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "support/shard_vectors.hpp"

namespace {

using evenkey::DynamicShardPolicy;
using evenkey::Jump;
using evenkey::Modulo;
using evenkey::ShardId;
using evenkey::ShardPolicy;
using evenkey::ShardRange;
using evenkey::Xxh3_64;
using evenkey::Xxh64;

// ADR-0085's policy, in constant expressions.
static_assert(ShardPolicy<16>::shard_count == 16);
static_assert(ShardPolicy<16>::shard_of("person-42") == ShardId{13});
static_assert(ShardPolicy<16>::shard_of("person-42").value == 13);
static_assert(ShardPolicy<16, Xxh3_64, Jump>::shard_of("person-42") == ShardId{4});
static_assert(ShardPolicy<16, Xxh64>::shard_of("person-42") == ShardId{7});
static_assert(ShardPolicy<1>::shard_of("person-42") == ShardId{0});
static_assert(noexcept(ShardPolicy<16>::shard_of(std::string_view())));
static_assert(std::is_same_v<ShardPolicy<16>::hash_type, Xxh3_64>);
static_assert(std::is_same_v<ShardPolicy<16>::placement_type, Modulo>);

static_assert(ShardPolicy<16>::fingerprint() == "xxh3_64/mod/16");
static_assert(ShardPolicy<1>::fingerprint() == "xxh3_64/mod/1");
static_assert(ShardPolicy<4294967295, Xxh64, Jump>::fingerprint() == "xxh64/jump/4294967295");
static_assert(ShardPolicy<1000000000>::fingerprint() == "xxh3_64/mod/1000000000");

// F30, at compile time.
static_assert(ShardPolicy<16>::shard_of("\xC8") == ShardId{7});

static_assert(std::is_aggregate_v<ShardId> && ShardId{2} < ShardId{10});
static_assert(std::forward_iterator<ShardRange::Iterator>);
static_assert(ShardPolicy<4096>::shards().size() == 4096);

// A user's own hash and placement take the places of evenkey's.
struct LengthHash {
  static constexpr std::string_view name = "length";
  constexpr std::uint64_t operator()(std::string_view id) const noexcept { return id.size(); }
};
struct Backwards {
  static constexpr std::string_view name = "back-1.0";
  static constexpr std::uint32_t place(std::uint64_t hash, std::uint32_t shard_count) noexcept {
    return shard_count - 1 - static_cast<std::uint32_t>(hash % shard_count);
  }
};
static_assert(ShardPolicy<8, LengthHash, Backwards>::shard_of("abc") == ShardId{4});
static_assert(ShardPolicy<8, LengthHash, Backwards>::fingerprint() == "length/back-1.0/8");

// Pearson's statistic of how `rows` sequential ids fall into N shards.
template <class Policy>
double chi_square(int rows) {
  std::array<int, Policy::shard_count> filled{};
  for (int row = 0; row < rows; ++row)
    ++filled[Policy::shard_of("person-" + std::to_string(row)).value];
  const double expected = static_cast<double>(rows) / Policy::shard_count;
  double sum = 0;
  for (const int count : filled)
    sum += (count - expected) * (count - expected) / expected;
  return sum;
}

}  // namespace

TEST_SUITE("shard_policy") {
  TEST_CASE("a policy puts every golden id where its hash and placement say") {
    for (const auto& vector : support::read_shard_vectors()) {
      CAPTURE(vector.id.size());
      CHECK(ShardPolicy<1>::shard_of(vector.id).value == vector.mod.at(1));
      CHECK(ShardPolicy<10>::shard_of(vector.id).value == vector.mod.at(10));
      CHECK(ShardPolicy<16>::shard_of(vector.id).value == vector.mod.at(16));
      CHECK(ShardPolicy<1000>::shard_of(vector.id).value == vector.mod.at(1000));
      CHECK(ShardPolicy<16, Xxh3_64, Jump>::shard_of(vector.id).value == vector.jump.at(16));
      CHECK(ShardPolicy<24, Xxh3_64, Jump>::shard_of(vector.id).value == vector.jump.at(24));
      CHECK(ShardPolicy<16, Xxh64>::shard_of(vector.id).value == vector.xxh64 % 16);
    }
  }

  TEST_CASE("the vectors that docs/format/hash.md shows are true") {
    struct Shown {
      std::string id;
      std::uint64_t xxh3_64;
      std::uint64_t xxh64;
      std::array<std::uint32_t, 5> shards;  // mod 10, mod 16, mod 256, jump 16, jump 24
    };
    const std::vector<Shown> vectors{
        {"", 0x2d06800538d394c2, 0xef46db3751d8e999, {8, 2, 194, 0, 0}},
        {"a", 0xe6c632b61e964e1f, 0xd24ec4f1a98c6e5b, {9, 15, 31, 14, 14}},
        {"person-1", 0x4d443ec18486ce67, 0xb3c0b4a1616b462f, {5, 7, 103, 14, 14}},
        {"person-42", 0x3b2bf1fd396b1d0d, 0xca080adcaa0bdc27, {7, 13, 13, 4, 4}},
        {"\xC3\xA9", 0xf7940a006cf10cb3, 0x17d757dfb8b46f78, {5, 3, 179, 14, 20}},
        {"\xC8", 0xf0f28117d57ca107, 0x0249ac40cbc8f63e, {9, 7, 7, 0, 17}},
        {std::string(evenkey::canonical_id(42).view()),
         0x1217cb28c0ef2191,
         0x6de6f5d076d742b9,
         {3, 1, 145, 3, 3}},
        {std::string(evenkey::canonical_id(-7).view()),
         0xb496414fdc9adf38,
         0x0c4ec0c6ad41198f,
         {2, 8, 56, 2, 2}},
        {std::string(240, 'x'), 0x3e16ca8a0c6ccb68, 0x4c23bbc01303504c, {6, 8, 104, 4, 4}},
        {std::string(241, 'x'), 0x14da9e5c301a6a1d, 0x625d296112808193, {7, 13, 29, 15, 15}},
    };
    for (const Shown& shown : vectors) {
      CAPTURE(shown.id);
      CHECK(Xxh3_64{}(shown.id) == shown.xxh3_64);
      CHECK(Xxh64{}(shown.id) == shown.xxh64);
      CHECK(ShardPolicy<10>::shard_of(shown.id).value == shown.shards[0]);
      CHECK(ShardPolicy<16>::shard_of(shown.id).value == shown.shards[1]);
      CHECK(ShardPolicy<256>::shard_of(shown.id).value == shown.shards[2]);
      CHECK(ShardPolicy<16, Xxh3_64, Jump>::shard_of(shown.id).value == shown.shards[3]);
      CHECK(ShardPolicy<24, Xxh3_64, Jump>::shard_of(shown.id).value == shown.shards[4]);
    }
  }

  TEST_CASE("F30 an id of high bytes has its shard whatever the sign of char") {
    const std::string id = "\xC8";
    CHECK(ShardPolicy<16>::shard_of(id) == ShardId{7});
  }

  TEST_CASE("F19 the same id has other shards under other N") {
    const std::string id = "a";
    CHECK(ShardPolicy<8>::shard_of(id) == ShardId{7});
    CHECK(ShardPolicy<16>::shard_of(id) == ShardId{15});
  }

  TEST_CASE("a policy whose N is known at run time agrees with the one whose N is a constant") {
    const DynamicShardPolicy<> sixteen(16);
    const DynamicShardPolicy<Xxh64, Jump> seven(7);
    CHECK(sixteen.shard_count() == 16);
    CHECK(sixteen.fingerprint() == ShardPolicy<16>::fingerprint());
    CHECK(seven.fingerprint() == ShardPolicy<7, Xxh64, Jump>::fingerprint());
    CHECK(seven.fingerprint() == "xxh64/jump/7");
    for (const auto& vector : support::read_shard_vectors()) {
      CHECK(sixteen.shard_of(vector.id) == ShardPolicy<16>::shard_of(vector.id));
      CHECK(seven.shard_of(vector.id) == ShardPolicy<7, Xxh64, Jump>::shard_of(vector.id));
    }
    const ShardRange here = sixteen.shards();
    const ShardRange there = ShardPolicy<16>::shards();
    CHECK(std::equal(here.begin(), here.end(), there.begin(), there.end()));
    CHECK(sixteen == DynamicShardPolicy<>(16));
    CHECK(sixteen != DynamicShardPolicy<>(17));
  }

  TEST_CASE("no shards at all is refused at run time too") {
    CHECK_THROWS_AS(DynamicShardPolicy<>(0), std::invalid_argument);
  }

  TEST_CASE("the shards of a policy are 0 to N-1 in order") {
    std::vector<std::uint32_t> seen;
    for (const ShardId shard : ShardPolicy<5>::shards())
      seen.push_back(shard.value);
    CHECK(seen == std::vector<std::uint32_t>{0, 1, 2, 3, 4});
    CHECK(ShardPolicy<1>::shards().size() == 1);
    const auto shards = ShardPolicy<3>::shards();
    CHECK(std::vector<ShardId>(shards.begin(), shards.end()).back() == ShardId{2});
  }

  TEST_CASE("sequential ids spread evenly over the shards") {
    // The 99.99 % points of chi-square with N - 1 degrees of freedom; nothing here is random.
    CHECK(chi_square<ShardPolicy<10>>(100'000) < 33.8);
    CHECK(chi_square<ShardPolicy<16>>(100'000) < 44.3);
    CHECK(chi_square<ShardPolicy<64>>(100'000) < 111.0);
    CHECK(chi_square<ShardPolicy<16, Xxh64>>(100'000) < 44.3);
    CHECK(chi_square<ShardPolicy<16, Xxh3_64, Jump>>(100'000) < 44.3);
    CHECK(chi_square<ShardPolicy<24, Xxh3_64, Jump>>(100'000) < 56.0);
  }
}
