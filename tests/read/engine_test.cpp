// SPDX-License-Identifier: BSL-1.0
// Every order in which answers can come, for small fan-outs.
#include <evenkey/read.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "support/rows.hpp"
#include "support/schedules.hpp"
#include "support/scripted_store.hpp"
#include "support/sorted_store.hpp"

using evenkey::Direction;
using evenkey::EnumerateOptions;
using evenkey::OnFailure;
using evenkey::Order;
using support::AllSchedules;
using support::Limits;
using support::NumberedRow;
using support::ReadEnd;
using support::ScriptedStore;
using support::SortedStore;

namespace {

using Rows = std::vector<NumberedRow>;
using Names = std::vector<std::string>;

/// The answer as one sorted list gives it.
Rows expected_rows(Rows rows, const EnumerateOptions& options) {
  if (options.order == Order::by_sort_key) {
    std::sort(rows.begin(), rows.end(), [](const NumberedRow& a, const NumberedRow& b) {
      return a.key != b.key ? a.key < b.key : a.primary < b.primary;
    });
    if (options.direction == Direction::descending) std::reverse(rows.begin(), rows.end());
  }
  if (options.limit != 0 && rows.size() > options.limit) rows.resize(options.limit);
  return rows;
}

Names failed_names(const ReadEnd<NumberedRow>& end) {
  Names names;
  for (const evenkey::Failure& failure : end.failures)
    names.push_back(failure.partition_key);
  return names;
}

bool has_all_rows_of(const ScriptedStore<>& store, std::size_t shard, const ReadEnd<NumberedRow>& end) {
  const Rows rows = store.rows_of(shard);
  return std::all_of(rows.begin(), rows.end(), [&](const NumberedRow& row) {
    return std::count(end.items.begin(), end.items.end(), row) == 1;
  });
}

/// One read, its answers in the order of the schedule.
template <class Index>
ReadEnd<NumberedRow> run(const Index& index, const ScriptedStore<>& store, const EnumerateOptions& options,
                         AllSchedules& schedules, std::optional<std::size_t> cancel_after = std::nullopt) {
  const auto engine = support::enumerating_engine(index, options);
  const auto query = [&](const auto& request) { return store.answer(request); };
  return support::drive(
      *engine, query, options.max_concurrency, [&](std::size_t n) { return schedules.choose(n); },
      cancel_after);
}

/// Runs all schedules and checks each end; stops at the first that is wrong, so that a fault is one message.
template <class Check>
std::size_t in_every_order(const std::string& script, Limits limits, const EnumerateOptions& options,
                           Check check) {
  const ScriptedStore store(script, limits);
  AllSchedules schedules;
  while (schedules.next()) {
    const ReadEnd<NumberedRow> end = run(store.index(), store, options, schedules);
    if (!check(store, end)) {
      FAIL_CHECK("schedule " << schedules.count() << " of " << script << ", limit " << options.limit
                             << ", descending " << (options.direction == Direction::descending)
                             << ", collect " << (options.on_failure == OnFailure::collect) << ", at once "
                             << options.max_concurrency << ": " << end.items.size() << " items, "
                             << end.failures.size() << " failures, stuck " << end.stuck);
      break;
    }
  }
  return schedules.count();
}

constexpr Direction both_directions[] = {Direction::ascending, Direction::descending};
constexpr OnFailure both_modes[] = {OnFailure::raise, OnFailure::collect};

}  // namespace

