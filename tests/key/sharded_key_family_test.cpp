// SPDX-License-Identifier: BSL-1.0
#include <evenkey/key/sharded_key.hpp>
#include <evenkey/key/sharded_key_family.hpp>
#include <evenkey/shard_policy/random.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace {

using evenkey::EscapedText;
using evenkey::key_error;
using evenkey::KeyErrorReason;
using evenkey::KeyFormat;
using evenkey::Literal;
using evenkey::Number;
using evenkey::ShardId;
using evenkey::ShardPolicy;
using evenkey::Text;

using Outbox = evenkey::ShardedKeyFamily<ShardPolicy<3>, Literal<"OUTBOX">, Text>;
using Second =
    evenkey::BasicShardedKeyFamily<ShardPolicy<16>, KeyFormat{.separator = '.', .width = 2, .generation = 2},
                                   EscapedText, Number<4>>;
using Stream = evenkey::ShardedKeyFamily<evenkey::RandomShardPolicy<4>, Text>;

static_assert(evenkey::partition_keys<Outbox::Bound> && evenkey::has_key_of_id<Outbox::Bound>);
static_assert(evenkey::partition_keys<Stream::Bound> && !evenkey::has_key_of_id<Stream::Bound>);
static_assert(std::is_same_v<Outbox::Policy, ShardPolicy<3>> &&
              std::is_same_v<Outbox::Bound::Policy, ShardPolicy<3>>);

template <class Bind>
std::optional<KeyErrorReason> refusal(Bind bind) {
  try {
    (void)bind();
  } catch (const key_error& error) {
    return error.reason();
  }
  return std::nullopt;
}

}  // namespace

TEST_SUITE("key") {
  TEST_CASE("a family's keys are the prefix of its fields, then the shard") {
    const auto invoices = Outbox::bind("invoices");
    CHECK(invoices.size() == 3);
    CHECK(invoices.at(ShardId{2}) == "OUTBOX#invoices#2");
    CHECK(invoices.all()[0] == "OUTBOX#invoices#0");
    CHECK(invoices.of("m1") == invoices.at(ShardPolicy<3>::shard_of("m1")));
    CHECK(invoices.parse("OUTBOX#invoices#1") == ShardId{1});
    CHECK(!invoices.parse("OUTBOX#payments#1"));
    CHECK(!invoices.parse("OUTBOX#invoices#3"));
    CHECK(invoices.layout() == "xxh3_64/mod/3 #n");
  }

  TEST_CASE("a format's separator joins the fields too, and escapes them") {
    const auto bound = Second::bind("a.b#c", 7);
    CHECK(bound.at(ShardId{5}) == "a%2Eb#c.0007.g2.05");
    CHECK(bound.layout() == "xxh3_64/mod/16 .g2.nn");
    CHECK(bound.parse("a%2Eb#c.0007.g2.05") == ShardId{5});
  }

  TEST_CASE("a family and a constant of the same prefix give the same keys") {
    using Constant = evenkey::ShardedKey<"OUTBOX#invoices", ShardPolicy<3>>;
    const auto bound = Outbox::bind("invoices");
    for (const ShardId shard : ShardPolicy<3>::shards())
      CHECK(bound.at(shard) == Constant::at(shard));
    CHECK(bound.layout() == Constant::layout());
  }

  TEST_CASE("values that would be read back as others are refused when they are bound") {
    CHECK(refusal([] { return Outbox::bind("a#b"); }) == KeyErrorReason::contains_separator);
    CHECK(refusal([] { return Outbox::bind(""); }) == KeyErrorReason::empty);
    CHECK(refusal([] { return Second::bind("a", -1); }) == KeyErrorReason::negative);
    CHECK(refusal([] { return Second::bind("a", 10000); }) == KeyErrorReason::out_of_range);
    // OUTBOX# + # + one digit are 9 bytes.
    CHECK(refusal([] { return Outbox::bind(std::string(2039, 'x')); }) == std::nullopt);
    CHECK(refusal([] { return Outbox::bind(std::string(2040, 'x')); }) == KeyErrorReason::too_long);
    CHECK(refusal([] { return Outbox::bind(std::string(5000, 'x')); }) == KeyErrorReason::too_long);
  }

  TEST_CASE("views stay valid while any copy lives, and what was moved from still works") {
    std::optional<Outbox::Bound> original = Outbox::bind("invoices");
    const std::string_view view = original->at(ShardId{1});
    const Outbox::Bound copy = *original;
    Outbox::Bound moved = std::move(*original);
    CHECK(original->at(ShardId{1}) == "OUTBOX#invoices#1");  // NOLINT: this is the point
    original.reset();
    CHECK(view == "OUTBOX#invoices#1");
    CHECK(copy.at(ShardId{2}) == "OUTBOX#invoices#2");
    CHECK(moved.of("m1") == copy.of("m1"));

    moved = Outbox::bind("payments");
    CHECK(moved.at(ShardId{1}) == "OUTBOX#payments#1");
    CHECK(view == "OUTBOX#invoices#1");
  }

  TEST_CASE("a family of random shards draws them all") {
    const auto bound = Stream::bind("clicks");
    std::minstd_rand random(85);
    std::set<std::string_view> seen;
    for (int i = 0; i < 1000; ++i)
      seen.insert(bound.any(random));
    CHECK(seen.size() == 4);
    CHECK(bound.layout() == "random/any/4 #n");
  }
}
