// SPDX-License-Identifier: BSL-1.0
#include <evenkey/read/retrying.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace std::chrono_literals;
using evenkey::ErrorKind;
using evenkey::RetryBudget;
using TimePoint = std::chrono::steady_clock::time_point;

/// Time that passes only by being waited for.
struct WaitedClock {
  TimePoint time{};
  std::function<void()> during_wait = [] {};

  TimePoint now() const { return time; }
  bool wait_until(TimePoint until, const std::stop_token& stop) {
    during_wait();
    if (stop.stop_requested()) return false;
    time = until;
    return true;
  }
};

/// A request that fails a number of times, each time by an error that says which it was.
struct Trial {
  std::size_t failures = 0;
  ErrorKind kind = ErrorKind::throttled;
  std::optional<TimePoint> deadline = {};
  std::stop_source stop = {};
  WaitedClock clock = {};
  std::shared_ptr<RetryBudget> budget = std::make_shared<RetryBudget>();
  std::function<void()> during_attempt = [] {};

  std::size_t attempts = 0;
  std::vector<std::pair<std::size_t, std::chrono::nanoseconds>> retried = {};

  /// @returns what the last error says; empty where the request succeeded
  std::string run(std::size_t max_attempts) {
    const evenkey::RetryOptions options{.max_attempts = max_attempts, .budget = budget};
    const auto attempt = [&] {
      ++attempts;
      during_attempt();
      return evenkey::detail::error_of_calling([&] {
        if (attempts <= failures) throw std::runtime_error("attempt " + std::to_string(attempts));
      });
    };
    const std::exception_ptr error = evenkey::detail::retrying(
        options, clock, deadline, stop.get_token(), attempt, [&](const std::exception_ptr&) { return kind; },
        [&](std::size_t made, std::chrono::nanoseconds delay) { retried.emplace_back(made, delay); });
    if (!error) return "";
    try {
      std::rethrow_exception(error);
    } catch (const std::runtime_error& failed) {
      return failed.what();
    }
  }
};

}  // namespace

TEST_SUITE("read") {
  TEST_CASE("a request that succeeds is made once, and pays only where it might have been retried") {
    Trial trial;
    CHECK(trial.budget->try_spend(ErrorKind::throttled));
    CHECK(trial.run(1).empty());
    CHECK(trial.budget->tokens() == 495);
    CHECK(trial.run(4).empty());
    CHECK(trial.budget->tokens() == 496);
    CHECK(trial.run(2).empty());
    CHECK(trial.budget->tokens() == 497);
    CHECK(trial.attempts == 3);
    CHECK(trial.retried.empty());
  }

  TEST_CASE("a request is made until it succeeds, and what the last retry cost is paid back") {
    Trial trial{.failures = 3};
    CHECK(trial.run(4).empty());
    CHECK(trial.attempts == 4);
    REQUIRE(trial.retried.size() == 3);
    std::chrono::nanoseconds waited{0};
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(trial.retried[i].first == i + 1);
      CHECK(trial.retried[i].second <= 1s * (1 << i));
      waited += trial.retried[i].second;
    }
    CHECK(trial.clock.time.time_since_epoch() == waited);
    CHECK(trial.budget->tokens() == 500 - 3 * 5 + 5);
  }

  TEST_CASE("the last error is the answer where attempts are used up or none can help") {
    Trial trial{.failures = 9};
    CHECK(trial.run(1) == "attempt 1");
    CHECK(trial.budget->tokens() == 500);
    trial.attempts = 0;
    CHECK(trial.run(3) == "attempt 3");
    CHECK(trial.budget->tokens() == 490);
    trial.attempts = 0;
    trial.kind = ErrorKind::fatal;
    CHECK(trial.run(3) == "attempt 1");
    CHECK(trial.budget->tokens() == 490);
  }

  TEST_CASE("a budget that is empty and a deadline that is near end the attempts") {
    Trial trial{.failures = 9};
    trial.budget = std::make_shared<RetryBudget>(evenkey::RetryBudgetOptions::of_retries(2));
    CHECK(trial.run(9) == "attempt 3");
    Trial late{.failures = 9, .deadline = TimePoint()};
    CHECK(late.run(9) == "attempt 1");
    CHECK(late.budget->tokens() == 500);
  }

  TEST_CASE("a stop during an attempt costs no retry, one during a wait makes no further attempt") {
    Trial trial{.failures = 9};
    trial.during_attempt = [&] { trial.stop.request_stop(); };
    CHECK(trial.run(9) == "attempt 1");
    CHECK(trial.budget->tokens() == 500);
    Trial waiting{.failures = 9};
    waiting.clock.during_wait = [&] { waiting.stop.request_stop(); };
    CHECK(waiting.run(9) == "attempt 1");
    CHECK(waiting.retried.empty());
    CHECK(waiting.budget->tokens() == 495);
  }

  TEST_CASE("whatever a call throws is held") {
    using evenkey::detail::error_of_calling;
    CHECK_FALSE(error_of_calling([] {}));
    CHECK_THROWS_AS(std::rethrow_exception(error_of_calling([] { throw 7; })), int);
  }
}
