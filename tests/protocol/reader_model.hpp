// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/migrate/phase.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "checker.hpp"
#include "index_world.hpp"

namespace protocol {

/// In which order a reader asks.
enum class Asks {
  in_windows,    // the protocol
  both_at_once,  // mutants
  destination_first,
  merge_without_windows,
  source_destination_source
};
/// Up to where a window reaches.
enum class Frontier { below_least_last_key, up_to_least_last_key, below_greatest_last_key };
enum class Keeps { destination_copy, source_copy };
enum class Filters { none, after_dropping_copies, before_dropping_copies };
/// What an update does with the stored key.
enum class Update { keeps_key, stamps_key };
/// Who re-keys rows while the reader reads.
enum class Movers { none, forward, both_ways, backward, backward_until_the_read };

/// One reader over a store whose rows move.
///
/// Bounds: up to three rows of chosen sort keys, each re-keyed at most `most_moves` times, at most as many
/// updates, deletes and creations as the members say, one read. Requests are answered at one moment
/// each; requests that may be under way together are asked in every order. A wait is modelled by what it is
/// for: the destination is not asked while a change that was written before the source's last answer is not
/// visible. A descending read is the mirror image of this one: only the order of keys counts.
struct ReaderModel {
  // The world.
  std::size_t rows = 2;
  std::array<Small, IndexWorld::most_rows> keys{1, 2, 3};  // not descending; below 100
  std::size_t sources = 1;
  std::size_t destinations = 1;
  std::size_t page_size = 1;
  Shows shows = Shows::insert_first;
  Movers movers = Movers::forward;
  Small most_moves = 2;    // of each row
  Small rows_created = 0;  // that many of the last rows do not exist at first
  Small updates = 0;
  Small deletes = 0;
  evenkey::Phase writer = evenkey::Phase::destination_writes;  // stamps what is created

  // The protocol, or a mutant of it.
  evenkey::Phase reader = evenkey::Phase::destination_writes;
  bool waits = false;  // visible_within
  Asks asks = Asks::in_windows;
  Frontier frontier = Frontier::below_least_last_key;
  Keeps keeps = Keeps::destination_copy;
  Filters filters = Filters::none;  // only rows whose content is 0
  Update update = Update::keeps_key;
  bool starts_when_settled = true;  // after the movers of the way before have stopped

  static constexpr Small infinity = 255;

  struct State {
    IndexWorld world;
    Small shown;      // rows that readers have seen since they were created
    Small changed;    // rows that were updated
    Small creations;  // what is left of each
    Small updates;
    Small deletes;

    Small started;
    Small done;
    Small round;  // of a read that asks the sides one after the other
    Small must_see;
    std::array<std::array<Small, 2>, 2> cursor;  // per side and partition: 1 + the last row seen
    std::array<Small, 2> ended;                  // per side: partitions read to the end of the range
    Small in_window;
    Small begin;  // of the window
    Small end;
    std::array<std::array<Small, IndexWorld::most_rows>, 2> seen;  // the copies: 1 + content
    std::array<Small, 2> held;                                     // rows to be given
    std::array<Small, IndexWorld::most_rows> given;                // how often
    std::array<Small, IndexWorld::most_rows> given_copy;
  };

  State first() const {
    State state{};
    for (std::size_t row = 0; row + rows_created < rows; ++row) {
      // What moves backward comes from the destination, and the last phase begins when nothing else is left.
      const bool there = backward() || !reads(source);
      state.world.settle_at_start(row, there ? destination : source);
      add(state.shown, row);
    }
    state.creations = rows_created;
    state.updates = updates;
    state.deletes = deletes;
    return state;
  }

  std::string_view broken(const State& s) const {
    for (std::size_t row = 0; row < rows; ++row)
      if (s.given[row] > 1) return "a row is given twice";
    if (s.done == 0) return {};
    for (std::size_t row = 0; row < rows; ++row) {
      const bool may_be_filtered = filters != Filters::none && has(s.changed, row);
      if (s.given[row] == 0 && has(s.must_see, row) && !may_be_filtered)
        return "a row that exists throughout the read is missed";
      const Small newest = s.seen[destination][row] != 0 ? s.seen[destination][row] : s.seen[source][row];
      if (s.given[row] != 0 && s.given_copy[row] != newest)
        return filters == Filters::none
                   ? "a row is given as it was, though the reader saw how it is"
                   : "a row is given that the predicate refuses as the reader saw it last";
    }
    return {};
  }

  template <class Sink>
  void each_step(const State& s, Sink sink) const {
    if (s.done != 0) return;
    world_steps(s, sink);
    reader_steps(s, sink);
  }

