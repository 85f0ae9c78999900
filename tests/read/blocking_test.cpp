// SPDX-License-Identifier: BSL-1.0
#include <evenkey/read.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/gate.hpp"
#include "support/scripted_store.hpp"

using evenkey::OnFailure;
using evenkey::Order;
using support::Gate;
using support::keys_of;
using support::ScriptedStore;
using Keys = std::vector<std::int64_t>;
using Request = evenkey::QueryRequest<std::string>;

namespace {

/// N shards of one row each, whose sort key is the shard.
std::string one_row_each(std::size_t shards, const char* rest = "") {
  std::string script;
  for (std::size_t shard = 0; shard < shards; ++shard)
    script += "s" + std::to_string(shard) + ": [" + std::to_string(shard) + "]" + rest + ".  ";
  return script;
}

}  // namespace

TEST_SUITE("read") {
  // Shard 0 throws at once; shard 2 throws when all four were asked; 1 and 3 write their results when 2 has
  // thrown. With three at once, the fourth can be asked only after the failure of 0 was taken in.
  TEST_CASE("F15: a failing read returns when all of its requests have ended, and names all that failed") {
    for (const std::size_t at_once : {3u, 4u}) {
      for (const bool throws_int : {false, true}) {
        for (const OnFailure mode : {OnFailure::raise, OnFailure::collect}) {
          const ScriptedStore script("s0: [0].  s1: [1].  s2: [2].  s3: [3].");
          Gate asked;
          Gate thrown;
          std::atomic<bool> gates_served = true;
          std::atomic<bool> healthy = false;
          std::atomic<int> ended = 0;
          std::mutex mutex;
          std::vector<std::uint32_t> results;  // written late, by those that do not fail
          const auto query = [&](const Request& request) {
            const std::uint32_t shard = request.shard->value;
            if (healthy) return script.answer(request);
            asked.arrive();
            if (shard == 0) {
              ++ended;
              if (throws_int) throw 42;
              throw std::runtime_error("shard 0");
            }
            if (!asked.wait_for(4)) gates_served = false;
            if (shard == 2) {
              ++ended;
              thrown.arrive();
              throw std::runtime_error("shard 2");
            }
            if (!thrown.wait_for(1)) gates_served = false;
            {
              const std::scoped_lock lock(mutex);
              results.push_back(shard);
            }
            auto page = script.answer(request);
            ++ended;
            return page;
          };
          std::vector<evenkey::Failure> failures;
          Keys keys;
          if (mode == OnFailure::raise) {
            try {
              (void)evenkey::enumerate(script.index(), query, {.max_concurrency = at_once});
            } catch (const evenkey::fan_out_error& error) {
              failures = error.failures();
            }
          } else {
            const auto result =
                evenkey::enumerate(script.index(), query, {.on_failure = mode, .max_concurrency = at_once});
            failures = result.failures;
            keys = keys_of(result.items);
            CHECK(keys == Keys{1, 3});
            CHECK_FALSE(result.complete());
          }
          CHECK(ended == 4);
          CHECK(results.size() == 2);
          CHECK(gates_served);
          REQUIRE(failures.size() == 2);
          CHECK(failures[0].partition_key == "S#0");
          CHECK(failures[1].partition_key == "S#2");
          CHECK(failures[1].message == "shard 2");
          if (throws_int) CHECK_THROWS_AS(std::rethrow_exception(failures[0].error), int);
          CHECK_FALSE(failures[0].message.empty());

          healthy = true;
          CHECK(keys_of(evenkey::enumerate(script.index(), query).items) == Keys{0, 1, 2, 3});
        }
      }
    }
  }

  TEST_CASE("F35: 64 shards, never more than 4 at once, and really 4") {
    ScriptedStore store(one_row_each(64));
    Gate asked;
    std::atomic<bool> full = true;
    // Requests go in fours: each waits for its four to be asked, so they are under way together.
    std::atomic<std::size_t> numbered = 0;
    const auto query = [&](const Request& request) {
      const std::size_t four = numbered++ / 4;
      const auto visit = store.log().enter(request);
      asked.arrive();
      if (!asked.wait_for(4 * (four + 1))) full = false;
      return store.answer(request);
    };
    const auto result = evenkey::enumerate(store.index(), query, {.max_concurrency = 4});
    CHECK(result.items.size() == 64);
    CHECK(full);
    CHECK(store.log().peak() == 4);
    CHECK(result.requests == 64);
  }

  TEST_CASE("F35: a cap of 1 works on the caller's thread alone") {
    ScriptedStore store(one_row_each(64, ">L []"));
    std::set<std::thread::id> threads;
    const auto query = [&](const Request& request) {
      threads.insert(std::this_thread::get_id());  // unguarded: it is a race if there is a second thread
      return store(request);
    };
    CHECK(evenkey::enumerate(store.index(), query, {.max_concurrency = 1}).items.size() == 64);
    CHECK(threads == std::set<std::thread::id>{std::this_thread::get_id()});
    CHECK(store.log().peak() == 1);
  }

  TEST_CASE("F35: a cap of 0 is refused before any request") {
    ScriptedStore store(one_row_each(64));
    CHECK_THROWS_AS((void)evenkey::enumerate(store.index(), store, {.max_concurrency = 0}),
                    std::invalid_argument);
    CHECK_THROWS_AS(
        (void)evenkey::find_many(store.index(), store, std::vector<std::string>{"a"}, {.max_concurrency = 0}),
        std::invalid_argument);
    CHECK(store.log().size() == 0);
  }

  TEST_CASE("F35: once the limit is provably met no further page is asked") {
    for (const std::size_t at_once : {1u, 4u, 64u}) {
      CAPTURE(at_once);
      // Each first page shows that nothing ties with its item and what comes next, though more pages follow.
      std::string script;
      for (std::size_t shard = 0; shard < 64; ++shard)
        script += "s" + std::to_string(shard) + ": [" + std::to_string(shard) + "," +
                  std::to_string(100 + shard) + "]>L [" + std::to_string(200 + shard) + "]>L !.  ";
      ScriptedStore store(script);
      const auto result = evenkey::enumerate(store.index(), store, {.limit = 10, .max_concurrency = at_once});
      CHECK(keys_of(result.items) == Keys{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
      CHECK(store.log().size() == 64);
      CHECK(result.requests == 64);

      // Only the shards whose items are given out need another page: a tie might follow.
      ScriptedStore single(one_row_each(64, ">L [500]>L [600]"));
      const auto three = evenkey::enumerate(single.index(), single, {.limit = 3, .max_concurrency = at_once});
      CHECK(keys_of(three.items) == Keys{0, 1, 2});
      for (const support::Asked& asked : single.log().asked())
        CHECK((!asked.start || asked.shard->value <= 3));
      CHECK(single.log().of("S#0") <= 2);
    }
  }

  TEST_CASE("no more requests are under way than partitions can use") {
    ScriptedStore store("s0: [1]>L [2]>L [3].  s1: [4]>L [5].");
    CHECK(evenkey::enumerate(store.index(), store, {.max_concurrency = 1000}).items.size() == 5);
    CHECK(store.log().peak() <= 2);
  }

  TEST_CASE("a request, and what it points to, lives until it is answered") {
    ScriptedStore store(one_row_each(8, ">L []"));
    const auto query = [&](const Request& request) {
      const Request copy = request;
      std::this_thread::yield();
      if (copy.partition_key != request.partition_key || copy.index_name != "scripted" ||
          copy.exclusive_start_key != request.exclusive_start_key)
        throw std::logic_error("the request changed under way");
      return store(request);
    };
    CHECK(evenkey::enumerate(store.index(), query, {.max_concurrency = 8}).complete());
  }

  TEST_CASE("callers on several threads share one definition and one functor") {
    ScriptedStore store(one_row_each(8, ">L []"));
    std::atomic<int> right = 0;
    {
      std::vector<std::jthread> callers;
      for (int caller = 0; caller < 4; ++caller)
        callers.emplace_back([&] {
          if (evenkey::enumerate(store.index(), store, {.max_concurrency = 3}).items.size() == 8) ++right;
        });
    }
    CHECK(right == 4);
    CHECK(store.log().peak() <= 12);
  }

  TEST_CASE("a functor may read in turn") {
    ScriptedStore inner("s0: [1].  s1: [2].");
    ScriptedStore outer(one_row_each(4));
    const auto query = [&](const Request& request) {
      if (evenkey::enumerate(inner.index(), inner).items.size() != 2) throw std::logic_error("inner read");
      return outer(request);
    };
    CHECK(evenkey::enumerate(outer.index(), query, {.max_concurrency = 2}).items.size() == 4);
  }

  TEST_CASE("a tie_run_error leaves when all requests have ended") {
    const ScriptedStore script("s0: [7,7,7].  s1: [7].  s2: [7].  s3: [7]>L [8].");
    Gate asked;
    std::atomic<int> ended = 0;
    std::atomic<bool> full = true;
    const auto query = [&](const Request& request) {
      asked.arrive();
      if (!asked.wait_for(4)) full = false;
      auto page = script.answer(request);
      ++ended;
      return page;
    };
    for (const OnFailure mode : {OnFailure::raise, OnFailure::collect}) {
      const int before = ended;
      CHECK_THROWS_AS((void)evenkey::enumerate(script.index(), query,
                                               {.on_failure = mode, .max_concurrency = 4, .max_tie_run = 2}),
                      evenkey::tie_run_error);
      CHECK(ended >= before + 4);
    }
    CHECK(full);
  }
}
