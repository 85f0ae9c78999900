// SPDX-License-Identifier: BSL-1.0
#include <evenkey/migrate/drift.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/two_copies.hpp"

namespace {

using evenkey::Coverage;
using evenkey::DriftReport;
using support::Copy;
using support::TwoCopies;

using Index = support::CopiesBy<16>;
using Keys = Index::PartitionKey;
using Cutover = evenkey::Migration<Index, evenkey::UnshardedKey<"C">>;
constexpr Cutover cutover{evenkey::insert_visible_first};

struct Marked : Index {
  static std::string_view moved_marker(const Copy& row) { return row.marker; }
};
struct Owning : Index {
  static bool owns(const Copy& row) { return row.payload != "theirs"; }
};

void fill(TwoCopies& store, std::size_t rows) {
  for (std::size_t i = 0; i < rows; ++i)
    store.put(store.row<Keys>("r" + std::to_string(100 + i), "p" + std::to_string(i % 7)));
}

}  // namespace

TEST_SUITE("migrate") {
  TEST_CASE("every row is counted by its place, and some are named") {
    TwoCopies store;
    fill(store, 5);
    store.table["s1"] = {"s1", "p1", "p1#s1", "C"};
    store.table["s2"] = {"s2", "p2", "p2#s2", "C"};
    const std::string wrong(Keys::of("p3") == "C#0" ? "C#1" : "C#0");
    store.table["m1"] = {"m1", "p3", "p3#m1", wrong};
    store.table["f1"] = {"f1", "p3", "p3#f1", "Other#3"};
    store.table["u1"] = {"u1", "p3", "p3#u1", ""};
    store.table["u2"] = {"u2", "", "p3#u2", "C#1"};
    store.table["u3"] = {"u3", "p3", "", "C"};
    const DriftReport report = evenkey::check_drift(cutover, store.scan());
    CHECK(report.whole());
    CHECK(!report.clean());
    CHECK(report.scanned == 12);
    CHECK(report.in_place == 5);
    CHECK(report.on_source == 2);
    CHECK(report.misplaced == 1);
    CHECK(report.foreign == 1);
    CHECK(report.unindexed == 3);
    CHECK(report.regressed == 0);
    CHECK(report.samples.size() == 7);
    CHECK(std::set<std::string>(report.samples.begin(), report.samples.end())
              .contains("m1: misplaced, stored " + wrong));
    CHECK(report.next_token.empty());
    CHECK(report.migration == cutover.id());
    CHECK(report.layout == "copies: C#0 (xxh3_64/mod/16 #n)");
    CHECK(report.requests == store.scans);
  }

  TEST_CASE("a row without an id that readers of the source see is stranded, and the last step is refused") {
    TwoCopies store;
    fill(store, 2);
    store.table["u1"] = {"u1", "", "p3#u1", "C"};    // seen on the source, and nobody knows where it belongs
    store.table["u2"] = {"u2", "", "p3#u2", "C#1"};  // seen in the destination
    store.table["u3"] = {"u3", "", "", "C"};         // not in the index
    const DriftReport report = evenkey::check_drift(cutover, store.scan());
    CHECK(report.unindexed == 3);
    CHECK(report.stranded == 1);
    CHECK(!report.clean());
    CHECK(report.samples.front() == "u1: stranded, stored C");
    const auto answer =
        cutover.advance(evenkey::Phase::destination_writes, evenkey::Phase::destination, {.drift = report});
    bool said = false;
    for (const std::string& reason : answer.reasons())
      said = said || reason.find("no sharding id") != std::string::npos;
    CHECK(said);
  }

  TEST_CASE("a table with all rows in place is clean, and only a whole report is") {
    TwoCopies store;
    fill(store, 20);
    CHECK(evenkey::check_drift(cutover, store.scan()).clean());
    std::stop_source stop;
    stop.request_stop();
    const DriftReport none = evenkey::check_drift(cutover, store.scan(), {.stop = stop.get_token()});
    CHECK(none.on_source == 0);
    CHECK(none.coverage == Coverage::partial);
    CHECK(!none.clean());
    CHECK(none.requests == 0);
  }

  TEST_CASE("between two sets of shards, a row is on the source under any key of the source") {
    using Old = evenkey::ShardedKey<"C", evenkey::ShardPolicy<4>, evenkey::KeyFormat{.generation = 2}>;
    constexpr evenkey::Migration<Index, Old> resharding{evenkey::insert_visible_first};
    const auto place = [&](const std::string& person, const std::string& stored) {
      return evenkey::row_place_name(evenkey::place_of(resharding, Copy{"1", person, "s", stored}));
    };
    const std::string wrong(Old::at(evenkey::ShardId{(Old::shard_of("p").value + 1) % 4}));
    CHECK(place("p", std::string(Keys::of("p"))) == "in_place");
    CHECK(place("p", std::string(Old::of("p"))) == "on_source");
    CHECK(place("p", wrong) == "on_source");
    CHECK(place("p", "Other#1") == "foreign");
    CHECK(place("", wrong) == "unindexed");
    CHECK(place("", "Other#1") == "foreign");
  }

  TEST_CASE("what others own is foreign, whatever its key") {
    constexpr evenkey::Migration<Owning, evenkey::UnshardedKey<"C">> owning{evenkey::insert_visible_first};
    TwoCopies store;
    store.table["a"] = {"a", "p", "p#a", "C", "theirs"};
    const DriftReport report = evenkey::check_drift(owning, store.scan());
    CHECK(report.foreign == 1);
    CHECK(report.clean());
  }

  TEST_CASE("a row that bears the mover's mark and is on the source again has regressed") {
    constexpr evenkey::Migration<Marked, evenkey::UnshardedKey<"C">> marked{evenkey::insert_visible_first};
    TwoCopies store;
    store.table["a"] = {"a", "p", "p#a", "C", "", std::string(Keys::of("p"))};
    store.table["b"] = {"b", "p", "p#b", "C", "", marked.id()};
    store.table["c"] = {"c", "p", "p#c", "C", "", "C"};  // moved back by the way back's mover
    store.table["d"] = {"d", "p", "p#d", "C"};
    store.table["e"] = {"e", "p", "p#e", std::string(Keys::of("p")), "", std::string(Keys::of("p"))};
    const DriftReport report = evenkey::check_drift(marked, store.scan());
    CHECK(report.on_source == 4);
    CHECK(report.regressed == 2);
    // On the way back the same marks mean another thing: d and c are at their destination.
    const DriftReport back = evenkey::check_drift(marked.reversed(), store.scan());
    CHECK(back.on_source == 1);
    CHECK(back.regressed == 0);
  }

  TEST_CASE("segments are read side by side, each row once") {
    TwoCopies store;
    fill(store, 200);
    const DriftReport report =
        evenkey::check_drift(cutover, store.scan(), {.total_segments = 7, .max_concurrency = 4});
    CHECK(report.clean());
    CHECK(report.scanned == 200);
  }

  TEST_CASE("the start is before the first request") {
    TwoCopies store;
    fill(store, 4);
    std::chrono::system_clock::time_point at_request{};
    store.before = [&] { at_request = store.day; };
    const DriftReport report = evenkey::check_drift(cutover, store.scan(), {}, store);
    CHECK(report.started <= at_request);
    CHECK(report.started > std::chrono::system_clock::time_point{});
  }

  TEST_CASE(
      "a run stopped after any page goes on from its token, counts every row once and keeps the first "
      "start") {
    for (std::size_t pages = 1; pages < 11; ++pages) {
      CAPTURE(pages);
      TwoCopies store;
      fill(store, 30);
      store.table["s"] = {"s", "p1", "p1#s", "C"};
      std::stop_source stop;
      const DriftReport first = evenkey::check_drift(cutover, store.scan(),
                                                     {.total_segments = 3,
                                                      .max_concurrency = 1,
                                                      .progress =
                                                          [&](const DriftReport&) {
                                                            if (store.scans == pages) stop.request_stop();
                                                          },
                                                      .stop = stop.get_token()},
                                                     store);
      REQUIRE(!first.whole());
      REQUIRE(!first.next_token.empty());
      const DriftReport second =
          evenkey::check_drift(cutover, store.scan(),
                               {.total_segments = 3, .max_concurrency = 1, .token = first.next_token}, store);
      CHECK(second.whole());
      CHECK(second.scanned == 31);
      CHECK(second.on_source == 1);
      CHECK(second.samples.size() == 1);
      CHECK(second.started == first.started);
      CHECK(second.requests == store.scans);
    }
  }

  TEST_CASE("a run that failed goes on from the token that progress saw last") {
    TwoCopies store;
    fill(store, 30);
    store.before = [&] {
      if (store.scans == 5) throw std::runtime_error("gone");
    };
    std::string token;
    const auto keep = [&](const DriftReport& report) { token = report.next_token; };
    CHECK_THROWS_WITH_AS(evenkey::check_drift(cutover, store.scan(), {.progress = keep}, store), "gone",
                         std::runtime_error);
    const DriftReport report = evenkey::check_drift(cutover, store.scan(), {.token = token}, store);
    CHECK(report.whole());
    CHECK(report.scanned == 30);
  }

  TEST_CASE(
      "a token of another migration or number of segments, or a damaged one, is refused before any request") {
    TwoCopies store;
    fill(store, 30);
    std::stop_source stop;
    const std::string token =
        evenkey::check_drift(
            cutover, store.scan(),
            {.progress = [&](const DriftReport&) { stop.request_stop(); }, .stop = stop.get_token()})
            .next_token;
    const std::size_t scans = store.scans;
    CHECK_THROWS_AS(evenkey::check_drift(cutover.reversed(), store.scan(), {.token = token}),
                    evenkey::token_error);
    CHECK_THROWS_AS(evenkey::check_drift(cutover, store.scan(), {.total_segments = 2, .token = token}),
                    evenkey::token_error);
    for (std::size_t i = 0; i < token.size(); ++i) {
      std::string damaged = token;
      damaged[i] = damaged[i] == 'A' ? 'B' : 'A';
      CHECK_THROWS_AS(evenkey::check_drift(cutover, store.scan(), {.token = damaged}), evenkey::token_error);
      CHECK_THROWS_AS(evenkey::check_drift(cutover, store.scan(),
                                           {.token = token.substr(0, i + 1 == token.size() ? 1 : i + 1)}),
                      evenkey::token_error);
    }
    CHECK(store.scans == scans);
  }

  TEST_CASE("a token whose checksum holds, and that no drift check wrote, is refused") {
    namespace detail = evenkey::detail;
    TwoCopies store;
    fill(store, 30);
    std::stop_source stop;
    const std::string token =
        evenkey::check_drift(
            cutover, store.scan(),
            {.progress = [&](const DriftReport&) { stop.request_stop(); }, .stop = stop.get_token()})
            .next_token;
    const std::string bytes = *detail::from_base64url(token);
    const auto refused = [&](std::size_t place, char byte, const char* why) {
      std::string changed = bytes.substr(0, bytes.size() - 8);
      changed[place < changed.size() ? place : changed.size() - 1] = byte;
      detail::TokenWriter writer;
      for (const char each : changed)
        writer.byte(static_cast<std::uint8_t>(each));
      const std::string forged = detail::to_base64url(detail::with_checksum(std::move(writer)));
      CHECK_THROWS_WITH_AS(evenkey::check_drift(cutover, store.scan(), {.token = forged}),
                           doctest::Contains(why), evenkey::token_error);
    };
    const std::size_t scans = store.scans;
    refused(0, 'P', "is not of a drift check");
    refused(1, 2, "is of another version of evenkey");
    // The one segment comes last: its state, and the start key with the four bytes of its length.
    const std::size_t start_key = 4 + store.table.begin()->first.size();
    refused(bytes.size() - 8 - start_key - 1, 3, "damaged");
    CHECK(store.scans == scans);

    using Map = std::map<std::string, std::string>;
    std::vector<detail::WalkLane<std::string>> written{{.next = "no map"}};
    std::vector<detail::WalkLane<Map>> read(1);
    DriftReport report;
    CHECK_THROWS_WITH_AS(
        detail::read_drift_token(detail::write_drift_token(report, written), report.migration, report, read),
        doctest::Contains("damaged"), evenkey::token_error);
  }

  TEST_CASE("the pace is kept by waiting for what was spent") {
    TwoCopies store;
    fill(store, 30);  // ten pages
    store.read_units = 5;
    const DriftReport report =
        evenkey::check_drift(cutover, store.scan(), {.max_read_units_per_second = 10}, store);
    CHECK(report.consumed_read_units == 50);
    CHECK(store.waited == std::chrono::milliseconds(9 * 500));  // none after the last page
  }

  TEST_CASE("a deadline ends the run, and a wait that it would cut short is not begun") {
    TwoCopies store;
    fill(store, 30);
    store.read_units = 5;
    const DriftReport report = evenkey::check_drift(
        cutover, store.scan(),
        {.max_read_units_per_second = 10, .deadline = store.now() + std::chrono::milliseconds(1200)}, store);
    CHECK(!report.whole());
    CHECK(store.scans == 3);
    CHECK(store.waited == std::chrono::milliseconds(1000));
  }

  TEST_CASE("options that no run could follow are refused before any request") {
    TwoCopies store;
    CHECK_THROWS_AS(evenkey::check_drift(cutover, store.scan(), {.total_segments = 0}),
                    std::invalid_argument);
    CHECK_THROWS_AS(evenkey::check_drift(cutover, store.scan(), {.max_concurrency = 0}),
                    std::invalid_argument);
    CHECK_THROWS_AS(evenkey::check_drift(cutover, store.scan(), {.max_read_units_per_second = -1}),
                    std::invalid_argument);
    CHECK(store.scans == 0);
  }

  TEST_CASE("a scan source that is not the base table is no proof, and refused") {
    struct Export {
      static std::string_view source_name() { return "export"; }
      evenkey::Page<Copy> operator()(const evenkey::ScanRequest<std::string>&) const { return {}; }
    };
    CHECK_THROWS_AS(evenkey::check_drift(cutover, Export{}), std::invalid_argument);
  }

  TEST_CASE("samples are bounded for each kind, also over runs that go on") {
    TwoCopies store;
    for (int i = 0; i < 40; ++i) {
      const std::string id = "s" + std::to_string(100 + i);
      store.table[id] = {id, "p1", "p1#" + id, i % 2 == 0 ? "C" : ""};
    }
    const DriftReport report = evenkey::check_drift(cutover, store.scan(), {.max_samples = 3});
    CHECK(report.on_source == 20);
    CHECK(report.samples.size() == 6);
  }
}
