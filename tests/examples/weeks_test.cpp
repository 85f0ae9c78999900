// SPDX-License-Identifier: BSL-1.0
#include "weeks.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "population.hpp"
#include "weeks_report.hpp"

namespace {

using lab::WeeksOfShards;
using lab::WeeksSettings;

std::vector<WeeksOfShards> simulate(std::uint64_t seed, std::uint32_t seconds, WeeksSettings::Hours hours) {
  return lab::simulate_weeks({.seed = seed, .seconds = seconds, .hours = hours}, lab::make_population(seed));
}

}  // namespace

TEST_SUITE("examples") {
  TEST_CASE("the constant key throttles in bursts, not constantly, and two shards do not") {
    for (const std::uint64_t seed : {1U, 2U, 85U}) {
      INFO("seed ", seed);
      // A Monday until half past ten.
      const auto weeks = simulate(seed, 10 * 3'600 + 1'800, WeeksSettings::Hours::office);
      REQUIRE(weeks.size() == 7);
      const WeeksOfShards& constant = weeks.front();
      CHECK(constant.shards == 1);
      CHECK(constant.bursts >= 2);
      CHECK(constant.seconds_throttled > 10);
      CHECK(constant.seconds_throttled < 540);  // a tenth of the hour and a half that is busy
      CHECK(constant.errors > 0);
      CHECK(constant.throttled < 0.02 * constant.attempts);
      for (const WeeksOfShards& sharded : weeks) {
        if (sharded.shards == 1) continue;
        INFO(sharded.shards, " shards");
        CHECK(sharded.throttled == 0);
        CHECK(sharded.peak_rcu < constant.peak_rcu);
        CHECK(sharded.peak_wcu < constant.peak_wcu);
      }
      CHECK(weeks[4].shards == 16);
      CHECK(weeks[4].peak_rcu > constant.peak_rcu / 16);  // the hottest bears more than a sixteenth
    }
  }

  TEST_CASE("a simulation of weeks follows from its seed, and a longer one begins as a shorter one") {
    const auto first = simulate(7, 300, WeeksSettings::Hours::busy);
    const auto again = simulate(7, 300, WeeksSettings::Hours::busy);
    const auto longer = simulate(7, 400, WeeksSettings::Hours::busy);
    const auto other = simulate(8, 300, WeeksSettings::Hours::busy);
    for (std::size_t i = 0; i < first.size(); ++i) {
      CHECK(first[i].attempts == again[i].attempts);
      CHECK(first[i].throttled == again[i].throttled);
      CHECK(first[i].errors == again[i].errors);
      CHECK(first[i].seconds_throttled == again[i].seconds_throttled);
      CHECK(first[i].attempts < longer[i].attempts);
      CHECK(first[i].throttled <= longer[i].throttled);
      CHECK(first[i].attempts != other[i].attempts);
    }
  }

  TEST_CASE("a listing costs more requests the more shards there are, and nothing else does") {
    const auto weeks = simulate(85, 60, WeeksSettings::Hours::busy);
    // In its first minute: two sweeps every minute, one every second, one every fifth, all at second 30.
    const double listings = 4;
    for (std::size_t i = 4; i < weeks.size(); ++i)  // pages of 1 MB do not matter from 16 shards on
      if (weeks[i - 1].throttled == 0)
        CHECK(weeks[i].attempts - weeks[i - 1].attempts ==
              doctest::Approx(listings * (weeks[i].shards - weeks[i - 1].shards)));
  }

  // The whole hour, and six weeks for each seed, are played by `.ci/run lab`: they take too long here.
  TEST_CASE("weeks and request by request agree on busy minutes, and the report says so") {
    const lab::WeeksReportSettings settings{.seeds = 2, .seconds = 600, .compared_seconds = 150};
    const auto play = [&] { return lab::run_weeks(settings, [](std::string_view, double) {}); };
    lab::WeeksReport report = play();
    REQUIRE(report.by_seed.size() == 2);
    REQUIRE(report.hour.size() == 11);
    // In so short a time, bursts are too few to compare: those of the constant key, and the worst second drawn anew.
    for (const std::size_t i : {0U, 3U, 4U, 5U, 6U, 7U, 8U}) {
      INFO(report.hour[i].what, ": ", report.hour[i].simulated, ", ", report.hour[i].by_request);
      CHECK(report.hour[i].agrees());
    }
    const auto json = nlohmann::json::parse(lab::json_report(report));
    CHECK(json["seeds"].size() == 2);
    CHECK(json["seeds"][1]["seed"] == 86);
    CHECK(json["seeds"][0]["shards"].size() == 7);
    CHECK(lab::text_report(report).find("seed 86: the fewest shards within 70 %") != std::string::npos);
    report.hour = {{"throttled", 160, 100, .5}};
    CHECK(lab::problems_of(report) ==
          std::vector<std::string>{"throttled: simulated 160, request by request 100"});
    CHECK(lab::text_report(report).find("+60.0%") != std::string::npos);
    report.hour = {{"throttled", 50, 100, .5}, {"throttled", 0, 0, 0}};
    CHECK(lab::problems_of(report).empty());
    CHECK(lab::text_report(report).find("-50.0%") != std::string::npos);
  }
}
