// SPDX-License-Identifier: BSL-1.0
#include "migrate.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

#include "clock.hpp"
#include "reference.hpp"
#include "saga.hpp"
#include "stage.hpp"

namespace {

using std::chrono::seconds;

lab::Saga saga(std::string id, std::string person) {
  lab::Saga made;
  made.id = std::move(id);
  made.person_id = std::move(person);
  return made;
}

}  // namespace

TEST_SUITE("examples") {
  TEST_CASE("acts that wait go on in the order of their times, and in the order of asking at one time") {
    lab::Clock clock;
    lab::Stage stage(clock);
    std::vector<std::string> order;
    const auto act = [&](const std::string& name, int first, int second) {
      stage.at(lab::Time(seconds(first)), [&, name, second] {
        order.push_back(name + " begins");
        CHECK(stage.wait_until(lab::Time(seconds(second))));
        CHECK(stage.now() == lab::Time(seconds(second)));
        order.push_back(name + " ends");
      });
    };
    act("a", 1, 5);
    act("b", 2, 3);
    act("c", 2, 5);
    stage.run();
    CHECK(order ==
          std::vector<std::string>{"a begins", "b begins", "c begins", "b ends", "a ends", "c ends"});
    CHECK(stage.now() == lab::Time(seconds(5)));
  }

  TEST_CASE("what an act throws ends the stage, and acts that wait are told to end") {
    lab::Clock clock;
    bool told = false;
    {
      lab::Stage stage(clock);
      stage.at(lab::Time(), [&] { told = !stage.wait_until(lab::Time(seconds(9))); });
      stage.at(lab::Time(seconds(1)), [] { throw std::runtime_error("a fault"); });
      CHECK_THROWS_AS(stage.run(), std::runtime_error);
    }
    CHECK(told);
  }

  TEST_CASE("an answer loses what was there before the read began, and doubles what it has twice") {
    lab::Reference reference({"ann", "bob"});
    (void)reference.add(saga("1", "ann"), lab::Time());
    (void)reference.add(saga("2", "ann"), lab::Time(seconds(5)));
    (void)reference.add(saga("3", "bob"), lab::Time());
    const auto at = lab::Time(seconds(1));
    CHECK(reference.check({saga("1", "ann")}, {0}, at).lost.empty());
    CHECK(reference.check({saga("1", "ann"), saga("2", "ann")}, {0}, at).lost.empty());
    CHECK(reference.check({saga("1", "ann")}, {0}, lab::Time(seconds(5))).lost ==
          std::vector<std::uint32_t>{1});
    CHECK(reference.check({}, {0, 1}, at).lost == std::vector<std::uint32_t>{0, 2});
    CHECK(reference.check_all({saga("3", "bob"), saga("1", "ann"), saga("3", "bob")}, at).doubled == 1);
    CHECK(reference.check_all({saga("3", "bob"), saga("1", "ann"), saga("4", "bob")}, at).unknown == 1);
  }

  TEST_CASE("rows lost or doubled are problems where the assumption held, and shown where it did not") {
    lab::MigrationResult result;
    result.steps.emplace_back();
    CHECK(result.assumption_held());
    CHECK(lab::problems_of(result).empty());
    result.total.lost = 1;
    result.total.doubled = 1;
    CHECK(lab::problems_of(result).size() == 2);
    CHECK(lab::text_report(result).find("FAULT") != std::string::npos);
    result.settings.index_lag_ms = 501;
    CHECK_FALSE(result.assumption_held());
    CHECK(lab::problems_of(result).empty());
    CHECK(lab::text_report(result).find("behind by up to 501 ms") != std::string::npos);
    result.settings.assumed_lag_ms = 0;
    CHECK_FALSE(result.assumption_held());
    result.settings.index_lag_ms = 0;
    CHECK(result.assumption_held());
  }
}
