// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/migrate/phase.hpp>

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "checker.hpp"
#include "mover_model.hpp"
#include "reader_model.hpp"
#include "rollout_model.hpp"

namespace protocol {

/// Models of the unmutated protocol that belong together, all of which must hold.
struct Proof {
  std::string name;
  std::string bounds;
  std::vector<std::function<Verdict()>> runs = {};
};

inline std::vector<Proof> proofs() {
  using evenkey::Phase;
  std::vector<Proof> all;
  const std::array<std::array<Small, IndexWorld::most_rows>, 4> key_patterns{
      {{1, 2, 3}, {1, 1, 1}, {1, 1, 2}, {1, 2, 2}}};

  Proof one{"one window", "everything in one page; 2 and 3 rows; 1 and 2 partitions on each side"};
  Proof more{"windows", "pages of 1 and 2 rows; 2 and 3 rows; 1 and 2 partitions on each side"};
  Proof writing{"windows, and writers",
                "one row created, one updated, one deleted; without and with `where`"};
  for (const auto& keys : key_patterns) {
    for (const std::size_t page_size : {std::size_t{1}, std::size_t{2}, std::size_t{9}}) {
      for (const std::size_t partitions : {std::size_t{1}, std::size_t{2}}) {
        for (const Shows shows : {Shows::insert_first, Shows::any_order}) {
          ReaderModel model;
          model.keys = keys;
          model.page_size = page_size;
          model.sources = model.destinations = partitions;
          model.shows = shows;
          model.waits = shows == Shows::any_order;
          (page_size == 9 ? one : more).runs.push_back(run_of(model));
          model.rows = 3;
          (page_size == 9 ? one : more).runs.push_back(run_of(model));
          if (keys[1] != keys[2]) {  // of two rows, unequal or equal
            model.rows = 2;
            model.rows_created = model.updates = model.deletes = 1;
            writing.runs.push_back(run_of(model));
            model.filters = Filters::after_dropping_copies;
            writing.runs.push_back(run_of(model));
          }
        }
      }
    }
  }
  Proof pairs{"pairs of phases",
              "every reader beside every writer of its phase or a neighbour; create, update, delete"};
  for (const Phase reader :
       {Phase::source, Phase::dual_read, Phase::destination_writes, Phase::destination}) {
    for (const Phase writer :
         {Phase::source, Phase::dual_read, Phase::destination_writes, Phase::destination}) {
      if (evenkey::detail::distance(reader, writer) > 1) continue;
      for (const Shows shows : {Shows::insert_first, Shows::any_order}) {
        for (const Small equal : {Small{0}, Small{1}}) {
          ReaderModel model;
          model.keys = {1, small(2 - equal), 3};
          model.reader = reader;
          model.writer = writer;
          model.shows = shows;
          model.waits = shows == Shows::any_order;
          model.rows_created = model.updates = model.deletes = 1;
          const bool both =
              evenkey::detail::reads_source(reader) && evenkey::detail::reads_destination(reader);
          model.movers = both ? Movers::forward : Movers::none;
          pairs.runs.push_back(run_of(model));
        }
      }
    }
  }
  Proof turned{"the way is turned", "a read of the way there after the movers of the way back have settled"};
  for (const Shows shows : {Shows::insert_first, Shows::any_order}) {
    ReaderModel model;
    model.rows = 3;
    model.shows = shows;
    model.waits = shows == Shows::any_order;
    model.movers = Movers::backward_until_the_read;
    turned.runs.push_back(run_of(model));
  }
  Proof mover{
      "the mover",
      "3 rows, one of them created meanwhile; pages of 1 and 2; 2 crashes, 2 failures; update, delete, "
      "whole-item write"};
  for (const std::size_t page_size : {std::size_t{1}, std::size_t{2}}) {
    MoverModel model;
    model.page_size = page_size;
    mover.runs.push_back(run_of(model));
  }
  Proof rollout{"the rollout, there and back",
                "2 instances, 2 rows; 2 creates, a delete and a whole-item write; turned once, or twice with "
                "one create"};
  RolloutModel once;
  rollout.runs.push_back(run_of(once));
  RolloutModel twice;
  twice.turns = 2;
  twice.creations = 1;
  twice.whole_writes = 0;
  rollout.runs.push_back(run_of(twice));

  all = {std::move(one),    std::move(more),  std::move(writing), std::move(pairs),
         std::move(turned), std::move(mover), std::move(rollout)};
  return all;
}

}  // namespace protocol
