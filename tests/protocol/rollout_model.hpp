// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/migrate/advance.hpp>
#include <evenkey/migrate/phase.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "checker.hpp"
#include "index_world.hpp"

namespace protocol {

/// Which steps between phases are taken.
enum class Steps { one_by_one, may_skip };
/// What the last step is taken on.
enum class LastStep { on_evidence, on_early_evidence, on_none };
/// When writers of the phases before are said to be gone.
enum class Drained { when_they_are, with_a_request_outstanding };
/// What the way back asks of the mover.
enum class Turn { stops_the_mover, leaves_it_running };

/// What is looked for: a fault, or a state that must be reachable for the search to mean anything.
enum class Aim { find_what_is_broken, reach_destination, come_back };

/// A rollout, there and back: two instances that follow a shared record one at a time, writers whose requests
/// may be late, a mover, the evidence, the last step, and the way back from wherever it stands.
///
/// A phase of the way back is the `mirror` of the one that uses the same partitions, so a level says which
/// partitions are used in either direction: at level 0 only the source of the way there, at 3 only its
/// destination. Steps are checked by evenkey's own `check_step` and `EvidenceCheck`.
/// Bounds: two instances, two rows (one of them may be created), as many creations, deletes, whole-item
/// writes and turns as the members say; one create and one whole-item write outstanding. Index events come in
/// any order. Readers that use both sides are the reader model's affair: here only those of one side are
/// looked at, at every moment.
struct RolloutModel {
  Small creations = 2;
  Small deletes = 1;
  Small whole_writes = 1;
  Small turns = 1;
  Steps steps = Steps::one_by_one;
  LastStep last_step = LastStep::on_evidence;
  Drained drained = Drained::when_they_are;
  Turn turn = Turn::stops_the_mover;
  Aim aim = Aim::find_what_is_broken;

  static constexpr std::size_t rows = 2;
  enum Way : Small { there = 0, back = 1 };

  struct Record {
    Small way;
    Small level;
    friend bool operator==(const Record&, const Record&) = default;
  };
  struct Row {
    Small stored;  // Place
    std::array<Small, 2> entry;
    std::array<Small, 2> changes;      // of the entry that are not visible yet
    std::array<Small, 2> due_changes;  // of these, those that were written before the writers were gone
    Small shown;
  };
  struct State {
    std::array<Row, rows> row;
    Record now;
    Record before;
    Small behind;       // instances that run in the phase before: mask
    Small created;      // 1 + the row that a create is under way for
    Small created_at;   // Side
    Small created_old;  // by an instance of a phase before
    Small reading;      // 1 + the row of a whole-item write
    Small read_place;
    Small creations;
    Small deletes;
    Small whole_writes;
    Small turns;
    Small declared;  // writers_drained_at is known
    Small mover;     // 0 none; 1 + the way that it moves
    Small evidence;  // checks done: drift of each row, then parity of each row
    Small early;     // it began too early
  };

  State first() const {
    State s{};
    s.row[0].stored = on_source;
    s.row[0].entry[source] = 1;
    s.row[0].shown = 1;
    s.creations = creations;
    s.deletes = deletes;
    s.whole_writes = whole_writes;
    s.turns = turns;
    return s;
  }

  std::string_view broken(const State& s) const {
    if (aim != Aim::find_what_is_broken) {
      const Side side = aim == Aim::reach_destination ? destination : source;
      const Record end{side == destination ? there : back, side == destination ? Small{3} : Small{0}};
      for (const Row& row : s.row)
        if (row.stored != place_on(side) || row.shown == 0) return {};
      return s.now == end && s.behind == 0 ? "it gets there" : "";
    }
    for (std::size_t instance = 0; instance < 2; ++instance) {
      const Small level = record_of(s, instance).level;
      if (level != 0 && level != 3) continue;
      const Side side = level == 0 ? source : destination;
      for (const Row& row : s.row) {
        if (row.stored != absent && row.stored != place_on(side))
          return "readers look at one side, and a row is on the other";
        if (row.stored != absent && row.shown != 0 && row.entry[side] == 0)
          return "readers look at one side, and the index does not show a row there yet";
      }
    }
    return {};
  }

  template <class Sink>
  void each_step(const State& s, Sink sink) const {
    for (std::size_t i = 0; i < rows; ++i)
      row_steps(s, i, sink);
    if (s.created == 0) start_creates(s, sink);
    finish_requests(s, sink);
    phase_steps(s, sink);
    proof_steps(s, sink);
  }

