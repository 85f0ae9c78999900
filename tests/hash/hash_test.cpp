// SPDX-License-Identifier: BSL-1.0
#include <evenkey/hash.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "support/shard_vectors.hpp"

namespace {

using evenkey::Xxh3_64;
using evenkey::Xxh64;

struct Known {
  std::size_t size;
  std::uint64_t xxh3_64;
  std::uint64_t xxh64;
};

// Both sides of every branch of both algorithms, and several blocks of 1024 bytes. Byte i of the input of n
// bytes is (131 i + 7 n + 5) mod 256. Made with another implementation (the Python package xxhash).
// clang-format off
constexpr std::array known{std::to_array<Known>({
    {0, 0x2d06800538d394c2, 0xef46db3751d8e999},
    {1, 0x2661bf6ff51a634a, 0x0c9c6bc6d369b7d8},
    {2, 0xee4e05d77d74588e, 0x17a703599833ab76},
    {3, 0x17fd444d9d2d5061, 0x315e92a922b9791b},
    {4, 0x9e193fa66da2be07, 0xfe12778be524b5f6},
    {5, 0x70d16df12c779799, 0x48a12916c51f6c00},
    {7, 0xdaf3d94fe820d352, 0x03f7b68f5ccbed37},
    {8, 0xbbe058cb22eacbc7, 0xee9fbad11ba0e97c},
    {9, 0xc80c6fabb1c55cec, 0xf658289daa3a40e4},
    {12, 0xcae0ec6df0e4fe9e, 0x7061d391e0c8b8f9},
    {15, 0xf80c3fa969e97e7d, 0xb1777c544031fb73},
    {16, 0xe5ed9f5d98d6632a, 0x3575098267c131fb},
    {17, 0xf8dd1c2ef2711c5c, 0x2168b3d5000eef85},
    {31, 0xa8744ed249333641, 0x910683b9502bbc14},
    {32, 0x79e82cd5875676e0, 0x5575c29c4c958788},
    {33, 0xe41ac2f3c1162a16, 0xd42e1da80ad692cc},
    {48, 0xc3d644a5a5d6bc0a, 0xd9c757b501525d18},
    {63, 0xeab69a21f62f583a, 0x4caaf822605053b5},
    {64, 0x089668961dc04b77, 0xa2fdba46a6030efc},
    {65, 0xf148912a81a7ce51, 0x3c12ec732f2be75f},
    {95, 0x73cd8a2d5265c74c, 0xb42c58282ddd1b79},
    {96, 0xcc847d5fa13aae3e, 0x37862c9b9c6b8b69},
    {97, 0x35046f41c9e5dafc, 0x7c821770ad7c1406},
    {127, 0xc2ff1975a3b43397, 0xc0a4aa94a1c31c7d},
    {128, 0xcf716affb491d845, 0x0404c1b90b352be3},
    {129, 0x74a598767f28a604, 0x50daa86b821aa2e0},
    {130, 0x930be90e9d7e8bd5, 0x0439d8033e607554},
    {144, 0xffeb74989da07cec, 0xe1b2f3da86c41632},
    {160, 0xa84a8f1aa06196e1, 0x5890cf321825b7b8},
    {191, 0xa06512bd64e7139b, 0xbc2b752e1252580d},
    {192, 0xfd3a7d2fd9f0ff1f, 0x687580acd6b9e18e},
    {239, 0x7220fa3486d1af8d, 0xeadbf501846bdbcf},
    {240, 0x127804ec98446f51, 0xd87e36e8abcd5a12},
    {241, 0x4a1885a695ac0754, 0xf707f3a896fbe658},
    {255, 0x9134586a88c5c81d, 0x34c5d4d02c5c9d2b},
    {256, 0x59b1a9b44acd9f1a, 0x3e2b36a90863b50e},
    {257, 0x0142bd692f894162, 0x105fdd878ea2ffba},
    {320, 0xed6219a51d1b8ff3, 0x010c6c2d4aec562b},
    {511, 0xe04f4093cd306e1b, 0x10422e93510c96ed},
    {512, 0xc6d7a672db5b3baa, 0x5c3646d656efbfb7},
    {513, 0xdc2f88a2fb9f89e2, 0x59f62dc3a65a4d29},
    {1023, 0x181233b0368011a7, 0x69c34a9b971a786c},
    {1024, 0x9b14b1c3db352506, 0x88d26241663d0289},
    {1025, 0x8f74530528d7301e, 0x2dee3a19f583ee37},
    {1088, 0x7a2f566ced7e5072, 0xd0a2855a021f5df9},
    {1089, 0xb3dfe614d5247537, 0x3a9d2a5b6aac5aab},
    {2047, 0xc412323143859e64, 0x468cf858a7cd8f7d},
    {2048, 0xdac1e8aaaa8e19de, 0x0875944fc8908e09},
    {2049, 0x1c71d3aebc97193d, 0x8f84ddf80da82152},
    {3072, 0x49572684c1c7aa65, 0x64bc247e8001b84d},
    {4096, 0xc0b6cb5d5b4ed39a, 0x22066209907e9bbd},
    {4100, 0x12584f085e0cd263, 0xc057d5d8cfedb787}})};
// clang-format on

template <std::size_t Size>
constexpr std::array<char, Size> pattern() {
  std::array<char, Size> bytes{};
  for (std::size_t at = 0; at < Size; ++at) {
    bytes[at] = static_cast<char>(static_cast<unsigned char>(131 * at + 7 * Size + 5));
  }
  return bytes;
}

template <std::size_t Row>
constexpr auto input = pattern<known[Row].size>();

// One instance a length, so that each constant expression stays far from the compilers' limits.
template <std::size_t Row>
constexpr bool is_known_at_compile_time() {
  constexpr std::string_view id(input<Row>.data(), input<Row>.size());
  return std::bool_constant < Xxh3_64{}(id) == known[Row].xxh3_64 &&
         Xxh64{}(id) == known[Row].xxh64 > ::value;
}

template <std::size_t... Rows>
constexpr bool are_known_at_compile_time(std::index_sequence<Rows...>) {
  return (is_known_at_compile_time<Rows>() && ...);
}

static_assert(are_known_at_compile_time(std::make_index_sequence<known.size()>{}));

// F33
static_assert(Xxh3_64{}("") == 0x2d06800538d394c2);
static_assert(Xxh64{}("") == 0xef46db3751d8e999);
static_assert(Xxh3_64::name == "xxh3_64" && Xxh64::name == "xxh64");
static_assert(noexcept(Xxh3_64{}(std::string_view())) && noexcept(Xxh64{}(std::string_view())));

// What a user's own hash must be, and what it may not be.
struct Own {
  static constexpr std::string_view name = "own.v-1_0";
  constexpr std::uint64_t operator()(std::string_view id) const noexcept { return id.size(); }
};
struct Nameless {
  constexpr std::uint64_t operator()(std::string_view id) const noexcept { return id.size(); }
};
struct NameWithASlash : Nameless {
  static constexpr std::string_view name = "own/hash";
};
struct EmptyName : Nameless {
  static constexpr std::string_view name = "";
};
struct Narrow {
  static constexpr std::string_view name = "own";
  constexpr std::uint32_t operator()(std::string_view) const noexcept { return 0; }
};
struct RunTimeOnly {
  static constexpr std::string_view name = "own";
  std::uint64_t operator()(std::string_view id) const noexcept { return id.size(); }
};
struct Throwing {
  static constexpr std::string_view name = "own";
  constexpr std::uint64_t operator()(std::string_view id) const { return id.size(); }
};
struct Seeded {
  static constexpr std::string_view name = "own";
  explicit Seeded(int) {}
  constexpr std::uint64_t operator()(std::string_view id) const noexcept { return id.size(); }
};
static_assert(evenkey::hash_function<Xxh3_64> && evenkey::hash_function<Xxh64> &&
              evenkey::hash_function<Own>);
static_assert(!evenkey::has_stored_name<NameWithASlash> && !evenkey::has_stored_name<EmptyName>);
static_assert(!evenkey::has_stored_name<Nameless> && !evenkey::hash_function<Nameless>);
// Each of the others lacks one thing only.
static_assert(evenkey::has_stored_name<Narrow> && evenkey::has_stored_name<RunTimeOnly> &&
              evenkey::has_stored_name<Throwing> && evenkey::has_stored_name<Seeded>);
static_assert(!evenkey::hashes_bytes<Narrow> && !evenkey::hash_function<Narrow>);
static_assert(!evenkey::hash_is_constexpr<RunTimeOnly> && !evenkey::hash_function<RunTimeOnly>);
static_assert(!evenkey::hash_is_noexcept<Throwing> && !evenkey::hash_function<Throwing>);
static_assert(!evenkey::hashes_bytes<Seeded> && !evenkey::hash_function<Seeded>);

}  // namespace

