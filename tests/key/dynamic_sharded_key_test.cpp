// SPDX-License-Identifier: BSL-1.0
#include <evenkey/key/dynamic_sharded_key.hpp>
#include <evenkey/key/sharded_key.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "support/exotic_locale.hpp"
#include "support/key_strings.hpp"
#include "support/key_vectors.hpp"

namespace {

using evenkey::BasicDynamicShardedKey;
using evenkey::DynamicShardedKey;
using evenkey::key_error;
using evenkey::KeyErrorReason;
using evenkey::KeyFormat;
using evenkey::ShardedKey;
using evenkey::ShardId;
using evenkey::ShardPolicy;

static_assert(evenkey::partition_keys<DynamicShardedKey> && evenkey::has_key_of_id<DynamicShardedKey>);

template <class... Arguments>
std::optional<KeyErrorReason> refusal(const Arguments&... arguments) {
  try {
    (void)DynamicShardedKey(arguments...);
  } catch (const key_error& error) {
    return error.reason();
  }
  return std::nullopt;
}

/// What the compiler made and what the run time made are the same in every respect.
template <class Static>
void check_same() {
  const std::string prefix(
      Static::at(ShardId{0}).substr(0, Static::at(ShardId{0}).find(Static::format.separator)));
  const DynamicShardedKey keys(prefix, Static::size(), Static::format);
  REQUIRE(keys.size() == Static::size());
  CHECK(keys.layout() == Static::layout());
  for (std::uint32_t shard = 0; shard < keys.size(); ++shard) {
    CHECK(keys.at(ShardId{shard}) == Static::at(ShardId{shard}));
    CHECK(keys.all()[shard] == keys.at(ShardId{shard}));
  }
  for (const std::string_view id : {"", "a", "person-42", "\xC8"}) {
    CHECK(keys.of(id) == Static::of(id));
    CHECK(keys.shard_of(id) == Static::shard_of(id));
  }
  std::size_t wrong = 0;
  for (const std::string& text : support::close_to(Static::at(ShardId{0})))
    wrong += keys.parse(text) == Static::parse(text) ? 0U : 1U;
  CHECK(wrong == 0);
}

template <std::uint32_t N>
std::string_view static_key(const KeyFormat& format, std::string_view id) {
  if (format == KeyFormat{}) return ShardedKey<"RenewalSaga", ShardPolicy<N>>::of(id);
  if (format == KeyFormat{'#', 0, 2})
    return ShardedKey<"RenewalSaga", ShardPolicy<N>, KeyFormat{'#', 0, 2}>::of(id);
  if (format == KeyFormat{'#', 4, 0})
    return ShardedKey<"RenewalSaga", ShardPolicy<N>, KeyFormat{'#', 4, 0}>::of(id);
  if (format == KeyFormat{'.', 4, 12})
    return ShardedKey<"RenewalSaga", ShardPolicy<N>, KeyFormat{'.', 4, 12}>::of(id);
  return "no such format in the test";
}

void check_golden_keys() {
  for (const support::KeyVector& row : support::read_key_vectors("partition")) {
    // The parameter is N, the separator, the width, a comma, the generation: 16#0,2
    const std::size_t separator = row.parameter.find_first_not_of("0123456789");
    const std::size_t comma = row.parameter.find(',');
    const auto number = [&row](std::size_t from, std::size_t to) {
      return static_cast<std::uint32_t>(std::stoul(row.parameter.substr(from, to - from)));
    };
    const KeyFormat format{row.parameter[separator], number(separator + 1, comma),
                           number(comma + 1, row.parameter.size())};
    const std::string id = support::bytes_of_hex(row.value);
    CAPTURE(row.text);
    const DynamicShardedKey keys("RenewalSaga", number(0, separator), format);
    CHECK(keys.of(id) == row.text);
    switch (number(0, separator)) {
      case 1:
        CHECK(static_key<1>(format, id) == row.text);
        break;
      case 16:
        CHECK(static_key<16>(format, id) == row.text);
        break;
      case 1000:
        CHECK(static_key<1000>(format, id) == row.text);
        break;
      default:
        FAIL("no such N in the test");
    }
  }
}

}  // namespace

