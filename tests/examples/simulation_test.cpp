// SPDX-License-Identifier: BSL-1.0
#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "assumptions.hpp"
#include "census.hpp"
#include "clock.hpp"
#include "event_queue.hpp"
#include "ledger.hpp"
#include "population.hpp"
#include "random.hpp"
#include "sdk_client.hpp"
#include "traffic.hpp"

namespace {

bool same(const lab::Call& a, const lab::Call& b) {
  return a.at == b.at && a.caller == b.caller && a.kind == b.kind && a.subject == b.subject;
}

lab::Time at_ms(std::uint32_t ms) { return lab::Time(lab::milliseconds(ms)); }

}  // namespace

TEST_SUITE("examples") {
  TEST_CASE("random numbers are the same on every platform") {
    lab::Random random(85, 1);
    std::vector<std::uint32_t> drawn;
    for (int i = 0; i < 6; ++i)
      drawn.push_back(random.below(1'000));
    CHECK(drawn == std::vector<std::uint32_t>{916, 107, 788, 854, 736, 74});
    for (int i = 0; i < 100; ++i) {
      const std::uint32_t number = random.between(3, 5);
      CHECK(number >= 3);
      CHECK(number <= 5);
    }
  }

  TEST_CASE("the population is ADR-0085's") {
    const lab::Population population = lab::make_population(1);
    CHECK(std::set<std::string>(population.persons.begin(), population.persons.end()).size() == 150);
    CHECK(population.open.size() == 179);
    CHECK(population.sagas.size() > 179);
    std::set<std::string> ids;
    for (const lab::Saga& saga : population.sagas) {
      ids.insert(saga.id);
      CHECK(saga.gsi4sk.size() == saga.person_id.size() + 25);
      CHECK(lab::SagaSortKey::decode(saga.gsi4sk));
    }
    CHECK(ids.size() == population.sagas.size());
    for (const std::uint32_t saga : population.open) {
      CHECK(population.sagas[saga].status == lab::Status::open);
      CHECK(population.sagas[saga].person_id == population.persons[saga % 150]);
    }
  }

  TEST_CASE("a longer run begins as a shorter one does") {
    const lab::Population population = lab::make_population(1);
    const lab::Traffic shorter = lab::make_traffic(1, 60, population);
    const lab::Traffic longer = lab::make_traffic(1, 180, population);
    REQUIRE(longer.calls.size() > shorter.calls.size());
    for (std::size_t i = 0; i < shorter.calls.size(); ++i)
      REQUIRE(same(shorter.calls[i], longer.calls[i]));
    CHECK(shorter.portfolios == longer.portfolios);
    for (std::size_t i = 1; i < longer.calls.size(); ++i)
      REQUIRE(longer.calls[i - 1].at <= longer.calls[i].at);
    CHECK(longer.calls.back().at < at_ms(180'000));
  }

  TEST_CASE("staggered sweeps start a quarter of a minute apart, and nothing else moves") {
    const lab::Population population = lab::make_population(1);
    const lab::Traffic together = lab::make_traffic(1, 600, population);
    const lab::Traffic apart = lab::make_traffic(1, 600, population, lab::Sweeps::staggered);
    const auto split = [](const lab::Traffic& traffic) {
      std::pair<std::vector<lab::Call>, std::vector<lab::Call>> calls;  // sweeps, others
      for (const lab::Call& call : traffic.calls)
        (call.kind == lab::Call::Kind::enumerate ? calls.first : calls.second).push_back(call);
      return calls;
    };
    const auto [sweeps_together, others_together] = split(together);
    const auto [sweeps_apart, others_apart] = split(apart);
    CHECK(sweeps_together.size() == 10 + 10 + 5 + 2);
    CHECK(sweeps_apart.size() == sweeps_together.size());
    REQUIRE(others_apart.size() == others_together.size());
    for (std::size_t i = 0; i < others_apart.size(); ++i)
      REQUIRE(same(others_apart[i], others_together[i]));
    // They start up to 0.9 s late.
    for (std::size_t i = 1; i < sweeps_apart.size(); ++i)
      CHECK(sweeps_apart[i].at - sweeps_apart[i - 1].at > std::chrono::seconds(14));
  }

  TEST_CASE("the census knows how many rows there were") {
    const std::vector<std::string> persons{"ann", "bob"};
    lab::Census census(persons);
    census.add_row("ann", at_ms(0));
    census.add_row("bob", at_ms(1'000));
    census.add_row("ann", at_ms(2'000));
    CHECK(census.rows_of({0, 1}) == 3);
    CHECK(census.rows_of({0, 1}, at_ms(2'000)) == 3);
    CHECK(census.rows_of({0, 1}, at_ms(1'999)) == 2);
    CHECK(census.rows_of({0}, at_ms(999)) == 1);
    CHECK(census.rows_of({1}, at_ms(999)) == 0);
  }

  TEST_CASE("events of one moment come in the order in which they were scheduled") {
    lab::EventQueue queue;
    std::string order;
    for (const char* event : {"2a", "1a", "2b", "1b", "2c"})
      queue.schedule(at_ms(event[0] == '1' ? 1 : 2), [&order, event] { order += event; });
    while (!queue.empty())
      queue.take()();
    CHECK(order == "1a1b2a2b2c");
  }

  TEST_CASE("a client waits longer each time, and gives up after four attempts") {
    lab::SdkClient client(lab::Random(1, 1));
    for (std::uint32_t attempts = 1; attempts <= 3; ++attempts) {
      const auto wait = client.wait_after_throttling(attempts);
      REQUIRE(wait);
      CHECK(*wait <= std::chrono::seconds(1U << (attempts - 1)));
    }
    CHECK_FALSE(client.wait_after_throttling(4));
  }

  TEST_CASE("the retries of a client share a bucket of tokens, which success fills again") {
    lab::SdkClient client(lab::Random(1, 1));
    std::uint32_t retries = 0;
    while (client.wait_after_throttling(1))
      ++retries;
    CHECK(retries == 100);
    client.succeeded(2);
    CHECK(client.wait_after_throttling(1));
    CHECK_FALSE(client.wait_after_throttling(1));
    for (int i = 0; i < 5; ++i)
      client.succeeded(1);
    CHECK(client.wait_after_throttling(1));
    CHECK_FALSE(client.wait_after_throttling(1));
  }

  TEST_CASE("percentiles of attempts are by the nearest rank") {
    lab::Ledger ledger(1);
    const lab::Account account{lab::Caller::detail_page, 0};
    for (int i = 0; i < 98; ++i)
      ledger.settled(account, 1);
    ledger.settled(account, 2);
    ledger.settled(account, 4);
    const lab::CallerFigures figures = ledger.summary().by_caller[lab::number_of(lab::Caller::detail_page)];
    CHECK(figures.attempts_p50 == 1);
    CHECK(figures.attempts_p99 == 2);
    CHECK(figures.attempts_max == 4);
  }

  TEST_CASE("peaks are those of one second, and all partitions together have one of their own") {
    lab::Ledger ledger(2);
    ledger.answered({lab::Caller::list_page, 0}, at_ms(100), {.read = 2, .write = 0});
    ledger.answered({lab::Caller::list_page, 1}, at_ms(999), {.read = 3, .write = 0});
    ledger.answered({lab::Caller::list_page, 1}, at_ms(1'000), {.read = 4, .write = 0});
    ledger.throttled({lab::Caller::list_page, 1}, at_ms(1'001));
    const lab::Side side = ledger.summary();
    CHECK(side.partitions[0].peak_rcu == 2);
    CHECK(side.partitions[1].peak_rcu == 4);
    CHECK(side.total.peak_rcu == 5);
    CHECK(side.total.read_units == 9);
    CHECK(side.total.requests == 4);
    CHECK(side.seconds_throttled == 1);
  }
}
