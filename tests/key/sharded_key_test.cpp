// SPDX-License-Identifier: BSL-1.0
#include <evenkey/key/sharded_key.hpp>
#include <evenkey/shard_policy/random.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>

#include "support/key_strings.hpp"

namespace {

using evenkey::key_error;
using evenkey::KeyErrorReason;
using evenkey::KeyFormat;
using evenkey::RandomShardPolicy;
using evenkey::ShardedKey;
using evenkey::ShardId;
using evenkey::ShardPolicy;
using evenkey::UnshardedKey;

using Legacy = UnshardedKey<"RenewalSaga">;
using Saga = ShardedKey<"RenewalSaga", ShardPolicy<16>>;
using Second = ShardedKey<"RenewalSaga", ShardPolicy<16>, KeyFormat{.width = 3, .generation = 2}>;
using Dotted = ShardedKey<"RenewalSaga", ShardPolicy<1000>, KeyFormat{.separator = '.'}>;
using Stream = ShardedKey<"EVENTS", RandomShardPolicy<8>>;
using Many =
    ShardedKey<"0123456789012345678901234567890123456789012345678901234567890123", ShardPolicy<4096>>;

static_assert(Saga::of("person-42") == "RenewalSaga#13" && Saga::shard_of("person-42") == ShardId{13});
static_assert(Saga::at(ShardId{3}) == "RenewalSaga#3" && Saga::at(ShardId{15}) == "RenewalSaga#15");
static_assert(Saga::size() == 16 && Saga::all().size() == 16 && Saga::all()[15] == "RenewalSaga#15");
static_assert(Second::of("person-42") == "RenewalSaga#g2#013" &&
              Second::parse("RenewalSaga#g2#013") == ShardId{13});
static_assert(Dotted::at(ShardId{999}) == "RenewalSaga.999");
static_assert(Legacy::value() == "RenewalSaga" && Legacy::of("person-42") == "RenewalSaga" &&
              Legacy::size() == 1);
static_assert(Legacy::at(ShardId{0}) == "RenewalSaga" && Legacy::all()[0] == "RenewalSaga");
static_assert(Many::at(ShardId{4095}).substr(60) == "0123#4095");
constexpr std::string_view any_text;  // whose making from a literal is not noexcept in every library
static_assert(noexcept(Saga::of(any_text)) && noexcept(Saga::parse(any_text)));

// What a layout is made of. The format's width shows as the digits that are always there.
static_assert(Legacy::layout() == "unsharded");
static_assert(Saga::layout() == "xxh3_64/mod/16 #n");
static_assert(Second::layout() == "xxh3_64/mod/16 #g2#nnn");
static_assert(Dotted::layout() == "xxh3_64/mod/1000 .n");
static_assert(ShardedKey<"A", ShardPolicy<9>, KeyFormat{.width = 1}>::layout() ==
              ShardedKey<"B", ShardPolicy<9>>::layout());  // the same keys

// All are partition keys; a random shard cannot be computed from an id, so there is no `of`.
static_assert(evenkey::partition_keys<Saga> && evenkey::has_key_of_id<Saga>);
static_assert(evenkey::partition_keys<Legacy> && evenkey::has_key_of_id<Legacy>);
static_assert(evenkey::partition_keys<Stream> && !evenkey::has_key_of_id<Stream>);
static_assert(!evenkey::partition_keys<ShardPolicy<16>> && !evenkey::partition_keys<std::string>);

struct NoParse {
  static std::size_t size() { return 1; }
  static std::string_view at(ShardId) { return "a"; }
};
struct TemporaryKeys : NoParse {
  static std::string at(ShardId) { return "a"; }  // a view of it would dangle
  static std::optional<ShardId> parse(std::string_view) { return std::nullopt; }
};
static_assert(evenkey::has_key_of_shard<NoParse> && !evenkey::partition_keys<NoParse>);
static_assert(!evenkey::has_key_of_shard<TemporaryKeys> && !evenkey::partition_keys<TemporaryKeys>);

/// A key is parsed if and only if it is one of the keys.
template <class Keys>
void check_parse() {
  for (std::uint32_t shard = 0; shard < Keys::size(); ++shard) {
    CHECK(Keys::parse(Keys::at(ShardId{shard})) == ShardId{shard});
    CHECK(Keys::all()[shard] == Keys::at(ShardId{shard}));
  }
  const std::string_view first = Keys::all()[0];
  std::size_t parsed = 0, wrong = 0;
  for (const std::string& text : support::close_to(first)) {
    const std::optional<ShardId> shard = Keys::parse(text);
    const bool is_key = std::find(Keys::all().begin(), Keys::all().end(), text) != Keys::all().end();
    wrong += shard.has_value() == is_key && (!is_key || Keys::at(*shard) == text) ? 0U : 1U;
    parsed += is_key ? 1U : 0U;
  }
  CHECK(wrong == 0);
  CHECK(parsed > 0);
}

}  // namespace