TEST_SUITE("read") {
  TEST_CASE("the answer is the same in whatever order pages arrive") {
    std::size_t schedules = 0;
    for (const char* script :
         {"s0: [1,3]>L [5].  s1: [2,4,6].", "s0: []>L []>L [1].  s1: [2].",
          "s0: [1]>L [2]>L [3].  s1: [10,11].", "s0: [5/c]>L [5/a]>L [6].  s1: [5/b]>L [5/d].",
          "s0: [1]>L []>L [7].  s1: [1]>L [2].  s2: [0,1].",
          "s0: [1/x,2/y]>L [3/z].  s1: []>L [1/a,9/b].  s2: [].",
          "s0: [7]>L [7].  s1: [7]>L [7].  s2: [7]>L [7].",
          "s0: [5/z]>L []>L [5/a]>L [6].  s1: [9]>L [9/a]."}) {
      for (const Direction direction : both_directions) {
        for (const std::size_t limit : {0u, 1u, 2u, 3u, 5u}) {
          for (const Limits limits : {Limits::honoured, Limits::ignored}) {
            for (const std::size_t at_once : {1u, 2u, 16u}) {
              const EnumerateOptions options{
                  .limit = limit, .direction = direction, .max_concurrency = at_once};
              schedules += in_every_order(script, limits, options, [&](const auto& store, const auto& end) {
                return end.complete() && end.items == expected_rows(store.rows(), options);
              });
            }
          }
        }
      }
    }
    CHECK(schedules > 2000);  // the walk is a walk
  }

  TEST_CASE("three shards of three pages are the same answer in all orders") {
    const std::size_t schedules = in_every_order(
        "s0: [1,4]>L [4,7]>L [9].  s1: [2]>L []>L [4].  s2: [3,4]>L [8]>L [9].", Limits::ignored, {},
        [](const auto& store, const auto& end) {
          return end.complete() && end.requests == 9 && end.items == expected_rows(store.rows(), {});
        });
    CHECK(schedules >= 1680);  // 9! / (3! 3! 3!)
  }

  TEST_CASE("a limited read asks the same pages' worth in all orders, and stops where it must") {
    const EnumerateOptions options{.limit = 3};
    in_every_order("s0: [1,4]>L !.  s1: [2,5]>L !.  s2: [3,6]>L !.", Limits::ignored, options,
                   [&](const auto& store, const auto& end) {
                     return end.complete() && end.requests == 3 &&
                            end.items == expected_rows(store.rows(), options);
                   });
  }

  TEST_CASE("a failure at any place names its partition in all orders, and the others are all there") {
    const char* const scripts[] = {
        "s0: !.  s1: [2]>L [4].  s2: [3]>L [9].",      "s0: [1]>L !.  s1: [2]>L [4].  s2: [3]>L [9].",
        "s0: [1]>L [5]>L !.  s1: [2]>L [4].",          "s0: [4]>L !.  s1: [4]>L [4]>L [5].  s2: [4].",
        "s0: []>L !.  s1: [2]>L [4].  s2: [3]>L [9].", "s0: [1]>L !42.  s1: [1]>L [1].  s2: []>L [1]."};
    for (const char* script : scripts) {
      for (const std::size_t at_once : {1u, 2u, 16u}) {
        in_every_order(script, Limits::ignored,
                       {.on_failure = OnFailure::collect, .max_concurrency = at_once},
                       [](const auto& store, const auto& end) {
                         return failed_names(end) == Names{"S#0"} && !end.stuck && !end.fatal &&
                                end.items == expected_rows(store.rows(), {});
                       });
        in_every_order(script, Limits::ignored, {.on_failure = OnFailure::raise, .max_concurrency = at_once},
                       [](const auto&, const auto& end) {
                         return failed_names(end) == Names{"S#0"} && !end.stuck && end.items.empty();
                       });
      }
    }
  }

  TEST_CASE("first pages that fail are all named in all orders and modes") {
    for (const OnFailure mode : both_modes) {
      for (const std::size_t at_once : {1u, 2u, 16u}) {
        in_every_order("s0: [1]>L [5].  s1: !.  s2: !42.  s3: [2].", Limits::ignored,
                       {.on_failure = mode, .max_concurrency = at_once}, [](const auto&, const auto& end) {
                         return failed_names(end) == Names{"S#1", "S#2"} && !end.stuck;
                       });
      }
    }
  }

  TEST_CASE("collected failures on later pages are the same set in all orders") {
    for (const std::size_t limit : {0u, 9u}) {
      const EnumerateOptions options{.limit = limit, .on_failure = OnFailure::collect};
      in_every_order("s0: [1]>L !.  s1: [2]>L [3]>L !.  s2: [0]>L [9].", Limits::ignored, options,
                     [&](const auto& store, const auto& end) {
                       return failed_names(end) == Names{"S#0", "S#1"} && !end.stuck &&
                              end.items == expected_rows(store.rows(), options);
                     });
    }
  }

  TEST_CASE("a page out of order fails its partition in all orders, and the others are all there") {
    for (const char* script : {"s0: [4,2]>L [5].  s1: [1]>L [3].", "s0: [4]>L [2]>L [5].  s1: [1]>L [3,9].",
                               "s0: [4]>L []>L [2].  s1: [1]>L [3,9].", "s0: [2,1]>L [5].  s1: [7]>L [8].",
                               "s0: [2,1]>L !.  s1: [7]>L [8]>L [9]."}) {
      for (const Limits limits : {Limits::honoured, Limits::ignored}) {
        for (const std::size_t limit : {0u, 30u}) {
          const EnumerateOptions options{.limit = limit, .on_failure = OnFailure::collect};
          in_every_order(script, limits, options, [&](const auto& store, const auto& end) {
            Rows placed = store.rows_of(1);
            placed.push_back(store.rows_of(0).front());  // what comes before the fault is given in any order
            return failed_names(end) == Names{"S#0"} && !end.stuck && !end.fatal &&
                   end.items == expected_rows(placed, {});
          });
        }
      }
    }
  }

  TEST_CASE("a tie run that is too long is refused in all orders") {
    for (const OnFailure mode : both_modes) {
      in_every_order("s0: [7]>L [7].  s1: [7]>L [7].", Limits::ignored,
                     {.on_failure = mode, .max_tie_run = 3},
                     [](const auto&, const auto& end) { return end.fatal != nullptr; });
      in_every_order("s0: [7]>L [7].  s1: [7]>L [7].", Limits::ignored,
                     {.on_failure = mode, .max_tie_run = 4},
                     [](const auto&, const auto& end) { return end.complete() && end.items.size() == 4; });
    }
  }

  TEST_CASE("the copies of a moved row are settled alike in all orders") {
    in_every_order("s0: [1]>L [2/b].  s1: [2/b]>L [3].  s2: []>L [2/b].", Limits::ignored, {},
                   [](const auto&, const auto& end) {
                     return end.complete() && end.duplicates_dropped == 2 &&
                            support::keys_of(end.items) == std::vector<std::int64_t>{1, 2, 3};
                   });
  }

  TEST_CASE("by shard, the order of arrival leaves no choice") {
    for (const std::size_t limit : {0u, 2u, 3u}) {
      const EnumerateOptions options{.limit = limit, .order = Order::by_shard};
      const std::size_t schedules =
          in_every_order("s0: [5]>L []>L [5].  s1: [1]>L [2].  s2: [].", Limits::ignored, options,
                         [&](const auto& store, const auto& end) {
                           return end.complete() && end.items == expected_rows(store.rows(), options);
                         });
      CHECK(schedules == 1);
    }
  }

  TEST_CASE("a read that is cancelled at any step ends, and what it does not name is there to the last row") {
    for (const char* script : {"s0: [1,3]>L [5].  s1: [2]>L []>L [6].", "s0: [5]>L [5].  s1: [5]>L [5].",
                               "s0: []>L [1].  s1: [].  s2: [2]."}) {
      for (const Order order : {Order::by_sort_key, Order::by_shard}) {
        for (const std::size_t at_once : {1u, 2u, 16u}) {
          for (const OnFailure mode : both_modes) {
            const ScriptedStore store(script);
            const EnumerateOptions options{.order = order, .on_failure = mode, .max_concurrency = at_once};
            std::size_t pages = 0;
            for (std::size_t shard = 0; shard < store.shards(); ++shard)
              pages += store.pages_of(shard);
            for (std::size_t step = 0; step <= pages; ++step) {
              AllSchedules schedules;
              while (schedules.next()) {
                const auto end = run(store.index(), store, options, schedules, step);
                bool right = !end.stuck && !end.fatal;
                const Names failed = failed_names(end);
                for (std::size_t shard = 0; shard < store.shards(); ++shard) {
                  if (std::count(failed.begin(), failed.end(), "S#" + std::to_string(shard)) != 0) continue;
                  if (mode == OnFailure::raise && !failed.empty()) continue;
                  right = right && has_all_rows_of(store, shard, end);
                }
                if (step == 0) right = right && failed.size() == store.shards() && end.requests == 0;
                if (step == pages) right = right && failed.empty();
                if (!right) {
                  FAIL_CHECK("cancelled after " << step << ", schedule " << schedules.count() << " of "
                                                << script << ", by shard " << (order == Order::by_shard)
                                                << ", collect " << (mode == OnFailure::collect) << ": "
                                                << end.items.size() << " items, " << failed.size()
                                                << " failures");
                  break;
                }
              }
            }
          }
        }
      }
    }
  }

  TEST_CASE("a primary_key that throws fails its partition in all orders, and the others are all there") {
    struct Brittle : support::ScriptedIndex<> {
      static std::string_view primary_key(const NumberedRow& row) {
        if (row.primary == "bad") throw std::runtime_error("no primary key");
        return row.primary;
      }
    };
    for (const char* script :
         {"s0: [5/bad]>L [6].  s1: [5]>L [7].", "s0: [1,5/bad]>L [5]>L [9].  s1: [5,5]>L [7].",
          "s0: [5,5/bad]>L [6].  s1: [7]>L [8].", "s0: [5/bad,6]>L [8].  s1: [5]>L [7].",
          "s0: [5/bad,6]>L [8].  s1: [5]>L [7]>L [9]."}) {
      for (const std::size_t limit : {0u, 30u}) {
        const ScriptedStore store(script);
        const EnumerateOptions options{.limit = limit, .on_failure = OnFailure::collect};
        AllSchedules schedules;
        while (schedules.next()) {
          const auto end = run(Brittle{store.index()}, store, options, schedules);
          if (end.stuck || failed_names(end) != Names{"S#0"} || !has_all_rows_of(store, 1, end)) {
            FAIL_CHECK("schedule " << schedules.count() << " of " << std::string(script) << ", limit "
                                   << limit << ": " << end.items.size() << " items, " << end.failures.size()
                                   << " failures, stuck " << end.stuck);
            break;
          }
        }
      }
    }
  }

  TEST_CASE("many ids come in the order given, in whatever order their pages arrive") {
    SortedStore store(support::ByPerson(2), {.page_size = 2});
    for (const char* id : {"a", "b", "c"})
      for (int i = 0; i < 3; ++i)
        store.put({id, std::to_string(i), 0, id + std::to_string(i)});
    const auto query = [&](const auto& request) { return store.answer(request); };
    AllSchedules schedules;
    while (schedules.next()) {
      const auto engine = support::finding_engine(store.index(), {"b", "c", "a"}, OnFailure::raise);
      const auto end = support::drive(*engine, query, 16, [&](std::size_t n) { return schedules.choose(n); });
      REQUIRE(support::primary_keys(end.items) ==
              Names{"b0", "b1", "b2", "c0", "c1", "c2", "a0", "a1", "a2"});
    }
    CHECK(schedules.count() == 90);  // 6! / (2! 2! 2!)
  }

  TEST_CASE("of many ids one fails, in whatever order pages arrive") {
    SortedStore store(support::ByPerson(2), {.page_size = 2});
    for (const char* id : {"a", "b", "c"})
      for (int i = 0; i < 3; ++i)
        store.put({id, std::to_string(i), 0, id + std::to_string(i)});
    for (const bool on_second : {false, true}) {
      const auto query = [&](const evenkey::QueryRequest<std::string>& request) {
        if (request.sort_key == evenkey::SortKeyCondition::begins_with("c#") &&
            request.exclusive_start_key.has_value() == on_second)
          throw std::runtime_error("throttled");
        return store.answer(request);
      };
      AllSchedules schedules;
      while (schedules.next()) {
        const auto engine = support::finding_engine(store.index(), {"b", "c", "a"}, OnFailure::collect);
        const auto end =
            support::drive(*engine, query, 16, [&](std::size_t n) { return schedules.choose(n); });
        const Names given = support::primary_keys(end.items);
        REQUIRE(end.failures.size() == 1);
        REQUIRE(end.failures[0].id == "c");
        for (const char* other : {"a0", "a1", "a2", "b0", "b1", "b2"})
          REQUIRE(std::count(given.begin(), given.end(), other) == 1);
      }
    }
  }
}
