// SPDX-License-Identifier: BSL-1.0
#include <evenkey/shard_policy.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <locale>
#include <random>
#include <span>
#include <string>
#include <string_view>

namespace {

using evenkey::canonical_id;
using evenkey::canonical_uuid;

enum class Kind : int {};

template <class Value>
concept can_be_an_id = requires(Value value) {
  canonical_id(value);
};

static_assert(canonical_id(0) == "0");
static_assert(canonical_id(42) == "42");
static_assert(canonical_id(-1) == "-1");
static_assert(canonical_id(std::int8_t{-128}) == "-128");
static_assert(canonical_id(std::uint8_t{65}) == "65");  // the number, not the letter A
static_assert(canonical_id((std::numeric_limits<std::int64_t>::min)()) == "-9223372036854775808");
static_assert(canonical_id((std::numeric_limits<std::int64_t>::max)()) == "9223372036854775807");
static_assert(canonical_id((std::numeric_limits<std::uint64_t>::max)()) == "18446744073709551615");
static_assert(canonical_id(7L) == canonical_id(std::uint16_t{7}));

// What is no number is not taken for one.
static_assert(can_be_an_id<int> && can_be_an_id<unsigned long long> && can_be_an_id<std::int8_t>);
static_assert(!can_be_an_id<bool> && !can_be_an_id<char> && !can_be_an_id<wchar_t> && !can_be_an_id<char8_t>);
static_assert(!can_be_an_id<char16_t> && !can_be_an_id<char32_t>);
static_assert(!can_be_an_id<double> && !can_be_an_id<Kind> && !can_be_an_id<std::string>);

constexpr std::array<std::byte, 16> as_bytes(std::array<int, 16> values) {
  std::array<std::byte, 16> bytes{};
  for (std::size_t at = 0; at < 16; ++at)
    bytes[at] = static_cast<std::byte>(values[at]);
  return bytes;
}

// RFC 9562's own example of a version 4 UUID.
constexpr std::string_view uuid_text = "919108f7-52d1-4320-9bac-f847db4148a8";
constexpr auto uuid_bytes = as_bytes(
    {0x91, 0x91, 0x08, 0xf7, 0x52, 0xd1, 0x43, 0x20, 0x9b, 0xac, 0xf8, 0x47, 0xdb, 0x41, 0x48, 0xa8});
static_assert(canonical_uuid(uuid_bytes) == uuid_text);
static_assert(canonical_uuid(std::span<const std::byte, 16>(uuid_bytes)) == uuid_text);
static_assert(canonical_uuid(uuid_text) == uuid_text);
static_assert(canonical_uuid("919108F7-52D1-4320-9BAC-F847DB4148A8") == uuid_text);

// A literal is text, never sixteen bytes of it.
static_assert(!canonical_uuid("0123456789abcde"));

}  // namespace

TEST_SUITE("shard_policy") {
  TEST_CASE("an integer id has the shard of its decimal digits") {
    using Policy = evenkey::ShardPolicy<16>;
    CHECK(Policy::shard_of(canonical_id(42)) == Policy::shard_of("42"));
    CHECK(Policy::shard_of(canonical_id(-7)) == Policy::shard_of("-7"));
    std::mt19937_64 random(3);
    for (int round = 0; round < 2000; ++round) {
      const std::uint64_t value = random() >> (round % 64);
      CHECK(canonical_id(value) == std::to_string(value));
      CHECK(canonical_id(static_cast<std::int64_t>(value)) ==
            std::to_string(static_cast<std::int64_t>(value)));
    }
  }

  TEST_CASE("a locale that groups digits does not change an id") {
    struct Grouping : std::numpunct<char> {
      std::string do_grouping() const override { return "\3"; }
    };
    const std::locale before = std::locale::global(std::locale(std::locale::classic(), new Grouping));
    const std::string text(canonical_id(1234567).view());
    std::locale::global(before);
    CHECK(text == "1234567");
  }

  TEST_CASE("a UUID has one shard, as bytes, as text and in upper case") {
    using Policy = evenkey::ShardPolicy<64>;
    CHECK(Policy::shard_of(canonical_uuid(uuid_bytes)) == Policy::shard_of(uuid_text));
    CHECK(Policy::shard_of(canonical_uuid("919108F7-52D1-4320-9BAC-F847DB4148A8").value()) ==
          Policy::shard_of(uuid_text));
  }

  TEST_CASE("what is not a UUID is refused, whichever place is wrong") {
    for (std::size_t at = 0; at < uuid_text.size(); ++at) {
      for (const char wrong : {'g', 'G', '/', ':', '@', '`', ' ', '\0', '\xC3'}) {
        std::string text(uuid_text);
        text[at] = wrong;
        CHECK_FALSE(canonical_uuid(text));
      }
      std::string text(uuid_text);
      text[at] = text[at] == '-' ? '0' : '-';
      CHECK_FALSE(canonical_uuid(text));
      CHECK_FALSE(canonical_uuid(uuid_text.substr(0, at)));
    }
    CHECK_FALSE(canonical_uuid("919108f7-52d1-4320-9bac-f847db4148a80"));
    CHECK_FALSE(canonical_uuid("{919108f7-52d1-4320-9bac-f847db4148a8}"));
    CHECK_FALSE(canonical_uuid("urn:uuid:919108f7-52d1-4320-9bac-f847db4148a8"));
    CHECK_FALSE(canonical_uuid("919108f752d143209bacf847db4148a8"));
    CHECK_FALSE(canonical_uuid(""));
  }

  TEST_CASE("a canonical UUID is made of its bytes, all values of each") {
    for (std::size_t at = 0; at < 16; ++at) {
      for (int value = 0; value < 256; ++value) {
        std::array<std::byte, 16> bytes = uuid_bytes;
        bytes[at] = static_cast<std::byte>(value);
        const auto text = canonical_uuid(bytes);
        CHECK(canonical_uuid(text.view()) == text);
        const std::string_view hex = "0123456789abcdef";
        const std::size_t place = 2 * at + (at >= 4) + (at >= 6) + (at >= 8) + (at >= 10);
        CHECK(text.view()[place] == hex[static_cast<std::size_t>(value / 16)]);
        CHECK(text.view()[place + 1] == hex[static_cast<std::size_t>(value % 16)]);
      }
    }
  }
}
