// SPDX-License-Identifier: BSL-1.0
#include <evenkey/read.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/gate.hpp"
#include "support/scripted_store.hpp"

using evenkey::OnFailure;
using support::ScriptedStore;
using Request = evenkey::QueryRequest<std::string>;

namespace {

/// N shards of one row each, whose sort key is the shard.
std::string one_row_each(std::size_t shards) {
  std::string script;
  for (std::size_t shard = 0; shard < shards; ++shard)
    script += "s" + std::to_string(shard) + ": [" + std::to_string(shard) + "].  ";
  return script;
}

evenkey::store_error throttled(const char* reason = "") {
  return evenkey::store_error("ProvisionedThroughputExceededException", "slow down",
                              {{reason, "index/gsi4"}});
}

}  // namespace

TEST_SUITE("read") {
  TEST_CASE("F35: two callers that share a cap of 4 never have more than 4 requests under way") {
    ScriptedStore store(one_row_each(64));
    evenkey::ConcurrencyLimit limit(4);
    support::Gate four;
    std::atomic<bool> served = true;
    const auto query = [&](const Request& request) {
      auto page = store(request);
      four.arrive();
      if (!four.wait_for(4)) served = false;  // four are under way at once, so the cap is used
      return page;
    };
    std::atomic<std::size_t> items = 0;
    {
      std::vector<std::jthread> callers;
      for (int caller = 0; caller < 2; ++caller)
        callers.emplace_back([&] {
          items += evenkey::enumerate(store.index(), query, {.shared_limit = &limit}).items.size();
        });
    }
    CHECK(served);
    CHECK(items == 128);
    CHECK(store.log().peak() <= 4);
  }

  TEST_CASE("a caller that gets no place under a shared cap gives up at its deadline, and says so") {
    ScriptedStore store(one_row_each(2));
    evenkey::ConcurrencyLimit limit(1);
    support::Gate gate;
    std::jthread other([&] {
      const auto permit = limit.acquire(std::nullopt, {});
      gate.arrive();
      (void)gate.wait_for(2);  // until the read below has ended
    });
    REQUIRE(gate.wait_for(1));
    const auto result =
        evenkey::enumerate(store.index(), store,
                           {.on_failure = OnFailure::collect,
                            .deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(20),
                            .shared_limit = &limit});
    gate.arrive();
    CHECK(result.items.empty());
    REQUIRE(result.failures.size() == 2);
    CHECK(store.log().size() == 0);
    CHECK(result.failures[0].message.find("deadline passed") != std::string::npos);
  }

  TEST_CASE("a read inside a read under one shared cap of 1 goes on") {
    ScriptedStore inner(one_row_each(8));
    ScriptedStore outer(one_row_each(4));
    evenkey::ConcurrencyLimit limit(1);
    const auto query = [&](const Request& request) {
      if (evenkey::enumerate(inner.index(), inner, {.shared_limit = &limit}).items.size() != 8)
        throw std::logic_error("inner read");
      return outer(request);
    };
    CHECK(evenkey::enumerate(outer.index(), query, {.shared_limit = &limit}).items.size() == 4);
    CHECK(inner.log().peak() == 1);
  }

  TEST_CASE("a read inside a read on one pool of one thread goes on") {
    ScriptedStore inner(one_row_each(8));
    ScriptedStore outer(one_row_each(8));
    evenkey::ThreadPool pool(1);
    const auto query = [&](const Request& request) {
      if (evenkey::enumerate(inner.index(), inner, {}, pool).items.size() != 8)
        throw std::logic_error("inner read");
      return outer(request);
    };
    CHECK(evenkey::enumerate(outer.index(), query, {}, pool).items.size() == 8);
  }

  TEST_CASE("an executor that never runs anything delays nothing") {
    struct Idle {
      std::size_t asked = 0;
      void execute(const std::function<void()>&) { ++asked; }
    } idle;
    ScriptedStore store(one_row_each(8));
    CHECK(evenkey::enumerate(store.index(), store, {}, idle).items.size() == 8);
    CHECK(idle.asked > 0);
  }

  TEST_CASE("an executor that has no thread for a while is asked again") {
    struct Scarce {
      std::size_t asked = 0;
      void execute(const std::function<void()>& function) {
        if (++asked == 3) throw std::runtime_error("no thread now");
        std::jthread{function};  // which has ended when this returns
      }
    } scarce;
    const std::string pages = "[1]>L [2]>L [3]>L [4]>L [5]>L [6]";
    ScriptedStore store("s0: " + pages + ".  s1: " + pages + ".  s2: " + pages + ".  s3: [1].");
    const auto query = [&](const Request& request) { return store(request); };
    std::size_t items = 0;
    for (const auto& row : evenkey::stream(store.index(), query, {}, {}, scarce)) {
      (void)row;
      ++items;
    }
    CHECK(items == 19);
    CHECK(scarce.asked > 3);
  }

  TEST_CASE("F17: 16 throttled shards, 4 attempts each, a budget of 10 retries: at most 26 requests") {
    ScriptedStore store(one_row_each(16));
    std::atomic<std::size_t> requests = 0;
    const auto query = [&](const Request&) -> evenkey::Page<support::NumberedRow> {
      ++requests;
      throw throttled();
    };
    evenkey::RetryOptions retry{.max_attempts = 4, .throttled_base_delay = std::chrono::nanoseconds(1)};
    retry.budget = std::make_shared<evenkey::RetryBudget>(evenkey::RetryBudgetOptions::of_retries(10));
    const auto result =
        evenkey::enumerate(store.index(), query, {.on_failure = OnFailure::collect, .retry = retry});
    CHECK(result.failures.size() == 16);
    CHECK(requests <= 26);
    CHECK(result.requests == requests);
  }

  TEST_CASE(
      "F17: a retry that would pass the deadline is not waited for; the error is the throttling itself") {
    ScriptedStore store(one_row_each(1));
    std::atomic<std::size_t> requests = 0;
    const auto query = [&](const Request&) -> evenkey::Page<support::NumberedRow> {
      ++requests;
      throw throttled();
    };
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::hours(1);
    const evenkey::RetryOptions retry{.max_attempts = 4,
                                      .throttled_base_delay = std::chrono::hours(1000000),
                                      .max_delay = std::chrono::hours(1000000)};
    const auto result = evenkey::enumerate(
        store.index(), query, {.on_failure = OnFailure::collect, .deadline = deadline, .retry = retry});
    CHECK(requests == 1);
    REQUIRE(result.failures.size() == 1);
    CHECK_THROWS_AS(std::rethrow_exception(result.failures[0].error), evenkey::store_error);
  }

  TEST_CASE("retries, throttling and its hot partition, pages and the end are told to the observer") {
    ScriptedStore store(one_row_each(3));
    std::atomic<bool> throttle = true;
    const auto query = [&](const Request& request) {
      if (request.shard->value == 1 && throttle.exchange(false))
        throw throttled("IndexReadKeyRangeThroughputExceeded");
      return store(request);
    };
    struct Log {
      std::size_t pages = 0, retries = 0, hot = 0, items = 0, finished = 0;
      void on_page(const evenkey::PageEvent& page) {
        ++pages;
        items += page.items;
      }
      void on_retried(const evenkey::RetryEvent& retry) { retries += retry.attempt; }
      void on_throttled(const evenkey::ThrottleEvent& event) {
        hot +=
            event.cause == evenkey::ThrottleEvent::Cause::hot_partition && event.shard->value == 1 ? 1U : 0U;
      }
      void on_finished(const evenkey::FinishEvent& event) { finished = event.requests * 100 + event.items; }
    } log;
    const evenkey::RetryOptions retry{.max_attempts = 2, .throttled_base_delay = std::chrono::nanoseconds(1)};
    const auto result = evenkey::enumerate(store.index(), query, {.retry = retry}, log);
    CHECK(result.items.size() == 3);
    CHECK(log.pages == 3);
    CHECK(log.items == 3);
    CHECK(log.retries == 1);
    CHECK(log.hot == 1);
    CHECK(log.finished == 403);  // four requests, three items
  }

  TEST_CASE("a functor that returns a future is waited for, its exception is its partition's failure") {
    ScriptedStore store(one_row_each(4));
    const auto query = [&](const Request& request) {
      return std::async(std::launch::deferred, [&store, &request] {
        if (request.shard->value == 2) throw std::runtime_error("later");
        return store(request);
      });
    };
    const auto result = evenkey::enumerate(store.index(), query, {.on_failure = OnFailure::collect});
    CHECK(result.items.size() == 3);
    CHECK(result.failures.at(0).message == "later");
  }

  TEST_CASE("pools and caps of nothing are refused") {
    CHECK_THROWS_AS(evenkey::ThreadPool(0), std::invalid_argument);
    CHECK_THROWS_AS(evenkey::ConcurrencyLimit(0), std::invalid_argument);
  }

  TEST_CASE("find_many groups rows by id, and reads a whole shard where that is cheaper") {
    ScriptedStore store("s0: [1,2,3]>L [4,5].");
    const auto ids = [&] {
      std::vector<std::string> all;
      for (const auto& row : store.rows_of(0))
        all.emplace_back(store.index().shard_by(row));
      return all;
    }();
    const auto each = evenkey::find_many(store.index(), store, ids);
    CHECK(each.groups.size() == std::set<std::string>(ids.begin(), ids.end()).size());
    std::size_t rows = 0;
    for (const auto& group : each.groups)
      for (const auto& row : each.rows(group)) {
        CHECK(store.index().shard_by(row) == group.id);
        ++rows;
      }
    CHECK(rows == each.items.size());
    store.log().clear();
    const auto whole = evenkey::find_many(store.index(), store, ids,
                                          {.expected_rows_per_id = 1, .expected_rows_per_shard = 4});
    CHECK(whole.items == each.items);
    CHECK(whole.requests <= each.requests);
  }
}
