// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/migrate/phase.hpp>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "checker.hpp"
#include "mover_model.hpp"
#include "reader_model.hpp"
#include "rollout_model.hpp"

namespace protocol {

/// A rule of the protocol, and what happens without it.
struct Mutant {
  std::string name;
  std::string rule;
  std::function<Verdict()> run;
};

template <class Model, class Change>
Mutant mutant_of(std::string name, std::string rule, Change change) {
  Model model;
  change(model);
  return {std::move(name), std::move(rule), run_of(model)};
}

inline std::vector<Mutant> mutants() {
  using evenkey::Phase;
  using Reader = ReaderModel;
  std::vector<Mutant> all;
  const auto add = [&](Mutant mutant) { all.push_back(std::move(mutant)); };

  add(mutant_of<Reader>("Both sides are read at once",
                        "The destination is asked after the source has answered.", [](Reader& m) {
                          m.page_size = 9;
                          m.asks = Asks::both_at_once;
                        }));
  add(mutant_of<Reader>("The destination is read first",
                        "The destination is asked after the source has answered.", [](Reader& m) {
                          m.page_size = 9;
                          m.asks = Asks::destination_first;
                        }));
  add(mutant_of<Reader>(
      "The sides are merged without windows",
      "Before any page of the destination is asked for a range, the source's pages of that range have been "
      "answered. To ask the source's first page first is not enough.",
      [](Reader& m) { m.asks = Asks::merge_without_windows; }));
  add(mutant_of<Reader>(
      "Source, destination, source, and rows that go both ways",
      "Rows move one way only. To ask the source once more does not help: a row that is re-keyed "
      "twice during the read is missed.",
      [](Reader& m) {
        m.page_size = 9;
        m.asks = Asks::source_destination_source;
        m.rows = 1;
        m.movers = Movers::both_ways;
        m.most_moves = 3;
      }));
  add(mutant_of<Reader>("Source, destination, source, where deletes may show first",
                        "Where no order is assumed, the reader waits. No finite sequence of reads is safe.",
                        [](Reader& m) {
                          m.page_size = 9;
                          m.asks = Asks::source_destination_source;
                          m.shows = Shows::any_order;
                        }));
  add(mutant_of<Reader>(
      "Zero lag, where deletes may show first",
      "Where no order is assumed, the reader waits for the lag between source and destination.",
      [](Reader& m) {
        m.page_size = 9;
        m.shows = Shows::any_order;
      }));
  add(mutant_of<Reader>(
      "The predicate comes before the copies are dropped",
      "Of a row that was seen twice, the destination's copy is kept, and then the predicate "
      "decides. Else the source's older copy passes where the newer one does not.",
      [](Reader& m) {
        m.page_size = 9;
        m.updates = 1;
        m.filters = Filters::before_dropping_copies;
      }));
  add(mutant_of<Reader>("The source's copy is kept",
                        "Of a row that was seen twice, the destination's copy is kept: it is the newer one.",
                        [](Reader& m) {
                          m.page_size = 9;
                          m.updates = 1;
                          m.keeps = Keeps::source_copy;
                        }));
  add(mutant_of<Reader>("A window includes the source's last key",
                        "A window ends below the least last key of the source: more rows of that key may "
                        "follow on the source's "
                        "next page.",
                        [](Reader& m) {
                          m.keys = {1, 1, 1};
                          m.frontier = Frontier::up_to_least_last_key;
                        }));
  add(mutant_of<Reader>("A window reaches as far as the source partition that was read furthest",
                        "A window ends below the least last key over all partitions of the source.",
                        [](Reader& m) {
                          m.rows = 3;
                          m.sources = 2;
                          m.frontier = Frontier::below_greatest_last_key;
                        }));
  add(mutant_of<Reader>("An update stamps the key",
                        "A writer stamps the key on a row that it creates, and never on an update. Here a "
                        "writer of `dual_read` "
                        "updates, beside one of `destination_writes`; no mover runs.",
                        [](Reader& m) {
                          m.page_size = 9;
                          m.movers = Movers::none;
                          m.rows_created = m.updates = 1;
                          m.update = Update::stamps_key;
                        }));
  add(mutant_of<Reader>(
      "A phase is skipped, as a reader sees it",
      "Two phases that are not neighbours may not be live at once. Here a reader of `source` "
      "runs beside a writer of `destination_writes`.",
      [](Reader& m) {
        m.page_size = 9;
        m.movers = Movers::none;
        m.rows_created = 1;
        m.reader = Phase::source;
      }));
  add(mutant_of<Reader>("Movers of both ways run together",
                        "The movers of the way there and of the way back never run together.", [](Reader& m) {
                          m.page_size = 9;
                          m.movers = Movers::both_ways;
                        }));
  add(mutant_of<Reader>(
      "The way is turned before the last moves are visible",
      "No mover runs when the way is turned, nor has one for the lag before: readers change the "
      "order in which they ask.",
      [](Reader& m) {
        m.page_size = 9;
        m.movers = Movers::backward_until_the_read;
        m.starts_when_settled = false;
      }));

  add(mutant_of<Reader>(
      "The movers of the way back start during a read of the way there",
      "Movers start when the last read that began in an earlier phase, or on the other way, has "
      "ended: a long listing, too, is a reader.",
      [](Reader& m) {
        m.page_size = 9;
        m.movers = Movers::backward;
      }));
  add(mutant_of<Reader>("The mover starts during a read of `source`",
                        "Movers start when the last read that began in an earlier phase has ended.",
                        [](Reader& m) {
                          m.page_size = 9;
                          m.reader = Phase::source;
                        }));

  using Mover = MoverModel;
  add(mutant_of<Mover>(
      "An unconditional restamp",
      "The restamp has the condition that the key is the source's, which implies that the item "
      "exists: UpdateItem creates what is missing.",
      [](Mover& m) { m.restamp = Restamp::unconditional; }));
  add(mutant_of<Mover>(
      "A restamp unless the key is the destination's",
      "The condition names the key that is expected. `attribute_not_exists` and `<>` hold for an "
      "item that is gone.",
      [](Mover& m) { m.restamp = Restamp::if_not_destination; }));
  add(mutant_of<Mover>("A restamp that puts the item",
                       "The restamp is an update of the key alone, never a put of the item that was scanned.",
                       [](Mover& m) { m.restamp = Restamp::puts_whole_item; }));
  add(mutant_of<Mover>("The checkpoint is ahead",
                       "The checkpoint never passes an item whose outcome is not durable.", [](Mover& m) {
                         m.page_size = 2;
                         m.checkpoint = Checkpoint::place_ahead;
                       }));
  add(mutant_of<Mover>(
      "The checkpoint leaves out what failed",
      "The checkpoint carries the rows that failed, which are tried again before the run ends.",
      [](Mover& m) {
        m.page_size = 2;
        m.checkpoint = Checkpoint::place_without_failed;
      }));
  add(mutant_of<Mover>(
      "A whole-item writer without a condition",
      "A writer that replaces whole items takes the stored key over under a condition on it.", [](Mover& m) {
        m.page_size = 2;
        m.whole_item = WholeItem::unconditional;
      }));

  using Rollout = RolloutModel;
  add(mutant_of<Rollout>("A phase is skipped", "Phases are taken one at a time.",
                         [](Rollout& m) { m.steps = Steps::may_skip; }));
  add(mutant_of<Rollout>("The last step without evidence",
                         "`destination` is entered on whole, clean reports.",
                         [](Rollout& m) { m.last_step = LastStep::on_none; }));
  add(mutant_of<Rollout>(
      "The last step on early evidence",
      "Both reports are begun after the last writer of an earlier phase was gone, its retries "
      "included, for the lag.",
      [](Rollout& m) { m.last_step = LastStep::on_early_evidence; }));
  add(mutant_of<Rollout>("Writers are said to be gone while a retry is outstanding",
                         "`writers_drained_at` counts the longest request and its retries.",
                         [](Rollout& m) { m.drained = Drained::with_a_request_outstanding; }));
  add(mutant_of<Rollout>("The mover goes on when the way is turned", "No mover runs when the way is turned.",
                         [](Rollout& m) { m.turn = Turn::leaves_it_running; }));
  return all;
}

}  // namespace protocol
