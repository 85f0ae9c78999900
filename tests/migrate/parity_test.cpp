// SPDX-License-Identifier: BSL-1.0
#include <evenkey/migrate/migration.hpp>
#include <evenkey/migrate/parity.hpp>
#include <evenkey/migrate/record_rows.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ratio>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "support/two_copies.hpp"

namespace {

using evenkey::ParityReport;
using evenkey::Phase;
using support::Copy;
using support::TwoCopies;

using Index = support::CopiesBy<16>;
using Keys = Index::PartitionKey;
using Cutover = evenkey::Migration<Index, evenkey::UnshardedKey<"C">>;
constexpr Cutover cutover{evenkey::insert_visible_first};
constexpr Index index_of_copies;

struct Owning : Index {
  static bool owns(const Copy& row) { return row.payload != "theirs"; }
};

const auto by_payload = [](const Copy& row) -> std::string_view { return row.payload; };

void fill(TwoCopies& store, std::size_t rows) {
  for (std::size_t i = 0; i < rows; ++i)
    store.put(store.row<Keys>("r" + std::to_string(1000 + i), "p" + std::to_string(i % 7), "x"));
}

/// Small buckets cost nothing here, and few make rows share them.
evenkey::ParityOptions few_buckets() { return {.buckets = 8}; }

/// With one byte changed, and the checksum of that.
std::string resealed(std::string bytes, std::size_t place, char byte) {
  bytes.resize(bytes.size() - 8);
  bytes[place] = byte;
  evenkey::detail::TokenWriter writer;
  for (const char each : bytes)
    writer.byte(static_cast<std::uint8_t>(each));
  return evenkey::detail::with_checksum(std::move(writer));
}

}  // namespace

