// SPDX-License-Identifier: BSL-1.0
#include <evenkey/migrate/phase_record.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/golden_lines.hpp"
#include "support/two_copies.hpp"

namespace {

using evenkey::MemoryRecordStore;
using evenkey::Phase;
using evenkey::PhaseRecord;

using Index = support::CopiesBy<16>;
using Cutover = evenkey::Migration<Index, evenkey::UnshardedKey<"C">>;
constexpr Cutover cutover{evenkey::insert_visible_first};
constexpr auto back = cutover.reversed();
constexpr evenkey::Migration<support::CopiesBy<8>, evenkey::UnshardedKey<"C">> other{
    evenkey::insert_visible_first};
struct NextIndex : support::CopiesBy<24> {
  using PartitionKey =
      evenkey::ShardedKey<"C", evenkey::ShardPolicy<24>, evenkey::KeyFormat{.generation = 2}>;
};
constexpr evenkey::Migration<NextIndex, Index::PartitionKey> next{evenkey::insert_visible_first};
constexpr std::array<Phase, 4> phases{Phase::source, Phase::dual_read, Phase::destination_writes,
                                      Phase::destination};

PhaseRecord record_of(std::string migration, Phase phase) {
  return {3, std::move(migration), phase, {}, "somebody"};
}

evenkey::Evidence good_evidence() {
  const auto now = std::chrono::system_clock::now();
  evenkey::DriftReport drift;
  drift.migration = cutover.id();
  drift.started = now;
  drift.coverage = evenkey::Coverage::whole;
  evenkey::ParityReport parity;
  parity.layout = evenkey::layout_of(cutover.at<Phase::destination>());
  parity.started = now;
  parity.coverage = evenkey::Coverage::whole;
  return {.drift = drift, .parity = parity, .writers_drained_at = now};
}

bool mentions(const evenkey::Advance& answer, std::string_view text) {
  return std::any_of(answer.reasons().begin(), answer.reasons().end(),
                     [&](const std::string& reason) { return reason.find(text) != std::string::npos; });
}

}  // namespace

