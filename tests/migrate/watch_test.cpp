// SPDX-License-Identifier: BSL-1.0
#include <evenkey/migrate/watch.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <map>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <vector>

#include "support/two_copies.hpp"

namespace {

using evenkey::LateRow;
using evenkey::Restamp;
using evenkey::RestampResult;
using evenkey::WatchReport;
using support::Copy;
using support::TwoCopies;

using Index = support::CopiesBy<16>;
using Keys = Index::PartitionKey;
using Cutover = evenkey::Migration<Index, evenkey::UnshardedKey<"C">>;
constexpr Cutover cutover{evenkey::insert_visible_first};

/// An index that rows of others share.
struct Shared : Index {
  static bool owns(const Copy& row) { return row.payload != "theirs"; }
};

/// Moves in both copies, under the condition.
auto mover(TwoCopies& store) {
  return [&store](const Restamp<Copy>& request) {
    const auto row = store.table.find(request.item.id);
    if (row == store.table.end()) return RestampResult::gone();
    if (row->second.stored != request.from) return RestampResult::found(row->second.stored);
    store.index[row->second.stored].erase(row->first);
    row->second.stored = request.to;
    store.index[row->second.stored][row->first] = row->second;
    return RestampResult::moved();
  };
}

Copy late(const std::string& id) { return {id, "p1", "p1#" + id, "C"}; }

}  // namespace