TEST_SUITE("migrate") {
  TEST_CASE("F27: of A B C against A B D, C is missing and D is extra") {
    TwoCopies store;
    for (const char* id : {"A", "B", "C"})
      store.put(store.row<Keys>(id, "p1"));
    const Copy d = store.row<Keys>("D", "p1");
    store.index[d.stored].erase("C");
    store.index[d.stored]["D"] = d;
    for (const std::size_t buckets : {std::size_t{1}, std::size_t{8}, std::size_t{1} << 20U}) {
      const ParityReport report =
          evenkey::check_parity(index_of_copies, store.scan(), store.query(), {.buckets = buckets}, store);
      CHECK(report.whole());
      CHECK(!report.identical());
      CHECK(report.compared == 3);
      CHECK(report.missing == 1);
      CHECK(report.extra == 1);
      CHECK(report.mismatched == 0);
      CHECK(report.misplaced == 0);
      CHECK(report.settled == 0);
      CHECK(report.looks == 3);
      CHECK(report.samples == std::vector<std::string>{"C: missing", "D: extra, seen in " + d.stored});
    }
  }

  TEST_CASE("F27: same ids, one differing payload: one mismatched") {
    TwoCopies store;
    fill(store, 50);
    Copy& shown = store.index[std::string(Keys::of("p3"))]["r1003"];
    shown.payload = "y";
    const ParityReport keys =
        evenkey::check_parity(index_of_copies, store.scan(), store.query(), few_buckets(), store);
    CHECK(keys.identical());  // the keys alone are the same
    const ParityReport report = evenkey::check_parity(index_of_copies, store.scan(), store.query(),
                                                      few_buckets(), store, evenkey::digest_by(by_payload));
    CHECK(!report.identical());
    CHECK(report.mismatched == 1);
    CHECK(report.missing + report.extra + report.misplaced == 0);
    CHECK(report.samples == std::vector<std::string>{"r1003: mismatched"});
  }

  TEST_CASE("F27: A under shard 4 instead of 3 is misplaced") {
    TwoCopies store;
    fill(store, 20);
    std::string person = "p";
    while (Keys::of(person) != "C#3")
      person += "x";
    Copy a = store.row<Keys>("A", person);
    a.stored = "C#4";
    store.put(a);
    const ParityReport report =
        evenkey::check_parity(index_of_copies, store.scan(), store.query(), few_buckets(), store);
    CHECK(report.misplaced == 1);
    CHECK(report.missing + report.extra + report.mismatched == 0);
    CHECK(report.samples == std::vector<std::string>{"A: misplaced, seen in C#4"});
    CHECK(!report.identical());
  }

  TEST_CASE("F27: C is visible only at the third look: it passes, and more looks are not made") {
    TwoCopies store;
    fill(store, 20);
    const Copy c = store.row<Keys>("C", "p1");
    store.table["C"] = c;
    std::size_t waits = 0;
    store.on_wait = [&] {
      if (++waits == 2) store.index[c.stored]["C"] = c;
    };
    const ParityReport report =
        evenkey::check_parity(index_of_copies, store.scan(), store.query(), {.looks = 5}, store);
    CHECK(report.identical());
    CHECK(report.settled == 1);
    CHECK(report.looks == 3);
    CHECK(store.waited == std::chrono::milliseconds(1000));
  }

  TEST_CASE("visible one look too late, it is missing") {
    TwoCopies store;
    store.table["C"] = store.row<Keys>("C", "p1");
    std::size_t waits = 0;
    store.on_wait = [&] {
      if (++waits == 2) store.index[store.table["C"].stored]["C"] = store.table["C"];
    };
    CHECK(evenkey::check_parity(index_of_copies, store.scan(), store.query(), {.looks = 2}, store).missing ==
          1);
  }

  TEST_CASE("F27: one row of many is not 'equal', and the report says how many") {
    TwoCopies store;
    store.page_size = 1000;
    fill(store, 20'000);
    CHECK(evenkey::check_parity(index_of_copies, store.scan(), store.query(), {}, store).identical());
    store.index[std::string(Keys::of("p1"))].erase("r1001");
    const ParityReport report =
        evenkey::check_parity(index_of_copies, store.scan(), store.query(), {}, store);
    CHECK(!report.identical());
    CHECK(report.compared == 20'000);
    CHECK(report.missing == 1);
  }

  TEST_CASE("nothing that differs costs one scan and one listing") {
    TwoCopies store;
    fill(store, 30);
    store.page_size = 100;
    store.read_units = 2;
    const ParityReport report =
        evenkey::check_parity(index_of_copies, store.scan(), store.query(), {}, store);
    CHECK(report.identical());
    CHECK(report.looks == 1);
    CHECK(store.scans == 1);
    CHECK(store.queries == 16);
    CHECK(report.requests == 17);
    CHECK(report.consumed_read_units == 34);
    CHECK(report.layout == "copies: C#0 (xxh3_64/mod/16 #n)");
  }

  TEST_CASE("with one look the numbers come from the buckets, and no row is named") {
    TwoCopies store;
    fill(store, 30);
    store.index[std::string(Keys::of("p1"))].erase("r1001");
    const ParityReport report =
        evenkey::check_parity(index_of_copies, store.scan(), store.query(), {.looks = 1}, store);
    CHECK(report.whole());
    CHECK(report.missing == 1);
    CHECK(report.samples.empty());
    CHECK(store.waited.count() == 0);
  }

  TEST_CASE("what differs beyond the rows that a look may hold is counted by its buckets") {
    TwoCopies store;
    for (int i = 0; i < 100; ++i) {
      const Copy row = store.row<Keys>("r" + std::to_string(i), "p1");
      store.table[row.id] = row;
    }
    const ParityReport report =
        evenkey::check_parity(index_of_copies, store.scan(), store.query(), {.max_named = 10}, store);
    CHECK(report.missing == 100);
    CHECK(report.samples.size() == 10);
    CHECK(!report.identical());
  }

  TEST_CASE("extra rows beyond those that a look may hold still count when the others are settled") {
    for (const std::size_t held : {std::size_t{0}, std::size_t{1}}) {
      TwoCopies store;
      for (const char* id : {"X", "Y"}) {
        const Copy row = store.row<Keys>(id, "p1");
        store.index[row.stored][id] = row;
      }
      std::size_t waits = 0;
      store.on_wait = [&] {
        if (++waits == 2) store.index[std::string(Keys::of("p1"))].erase("X");
      };
      const ParityReport report = evenkey::check_parity(index_of_copies, store.scan(), store.query(),
                                                        {.buckets = 1, .max_named = held}, store);
      CHECK(report.extra >= 1);
      CHECK(!report.identical());
    }
  }

  TEST_CASE("a row that a scan shows more than once is one row, and differs once") {
    evenkey::detail::RowsInFocus rows(0, 0);
    for (int i = 0; i < 5000; ++i)
      rows.add_table({7, 70});
    rows.add_table({8, 80});
    rows.sort();
    rows.add_index({8, 80}, 0, false);
    const auto differing = std::move(rows).differing();
    REQUIRE(differing.size() == 1);
    CHECK(differing[0].key == 7);
    CHECK(differing[0].difference == evenkey::detail::Difference::missing);
  }

  TEST_CASE("a look holds as many extra rows as it may, and counts the others") {
    evenkey::detail::RowsInFocus rows(0, 2);
    rows.add_table({5, 50});
    rows.sort();
    for (const std::uint64_t key : {3U, 1U, 2U})
      rows.add_index({key, 0}, 0, false);
    CHECK(rows.extra_not_held() == 1);
    const auto differing = std::move(rows).differing();
    REQUIRE(differing.size() == 3);
    CHECK(differing[0].key == 1);
    CHECK(differing[1].key == 3);
    CHECK(differing[2].key == 5);
    CHECK(differing[2].difference == evenkey::detail::Difference::missing);
  }

  TEST_CASE("as many names are held of the table as of the index, and none of the look before") {
    using evenkey::detail::Difference;
    constexpr std::uint64_t most = 4096;
    evenkey::detail::NamesInFocus names;
    for (int look = 0; look < 2; ++look) {
      CAPTURE(look);
      for (std::uint64_t key = 0; key <= most; ++key)
        names.add(key, "t" + std::to_string(key), "", false);
      for (std::uint64_t key = 0; key <= most; ++key)
        names.add(most + 1 + key, "i" + std::to_string(key), "C#1", false);
      CHECK(names.of({most - 1, Difference::missing}) == "t4095: missing");
      CHECK(names.of({most, Difference::missing}).empty());
      CHECK(names.of({most + most, Difference::extra}) == "i4095: extra, seen in C#1");
      CHECK(names.of({most + most + 1, Difference::extra}).empty());
      names.clear();
      CHECK(names.of({0, Difference::missing}).empty());
    }
  }

  TEST_CASE("rows that are not in the index on purpose are not missing, and rows of others are foreign") {
    TwoCopies store;
    store.table["u"] = {"u", "p1", "p1#u", ""};
    store.table["v"] = {"v", "", "p1#v", "C#1"};
    store.index["C#1"]["v"] = store.table["v"];  // not compared on either side
    store.table["f"] = {"f", "p1", "p1#f", "Other"};
    const ParityReport report =
        evenkey::check_parity(index_of_copies, store.scan(), store.query(), {}, store);
    CHECK(report.identical());
    CHECK(report.unindexed == 2);
    CHECK(report.foreign == 1);
    CHECK(report.compared == 0);
  }

  TEST_CASE("a row that the definition owns, under a key that nobody reads, is missing") {
    TwoCopies store;
    store.put({"f", "p1", "p1#f", "Other"});
    store.put({"g", "p1", "p1#g", "Other", "theirs"});
    const ParityReport report = evenkey::check_parity(Owning{}, store.scan(), store.query(), {}, store);
    CHECK(report.missing == 1);
    CHECK(report.foreign == 1);
  }

  TEST_CASE(
      "a row that is left on the source is missing to readers of the destination, and seen by dual readers") {
    TwoCopies store;
    fill(store, 10);
    store.put({"s", "p1", "p1#s", "C"});
    const ParityReport after =
        evenkey::check_parity(cutover.at(Phase::destination), store.scan(), store.query(), {}, store);
    CHECK(after.missing == 1);
    CHECK(after.migration == cutover.id());
    CHECK(after.layout == "copies: C#0 (xxh3_64/mod/16 #n)");
    const ParityReport during =
        evenkey::check_parity(cutover.at(Phase::destination_writes), store.scan(), store.query(), {}, store);
    CHECK(during.identical());
    CHECK(during.layout == cutover.id());  // so that it is no evidence about the destination alone
    const ParityReport before =
        evenkey::check_parity(cutover.at(Phase::source), store.scan(), store.query(), {}, store);
    CHECK(before.missing == 10);
  }

  TEST_CASE("a row on the move is shown twice and compared once") {
    TwoCopies store;
    fill(store, 10);
    Copy old = store.table["r1004"];
    old.stored = "C";
    store.index["C"]["r1004"] = old;  // not vanished yet
    const ParityReport report = evenkey::check_parity(cutover.at(Phase::dual_read), store.scan(),
                                                      store.query(), few_buckets(), store);
    CHECK(report.identical());
    CHECK(report.settled == 1);
    // In a wrong shard of the source's side it is misplaced.
    const std::string wrong(Keys::of("p4") == "C#0" ? "C#1" : "C#0");
    store.index[wrong]["r1004"] = old;
    CHECK(
        evenkey::check_parity(cutover.at(Phase::dual_read), store.scan(), store.query(), few_buckets(), store)
            .misplaced == 1);
  }

  TEST_CASE("the source is read to its end before the destination, and the lag is waited for between") {
    constexpr Cutover patient{evenkey::visible_within(std::chrono::milliseconds(70))};
    TwoCopies store;
    fill(store, 30);
    store.put({"s", "p1", "p1#s", "C"});
    store.on_wait = [&] { CHECK(store.queries == 1); };
    CHECK(evenkey::check_parity(patient.at(Phase::dual_read), store.scan(), store.query(), {}, store)
              .identical());
    CHECK(store.waited == std::chrono::milliseconds(70));
  }

  TEST_CASE("a sample compares some ids, wholly, and is never whole") {
    TwoCopies store;
    for (int i = 0; i < 400; ++i)
      store.put(store.row<Keys>("r" + std::to_string(1000 + i), "p" + std::to_string(i)));
    const ParityReport report =
        evenkey::check_parity(index_of_copies, store.scan(), store.query(), {.sample = 0.25}, store);
    CHECK(report.compared > 50);
    CHECK(report.compared < 150);
    CHECK(report.missing + report.extra + report.mismatched + report.misplaced == 0);
    CHECK(!report.whole());
    CHECK(!report.identical());
    CHECK(report.next_token.empty());
  }

  TEST_CASE("a part of the rows is compared by a predicate, and is never whole") {
    TwoCopies store;
    fill(store, 20);
    store.index[std::string(Keys::of("p1"))].erase("r1001");
    const auto report =
        evenkey::check_parity(index_of_copies, store.scan(), store.query(), {}, store,
                              evenkey::where([](const Copy& row) { return row.id != "r1001"; }));
    CHECK(report.compared == 19);
    CHECK(report.missing == 0);
    CHECK(!report.identical());
  }

  TEST_CASE("a run stopped after any page goes on from its token and keeps the first start") {
    for (std::size_t requests = 1; requests < 40; ++requests) {
      CAPTURE(requests);
      TwoCopies store;
      fill(store, 30);
      store.index[std::string(Keys::of("p1"))].erase("r1001");
      std::stop_source stop;
      evenkey::ParityOptions options{.max_concurrency = 1, .buckets = 64, .stop = stop.get_token()};
      options.progress = [&](const evenkey::ParityProgress&) {
        if (store.scans + store.queries == requests) stop.request_stop();
      };
      const ParityReport first =
          evenkey::check_parity(index_of_copies, store.scan(), store.query(), options, store);
      REQUIRE(!first.whole());
      REQUIRE(!first.next_token.empty());
      const ParityReport second =
          evenkey::check_parity(index_of_copies, store.scan(), store.query(),
                                {.max_concurrency = 1, .buckets = 64, .token = first.next_token}, store);
      CHECK(second.whole());
      CHECK(second.compared == 30);
      CHECK(second.missing == 1);
      CHECK(second.extra + second.mismatched + second.misplaced == 0);
      CHECK(second.started == first.started);
      CHECK(second.requests == store.scans + store.queries);
    }
  }

  TEST_CASE("a token of another layout, sample or number of buckets, or a damaged one, is refused") {
    TwoCopies store;
    fill(store, 30);
    std::string token;
    const auto keep = [&](const evenkey::ParityProgress& progress) {
      if (token.empty()) token = progress.token();
    };
    (void)evenkey::check_parity(index_of_copies, store.scan(), store.query(),
                                {.buckets = 8, .progress = keep}, store);
    const std::size_t requests = store.scans + store.queries;
    const auto refused = [&](const auto& index, const evenkey::ParityOptions& options) {
      CHECK_THROWS_AS(evenkey::check_parity(index, store.scan(), store.query(), options, store),
                      evenkey::token_error);
    };
    refused(support::CopiesBy<8>{}, {.buckets = 8, .token = token});
    refused(index_of_copies, {.sample = 0.5, .buckets = 8, .token = token});
    refused(index_of_copies, {.buckets = 16, .token = token});
    refused(index_of_copies, {.total_segments = 2, .buckets = 8, .token = token});
    for (std::size_t i = 0; i < token.size(); ++i) {
      std::string damaged = token;
      damaged[i] = static_cast<char>(damaged[i] ^ 4);
      refused(index_of_copies, {.buckets = 8, .token = damaged});
      if (i != 0) refused(index_of_copies, {.buckets = 8, .token = std::string_view(token).substr(0, i)});
    }
    CHECK(store.scans + store.queries == requests);
  }

  TEST_CASE("a token whose checksum holds, and that no parity check wrote, is refused") {
    TwoCopies store;
    fill(store, 30);
    std::string token;
    const auto keep = [&](const evenkey::ParityProgress& progress) {
      if (token.empty()) token = progress.token();
    };
    (void)evenkey::check_parity(index_of_copies, store.scan(), store.query(),
                                {.buckets = 8, .progress = keep}, store);
    const auto refused = [&](std::size_t place, char byte, const char* why) {
      const std::string forged = resealed(token, place, byte);
      CHECK_THROWS_WITH_AS(evenkey::check_parity(index_of_copies, store.scan(), store.query(),
                                                 {.buckets = 8, .token = forged}, store),
                           doctest::Contains(why), evenkey::token_error);
    };
    refused(0, 'D', "is not of a parity check");
    refused(1, 2, "is of another version of evenkey");
    // The last bucket comes last: its number, digest, rows and rows of the table.
    refused(token.size() - 8 - 20, 1, "damaged");
  }

  TEST_CASE("the pace covers table and index, and segments and partitions are read side by side") {
    TwoCopies store;
    fill(store, 100);
    store.read_units = 1;
    const ParityReport paced =
        evenkey::check_parity(index_of_copies, store.scan(), store.query(),
                              {.max_concurrency = 1, .max_read_units_per_second = 10}, store);
    CHECK(paced.identical());
    CHECK(store.waited == std::chrono::milliseconds(100) * (static_cast<int>(paced.requests) - 1));
    CHECK(evenkey::check_parity(index_of_copies, store.scan(), store.query(),
                                {.total_segments = 5, .max_concurrency = 4})
              .identical());
  }

  TEST_CASE("what a functor throws leaves the check, and options out of range are refused") {
    TwoCopies store;
    fill(store, 30);
    store.before = [&] {
      if (store.queries == 4) throw std::runtime_error("gone");
    };
    CHECK_THROWS_WITH_AS(evenkey::check_parity(index_of_copies, store.scan(), store.query()), "gone",
                         std::runtime_error);
    const std::size_t requests = store.scans + store.queries;
    const auto refused = [&](const evenkey::ParityOptions& options) {
      CHECK_THROWS_AS(evenkey::check_parity(index_of_copies, store.scan(), store.query(), options),
                      std::invalid_argument);
    };
    refused({.total_segments = 0});
    refused({.max_concurrency = 0});
    refused({.sample = 0});
    refused({.sample = 1.5});
    refused({.looks = 0});
    refused({.buckets = 0});
    refused({.buckets = (std::size_t{1} << 24U) + 1});
    CHECK(store.scans + store.queries == requests);
  }

  TEST_CASE("a recording from before a move equals one from after, and shows what was lost") {
    TwoCopies store;
    for (int i = 0; i < 50; ++i) {
      Copy row = store.row<Keys>("r" + std::to_string(1000 + i), "p" + std::to_string(i % 7), "x");
      row.stored = "C";
      store.put(row);
    }
    const auto record = [&](Phase phase) {
      return evenkey::record_rows(cutover.at(phase), store.query(), {.label = "payload"}, store,
                                  evenkey::digest_by(by_payload));
    };
    const evenkey::Recording before = record(Phase::source);
    CHECK(before.rows() == 50);
    CHECK(before.layout == "copies: C (unsharded)");
    for (const auto& [id, row] : store.table)
      store.index[std::string(Keys::of(row.person))][id] = row;
    const evenkey::Recording after = record(Phase::destination);
    const ParityReport same = evenkey::compare_recordings(before, after);
    CHECK(same.identical());
    CHECK(same.compared == 50);
    CHECK(same.started == before.started);

    store.index[std::string(Keys::of("p1"))].erase("r1001");
    store.index[std::string(Keys::of("p2"))]["r1002"].payload = "y";
    store.index[std::string(Keys::of("p3"))]["new"] = store.row<Keys>("new", "p3");
    const ParityReport differs = evenkey::compare_recordings(before, record(Phase::destination));
    CHECK(differs.missing == 1);
    CHECK(differs.mismatched == 1);
    CHECK(differs.extra == 1);

    CHECK_THROWS_AS(
        (void)evenkey::compare_recordings(
            before, evenkey::record_rows(cutover.at(Phase::destination), store.query(), {}, store)),
        std::invalid_argument);
    CHECK_THROWS_AS((void)record(Phase::dual_read), std::invalid_argument);
  }

  TEST_CASE("a recording's bytes are read back, and any other bytes are refused") {
    TwoCopies store;
    fill(store, 20);
    const evenkey::Recording recording =
        evenkey::record_rows(index_of_copies, store.query(), {.label = "keys", .buckets = 4}, store);
    const std::string bytes = recording.bytes();
    CHECK(evenkey::Recording::parse(bytes) == recording);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ 1);
      CHECK(!evenkey::Recording::parse(damaged));
      CHECK(!evenkey::Recording::parse(std::string_view(bytes).substr(0, i)));
    }
    CHECK(!evenkey::Recording::parse(bytes + "x"));
    CHECK(evenkey::Recording::parse(resealed(bytes, 0, bytes[0])) == recording);
    CHECK(!evenkey::Recording::parse(resealed(bytes, 0, 'E')));   // no recording
    CHECK(!evenkey::Recording::parse(resealed(bytes, 8, 2)));     // neither whole nor partial
    CHECK(!evenkey::Recording::parse(resealed(bytes, 9, 0x7F)));  // a sample that is NaN
    evenkey::Recording none = recording;
    none.buckets.clear();
    CHECK(!evenkey::Recording::parse(none.bytes()));
    evenkey::Recording partial = recording;
    partial.coverage = evenkey::Coverage::partial;
    CHECK(evenkey::Recording::parse(partial.bytes()) == partial);
    CHECK(evenkey::compare_recordings(recording, recording).whole());
    CHECK(!evenkey::compare_recordings(recording, partial).whole());
  }

  TEST_CASE("a recording from a time that the clock cannot hold is refused") {
    // Found by fuzzing: the microseconds were multiplied beyond 64 bits.
    namespace detail = evenkey::detail;
    using std::chrono::system_clock;
    const auto with_start = [](std::uint64_t microseconds) {
      detail::TokenWriter writer;
      writer.u64(detail::recording_magic);
      writer.byte(1);
      writer.u64(std::bit_cast<std::uint64_t>(1.0));
      writer.u64(microseconds);
      writer.text("layout");
      writer.text("label");
      writer.u32(1);
      writer.u32(0);
      writer.u64(0);
      return detail::with_checksum(std::move(writer));
    };
    for (const auto time : {system_clock::time_point::min(), system_clock::time_point::max()}) {
      const auto last = static_cast<std::uint64_t>(
          std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch()).count());
      const auto read = evenkey::Recording::parse(with_start(last));
      REQUIRE(read);
      CHECK(read->bytes() == with_start(last));
      if (std::ratio_less_v<system_clock::period, std::micro>) {
        const bool late = time > system_clock::time_point{};
        CHECK(!evenkey::Recording::parse(with_start(late ? last + 1 : last - 1)));
      }
    }
    if (std::ratio_less_v<system_clock::period, std::micro>)
      CHECK(!evenkey::Recording::parse(with_start(std::uint64_t{1} << 62U)));
  }

  TEST_CASE("a recording's numbers are pinned") {
    // docs/format/recording.md; made with another implementation (Python, package xxhash).
    TwoCopies store;
    store.put({"RSAGA#1", "person-42", "person-42#2026", "C#13", "open"});
    const evenkey::Recording recording = evenkey::record_rows(index_of_copies, store.query(), {.buckets = 4},
                                                              store, evenkey::digest_by(by_payload));
    const evenkey::detail::RowDigest row = evenkey::detail::row_digest(
        index_of_copies, store.table["RSAGA#1"], evenkey::detail::digest_of(evenkey::digest_by(by_payload)));
    CHECK(row.key == 0x1f8e74d7972e7443);
    CHECK(row.digest == 0xc9ec9c45cd827cb0);
    CHECK(recording.buckets[0].digest == row.digest);
    using evenkey::detail::hash_of_key;
    CHECK(hash_of_key(std::monostate{}) == 0);
    CHECK(hash_of_key(std::int64_t{7}) == hash_of_key(std::string_view("\0\0\0\0\0\0\0\7", 8)));
    CHECK(hash_of_key(-0.0) == hash_of_key(std::int64_t{0}));
    CHECK(hash_of_key(2.0) == hash_of_key(std::int64_t{0x4000000000000000}));
  }
}
