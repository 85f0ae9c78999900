// SPDX-License-Identifier: BSL-1.0
#include <evenkey/migrate/migration.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <string_view>

#include "support/two_copies.hpp"

namespace {

using evenkey::Advance;
using evenkey::Coverage;
using evenkey::Evidence;
using evenkey::Phase;

using Index = support::CopiesBy<16>;
using Cutover = evenkey::Migration<Index, evenkey::UnshardedKey<"C">>;
using Time = std::chrono::system_clock::time_point;
using std::chrono::milliseconds;

constexpr Cutover cutover{evenkey::insert_visible_first};
constexpr Time drained{std::chrono::hours(500'000)};

Evidence good(const Cutover& migration = cutover) {
  evenkey::DriftReport drift;
  drift.migration = migration.id();
  drift.started = drained + migration.visibility().lag();
  drift.coverage = Coverage::whole;
  evenkey::ParityReport parity;
  parity.layout = evenkey::layout_of(migration.at<Phase::destination>());
  parity.started = drift.started;
  parity.coverage = Coverage::whole;
  return {.drift = drift, .parity = parity, .writers_drained_at = drained};
}

Advance last_step(const Evidence& evidence, const Cutover& migration = cutover) {
  return migration.advance(Phase::destination_writes, Phase::destination, evidence);
}

bool only_reason(const Advance& answer, std::string_view text) {
  return answer.reasons().size() == 1 && answer.reasons().front().find(text) != std::string::npos;
}

}  // namespace

TEST_SUITE("migrate") {
  TEST_CASE("of all steps, those to the next phase are taken, and only the last needs evidence") {
    constexpr std::array<Phase, 4> phases{Phase::source, Phase::dual_read, Phase::destination_writes,
                                          Phase::destination};
    for (const Phase from : phases)
      for (const Phase to : phases) {
        CAPTURE(evenkey::phase_name(from));
        CAPTURE(evenkey::phase_name(to));
        const bool next = static_cast<int>(to) == static_cast<int>(from) + 1;
        CHECK(cutover.advance(from, to, good()).allowed() == next);
        CHECK(cutover.advance(from, to).allowed() == (next && to != Phase::destination));
      }
  }

  TEST_CASE("a step that stays, goes back or skips says what to do") {
    CHECK(only_reason(cutover.advance(Phase::dual_read, Phase::dual_read), "in dual_read already"));
    CHECK(only_reason(cutover.advance(Phase::destination, Phase::dual_read),
                      "take reversed(), entered at source"));
    CHECK(only_reason(cutover.advance(Phase::source, Phase::destination_writes), "go to dual_read first"));
    CHECK(only_reason(cutover.advance(Phase::dual_read, Phase::destination, good()),
                      "go to destination_writes first"));
  }

  TEST_CASE("without evidence, everything that is missing is named at once") {
    const Advance answer = last_step({});
    REQUIRE(answer.reasons().size() == 3);
    CHECK(answer.reasons()[0].find("writers_drained_at is missing") != std::string::npos);
    CHECK(answer.reasons()[1].find("drift report is missing") != std::string::npos);
    CHECK(answer.reasons()[2].find("parity report is missing") != std::string::npos);
  }

  TEST_CASE("each piece of evidence that is left out or bad is a reason of its own") {
    REQUIRE(last_step(good()).allowed());
    const auto refused = [](auto spoil, std::string_view why) {
      Evidence evidence = good();
      spoil(evidence);
      const Advance answer = last_step(evidence);
      CAPTURE(why);
      CAPTURE(answer.reasons().empty() ? std::string("allowed") : answer.reasons().front());
      CHECK(only_reason(answer, why));
    };
    refused([](Evidence& e) { e.writers_drained_at.reset(); }, "writers_drained_at is missing");
    refused([](Evidence& e) { e.drift.reset(); }, "run check_drift");
    refused([](Evidence& e) { e.parity.reset(); }, "run check_parity");
    refused([](Evidence& e) { e.drift->coverage = Coverage::partial; }, "drift report is not whole");
    refused([](Evidence& e) { e.parity->coverage = Coverage::partial; }, "parity report is not whole");
    refused([](Evidence& e) { e.drift->started = drained - milliseconds(1); }, "drift report began before");
    refused([](Evidence& e) { e.parity->started = drained - milliseconds(1); }, "parity report began before");
    refused([](Evidence& e) { e.drift->migration = cutover.reversed().id(); },
            "drift report is of another migration");
    refused([](Evidence& e) { e.drift->migration.clear(); }, "drift report is of another migration");
    refused([](Evidence& e) { e.parity->layout = evenkey::layout_of(cutover.at<Phase::source>()); },
            "parity report is of another layout");
    refused([](Evidence& e) { e.parity->layout = cutover.id(); }, "parity report is of another layout");
    refused([](Evidence& e) { e.drift->on_source = 1; }, "1 rows are on the source");
    refused([](Evidence& e) { e.drift->stranded = 3; }, "3 rows on the source have no sharding id");
    refused([](Evidence& e) { e.drift->misplaced = 2; }, "2 rows are in a shard");
    refused([](Evidence& e) { e.parity->missing = 1; }, "1 rows differ");
    refused([](Evidence& e) { e.parity->extra = 1; }, "1 rows differ");
    refused([](Evidence& e) { e.parity->mismatched = 1; }, "1 rows differ");
    refused([](Evidence& e) { e.parity->misplaced = 1; }, "1 rows differ");
  }

  TEST_CASE("rows of others and rows that are not in the index on purpose stand in nobody's way") {
    Evidence evidence = good();
    evidence.drift->foreign = 5;
    evidence.drift->unindexed = 5;
    evidence.parity->foreign = 5;
    evidence.parity->unindexed = 5;
    evidence.parity->settled = 5;
    CHECK(last_step(evidence).allowed());
  }

  TEST_CASE("where a lag is assumed, reports begin that long after the writers are gone") {
    constexpr Cutover patient{evenkey::visible_within(milliseconds(700))};
    CHECK(last_step(good(patient), patient).allowed());
    Evidence early = good(patient);
    early.drift->started -= milliseconds(1);
    CHECK(only_reason(last_step(early, patient), "drift report began before"));
  }

  TEST_CASE("writers that are never gone allow nothing, whatever the lag") {
    constexpr Cutover patient{evenkey::visible_within(milliseconds(700))};
    Evidence evidence = good(patient);
    evidence.writers_drained_at = (Time::max)();
    CHECK(last_step(evidence, patient).reasons().size() == 2);
  }

  TEST_CASE("a refusal's reasons can be walked over in passing") {
    std::size_t reasons = 0;
    for (const std::string& reason : last_step({}).reasons())
      reasons += reason.empty() ? 0U : 1U;
    CHECK(reasons == 3);
  }
}