TEST_SUITE("key") {
  TEST_CASE("constant and run-time keys give the golden bytes") { check_golden_keys(); }

  TEST_CASE("a locale that groups digits changes no partition key") {
    const support::ExoticLocale locale;
    check_golden_keys();
  }

  TEST_CASE("keys made at run time are those that the compiler makes") {
    check_same<ShardedKey<"RenewalSaga", ShardPolicy<1>>>();
    check_same<ShardedKey<"RenewalSaga", ShardPolicy<16>>>();
    check_same<
        ShardedKey<"RenewalSaga", ShardPolicy<1001>, KeyFormat{.width = 4, .generation = 4294967295}>>();
    check_same<ShardedKey<"中", ShardPolicy<10>, KeyFormat{.separator = '|', .width = 1}>>();
  }

  TEST_CASE("other hashes and placements come by template arguments") {
    const BasicDynamicShardedKey<evenkey::Xxh64, evenkey::Jump> keys("A", 24);
    using Same = ShardedKey<"A", ShardPolicy<24, evenkey::Xxh64, evenkey::Jump>>;
    CHECK(keys.of("person-42") == Same::of("person-42"));
    CHECK(keys.layout() == "xxh64/jump/24 #n");
    CHECK(keys.layout() == Same::layout());
  }

  TEST_CASE("what does not compile as a constant is a key error at run time") {
    CHECK(refusal("A", 0) == KeyErrorReason::shard_count);
    CHECK(refusal("A", -1) == KeyErrorReason::shard_count);
    CHECK(refusal("A", 4294967296 + 16) == KeyErrorReason::shard_count);  // would be cut to 16
    CHECK(refusal("A", 1'000'001) == KeyErrorReason::shard_count);
    CHECK(refusal("", 16) == KeyErrorReason::empty);
    CHECK(refusal("\xC8", 16) == KeyErrorReason::not_utf8);
    CHECK(refusal("A", 11, KeyFormat{.width = 1}) == KeyErrorReason::format);
    CHECK(refusal("A", 10, KeyFormat{.width = 1}) == std::nullopt);
    CHECK_THROWS_WITH_AS(DynamicShardedKey("A", 11, KeyFormat{.width = 1}),
                         doctest::Contains("width is 1, but the last shard is 10:"), key_error);
    for (const char separator : {'0', 'g', 'Z', ' ', '\0', '\x7F', '\xC3'})
      CHECK(refusal("A", 16, KeyFormat{.separator = separator}) == KeyErrorReason::format);
  }

  TEST_CASE("F11: a prefix that fits 2048 bytes with #9 and not with #10 is refused before any key is used") {
    const std::string prefix(2046, 'x');
    CHECK(refusal(prefix, 10) == std::nullopt);
    CHECK(refusal(prefix, 11) == KeyErrorReason::too_long);
    CHECK(refusal("A", 16, KeyFormat{.width = 2046}) == std::nullopt);
    CHECK(refusal("A", 16, KeyFormat{.width = 2047}) == KeyErrorReason::too_long);
    CHECK(refusal("A", 16, KeyFormat{.width = 4294967295}) == KeyErrorReason::too_long);
    // Bytes are counted, not characters: U+4E2D has three.
    std::string chinese;
    for (int i = 0; i < 682; ++i)
      chinese += "中";
    CHECK(refusal(chinese, 10) == std::nullopt);
    CHECK(refusal(chinese + "x", 10) == KeyErrorReason::too_long);
  }

  TEST_CASE("a shard that does not exist is a key error at run time too") {
    const DynamicShardedKey keys("A", 3);
    CHECK_THROWS_AS((void)keys.at(ShardId{3}), key_error);
    CHECK_THROWS_AS((void)keys.at(ShardId{0xFFFFFFFF}), key_error);
  }

  TEST_CASE("a view is good while any copy of its keys lives, and the last copy frees them") {
    std::optional<DynamicShardedKey> first(std::in_place, "A", 3);
    const std::string_view key = first->at(ShardId{2});
    std::optional<DynamicShardedKey> second = first;
    CHECK(second->at(ShardId{2}).data() == key.data());
    first.reset();
    CHECK(key == "A#2");
    std::optional<DynamicShardedKey> other(std::in_place, "B", 2);
    const std::string_view of_other = other->at(ShardId{1});
    second = other;  // the first list is freed here
    other.reset();
    CHECK(second->size() == 2);
    CHECK(of_other == "B#1");
    DynamicShardedKey& itself = *second;
    itself = *second;
    CHECK(of_other == "B#1");
  }

  TEST_CASE("threads copy keys that they share, and drop them") {
    const std::string longer_than_a_short_string(40, 'x');
    for (int round = 0; round < 50; ++round) {
      std::vector<std::thread> threads;
      std::array<std::size_t, 4> right{};
      {
        const DynamicShardedKey keys(longer_than_a_short_string, 4);
        for (std::size_t& count : right)
          threads.emplace_back([own = keys, &count] {
            for (std::uint32_t shard = 0; shard < 4; ++shard) {
              const DynamicShardedKey copy = own;
              count += copy.parse(copy.at(ShardId{shard})) == ShardId{shard} ? 1U : 0U;
            }
          });
      }
      for (std::thread& thread : threads)
        thread.join();
      for (const std::size_t count : right)
        REQUIRE(count == 4);
    }
  }
}