TEST_SUITE("migrate") {
  TEST_CASE("phase records are written as another implementation writes them, and read back") {
    const auto lines = support::golden_lines("phase_records.tsv");
    REQUIRE(lines.size() == 2);
    for (const auto& line : lines) {
      REQUIRE(line.size() == 6);
      const PhaseRecord record{
          std::stoull(line[0]), line[1], *evenkey::parse_phase(line[2]),
          std::chrono::sys_time<std::chrono::milliseconds>(std::chrono::milliseconds(std::stoll(line[3]))),
          line[4]};
      CHECK(evenkey::encode_phase_record(record) == line[5]);
      CHECK(evenkey::parse_phase_record(line[5]) == record);
    }
  }

  TEST_CASE("any other text is no phase record") {
    const PhaseRecord record{42, "m: 100%\n", Phase::dual_read, {}, "a\tb\x7F"};
    const std::string text = evenkey::encode_phase_record(record);
    CHECK(evenkey::parse_phase_record(text) == record);
    CHECK(text.find("m: 100%25%0A\n") != std::string::npos);
    for (std::size_t i = 0; i < text.size(); ++i) {
      std::string damaged = text;
      damaged[i] = static_cast<char>(damaged[i] ^ 1);
      CHECK(!evenkey::parse_phase_record(damaged));
      CHECK(!evenkey::parse_phase_record(std::string_view(text).substr(0, i)));
      CHECK(!evenkey::parse_phase_record(std::string_view(text).substr(i + 1)));
    }
    CHECK(!evenkey::parse_phase_record(text + "\n"));
    // Well-formed and with a good checksum, but not the only text of its values.
    const auto with = [](std::string_view version, std::string_view by, std::string_view phase) {
      return evenkey::detail::RecordWriter("evenkey-phase/1")
          .line("version", version)
          .line("migration", "m")
          .line("phase", phase)
          .line("changed_at", "1970-01-01T00:00:00.000Z")
          .line("changed_by", by)
          .finish();
    };
    CHECK(evenkey::parse_phase_record(with("1", "x", "source")));
    CHECK(!evenkey::parse_phase_record(with("01", "x", "source")));
    CHECK(!evenkey::parse_phase_record(with("", "x", "source")));
    CHECK(!evenkey::parse_phase_record(with("-1", "x", "source")));
    CHECK(evenkey::parse_phase_record(with("9999999999999999999", "x", "source")));    // 19 digits
    CHECK(!evenkey::parse_phase_record(with("10000000000000000000", "x", "source")));  // 20
    CHECK(!evenkey::parse_phase_record(with("99999999999999999999", "x", "source")));
    CHECK(!evenkey::parse_phase_record(with("1", "x", "Source")));
  }

  TEST_CASE("an instance may run in the recorded phase or the one before it, and in no other") {
    const auto allows = [](const PhaseRecord& record, Phase own) {
      try {
        evenkey::check_phase(cutover, record, own);
        return true;
      } catch (const evenkey::phase_error&) {
        return false;
      }
    };
    for (const Phase recorded : phases)
      for (const Phase own : phases) {
        CAPTURE(evenkey::phase_name(recorded));
        CAPTURE(evenkey::phase_name(own));
        const int behind = static_cast<int>(recorded) - static_cast<int>(own);
        CHECK(allows(record_of(cutover.id(), recorded), own) == (behind == 0 || behind == 1));
        // On the way back the phase before the recorded one is the neighbour on the other side.
        CHECK(allows(record_of(back.id(), Cutover::mirrored(recorded)), own) ==
              (behind == 0 || behind == -1));
      }
  }

  TEST_CASE("any two instances that one record allows may live side by side") {
    for (const Phase recorded : phases)
      for (const Phase a : phases)
        for (const Phase b : phases) {
          const PhaseRecord record = record_of(cutover.id(), recorded);
          try {
            evenkey::check_phase(cutover, record, a);
            evenkey::check_phase(cutover, record, b);
          } catch (const evenkey::phase_error&) {
            continue;
          }
          CHECK(std::abs(static_cast<int>(a) - static_cast<int>(b)) <= 1);
        }
  }

  TEST_CASE("a record of another migration, or one that cannot be read, stops an instance in any phase") {
    MemoryRecordStore damaged;
    REQUIRE(damaged.replace(std::nullopt, "evenkey-phase/2\n"));
    for (const Phase own : phases) {
      CHECK_THROWS_AS(evenkey::check_phase(cutover, record_of(other.id(), own), own), evenkey::phase_error);
      CHECK_THROWS_AS(evenkey::check_phase(cutover, damaged, own), evenkey::phase_error);
    }
  }

  TEST_CASE("where there is no record yet, the migration stands in source") {
    MemoryRecordStore store;
    CHECK_NOTHROW(evenkey::check_phase(cutover, store, Phase::source));
    CHECK_THROWS_WITH_AS(
        evenkey::check_phase(cutover, store, Phase::destination_writes),
        doctest::Contains("stands in source (there is no phase record yet): move the record"),
        evenkey::phase_error);
    CHECK_THROWS_WITH_AS(
        evenkey::check_phase(cutover, record_of(cutover.id(), Phase::destination), Phase::dual_read),
        doctest::Contains("deploy an instance of phase destination"), evenkey::phase_error);
    CHECK_THROWS_WITH_AS(
        evenkey::check_phase(cutover, record_of(cutover.id(), Phase::source), Phase::dual_read),
        doctest::Contains("stands in source since 1970-01-01T00:00:00.000Z (by somebody): move the record"),
        evenkey::phase_error);
    CHECK_THROWS_AS(evenkey::check_phase(cutover, store, Phase::dual_read), evenkey::phase_error);
    CHECK_THROWS_AS(evenkey::check_phase(cutover, store, Phase::destination_writes), evenkey::phase_error);
  }

  TEST_CASE("a step is taken in the record, once, with its version, time and author") {
    MemoryRecordStore store;
    CHECK(evenkey::advance_phase(store, cutover, Phase::source, Phase::dual_read, {}, "first").allowed());
    const std::optional<PhaseRecord> record = evenkey::parse_phase_record(*store.load());
    REQUIRE(record);
    CHECK(record->version == 1);
    CHECK(record->phase == Phase::dual_read);
    CHECK(record->changed_by == "first");
    CHECK(record->migration == cutover.id());
    CHECK(record->changed_at > std::chrono::sys_time<std::chrono::milliseconds>{});
    const auto again = evenkey::advance_phase(store, cutover, Phase::source, Phase::dual_read, {}, "second");
    CHECK(mentions(again, "stands in dual_read, not in source"));
    CHECK(evenkey::advance_phase(store, cutover, Phase::dual_read, Phase::destination_writes, {}, "x")
              .allowed());
    CHECK(evenkey::parse_phase_record(*store.load())->version == 2);
  }

  TEST_CASE("a step is dated by the caller's clock, where it has the time of day") {
    struct Noon : evenkey::SteadyClock {
      static std::chrono::system_clock::time_point system_now() {
        return std::chrono::system_clock::time_point(std::chrono::hours(12));
      }
    } noon;
    MemoryRecordStore store;
    CHECK(
        evenkey::advance_phase(store, cutover, Phase::source, Phase::dual_read, {}, "first", noon).allowed());
    CHECK(evenkey::parse_phase_record(*store.load())->changed_at.time_since_epoch() ==
          std::chrono::hours(12));
  }

  TEST_CASE("a refused step leaves the record as it is") {
    MemoryRecordStore store;
    REQUIRE(store.replace(std::nullopt,
                          evenkey::encode_phase_record(record_of(cutover.id(), Phase::destination_writes))));
    const auto before = store.load();
    CHECK(!evenkey::advance_phase(store, cutover, Phase::destination_writes, Phase::destination, {}, "x")
               .allowed());
    CHECK(store.load() == before);
    CHECK(evenkey::advance_phase(store, cutover, Phase::destination_writes, Phase::destination,
                                 good_evidence(), "x")
              .allowed());
    CHECK(evenkey::parse_phase_record(*store.load())->phase == Phase::destination);
  }

  TEST_CASE("the way back goes on from where the record of the way there stands") {
    MemoryRecordStore store;
    REQUIRE(store.replace(std::nullopt,
                          evenkey::encode_phase_record(record_of(cutover.id(), Phase::destination_writes))));
    CHECK(!evenkey::advance_phase(store, back, Phase::source, Phase::dual_read, {}, "x").allowed());
    CHECK(
        evenkey::advance_phase(store, back, Phase::dual_read, Phase::destination_writes, {}, "x").allowed());
    const auto record = evenkey::parse_phase_record(*store.load());
    CHECK(record->migration == back.id());
    CHECK(record->version == 4);
    CHECK_NOTHROW(evenkey::check_phase(cutover, store, Phase::dual_read));
    CHECK_THROWS_AS(evenkey::check_phase(cutover, store, Phase::destination), evenkey::phase_error);
  }

  TEST_CASE("a mover runs from destination_writes on, and never once the way back has begun") {
    MemoryRecordStore store;
    CHECK_THROWS_AS(evenkey::check_mover(cutover, store), evenkey::phase_error);
    const auto record = [&](const std::string& id, Phase phase) {
      REQUIRE(store.replace(store.load(), evenkey::encode_phase_record(record_of(id, phase))));
    };
    for (const Phase phase :
         {Phase::source, Phase::dual_read, Phase::destination_writes, Phase::destination}) {
      CAPTURE(evenkey::phase_name(phase));
      const bool moves = phase == Phase::destination_writes || phase == Phase::destination;
      record(cutover.id(), phase);
      if (moves) {
        CHECK_NOTHROW(evenkey::check_mover(cutover, store));
      } else {
        CHECK_THROWS_AS(evenkey::check_mover(cutover, store), evenkey::phase_error);
      }
      CHECK_THROWS_AS(evenkey::check_mover(back, store), evenkey::phase_error);
      record(back.id(), phase);
      CHECK_THROWS_AS(evenkey::check_mover(cutover, store), evenkey::phase_error);
    }
    REQUIRE(store.replace(store.load(), "?"));
    CHECK_THROWS_AS(evenkey::check_mover(cutover, store), evenkey::phase_error);
  }

  TEST_CASE("of two that step at once, one is refused") {
    struct Racing : MemoryRecordStore {
      std::optional<std::string> load() {
        auto text = MemoryRecordStore::load();
        if (!std::exchange(raced, true))
          (void)MemoryRecordStore::replace(
              text, evenkey::encode_phase_record(record_of(cutover.id(), Phase::dual_read)));
        return text;
      }
      bool raced = false;
    } store;
    CHECK(mentions(evenkey::advance_phase(store, cutover, Phase::source, Phase::dual_read, {}, "late"),
                   "changed by another"));
    CHECK(evenkey::parse_phase_record(*store.load())->changed_by == "somebody");
  }

  TEST_CASE("a step on a record that cannot be read, or of another migration, is refused") {
    MemoryRecordStore damaged;
    REQUIRE(damaged.replace(std::nullopt, "?"));
    CHECK(mentions(evenkey::advance_phase(damaged, cutover, Phase::source, Phase::dual_read, {}, "x"),
                   "damaged"));
    MemoryRecordStore foreign;
    REQUIRE(
        foreign.replace(std::nullopt, evenkey::encode_phase_record(record_of(other.id(), Phase::source))));
    CHECK(mentions(evenkey::advance_phase(foreign, cutover, Phase::source, Phase::dual_read, {}, "x"),
                   "of another migration"));
  }

  TEST_CASE("the next migration of an index goes on from the record of the last one, once that has ended") {
    const auto text_of = [](Phase phase) {
      return evenkey::encode_phase_record(record_of(cutover.id(), phase));
    };
    const auto may_run = [](const auto& migration, const std::string& text) {
      MemoryRecordStore store;
      REQUIRE(store.replace(std::nullopt, text));
      std::vector<Phase> able;
      for (const Phase phase : phases) {
        try {
          evenkey::check_phase(migration, store, phase);
          able.push_back(phase);
        } catch (const evenkey::phase_error&) {
        }
      }
      return able;
    };
    for (const Phase phase : {Phase::source, Phase::dual_read, Phase::destination_writes})
      CHECK(may_run(next, text_of(phase)).empty());
    CHECK(may_run(next, text_of(Phase::destination)) == std::vector{Phase::source});
    CHECK(may_run(next.reversed(), text_of(Phase::destination)) == std::vector{Phase::destination});
    CHECK(may_run(other, text_of(Phase::destination)).empty());
    // The way back from it ends where it began, and another may begin there.
    const std::string back_at_start =
        evenkey::encode_phase_record(record_of(next.reversed().id(), Phase::destination));
    CHECK(may_run(back, back_at_start) == std::vector{Phase::source});

    MemoryRecordStore store;
    REQUIRE(store.replace(std::nullopt, text_of(Phase::destination)));
    CHECK_THROWS_AS(evenkey::check_mover(next, store), evenkey::phase_error);
    CHECK(
        !evenkey::advance_phase(store, next, Phase::dual_read, Phase::destination_writes, {}, "x").allowed());
    CHECK(evenkey::advance_phase(store, next, Phase::source, Phase::dual_read, {}, "x").allowed());
    const auto record = evenkey::parse_phase_record(*store.load());
    REQUIRE(record);
    CHECK(record->migration == next.id());
    CHECK(record->version == 4);
    CHECK(may_run(next, *store.load()) == std::vector{Phase::source, Phase::dual_read});
    CHECK(may_run(cutover, *store.load()).empty());
  }

  TEST_CASE("only a record whose sides can be told apart is of the last migration") {
    const std::string side = "C#0 (xxh3_64/mod/16 #n)";
    const std::string index(next.index().name);
    const auto phase_by = [](std::string id) {
      return evenkey::recorded_phase(next, record_of(std::move(id), Phase::destination));
    };
    CHECK(phase_by(index + ": A (unsharded) -> " + side) == Phase::source);
    CHECK(phase_by(index + ":  -> " + side) == Phase::source);
    CHECK(!phase_by(index + ": A (unsharded) -> x -> " + side));
    CHECK(!phase_by(index + "2: A (unsharded) -> " + side));
    CHECK(!phase_by(index + ": A (unsharded) -> x" + side));
    CHECK(!phase_by(index + ": A (unsharded) -> " + side + " "));
    CHECK(!phase_by(index + ": -> " + side));  // too short for both parts
    CHECK(!phase_by(""));
  }

  TEST_CASE("a second index has no way back, and its records are checked all the same") {
    constexpr evenkey::Migration<Index, evenkey::Unstamped> second{evenkey::insert_visible_first};
    MemoryRecordStore store;
    CHECK(evenkey::advance_phase(store, second, Phase::source, Phase::dual_read, {}, "x").allowed());
    CHECK_NOTHROW(evenkey::check_phase(second, store, Phase::source));
  }
}