TEST_SUITE("hash") {
  TEST_CASE("every golden vector has its two hashes") {
    const auto vectors = support::read_shard_vectors();
    REQUIRE(vectors.size() == 160);
    for (const auto& vector : vectors) {
      CAPTURE(vector.id.size());
      CHECK(Xxh3_64{}(vector.id) == vector.xxh3_64);
      CHECK(Xxh64{}(vector.id) == vector.xxh64);
    }
  }

  TEST_CASE("each length of input has its known hash at run time too") {
    for (const Known& row : known) {
      CAPTURE(row.size);
      std::string id;
      for (std::size_t at = 0; at < row.size; ++at) {
        id.push_back(static_cast<char>(static_cast<unsigned char>(131 * at + 7 * row.size + 5)));
      }
      CHECK(Xxh3_64{}(id) == row.xxh3_64);
      CHECK(Xxh64{}(id) == row.xxh64);
    }
  }

  TEST_CASE("F33 the algorithm is pinned") {
    CHECK(Xxh3_64{}("") == 0x2d06800538d394c2);
    CHECK(Xxh3_64{}(std::string_view()) == 0x2d06800538d394c2);  // data() is null
    CHECK(Xxh3_64{}(std::string(240, 'x')) == 0x3e16ca8a0c6ccb68);
    CHECK(Xxh3_64{}(std::string(241, 'x')) == 0x14da9e5c301a6a1d);
  }

  TEST_CASE("the twins for constant expressions agree with xxHash on random bytes of every length") {
    const auto seed = std::random_device{}();
    CAPTURE(seed);
    std::mt19937 random(seed);
    for (std::size_t size = 0; size <= 2100; ++size) {
      std::string id(size, '\0');
      for (char& character : id)
        character = static_cast<char>(static_cast<unsigned char>(random()));
      CAPTURE(size);
      CHECK(evenkey::detail::xxh::xxh3_64(id) == Xxh3_64{}(id));
      CHECK(evenkey::detail::xxh::xxh64(id) == Xxh64{}(id));
    }
  }

  TEST_CASE("an id is hashed the same at every alignment, and only its own bytes count") {
    for (const std::size_t size : {1U, 3U, 8U, 16U, 36U, 128U, 240U, 300U, 1100U}) {
      const std::string id(size, 'i');
      const std::uint64_t expected = Xxh3_64{}(id);
      for (std::size_t offset = 0; offset < 16; ++offset) {
        const std::string around = std::string(offset, '<') + id + ">>";
        CHECK(Xxh3_64{}(std::string_view(around).substr(offset, size)) == expected);
      }
    }
  }
}
