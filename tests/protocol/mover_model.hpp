// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "checker.hpp"
#include "index_world.hpp"

namespace protocol {

/// What the mover's restamp is.
enum class Restamp {
  if_key_is_source,    // the protocol: UpdateItem, condition gsi_pk = :from
  unconditional,       // mutants
  if_not_destination,  // condition gsi_pk <> :to, which holds for an item that is gone
  puts_whole_item      // condition as it should be, but a Put of the item that was scanned
};
/// What a checkpoint says.
enum class Checkpoint { place_and_failed, place_ahead, place_without_failed };
/// How a writer that replaces whole items keeps from undoing a move.
enum class WholeItem { if_key_is_as_read, unconditional };

/// One mover over the base table, with crashes, while writers of phase `destination_writes` write.
///
/// Bounds: two rows on the source and one that a writer may create, pages of one or two rows, two crashes,
/// two restamps that fail (before or after they took effect), one update, one delete, one whole-item write.
/// The base table is strongly consistent, so it has no lag, and what the index shows is the reader model's
/// affair. Content counts the writers' writes: whoever puts back an older one has clobbered a newer.
struct MoverModel {
  std::size_t page_size = 1;
  Restamp restamp = Restamp::if_key_is_source;
  Checkpoint checkpoint = Checkpoint::place_and_failed;
  WholeItem whole_item = WholeItem::if_key_is_as_read;

  static constexpr std::size_t rows = 3;
  enum Stage : Small { down, scanning, restamping, retrying, finished };

  struct Row {
    Small stored;   // Place
    Small content;  // 1, 2, …: what is stored
    Small latest;   // what writers wrote last
    Small deleted;  // by a writer, and not created since
    Small moved;    // how often its key went from the source to the destination
  };
  struct Scanned {
    Small content;
    Small to_move;
  };
  struct State {
    std::array<Row, rows> row;
    Small updates;
    Small deletes;
    Small creations;
    Small whole_writes;
    Small reading;  // 1 + the row that a whole-item writer has read
    Small read_place;
    Small read_content;

    Small crashes;
    Small failures;
    Small stage;
    Small next;  // row to scan
    std::array<Scanned, rows> page;
    Small failed;  // mask
    Small saved_next;
    Small saved_failed;
  };

  State first() const {
    State s{};
    s.row[0] = {on_source, 1, 1, 0, 0};
    s.row[1] = {on_source, 1, 1, 0, 0};
    s.updates = s.deletes = s.creations = s.whole_writes = 1;
    s.crashes = s.failures = 2;
    return s;
  }

  std::string_view broken(const State& s) const {
    for (const Row& row : s.row) {
      if (row.stored != absent && row.deleted != 0) return "a deleted row returns";
      if (row.stored != absent && row.content != row.latest) return "a write is clobbered";
      if (row.moved > 1) return "a row is moved twice";
      if (s.stage == finished && row.stored == on_source)
        return "the mover is done, and a row is on the source";
    }
    return {};
  }

  template <class Sink>
  void each_step(const State& s, Sink sink) const {
    writer_steps(s, sink);
    if (s.stage == finished) return;
    mover_steps(s, sink);
  }

 private:
  template <class Sink>
  void writer_steps(const State& s, Sink& sink) const {
    for (std::size_t i = 0; i < rows; ++i) {
      const Row& row = s.row[i];
      if (row.stored == absent) {
        if (s.creations == 0 || row.deleted != 0) continue;
        State next = s;
        --next.creations;
        next.row[i] = {on_destination, 1, 1, 0, 0};
        sink(next, [&] { return "a writer creates " + row_name(i) + " on the destination"; });
        continue;
      }
      if (s.updates != 0) {
        State next = s;
        --next.updates;
        ++next.row[i].content;
        next.row[i].latest = next.row[i].content;
        sink(next, [&] { return "a writer updates " + row_name(i); });
      }
      if (s.deletes != 0) {
        State next = s;
        --next.deletes;
        next.row[i] = {absent, 0, 0, 1, row.moved};
        sink(next, [&] { return "a writer deletes " + row_name(i); });
      }
      if (s.whole_writes != 0 && s.reading == 0) {
        State next = s;
        next.reading = small(i + 1);
        next.read_place = row.stored;
        next.read_content = row.content;
        sink(next,
             [&] { return "a whole-item writer reads " + row_name(i) + ", on the " + place(row.stored); });
      }
    }
    if (s.reading == 0) return;
    const std::size_t i = s.reading - 1u;
    State next = s;
    next.reading = next.read_place = next.read_content = 0;
    --next.whole_writes;
    Row& row = next.row[i];
    // Two writers of one item settle between themselves, here by the content that was read.
    if (row.content == s.read_content &&
        (whole_item == WholeItem::unconditional || row.stored == s.read_place)) {
      if (row.stored != s.read_place) row.moved = 0;  // undone: to move it again is no fault of the mover
      row.stored = s.read_place;
      ++row.content;
      row.latest = row.content;
      sink(next, [&] {
        return "the whole-item writer puts " + row_name(i) + " with the key that it read, the " +
               place(s.read_place) + "'s";
      });
    } else {
      sink(next, [&] { return "the whole-item writer's condition on " + row_name(i) + " fails"; });
    }
  }

