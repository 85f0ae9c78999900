// SPDX-License-Identifier: BSL-1.0
// The protocol of a migration, searched through; docs/design/counterexamples.md is what it prints.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "checker.hpp"
#include "index_world.hpp"
#include "mutants.hpp"
#include "proofs.hpp"
#include "rollout_model.hpp"

using namespace protocol;

namespace {

constexpr const char* page_path = EVENKEY_TEST_DATA_DIR "/../../docs/design/counterexamples.md";

constexpr const char* page_head =
    R"(# What happens without each rule of the protocol

Printed by `tests/protocol/model_test.cpp`; do not edit it. After a change of the models run the test with
`EVENKEY_UPDATE_GOLDEN=1` and read the difference. The protocol itself is in [migration.md](migration.md).

The models are small state machines that a checker of our own walks through breadth first, every state once, so
that what it finds cannot be told in fewer steps. Rows are called a, b and c; their sort keys are 1, 2 and 3 unless
it is said otherwise.

## With all rules

Nothing is broken in any state: no row that exists throughout a read is missed, none is given twice or as it was
before; no write is clobbered, no deleted row returns, a mover that is done has left nothing behind; readers of one
side find everything there; and after the way back everything that was written meanwhile is there.

| model | bounds | searches | states | transitions |
|---|---|---:|---:|---:|
)";

std::string page_of_proofs(const std::vector<Proof>& all) {
  std::ostringstream page;
  std::size_t every_state = 0;
  for (const Proof& proof : all) {
    std::size_t states = 0;
    std::size_t transitions = 0;
    for (const auto& run : proof.runs) {
      const Verdict verdict = run();
      states += verdict.states;
      transitions += verdict.transitions;
      std::string told;
      for (const std::string& step : verdict.steps)
        told += "\n  " + step;
      CHECK_MESSAGE(verdict.holds(), proof.name << ": " << verdict.broken << told);
    }
    every_state += states;
    page << "| " << proof.name << " | " << proof.bounds << " | " << proof.runs.size() << " | " << states
         << " | " << transitions << " |\n";
    MESSAGE(proof.name << ": " << proof.runs.size() << " searches, " << states << " states, " << transitions
                       << " transitions");
  }
  CHECK(every_state > 1'000'000);  // the search is a search
  return page.str();
}

std::string page_of_mutants(const std::vector<Mutant>& all) {
  std::ostringstream page;
  page << "\n## Without one of them\n";
  for (const Mutant& mutant : all) {
    const Verdict verdict = mutant.run();
    CHECK_MESSAGE(!verdict.holds(), mutant.name << " is not found in " << verdict.states << " states");
    page << "\n### " << mutant.name << "\n\n"
         << mutant.rule << " Without that, " << verdict.broken << " (" << verdict.steps.size()
         << " steps; found among " << verdict.states << " states):\n\n";
    for (std::size_t i = 0; i < verdict.steps.size(); ++i)
      page << i + 1 << ". " << verdict.steps[i] << "\n";
  }
  return page.str();
}

// A walk over a square, whose shortest ways are known.
struct Walk {
  struct State {
    Small x;
    Small y;
  };
  State first() const { return {}; }
  std::string_view broken(const State& s) const { return s.x == 3 && s.y == 2 ? "there" : ""; }
  template <class Sink>
  void each_step(const State& s, Sink sink) const {
    if (s.x < 9) sink(State{small(s.x + 1), s.y}, [] { return std::string("right"); });
    if (s.y < 9) sink(State{s.x, small(s.y + 1)}, [] { return std::string("up"); });
    if (s.x > 0) sink(State{small(s.x - 1), s.y}, [] { return std::string("left"); });
  }
};

}  // namespace

TEST_SUITE("protocol") {
  TEST_CASE("with all rules nothing is broken, without any one of them something is, and the page says how") {
    std::string page = page_head + page_of_proofs(proofs());
    page += page_of_mutants(mutants());
    if (std::getenv("EVENKEY_UPDATE_GOLDEN") != nullptr) {
      std::ofstream(page_path) << page;
      return;
    }
    std::ifstream file(page_path);
    std::ostringstream kept;
    kept << file.rdbuf();
    CHECK_MESSAGE(kept.str() == page, page_path << " is not current; printed now:\n" << page);
  }

  TEST_CASE("the rollout's search gets to the destination, and back with what was written meanwhile") {
    for (const Aim aim : {Aim::reach_destination, Aim::come_back}) {
      RolloutModel model;
      model.aim = aim;
      CHECK(check(model).broken == "it gets there");
    }
  }

  TEST_CASE("a shortest way is found, and a bound that is too low is no proof but an error") {
    const Verdict verdict = check(Walk{});
    CHECK(verdict.broken == "there");
    CHECK(verdict.steps.size() == 5);
    IndexWorld world{};
    world.settle_at_start(0, source);
    CHECK_THROWS_AS(
        [&] {
          for (int i = 0; i < 20; ++i)
            world.change(0);
        }(),
        std::length_error);
  }
}