TEST_SUITE("migrate") {
  TEST_CASE("a poll that finds nothing is one request to each partition of the source") {
    TwoCopies store;
    store.put(store.row<Keys>("a", "p1"));
    store.read_units = 0.5;
    const WatchReport report = evenkey::watch_source(cutover, store.query(), mover(store), {}, store);
    CHECK(report.started == store.day);
    CHECK(store.waited.count() == 0);
    CHECK(report.quiet());
    CHECK(report.whole());
    CHECK(report.polls == 1);
    CHECK(report.requests == 1);
    CHECK(report.consumed_read_units == 0.5);
    CHECK(report.migration == cutover.id());
    CHECK(report.layout == evenkey::layout_of(cutover.at<evenkey::Phase::source>()));
    constexpr evenkey::Migration<Index, evenkey::ShardedKey<"Old", evenkey::ShardPolicy<4>>> from_four{
        evenkey::insert_visible_first};
    CHECK(evenkey::watch_source(from_four, store.query(), mover(store)).requests == 4);
  }

  TEST_CASE("a late row is moved to its place, and alarmed about once") {
    TwoCopies store;
    store.put(late("a"));
    std::vector<std::string> alarms;
    const auto alarm = [&](const LateRow& row) {
      CHECK(row.outcome == LateRow::Outcome::moved);
      CHECK(row.from == "C");
      CHECK(row.to == Keys::of("p1"));
      alarms.emplace_back(row.primary_key);
    };
    const WatchReport report =
        evenkey::watch_source(cutover, store.query(), mover(store), {.on_late = alarm});
    CHECK(!report.quiet());
    CHECK(report.late == 1);
    CHECK(report.moved == 1);
    CHECK(report.samples == std::vector<std::string>{"a"});
    CHECK(alarms == std::vector<std::string>{"a"});
    CHECK(store.table["a"].stored == Keys::of("p1"));
    CHECK(evenkey::watch_source(cutover, store.query(), mover(store), {.on_late = alarm}).quiet());
  }

  TEST_CASE("many late rows are met page by page") {
    TwoCopies store;
    for (int i = 0; i < 20; ++i)
      store.put(late("r" + std::to_string(100 + i)));
    const WatchReport report =
        evenkey::watch_source(cutover, store.query(), mover(store), {.page_limit = 2, .max_samples = 3});
    CHECK(report.moved == 20);
    CHECK(report.samples.size() == 3);
    CHECK(store.index["C"].empty());
  }

  TEST_CASE("what the restamp found is judged: deleted, changed, or the index is behind") {
    TwoCopies store;
    store.index["C"]["deleted"] = late("deleted");
    store.index["C"]["changed"] = late("changed");
    store.table["changed"] = {"changed", "p1", "p1#changed", "Other"};
    store.index["C"]["stale"] = late("stale");
    store.table["stale"] = store.row<Keys>("stale", "p1");
    store.index["C"]["theirs"] = {"theirs", "", "x", "C", "theirs"};
    constexpr evenkey::Migration<Shared, evenkey::UnshardedKey<"C">> of_ours{evenkey::insert_visible_first};
    std::map<std::string, LateRow::Outcome> alarms;
    const auto alarm = [&](const LateRow& row) {
      CHECK(row.message.empty());
      alarms.emplace(row.primary_key, row.outcome);
    };
    const WatchReport report =
        evenkey::watch_source(of_ours, store.query(), mover(store), {.on_late = alarm});
    CHECK(alarms == std::map<std::string, LateRow::Outcome>{{"changed", LateRow::Outcome::changed},
                                                            {"deleted", LateRow::Outcome::deleted}});
    CHECK(report.deleted == 1);
    CHECK(report.changed == 1);
    CHECK(report.stale == 1);
    CHECK(report.foreign == 1);
    CHECK(report.late == 2);
    CHECK(report.moved == 0);
  }

  TEST_CASE("a restamp that finds the very key it was to replace has failed") {
    TwoCopies store;
    store.index["C"]["odd"] = late("odd");
    const WatchReport report = evenkey::watch_source(
        cutover, store.query(),
        [](const Restamp<Copy>& request) { return RestampResult::found(std::string(request.from)); });
    CHECK(report.failed == 1);
    CHECK(report.changed + report.moved + report.stale == 0);
  }

  TEST_CASE(
      "a row that could not be moved is late and failed, the others go on, and the next poll moves it") {
    TwoCopies store;
    store.put(late("a"));
    store.put(late("b"));
    std::size_t attempts = 0;
    const auto failing = [&](const Restamp<Copy>& request) {
      if (++attempts == 1) throw std::runtime_error("no");
      if (attempts == 2) return RestampResult::throttled();
      return mover(store)(request);
    };
    std::vector<std::string> messages;
    const WatchReport report =
        evenkey::watch_source(cutover, store.query(), failing,
                              {.polls = 2,
                               .wait_between_polls = std::chrono::seconds(30),
                               .on_late = [&](const LateRow& row) { messages.emplace_back(row.message); }},
                              store);
    CHECK(messages == std::vector<std::string>{"no", "throttled", "", ""});
    CHECK(report.failed == 2);
    CHECK(report.moved == 2);
    CHECK(report.late == 4);
    CHECK(report.polls == 2);
    CHECK(store.waited == std::chrono::seconds(30));
  }

  TEST_CASE("a stop ends the watch between requests, and the report says so") {
    TwoCopies store;
    std::stop_source stop;
    store.on_wait = [&] { stop.request_stop(); };
    std::size_t calls = 0;
    const WatchReport report = evenkey::watch_source(
        cutover, store.query(), mover(store),
        {.polls = 1000, .stop = stop.get_token(), .before_poll = [&] { ++calls; }}, store);
    CHECK(report.polls == 1);
    CHECK(calls == 1);
    CHECK(!report.whole());
  }

  TEST_CASE("a watch that outlives a rollback ends before it moves a row away from the source's readers") {
    TwoCopies store;
    int polls = 0;
    const auto check = [&] {
      if (polls++ < 1) return;
      store.put(late("a"));  // the way back has begun: rows are created on the source again
      throw std::runtime_error("turned");
    };
    constexpr std::chrono::milliseconds at_once{0};
    CHECK_THROWS_WITH_AS(
        evenkey::watch_source(cutover, store.query(), mover(store),
                              {.polls = 9, .wait_between_polls = at_once, .before_poll = check}),
        "turned", std::runtime_error);
    CHECK(polls == 2);
    CHECK(store.table.at("a").stored == "C");
  }

  TEST_CASE("a row on the source without a sharding id is alarmed about, since no reader sees it any more") {
    TwoCopies store;
    store.put({"a", "", "#a", "C"});
    std::vector<std::string> alarms;
    const auto alarm = [&](const LateRow& row) {
      CHECK(row.outcome == LateRow::Outcome::failed);
      CHECK(row.to.empty());
      alarms.emplace_back(row.message);
    };
    const WatchReport report =
        evenkey::watch_source(cutover, store.query(), mover(store), {.on_late = alarm});
    CHECK_FALSE(report.quiet());
    CHECK(report.failed == 1);
    CHECK(report.foreign == 0);
    CHECK(report.samples == std::vector<std::string>{"a"});
    REQUIRE(alarms.size() == 1);
    CHECK(alarms[0].find("no sharding id") != std::string::npos);
    CHECK(store.table.at("a").stored == "C");
  }

  TEST_CASE("what the query throws leaves the watch; names of both sides and useless options are refused") {
    TwoCopies store;
    store.before = [] { throw std::runtime_error("gone"); };
    CHECK_THROWS_WITH_AS(evenkey::watch_source(cutover, store.query(), mover(store)), "gone",
                         std::runtime_error);
    const std::size_t queries = store.queries;
    constexpr evenkey::Migration<Index, support::CopiesBy<8>::PartitionKey> doubling{
        evenkey::insert_visible_first};
    CHECK_THROWS_AS(evenkey::watch_source(doubling, store.query(), mover(store)), evenkey::migration_error);
    CHECK_THROWS_AS(evenkey::watch_source(cutover, store.query(), mover(store), {.polls = 0}),
                    std::invalid_argument);
    CHECK_THROWS_AS(evenkey::watch_source(cutover, store.query(), mover(store), {.page_limit = 0}),
                    std::invalid_argument);
    CHECK_THROWS_AS(evenkey::watch_source(cutover, store.query(), mover(store), {.max_concurrency = 0}),
                    std::invalid_argument);
    CHECK_THROWS_AS(
        evenkey::watch_source(cutover, store.query(), mover(store), {.retry = {.max_attempts = 0}}),
        std::invalid_argument);
    CHECK(store.queries == queries);
  }
}
