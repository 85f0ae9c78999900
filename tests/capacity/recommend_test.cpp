// SPDX-License-Identifier: BSL-1.0
#include <evenkey/capacity/draws.hpp>
#include <evenkey/capacity/recommend.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>

namespace {

namespace capacity = evenkey::capacity;
using capacity::Advice;
using capacity::Load;
using capacity::NextLimit;
using capacity::recommend;
using capacity::Recommendation;

constexpr Load writes{.writes_per_second = 3500, .write_bytes = 1500};  // 7,000 WCU

bool says(const Recommendation& recommendation, std::string_view words) {
  for (const std::string& reason : recommendation.reasons)
    if (reason.find(words) != std::string::npos) return true;
  return false;
}

TEST_SUITE("capacity") {
  TEST_CASE("F34: the fewest shards are recommended, with reasons") {
    const auto even = recommend({.load = writes});
    CHECK(even.advice == Advice::shard);
    CHECK(even.shards == 10);
    CHECK(even.utilisation == doctest::Approx(0.7));
    CHECK(even.room_to_grow == doctest::Approx(1 / 0.7));
    CHECK(even.next_limit == NextLimit::writes);
    CHECK(says(even, "Shard by 10"));
    CHECK(recommend({.load = writes}, {.target = 1}).shards == 7);
  }

  TEST_CASE("few ids need more shards than an even spread would") {
    const auto persons = recommend({.load = writes, .distinct_ids = 150});
    CHECK(persons.shards == 16);
    CHECK(persons.expected_lift == doctest::Approx(10.03).epsilon(0.001));
    CHECK(says(persons, "10 would do if the load spread evenly"));
    const auto few = recommend({.load = writes, .distinct_ids = 11});
    CHECK(few.advice == Advice::shard);
    CHECK(few.next_limit == NextLimit::hottest_id);
    CHECK(says(few, "more shards than ids"));
  }

  TEST_CASE("a load that one key bears is not sharded") {
    const auto idle = recommend({});
    CHECK(idle.advice == Advice::do_not_shard);
    CHECK(idle.shards == 1);
    CHECK(std::isinf(idle.room_to_grow));
    CHECK(idle.next_limit == NextLimit::none);
    const auto small = recommend({.load = {.writes_per_second = 700}});
    CHECK(small.advice == Advice::do_not_shard);
    CHECK(small.next_limit == NextLimit::writes);
    CHECK(recommend({.load = {.writes_per_second = 701}}).advice == Advice::shard);
  }

  TEST_CASE("one hot id is not helped by any N, and the answer says what can") {
    const auto hot = recommend({.load = writes, .distinct_ids = 1'000, .hottest_id_share = 0.3});
    CHECK(hot.advice == Advice::split_hot_id);
    CHECK(hot.next_limit == NextLimit::hottest_id);
    CHECK(says(hot, "Sharding by this id cannot help"));
    CHECK(says(hot, "finer id"));
    CHECK(recommend({.load = writes, .distinct_ids = 1}).advice == Advice::split_hot_id);
    const auto read = recommend({.load = {.queries_per_second = 14'000}, .hottest_id_share = 0.5});
    CHECK(says(read, "share one read"));
    // Just bearable: it takes a shard almost to itself.
    const auto warm = recommend({.load = writes, .distinct_ids = 1'000, .hottest_id_share = 0.08});
    CHECK(warm.advice == Advice::shard);
    CHECK(warm.shards > 10);
    CHECK(warm.next_limit == NextLimit::hottest_id);
  }

  TEST_CASE("a sparse key is better than shards where few rows are wanted") {
    const Load sweeps{.listings_per_second = 20, .listing_bytes = 1'700'000};
    const auto sparse = recommend({.load = sweeps, .wanted_share = 0.2});
    CHECK(sparse.advice == Advice::make_sparse);
    CHECK(sparse.shards == 1);
    CHECK(sparse.utilisation < 0.7);
    const auto both = recommend({.load = {.writes_per_second = 10'000}, .wanted_share = 0.5});
    CHECK(both.advice == Advice::shard);
    CHECK(says(both, "a sparse key first"));
  }

  TEST_CASE("listings that are too frequent are not helped by shards") {
    const auto often = recommend({.load = {.listings_per_second = 5'000, .listing_bytes = 100'000}});
    CHECK(often.advice == Advice::list_less_often);
    CHECK(says(often, "Coalescer"));
    const auto next = recommend({.load = {.listings_per_second = 100, .listing_bytes = 1 << 20}});
    CHECK(next.advice == Advice::shard);
    CHECK(next.next_limit == NextLimit::listings);
  }

  TEST_CASE("an index that nobody lists is keyed by the id itself") {
    CHECK(recommend({.load = writes, .listings = capacity::Listings::never}).advice == Advice::key_by_id);
  }

  TEST_CASE("the answer names rising sort keys and shared physical partitions") {
    const auto rising = recommend({.load = writes, .sort_keys = capacity::SortKeys::rising});
    CHECK(says(rising, "Sort keys rise"));
    CHECK(says(rising, "4 physical partitions"));
    const auto warm = recommend({.load = writes, .physical_partition_count = 4'000'000});
    CHECK_FALSE(says(warm, "until DynamoDB splits"));
    CHECK(says(warm, "Sort keys do not rise"));
  }

  TEST_CASE("a share too small for a digit is not called nothing") {
    CHECK(capacity::detail::percent(0) == "0 %");
    CHECK(capacity::detail::percent(0.0004) == "less than 0.1 %");
    CHECK(capacity::detail::percent(0.0006) == "0.1 %");
  }

  TEST_CASE("queries are the next limit, or those of one hot id where they are most of a shard's") {
    const Load reads{.queries_per_second = 12'000};
    const auto even = recommend({.load = reads, .distinct_ids = 1'000'000});
    REQUIRE(even.advice == Advice::shard);
    CHECK(even.next_limit == NextLimit::reads);
    const auto hot = recommend({.load = reads, .distinct_ids = 1'000'000, .hottest_id_share = 0.25});
    REQUIRE(hot.advice == Advice::shard);
    CHECK(hot.next_limit == NextLimit::hottest_id);
    CHECK(says(hot, "mostly of one id"));
    // How many ids there are need not be known.
    const auto unknown = recommend({.load = reads, .hottest_id_share = 0.25});
    CHECK(unknown.advice == Advice::shard);
    CHECK(unknown.next_limit == NextLimit::hottest_id);
  }

  TEST_CASE("loads beyond reach say so and overflow nothing") {
    const auto large = recommend({.load = {.writes_per_second = 1e12, .write_bytes = 1500}});
    CHECK(large.advice == Advice::beyond_reach);
    CHECK(large.shards == 2'857'142'858U);
    const auto larger = recommend({.load = {.writes_per_second = 1e300, .write_bytes = ~std::uint64_t{0}}});
    CHECK(larger.advice == Advice::beyond_reach);
    CHECK(larger.shards == capacity::most_shards);
  }

  TEST_CASE("one shard less than recommended does not meet the target") {
    constexpr std::uint64_t seed = 6;
    INFO("seed ", seed);
    capacity::detail::Draws draws(seed);
    for (int round = 0; round < 40; ++round) {
      const std::uint64_t ids = 1'000 + draws.below(1'000'000);
      const Load load{.writes_per_second = 1.0 + draws.below(40'000),
                      .queries_per_second = 1.0 * draws.below(40'000)};
      INFO(load.writes_per_second, " writes, ", load.queries_per_second, " queries, ", ids, " ids");
      const auto made = recommend({.load = load, .distinct_ids = ids});
      REQUIRE((made.advice == Advice::shard || made.advice == Advice::do_not_shard));
      CHECK(made.utilisation <= 0.7 + 1e-12);
      CHECK(made.shards >= capacity::required_shards(load));
      if (made.shards == 1) continue;
      const double share = 1 / capacity::expected_lift(made.shards - 1, ids);
      CHECK(capacity::utilisation(capacity::demand_on(load, share)) > 0.7);
    }
  }

  TEST_CASE("shares, targets and loads that are none are refused") {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    for (const double bad : {-0.1, 1.1, nan}) {
      CHECK_THROWS_AS(recommend({.hottest_id_share = bad}), std::invalid_argument);
      CHECK_THROWS_AS(recommend({.wanted_share = bad}), std::invalid_argument);
      CHECK_THROWS_AS(recommend({}, {.target = bad}), std::invalid_argument);
    }
    CHECK_THROWS_AS(recommend({.physical_partition_count = 0}), std::invalid_argument);
    CHECK_THROWS_AS(recommend({.load = {.writes_per_second = nan}}), std::invalid_argument);
  }
}

}  // namespace
