// SPDX-License-Identifier: BSL-1.0
//
// Every figure of docs/choosing-n.md that evenkey computes.
#include <evenkey/capacity.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace {

namespace capacity = evenkey::capacity;
using capacity::expected_lift;

double tenths(double figure) { return std::round(figure * 10) / 10; }

constexpr capacity::Load writes{.writes_per_second = 3500, .write_bytes = 1500};

TEST_SUITE("capacity") {
  TEST_CASE("docs/choosing-n.md: the first example and its reasons") {
    const auto answer = capacity::recommend({.load = writes, .distinct_ids = 150});
    CHECK(answer.advice == capacity::Advice::shard);
    CHECK(answer.shards == 16);
    REQUIRE(answer.reasons.size() > 3);
    CHECK(answer.reasons[0] ==
          "All of the load on one partition key would use 700 % of what a physical partition serves (3,000 "
          "RCU/s, "
          "1,000 WCU/s); the target is 70 %.");
    CHECK(answer.reasons[1] ==
          "Shard by 16: the fewest with which the hottest shard stays within the target.");
    CHECK(answer.reasons[2] ==
          "10 would do if the load spread evenly; with these ids the hottest of 16 bears 10 % of it, so that "
          "they "
          "lift the ceiling 10 times, not 16 times.");
    CHECK(capacity::recommend({.load = writes, .distinct_ids = 10'000}).shards == 11);
    CHECK(capacity::recommend({.load = writes, .distinct_ids = 1'000}).shards == 12);
  }

  TEST_CASE("docs/choosing-n.md: the table of lifts") {
    struct Row {
      std::uint32_t shards;
      std::array<double, 5> lifts;
    };
    const auto tail = capacity::zipf_weights(1'000, 1);
    for (const Row& row : {Row{2, {1.8, 1.9, 2.0, 2.0, 1.8}}, Row{4, {3.1, 3.4, 3.8, 3.9, 2.9}},
                           Row{8, {5.1, 6.0, 7.1, 7.7, 4.2}}, Row{16, {7.8, 10.0, 13.1, 14.9, 5.4}},
                           Row{32, {11.2, 15.8, 23.2, 28.6, 6.3}}, Row{64, {15.0, 23.2, 39.3, 53.7, 6.9}}}) {
      INFO(row.shards, " shards");
      CHECK(tenths(expected_lift(row.shards, 50)) == row.lifts[0]);
      CHECK(tenths(expected_lift(row.shards, 150)) == row.lifts[1]);
      CHECK(tenths(expected_lift(row.shards, 1'000)) == row.lifts[2]);
      CHECK(tenths(expected_lift(row.shards, 10'000)) == row.lifts[3]);
      CHECK(tenths(expected_lift(row.shards, tail)) == row.lifts[4]);
      CHECK(capacity::fan_out_units(row.shards) == row.shards / 2.0);
    }
  }

  TEST_CASE("docs/choosing-n.md: the table of physical partitions") {
    const auto at_once = [](std::uint32_t keys, std::uint32_t partitions) {
      return tenths(capacity::expected_ceiling(keys, partitions).lift_before_splits);
    };
    CHECK(at_once(4, 4) == 2.0);
    CHECK(at_once(4, 16) == 3.3);
    CHECK(at_once(16, 4) == 2.7);
    CHECK(at_once(16, 16) == 5.5);
    CHECK(at_once(64, 4) == 3.2);
    CHECK(at_once(64, 16) == 8.3);
    CHECK(capacity::warm_throughput_for(16, 4).write_units == 9'000);
    CHECK(capacity::warm_throughput_for(16, 8).write_units == 49'000);
  }

  TEST_CASE("docs/choosing-n.md: what N costs") {
    CHECK(capacity::cost_per_day(capacity::fan_out_units(16), 0.125) == doctest::Approx(0.0864));
    CHECK(capacity::moved_fraction(16, 20) == doctest::Approx(0.8));
    CHECK(capacity::moved_fraction(16, 20, evenkey::Jump{}) == doctest::Approx(0.2));
    CHECK(capacity::moved_fraction(16, 32) == 0.5);
    CHECK(capacity::moved_fraction(16, 32, evenkey::Jump{}) == 0.5);
    const auto drain =
        capacity::drain_time({.rows = 1'000'000, .entry_bytes = 1517, .live_write_units = 200});
    CHECK(drain.rows_per_second == 400);
    CHECK(std::round(drain.seconds / 60) == 42);
    std::vector<double> samples;
    for (int i = 1; i <= 1'000; ++i)
      samples.push_back(i / 10.0);
    CHECK(std::round(capacity::fan_out_latency(16, samples).p50) == 96);
  }

  TEST_CASE("docs/choosing-n.md: the worked examples") {
    using capacity::Advice;
    using capacity::recommend;
    const capacity::Load sagas{.writes_per_second = 450,
                               .write_bytes = 2'200,
                               .queries_per_second = 2'900,
                               .query_bytes = 11'700,
                               .listings_per_second = 3,
                               .listing_bytes = 1'750'000};
    const auto one_key = capacity::demand_on(sagas, 1);
    CHECK(one_key.read_units == 4'992);
    CHECK(one_key.write_units == 1'350);
    CHECK(capacity::query_units(11'700) == 1.5);
    CHECK(capacity::query_units(1'750'000) == 214);
    const auto few = recommend({.load = sagas, .distinct_ids = 150});
    CHECK(few.advice == Advice::shard);
    CHECK(few.shards == 3);
    CHECK(tenths(few.expected_lift) == 2.7);
    CHECK(std::round(few.utilisation * 100) == 62);
    CHECK(tenths(few.room_to_grow) == 1.6);
    const double of_16 = capacity::utilisation(capacity::demand_on(sagas, 1 / expected_lift(16, 150)));
    CHECK(std::round(of_16 * 100) == 17);
    CHECK(tenths(1 / of_16) == 6.0);

    const capacity::Workload orders{.load = {.writes_per_second = 2'000,
                                             .write_bytes = 1'200,
                                             .queries_per_second = 500,
                                             .query_bytes = 20'000},
                                    .distinct_ids = 10'000,
                                    .sort_keys = capacity::SortKeys::rising};
    CHECK(capacity::demand_on(orders.load, 1).write_units == 4'000);
    const auto six = recommend(orders);
    CHECK(six.shards == 6);
    CHECK(tenths(six.expected_lift) == 5.8);
    CHECK(std::round(six.utilisation * 100) == 69);
    CHECK(tenths(capacity::expected_ceiling(6, 4).lift_before_splits) == 2.3);

    const capacity::Load documents{.writes_per_second = 4'000, .write_bytes = 700};
    const auto tenant = recommend({.load = documents, .distinct_ids = 500, .hottest_id_share = 0.4});
    CHECK(tenant.advice == Advice::split_hot_id);
    CHECK(tenant.reasons[1].find("1,600 WCU/s") != std::string::npos);
    CHECK(recommend({.load = documents, .distinct_ids = 200'000}).shards == 6);

    const auto jobs = recommend({.load = {.writes_per_second = 50,
                                          .write_bytes = 600,
                                          .listings_per_second = 2,
                                          .listing_bytes = 12'000'000},
                                 .wanted_share = 0.02});
    CHECK(jobs.advice == Advice::make_sparse);
    CHECK(jobs.reasons[0].find("97.7 %") != std::string::npos);
    CHECK(std::round(jobs.utilisation * 100) == 2);

    const auto small = recommend(
        {.load = {
             .writes_per_second = 30, .write_bytes = 900, .queries_per_second = 200, .query_bytes = 6'000}});
    CHECK(small.advice == Advice::do_not_shard);
    CHECK(std::round(small.utilisation * 1'000) == 67);
    CHECK(std::round(small.room_to_grow) == 15);

    const auto screens = recommend({.load = {.listings_per_second = 5'000, .listing_bytes = 100'000}});
    CHECK(screens.advice == Advice::list_less_often);
    CHECK(screens.reasons[1].find("2,500 RCU/s on each") != std::string::npos);
    const auto sensors = recommend({.load = {.writes_per_second = 20'000, .write_bytes = 300},
                                    .distinct_ids = 50'000,
                                    .listings = capacity::Listings::never});
    CHECK(sensors.advice == Advice::key_by_id);

    CHECK(capacity::moved_fraction(16, 32) * 1'000'000 == 500'000);
    const auto moves = capacity::drain_time({.rows = 500'000, .entry_bytes = 1'200, .rows_per_second = 1'000},
                                            {.write_units = 16'000});
    CHECK(moves.total_index_units == 2'000'000);
    CHECK(std::ceil(moves.seconds / 60) == 9);
    CHECK(std::round(moves.rows_per_second / 16) == 63);
  }
}

}  // namespace