TEST_SUITE("key") {
  TEST_CASE("parse takes each key and nothing like it") {
    check_parse<Legacy>();
    check_parse<Saga>();
    check_parse<Second>();
    check_parse<Dotted>();
    check_parse<Stream>();
    check_parse<ShardedKey<"A", ShardPolicy<1>>>();
    check_parse<ShardedKey<"A#1", ShardPolicy<11>>>();
    check_parse<ShardedKey<"A", ShardPolicy<11>, KeyFormat{.width = 2}>>();
    check_parse<ShardedKey<"A", ShardPolicy<11>, KeyFormat{.separator = '-', .width = 12}>>();
    for (const std::string_view text :
         {"RenewalSaga#03", "RenewalSaga# 1", "RenewalSaga#+1", "RenewalSaga#1x", "RenewalSaga#16",
          "RenewalSaga#", "RenewalSaga", "", "renewalsaga#1", "RenewalSaga#g0#1", "RenewalSaga#-1",
          "RenewalSaga#4294967297", "RenewalSaga#18446744073709551617", "xRenewalSaga#1"}) {
      CAPTURE(text);
      CHECK(!Saga::parse(text));
    }
  }

  TEST_CASE("keys are views of constants, one for each shard") {
    std::string id = "person-";
    id += "42";
    CHECK(Saga::of(id) == "RenewalSaga#13");
    CHECK(Saga::of(id).data() == Saga::at(ShardId{13}).data());
    CHECK(Saga::of(id).data() == Saga::all()[13].data());
    CHECK(std::set<std::string_view>(Many::all().begin(), Many::all().end()).size() == 4096);
  }

  TEST_CASE("of takes any bytes, the empty id and those that are no UTF-8 (F30)") {
    CHECK(Saga::of("") == "RenewalSaga#2");
    CHECK(Saga::of("\xC8") == "RenewalSaga#7");
    CHECK(Legacy::of("") == "RenewalSaga");
  }

  TEST_CASE("a shard that does not exist is a key error, never another shard's key") {
    const auto refused = [](auto at) {
      try {
        (void)at();
      } catch (const key_error& error) {
        return error.reason() == KeyErrorReason::out_of_range && !error.field();
      }
      return false;
    };
    CHECK(refused([] { return Saga::at(ShardId{16}); }));
    CHECK(refused([] { return Saga::at(ShardId{0xFFFFFFFF}); }));
    CHECK(refused([] { return Legacy::at(ShardId{1}); }));
    CHECK_THROWS_WITH_AS((void)Saga::at(ShardId{16}), "evenkey: there is no shard 16: the shards are 0 to 15",
                         key_error);
  }

  TEST_CASE("a random policy writes to every shard, and readers can list them all") {
    std::minstd_rand random(85);
    std::set<std::string_view> seen;
    for (int i = 0; i < 1000; ++i)
      seen.insert(Stream::any(random));
    CHECK(seen == std::set<std::string_view>(Stream::all().begin(), Stream::all().end()));
    CHECK(seen.size() == 8);
  }

  TEST_CASE("a prefix is taken as it stands, separators and all") {
    CHECK(ShardedKey<"APP#SAGA#", ShardPolicy<2>>::at(ShardId{1}) == "APP#SAGA##1");
    CHECK(ShardedKey<"中", ShardPolicy<2>>::at(ShardId{1}) == "中#1");
  }
}