 private:
  static Side from_of(Small way) { return way == there ? source : destination; }
  static Side to_of(Small way) { return way == there ? destination : source; }
  static evenkey::Phase phase_of(Record record) {
    const auto phase = static_cast<evenkey::Phase>(record.level);
    return record.way == there ? phase : evenkey::detail::mirror(phase);
  }
  static Record record_of(const State& s, std::size_t instance) {
    return has(s.behind, instance) ? s.before : s.now;
  }
  static Side stamp_of(Record record) {
    return evenkey::detail::writes_destination(phase_of(record)) ? to_of(record.way) : from_of(record.way);
  }
  static std::string say(Record record) {
    return std::string(phase_name(phase_of(record))) + (record.way == back ? " of the way back" : "");
  }
  static std::string say_instance(std::size_t instance) {
    return instance == 0 ? "one instance" : "the other";
  }

  static void store(Row& row, Place place) {
    for (const Side side : {source, destination}) {
      const bool was = row.stored == place_on(side);
      const bool is = place == place_on(side);
      if (was != is) ++row.changes[side];
    }
    if (row.stored == absent || place == absent) row.shown = 0;
    row.stored = place;
    if (place != absent && row.changes[side_of(place)] == 0) row.shown = 1;
  }

  template <class Sink>
  void row_steps(const State& s, std::size_t i, Sink& sink) const {
    const Row& row = s.row[i];
    for (const Side side : {source, destination}) {
      if (row.changes[side] == 0) continue;
      State next = s;
      Row& changed = next.row[i];
      --changed.changes[side];
      if (changed.due_changes[side] != 0) --changed.due_changes[side];
      changed.entry[side] = row.entry[side] == 0 ? 1 : 0;
      if (changed.entry[side] != 0 && row.stored == place_on(side) && changed.changes[side] == 0)
        changed.shown = 1;
      sink(next, [&] {
        return std::string("the index's ") + side_name(side) +
               (row.entry[side] == 0 ? " shows " : " no longer shows ") + row_name(i);
      });
    }
    if (row.stored == absent) return;
    if (s.deletes != 0) {
      State next = s;
      --next.deletes;
      store(next.row[i], absent);
      sink(next, [&] { return "a writer deletes " + row_name(i); });
    }
    if (s.whole_writes != 0 && s.reading == 0) {
      State next = s;
      next.reading = small(i + 1);
      next.read_place = row.stored;
      sink(next, [&] {
        return "a whole-item writer reads " + row_name(i) + ", on the " +
               side_name(side_of(Place(row.stored)));
      });
    }
    if (s.mover != 0 && row.stored == place_on(from_of(small(s.mover - 1)))) {
      const Side to = to_of(small(s.mover - 1));
      State next = s;
      store(next.row[i], place_on(to));
      sink(next, [&] { return "the mover re-keys " + row_name(i) + " to the " + side_name(to); });
    }
  }

  template <class Sink>
  void start_creates(const State& s, Sink& sink) const {
    for (std::size_t i = 0; s.creations != 0 && i < rows; ++i) {
      if (s.row[i].stored != absent) continue;
      for (std::size_t instance = 0; instance < 2; ++instance) {
        const Record record = record_of(s, instance);
        State next = s;
        --next.creations;
        next.created = small(i + 1);
        next.created_at = stamp_of(record);
        next.created_old = has(s.behind, instance) ? 1 : 0;
        sink(next, [&] {
          return say_instance(instance) + ", in " + say(record) + ", sends a create of " + row_name(i) +
                 " on the " + side_name(stamp_of(record));
        });
      }
    }
  }

  template <class Sink>
  void finish_requests(const State& s, Sink& sink) const {
    if (s.created != 0) {
      State next = s;
      Row& row = next.row[s.created - 1u];
      if (row.stored == absent) store(row, place_on(Side(s.created_at)));
      next.created = next.created_at = next.created_old = 0;
      sink(next, [&] {
        return "the create of " + row_name(s.created - 1u) + " is carried out, on the " +
               side_name(Side(s.created_at));
      });
    }
    if (s.reading != 0) {
      State next = s;
      Row& row = next.row[s.reading - 1u];
      --next.whole_writes;
      next.reading = next.read_place = 0;
      const bool applies = row.stored == s.read_place;
      sink(next, [&] {
        return applies
                   ? "the whole-item writer puts " + row_name(s.reading - 1u) +
                         " with the key that it read, the " + side_name(side_of(Place(s.read_place))) + "'s"
                   : "the whole-item writer's condition fails";
      });
    }
  }

  // The record goes on when every instance is in its phase.
  void set_record(State& s, Record to) const {
    s.before = s.now;
    s.now = to;
    s.behind = 3;
    s.declared = s.evidence = s.early = 0;
    if (s.created != 0) s.created_old = 1;
    for (Row& row : s.row)
      row.due_changes = {};
  }