 private:
  // --- the world ---

  bool backward() const { return movers == Movers::backward || movers == Movers::backward_until_the_read; }

  Side stamp(evenkey::Phase phase) const {
    return evenkey::detail::writes_destination(phase) ? destination : source;
  }

  template <class Sink>
  void world_steps(const State& s, Sink& sink) const {
    for (std::size_t row = 0; row < rows; ++row) {
      const auto stored = Place(s.world.stored[row]);
      if (stored == absent) {
        if (s.creations == 0 || row + rows_created < rows || has(s.changed, row)) continue;
        State next = s;
        --next.creations;
        next.world.create(row, stamp(writer));
        sink(next, [&] {
          return "a writer of phase " + std::string(phase_name(writer)) + " creates " + row_name(row) +
                 " on the " + side_name(stamp(writer));
        });
        continue;
      }
      move_steps(s, row, stored, sink);
      if (s.updates != 0 && s.world.content[row] == 0) {
        State next = s;
        --next.updates;
        add(next.changed, row);
        const bool stamps_back = update == Update::stamps_key && stored == on_destination;
        next.world.content[row] = 1;
        stamps_back ? next.world.move(row, source) : next.world.change(row);
        sink(next, [&] {
          return "a writer updates " + row_name(row) +
                 (stamps_back                ? ", and stamps it with the source's key"
                  : filters == Filters::none ? ""
                                             : ", which the predicate refuses from now on");
        });
      }
      if (s.deletes != 0) {
        State next = s;
        --next.deletes;
        add(next.changed, row);  // it is not created again
        drop(next.must_see, row);
        next.world.erase(row);
        sink(next, [&] { return "a writer deletes " + row_name(row); });
      }
    }
    for (std::size_t event = 0; event < s.world.event_count; ++event) {
      if (!s.world.deliverable(event, shows)) continue;
      State next = s;
      next.world.deliver(event);
      if (s.world.events[event].entry != 0) add(next.shown, s.world.events[event].row);
      sink(next, [&] { return s.world.say_delivered(event); });
    }
  }

  template <class Sink>
  void move_steps(const State& s, std::size_t row, Place stored, Sink& sink) const {
    if (movers == Movers::none || s.world.moves[row] == most_moves) return;
    if (movers == Movers::backward_until_the_read && s.started != 0) return;
    const Side to = stored == on_source ? destination : source;
    if (movers == Movers::forward && to == source) return;
    if (backward() && to == destination) return;
    State next = s;
    next.world.move(row, to);
    sink(next, [&] { return "a mover re-keys " + row_name(row) + " to the " + side_name(to); });
  }

  // --- the reader ---

  bool reads(Side side) const {
    return side == source ? evenkey::detail::reads_source(reader)
                          : evenkey::detail::reads_destination(reader);
  }
  bool in_windows() const { return asks == Asks::in_windows && reads(source) && reads(destination); }
  std::size_t partitions(Side side) const { return side == source ? sources : destinations; }
  std::size_t partition_of(Side side, std::size_t row) const {
    // Neighbours on the source, so that one partition can be read further than another.
    return side == source ? row * sources / rows : row % destinations;
  }
  bool all_ended(const State& s, Side side) const {
    return !reads(side) || s.ended[side] == small((1u << partitions(side)) - 1);
  }

  bool may_ask(const State& s, Side side) const {
    if (!reads(side)) return false;
    if (side == destination && waits && reads(source) && s.world.due()) return false;
    switch (asks) {
      case Asks::in_windows:
        return !in_windows() || side == source || s.in_window != 0;
      case Asks::both_at_once:
        break;
      case Asks::destination_first:
        return side == destination || all_ended(s, destination);
      case Asks::merge_without_windows:
        for (std::size_t partition = 0; side == destination && partition < sources; ++partition)
          if (s.cursor[source][partition] == 0 && !has(s.ended[source], partition)) return false;
        break;
      case Asks::source_destination_source:
        return side == (s.round == 1 ? destination : source);
    }
    return true;
  }

  template <class Sink>
  void reader_steps(const State& s, Sink& sink) const {
    if (s.started == 0) {
      if (movers == Movers::backward_until_the_read && starts_when_settled && s.world.pending()) return;
      State next = s;
      next.started = 1;
      for (std::size_t row = 0; row < rows; ++row)
        if (has(s.shown, row) && s.world.stored[row] != absent) add(next.must_see, row);
      sink(next, [] { return "the reader starts"; });
      return;
    }
    for (const Side side : {source, destination}) {
      if (!may_ask(s, side)) continue;
      for (std::size_t partition = 0; partition < partitions(side); ++partition) {
        if (has(s.ended[side], partition)) continue;
        State next = s;
        std::string rows_answered;
        ask(next, side, partition, rows_answered);
        sink(next, [&] { return say_asked(s, next, side, partition, rows_answered); });
      }
    }
  }

