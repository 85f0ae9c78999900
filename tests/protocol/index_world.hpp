// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "checker.hpp"

namespace protocol {

enum Side : Small { source = 0, destination = 1 };
enum Place : Small { absent = 0, on_source = 1, on_destination = 2 };

constexpr Place place_on(Side side) { return side == source ? on_source : on_destination; }
constexpr Side side_of(Place place) { return place == on_source ? source : destination; }
constexpr const char* side_name(Side side) { return side == source ? "source" : "destination"; }

inline std::string row_name(std::size_t row) { return std::string(1, static_cast<char>('a' + row)); }

/// In which order the index shows the two halves of a move.
enum class Shows {
  insert_first,  // the new entry is never visible later than the old one vanishes
  any_order
};

/// A change of the index that readers do not see yet.
struct Event {
  Small row;
  Small side;
  Small entry;  // what readers will see there: 0 nothing, else 1 + the row's content
  Small move;   // which move of the row it is half of; 0: none
  Small due;    // it was written before the source answered, so a reader that waits sees it
};

/// A base table of a few rows, and an index that learns of it event by event: a re-keyed row is a delete on
/// one side and an insert on the other. Events of one row on one side keep their order; all others come in
/// every order that `Shows` allows.
struct IndexWorld {
  static constexpr std::size_t most_rows = 3;
  static constexpr std::size_t most_events = 10;

  std::array<Small, most_rows> stored;   // Place
  std::array<Small, most_rows> content;  // 0 or 1; an update makes it 1
  std::array<Small, most_rows> moves;    // how often it was re-keyed
  std::array<std::array<Small, most_rows>, 2> entries;
  std::array<Event, most_events> events;
  Small event_count;

  bool pending() const { return event_count != 0; }
  bool due() const {
    for (std::size_t i = 0; i < event_count; ++i)
      if (events[i].due != 0) return true;
    return false;
  }
  bool visible(std::size_t row) const { return entries[source][row] != 0 || entries[destination][row] != 0; }

  void settle_at_start(std::size_t row, Side side) {
    stored[row] = place_on(side);
    entries[side][row] = 1;
  }
  void create(std::size_t row, Side side) {
    stored[row] = place_on(side);
    push(row, side, 1, 0);
  }
  void erase(std::size_t row) {
    push(row, side_of(Place(stored[row])), 0, 0);
    stored[row] = absent;
  }
  void change(std::size_t row) {
    content[row] = 1;
    push(row, side_of(Place(stored[row])), 2, 0);
  }
  void move(std::size_t row, Side to) {
    stored[row] = place_on(to);
    ++moves[row];
    push(row, to == source ? destination : source, 0, moves[row]);
    push(row, to, small(1 + content[row]), moves[row]);
  }
  void mark_due() {
    for (std::size_t i = 0; i < event_count; ++i)
      events[i].due = 1;
  }

  bool deliverable(std::size_t number, Shows shows) const {
    const Event& event = events[number];
    for (std::size_t i = 0; i < event_count; ++i) {
      const Event& other = events[i];
      if (other.row != event.row) continue;
      if (i < number && other.side == event.side) return false;
      if (shows == Shows::insert_first && event.entry == 0 && event.move != 0 && other.move == event.move &&
          other.entry != 0)
        return false;
    }
    return true;
  }
  void deliver(std::size_t number) {
    entries[events[number].side][events[number].row] = events[number].entry;
    for (std::size_t i = number; i + 1 < event_count; ++i)
      events[i] = events[i + 1];
    --event_count;
    events[event_count] = Event{};
  }
  std::string say_delivered(std::size_t number) const {
    const Event& event = events[number];
    const std::string place = std::string("the index's ") + side_name(Side(event.side));
    const std::string row = row_name(event.row);
    if (event.entry == 0) return place + " no longer shows " + row;
    return place + " shows " + row + (event.entry == 2 ? ", changed" : "");
  }

 private:
  void push(std::size_t row, Side side, Small entry, Small move) {
    if (event_count == most_events) throw std::length_error("the model's bound of pending events is too low");
    events[event_count++] = {small(row), side, entry, move, 0};
  }
};

}  // namespace protocol