  template <class Sink>
  void mover_steps(const State& s, Sink& sink) const {
    if (s.stage == down) {
      State next = s;
      next.stage = scanning;
      next.next = s.saved_next;
      next.failed = s.saved_failed;
      sink(next, [&] {
        return s.saved_next == 0 ? std::string("the mover starts")
                                 : "the mover starts again from its checkpoint, after " +
                                       row_name(s.saved_next - 1u) + say_failed(s.saved_failed);
      });
      return;
    }
    if (s.crashes != 0) {
      State next = s;
      --next.crashes;
      next.stage = down;
      next.next = next.failed = 0;
      next.page = {};
      sink(next, [] { return std::string("the mover crashes"); });
    }
    if (s.stage == scanning) scan(s, sink);
    if (s.stage == restamping) {
      for (std::size_t i = 0; i < rows; ++i)
        if (s.page[i].to_move != 0) restamp_steps(s, i, sink);
      const bool idle =
          std::all_of(s.page.begin(), s.page.end(), [](const Scanned& p) { return p.to_move == 0; });
      if (idle || (checkpoint == Checkpoint::place_ahead && s.saved_next != s.next)) save(s, idle, sink);
    }
    if (s.stage == retrying) {
      for (std::size_t i = 0; i < rows; ++i)
        if (has(s.failed, i)) restamp_steps(s, i, sink);
      if (s.failed == 0) {
        State next = s;
        next.stage = finished;
        sink(next, [] { return std::string("the mover is done"); });
      }
    }
  }

  template <class Sink>
  void scan(const State& s, Sink& sink) const {
    State next = s;
    if (s.next >= rows) {
      next.stage = retrying;
      sink(next, [&] { return "the mover has scanned all" + say_failed(s.failed); });
      return;
    }
    std::string seen;
    for (std::size_t n = 0; n < page_size && next.next < rows; ++n, ++next.next) {
      const Row& row = s.row[next.next];
      if (row.stored == absent) continue;
      seen += (seen.empty() ? "" : ", ") + row_name(next.next) + " on the " + place(row.stored);
      if (row.stored == on_source) next.page[next.next] = {row.content, 1};
    }
    next.stage = restamping;
    sink(next, [&] { return "the mover scans a page: " + (seen.empty() ? std::string("nothing") : seen); });
  }

  template <class Sink>
  void save(const State& s, bool idle, Sink& sink) const {
    State next = s;
    next.saved_next = s.next;
    next.saved_failed = checkpoint == Checkpoint::place_without_failed ? small(0) : s.failed;
    if (idle) next.stage = scanning;
    if (idle) next.page = {};
    sink(next, [&] {
      return "the mover saves its checkpoint, after " + row_name(s.next - 1u) + say_failed(next.saved_failed);
    });
  }

  template <class Sink>
  void restamp_steps(const State& s, std::size_t i, Sink& sink) const {
    State after = s;
    const bool applied = apply(after.row[i], s.page[i].content);
    State done = after;
    done.page[i].to_move = 0;
    drop(done.failed, i);
    sink(done, [&] {
      return "the mover restamps " + row_name(i) +
             (applied ? restamp == Restamp::puts_whole_item ? ": it puts the item that it scanned" : ": moved"
                      : ": the condition fails, " + found(s.row[i]));
    });
    if (s.failures == 0 || s.stage == retrying) return;
    for (const bool lost : {false, true}) {
      State failed = lost ? after : s;
      --failed.failures;
      failed.page[i].to_move = 0;
      add(failed.failed, i);
      sink(failed, [&] {
        return "the mover restamps " + row_name(i) +
               (lost ? ": the reply is lost after it took effect" : ": it fails, and nothing is changed");
      });
    }
  }

  bool apply(Row& row, Small scanned) const {
    const bool allowed =
        restamp == Restamp::unconditional ||
        (restamp == Restamp::if_not_destination ? row.stored != on_destination : row.stored == on_source);
    if (!allowed) return false;
    if (row.stored == on_source) ++row.moved;
    if (row.stored == absent) row.content = row.latest = 0;  // UpdateItem creates what is missing
    row.stored = on_destination;
    if (restamp == Restamp::puts_whole_item && scanned != 0) row.content = scanned;
    return true;
  }

  static std::string place(Small stored) { return side_name(side_of(Place(stored))); }
  static std::string found(const Row& row) {
    return row.stored == absent ? "it is gone" : "it is on the " + place(row.stored);
  }
  static std::string say_failed(Small failed) {
    std::string names;
    for (std::size_t i = 0; i < rows; ++i)
      if (has(failed, i)) names += (names.empty() ? ", to try again: " : ", ") + row_name(i);
    return names;
  }
};

}  // namespace protocol