  void ask(State& s, Side side, std::size_t partition, std::string& answered) const {
    std::size_t items = 0;
    for (std::size_t row = s.cursor[side][partition]; row < rows && items < page_size; ++row) {
      const Small copy = s.world.entries[side][row];
      if (copy == 0 || partition_of(side, row) != partition) continue;
      if (in_windows() && side == destination && (keys[row] < s.begin || keys[row] >= s.end)) continue;
      ++items;
      answered += (answered.empty() ? "" : ", ") + row_name(row) + (copy == 2 ? " (changed)" : "");
      s.cursor[side][partition] = small(row + 1);
      s.seen[side][row] = copy;
      if (filters != Filters::before_dropping_copies || copy == 1) add(s.held[side], row);
    }
    // A full page says that more may follow, also where nothing does.
    if (items < page_size) add(s.ended[side], partition);
    if (side == source && waits) s.world.mark_due();
    go_on(s);
  }

  // What follows at once from an answer.
  void go_on(State& s) const {
    if (!in_windows()) {
      if (!all_ended(s, source) || !all_ended(s, destination)) {
        if (asks == Asks::source_destination_source && s.round == 0 && all_ended(s, source)) s.round = 1;
        return;
      }
      if (asks == Asks::source_destination_source && s.round == 1) {
        s.round = 2;
        s.ended[source] = 0;
        s.cursor[source] = {};
        return;
      }
      give_below(s, infinity);
      s.done = 1;
      return;
    }
    if (s.in_window != 0 && all_ended(s, destination)) {
      give_below(s, s.end);
      s.in_window = 0;
      s.done = s.end == infinity ? 1 : 0;
    }
    if (s.in_window == 0 && s.done == 0) open_window(s);
  }

  void open_window(State& s) const {
    Small least = infinity;
    Small greatest = 0;
    for (std::size_t partition = 0; partition < sources; ++partition) {
      if (has(s.ended[source], partition)) continue;
      const Small cursor = s.cursor[source][partition];
      if (cursor == 0) return;
      const Small last = keys[cursor - 1u];
      if (s.end != 0 && last <= s.end && frontier == Frontier::below_least_last_key) return;
      if (last < s.end) return;
      least = (std::min)(least, last);
      greatest = (std::max)(greatest, last);
    }
    if (frontier == Frontier::below_greatest_last_key && greatest != 0) least = greatest;
    if (frontier == Frontier::up_to_least_last_key && least != infinity) ++least;
    s.begin = s.end;
    s.end = least;
    s.in_window = 1;
    s.ended[destination] = 0;
    s.cursor[destination] = {};
  }

  // Each row that is held once, by its primary key.
  void give_below(State& s, Small end) const {
    for (std::size_t row = 0; row < rows; ++row) {
      if (keys[row] >= end) continue;
      const bool at_source = has(s.held[source], row);
      const bool at_destination = has(s.held[destination], row);
      if (!at_source && !at_destination) continue;
      const bool take_destination = at_destination && (keeps == Keeps::destination_copy || !at_source);
      const Small copy = s.seen[take_destination ? destination : source][row];
      drop(s.held[source], row);
      drop(s.held[destination], row);
      if (filters == Filters::after_dropping_copies && copy == 2) continue;
      ++s.given[row];
      s.given_copy[row] = copy;
    }
  }

  std::string say_asked(const State& before, const State& after, Side side, std::size_t partition,
                        const std::string& answered) const {
    std::string text = std::string("the reader asks the ") + side_name(side);
    if (partitions(side) > 1) text += "'s partition " + std::to_string(partition);
    if (in_windows() && side == destination && before.end != infinity)
      text += " below key " + std::to_string(before.end);
    text += ": " + (answered.empty() ? std::string("nothing") : answered);
    if (!has(after.ended[side], partition) && after.done == 0 && after.round == before.round &&
        (side == source || after.in_window != 0 || !in_windows()))
      text += "; more may follow";
    std::string given;
    for (std::size_t row = 0; row < rows; ++row)
      if (after.given[row] > before.given[row]) given += (given.empty() ? "" : ", ") + row_name(row);
    if (!given.empty()) text += "; it gives " + given;
    if (after.done != 0) text += given.empty() ? "; it ends, and gave nothing more" : "; it ends";
    return text;
  }
};

}  // namespace protocol