  template <class Sink>
  void phase_steps(const State& s, Sink& sink) const {
    for (std::size_t instance = 0; instance < 2; ++instance) {
      if (!has(s.behind, instance)) continue;
      State next = s;
      drop(next.behind, instance);
      if (next.behind == 0) next.before = {};
      sink(next, [&] { return say_instance(instance) + " goes to " + say(s.now); });
    }
    if (s.behind != 0) return;
    for (int to = 1; to <= 3; ++to) {
      const auto phase = static_cast<evenkey::Phase>(to);
      if (!step_allowed(s, phase)) continue;
      State next = s;
      set_record(
          next,
          {s.now.way, small(static_cast<int>(s.now.way == there ? phase : evenkey::detail::mirror(phase)))});
      if (turn == Turn::stops_the_mover) next.mover = 0;
      sink(next, [&] { return "the record is set to " + say(next.now); });
    }
    if (s.turns != 0 && (s.mover == 0 || turn == Turn::leaves_it_running)) {
      State next = s;
      --next.turns;
      set_record(next, {small(1 - s.now.way), s.now.level});
      sink(next, [&] {
        return "the way is turned: the record is set to " + say(next.now) +
               (s.mover != 0 ? ", and the mover goes on" : "");
      });
    }
  }

  bool step_allowed(const State& s, evenkey::Phase to) const {
    const evenkey::Phase from = phase_of(s.now);
    if (from == to || to < from) return false;
    evenkey::Advance answer;
    if (steps == Steps::one_by_one) evenkey::detail::check_step(from, to, answer);
    if (!answer.allowed()) return false;
    if (to != evenkey::Phase::destination || last_step == LastStep::on_none) return true;
    if (steps == Steps::may_skip && from != evenkey::Phase::destination_writes) return false;
    evidence_check(s, answer);
    return answer.allowed();
  }

  // The evidence as the library gets it, with times that stand for what is known of them.
  void evidence_check(const State& s, evenkey::Advance& answer) const {
    using namespace std::chrono_literals;
    const std::chrono::system_clock::time_point gone{1000s};
    const bool whole = s.evidence == 2 * rows;
    const bool early = s.early != 0 && last_step != LastStep::on_early_evidence;
    evenkey::DriftReport drift;
    drift.started = gone + (early ? 0s : 1s);
    drift.coverage = whole ? evenkey::Coverage::whole : evenkey::Coverage::partial;
    evenkey::ParityReport parity;
    parity.started = drift.started;
    parity.coverage = drift.coverage;
    evenkey::Evidence evidence{drift, parity, std::nullopt};
    if (s.declared != 0 || last_step == LastStep::on_early_evidence) evidence.writers_drained_at = gone;
    evenkey::detail::EvidenceCheck{"", "", 1s}.check(evidence, answer);
  }

  template <class Sink>
  void proof_steps(const State& s, Sink& sink) const {
    const bool moving_phase = phase_of(s.now) == evenkey::Phase::destination_writes && s.behind == 0;
    if (!moving_phase) return;
    const bool gone = s.created == 0 || s.created_old == 0 || drained == Drained::with_a_request_outstanding;
    if (s.declared == 0 && gone) {
      State next = s;
      next.declared = 1;
      for (Row& row : next.row)
        row.due_changes = row.changes;
      sink(next, [&] {
        return std::string("writers of the phases before are said to be gone") +
               (s.created != 0 && s.created_old != 0 ? ", though a request is outstanding" : "");
      });
    }
    if (s.declared != 0) {
      if (s.mover == 0) {
        State next = s;
        next.mover = small(1 + s.now.way);
        sink(next, [] { return std::string("the mover starts"); });
      } else {
        State next = s;
        next.mover = 0;
        sink(next, [] { return std::string("the mover stops"); });
      }
    }
    if (s.evidence < 2 * rows) evidence_step(s, sink);
  }

  template <class Sink>
  void evidence_step(const State& s, Sink& sink) const {
    State next = s;
    const std::size_t i = s.evidence % rows;
    const bool drift = s.evidence < rows;
    const Row& row = s.row[i];
    if (s.evidence == 0) {
      bool lag_over = s.declared != 0;
      for (const Row& each : s.row)
        lag_over = lag_over && each.due_changes[source] == 0 && each.due_changes[destination] == 0;
      next.early = lag_over ? 0 : 1;
    }
    bool in_order = true;
    if (drift) {
      in_order = row.stored != place_on(from_of(s.now.way));
    } else {
      const Side to = to_of(s.now.way);
      in_order = (row.stored == place_on(to)) == (row.entry[to] != 0);
    }
    if (!in_order) return;  // a report that shows something is no evidence: it is made again
    ++next.evidence;
    sink(next, [&] {
      return std::string(drift ? "the drift check" : "the parity check") + " looks at " + row_name(i) +
             (row.stored == absent ? ", which is not there" : ", and all is well") +
             (s.evidence == 0 && next.early != 0 ? " (begun before the writers were gone for the lag)" : "");
    });
  }
};

}  // namespace protocol
