// SPDX-License-Identifier: BSL-1.0
#include <evenkey/capacity/throttle_simulation.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

namespace {

namespace capacity = evenkey::capacity;
using capacity::Attempts;
using capacity::RetryRules;
using capacity::ThrottleCount;
using capacity::ThrottleSimulation;

void add(ThrottleCount& total, const ThrottleCount& more) {
  total.attempts += more.attempts;
  total.throttled += more.throttled;
  total.errors += more.errors;
}

TEST_SUITE("capacity") {
  TEST_CASE("a partition within its limit throttles nothing, one second above it does") {
    ThrottleSimulation partition(1, 1, 3'000);
    const std::vector<Attempts> within{{2'000, 3'000}}, above{{2'000, 4'000}};
    CHECK(partition.second(within).throttled == 0);
    CHECK(partition.idle());
    const auto burst = partition.second(above);
    CHECK(burst.attempts == 2'000);
    CHECK(burst.throttled == doctest::Approx(500));
    CHECK_FALSE(partition.idle());
  }

  TEST_CASE("what an idle second leaves unused lifts no later one") {
    ThrottleSimulation partition(1, 1, 1'000);
    for (int i = 0; i < 300; ++i)
      partition.second(std::vector<Attempts>{{0, 0}});
    CHECK(partition.second(std::vector<Attempts>{{10, 2'000}}).throttled == doctest::Approx(5));
  }

  TEST_CASE("throttled requests come again and succeed in the quiet that follows") {
    ThrottleSimulation partition(1, 1, 1'000);
    auto total = partition.second(std::vector<Attempts>{{20, 2'000}});
    for (int i = 0; i < 30; ++i)
      add(total, partition.second(std::vector<Attempts>{{0, 0}}));
    CHECK(total.attempts == doctest::Approx(30));  // ten of them twice
    CHECK(total.throttled == doctest::Approx(10));
    CHECK(total.errors == 0);
    CHECK(partition.idle());
  }

  TEST_CASE("a request is given up after its attempts, each request once") {
    constexpr RetryRules generous{.attempts = 4, .tokens = 1e9};
    ThrottleSimulation partition(1, 1, 1, generous);
    ThrottleCount total;
    double requests = 0;
    for (int i = 0; i < 1'000; ++i) {
      add(total, partition.second(std::vector<Attempts>{{100, 100}}));
      requests += 100;
    }
    for (int i = 0; i < 60; ++i)
      add(total, partition.second(std::vector<Attempts>{{0, 0}}));
    CHECK(total.attempts <= 4 * requests);
    CHECK(total.attempts > 3.9 * requests);
    // Each attempt is served or throttled; each request ends served or given up.
    CHECK(total.attempts - total.throttled + total.errors == doctest::Approx(requests));
  }

  TEST_CASE("a caller without retry tokens gives up at once, and another's are its own") {
    constexpr RetryRules rules{.tokens = 500, .cost = 5};
    ThrottleSimulation partition(1, 2, 1'000, rules);
    // Caller 0 is throttled 150 times and has tokens for 100 retries, caller 1 is throttled 50 times.
    const auto burst = partition.second(std::vector<Attempts>{{300, 1'500}, {100, 500}});
    CHECK(burst.throttled == doctest::Approx(200));
    CHECK(burst.errors == doctest::Approx(50));
  }

  TEST_CASE("one hot partition throttles, its neighbours do not") {
    ThrottleSimulation partitions(4, 1, 1'000);
    const auto count = partitions.second(std::vector<Attempts>{{9, 900}, {20, 2'000}, {9, 900}, {9, 900}});
    CHECK(count.throttled == doctest::Approx(10));
  }

  TEST_CASE("a single attempt is never retried, and free retries always are") {
    ThrottleSimulation once(1, 1, 1, {.attempts = 1});
    CHECK(once.second(std::vector<Attempts>{{10, 10}}).errors == doctest::Approx(9));
    CHECK(once.idle());
    ThrottleSimulation free_retries(1, 1, 1, {.tokens = 0, .cost = 0});
    CHECK(free_retries.second(std::vector<Attempts>{{10, 10}}).errors == 0);
    CHECK_FALSE(free_retries.idle());
  }

  TEST_CASE("waits are capped") {
    ThrottleSimulation partition(1, 1, 1, {.attempts = 40, .cap_seconds = 3, .tokens = 1e9});
    ThrottleCount total = partition.second(std::vector<Attempts>{{10, 10}});
    for (int i = 0; i < 200; ++i)
      add(total, partition.second(std::vector<Attempts>{{0, 0}}));
    CHECK(partition.idle());
    CHECK(total.errors == 0);
  }

  TEST_CASE("nothing to simulate is refused") {
    CHECK_THROWS_AS(ThrottleSimulation(0, 1, 1), std::invalid_argument);
    CHECK_THROWS_AS(ThrottleSimulation(1, 0, 1), std::invalid_argument);
    CHECK_THROWS_AS(ThrottleSimulation(1, 1, 0), std::invalid_argument);
    CHECK_THROWS_AS(ThrottleSimulation(1, 1, -1), std::invalid_argument);
    CHECK_THROWS_AS(ThrottleSimulation(1, 1, std::numeric_limits<double>::quiet_NaN()),
                    std::invalid_argument);
    CHECK_THROWS_AS(ThrottleSimulation(1, 1, 1, {.attempts = 0}), std::invalid_argument);
    CHECK_THROWS_AS(ThrottleSimulation(1, 1, 1, {.cap_seconds = 4'000'000'000U}), std::invalid_argument);
    CHECK_THROWS_AS(ThrottleSimulation(1, 1, 1, {.tokens = -1}), std::invalid_argument);
    CHECK_THROWS_AS(ThrottleSimulation(1, 1, 1, {.cost = -1}), std::invalid_argument);
  }
}

}  // namespace
