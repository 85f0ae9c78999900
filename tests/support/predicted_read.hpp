// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/page.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <deque>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace support {

/// What a read costs.
struct Bill {
  std::size_t requests = 0;
  double read_units = 0;

  friend bool operator==(const Bill&, const Bill&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Bill& bill) {
    return out << bill.requests << " requests, " << bill.read_units << " read units";
  }
};

/// What the cost of a read depends on, of one row.
struct CostRow {
  std::string id;
  std::string sort_key;
  std::string primary_key;
  std::size_t bytes = 0;
};

/// One read as it goes on by the documented rules, a request at a time.
struct PredictedRead {
  using Direction = evenkey::Direction;

  struct Evaluated {
    const CostRow* row;
    bool kept;  // belongs to the answer
  };
  struct Lane {
    std::vector<Evaluated> rows;
    std::size_t at = 0;
    std::size_t times_asked = 0;
    bool open = true;
    const CostRow* last = nullptr;  // the last that was kept
  };

  std::size_t page_bytes;
  Direction direction = Direction::ascending;
  bool resumed = false;  // from a place by value, whose row comes again
  double budget = 0;     // in read units; 0: none
  std::vector<Lane> lanes = {};
  std::vector<const CostRow*> fetched = {};  // and kept
  std::size_t given = 0;                     // of these, in order
  std::size_t evaluated = 0;
  Bill bill = {};

  static bool before(Direction direction, const std::string& a, const std::string& b) {
    return direction == Direction::ascending ? a < b : b < a;
  }
  static bool before(Direction direction, const CostRow& a, const CostRow& b) {
    if (a.sort_key != b.sort_key) return before(direction, a.sort_key, b.sort_key);
    return before(direction, a.primary_key, b.primary_key);
  }

  // A page ends with the row that reaches the limit or the page's size, and leads on even where that row is
  // the last of all. Rounded up once to 4 KiB, at half a unit each.
  void ask(Lane& lane, std::optional<std::size_t> limit) {
    std::size_t bytes = 0;
    std::size_t rows = 0;
    lane.open = false;
    while (lane.at < lane.rows.size() && !lane.open) {
      const Evaluated& next = lane.rows[lane.at++];
      bytes += next.row->bytes;
      ++rows;
      if (next.kept) fetched.push_back(lane.last = next.row);
      lane.open = rows == limit || bytes >= page_bytes;
    }
    ++lane.times_asked;
    evaluated += rows;
    ++bill.requests;
    bill.read_units += (std::max)(0.5, std::ceil(static_cast<double>(bytes) / 4096) / 2);
  }

  /// Reads on to the limit, or to the end where it is 0; or until the budget is spent.
  Bill finish(std::size_t limit) {
    if (limit == 0 && budget > 0) {
      lazily();
    } else if (limit == 0) {
      for (Lane& lane : lanes)
        while (lane.open)
          ask(lane, std::nullopt);
      given = fetched.size();
    } else {
      merge(limit);
    }
    return bill;
  }

 private:
  static constexpr std::size_t all = static_cast<std::size_t>(-1);

  // Checked before each request; it yields to progress.
  bool spent() const { return budget > 0 && bill.read_units >= budget && given > 0; }

  // Each shard once, and then always the one whose next row is not known.
  void lazily() {
    std::deque<Lane*> dry;
    for (Lane& lane : lanes)
      if (lane.open) dry.push_back(&lane);
    while (!dry.empty()) {
      settle(all);
      if (spent()) return;
      Lane& lane = *dry.front();
      dry.pop_front();
      const CostRow* const last = lane.last;
      ask(lane, std::nullopt);
      if (lane.open && lane.last == last) dry.push_back(&lane);  // it brought nothing
      if (!dry.empty()) continue;
      Lane* first = nullptr;
      for (Lane& each : lanes)
        if (each.open && (!first || before(direction, each.last->sort_key, first->last->sort_key)))
          first = &each;
      if (first) dry.push_back(first);
    }
    settle(all);
  }

  // Limited reads by sort key. A row is given when every shard that may go on has shown one behind it.
  // @returns the rows of the next sort key that are here, while no shard has shown what follows it
  std::size_t settle(std::size_t limit) {
    const auto in_order = [&](const CostRow* a, const CostRow* b) { return before(direction, *a, *b); };
    std::sort(fetched.begin(), fetched.end(), in_order);
    const std::string* frontier = nullptr;
    for (const Lane& lane : lanes) {
      if (!lane.open) continue;
      if (!lane.last) return 0;
      if (!frontier || before(direction, lane.last->sort_key, *frontier)) frontier = &lane.last->sort_key;
    }
    std::size_t waiting = 0;
    while (given < (std::min)(limit, fetched.size()) &&
           (!frontier || before(direction, fetched[given]->sort_key, *frontier)))
      ++given;
    if (!frontier || given == limit) return 0;
    for (const CostRow* row : fetched)
      waiting += row->sort_key == *frontier ? 1U : 0U;
    return waiting;
  }

  std::size_t page_limit(const Lane& lane, std::size_t limit, std::size_t waiting) const {
    const auto shards = static_cast<double>(lanes.size());
    // The most that can be of use: what is left and its follower, what comes again, as many ties as there
    // are; more where the store looks at rows that do not count, but never for more than it has looked at.
    double most = static_cast<double>(limit - given) + 1;
    if (evaluated == 0 && resumed) most += 1;
    if (waiting > 1) most += static_cast<double>(waiting);
    const double looks = static_cast<double>(evaluated) + 1;
    const double kept = static_cast<double>(fetched.size()) + 1;
    most = (std::min)(std::ceil(most * (looks / kept)), most + looks - 1);
    // Its share and a margin; then for as much again as it was asked for so far.
    const double share = static_cast<double>(limit) / shards;
    double items = lanes.size() == 1 ? most : std::ceil(share + std::sqrt(share));
    for (std::size_t i = 1; i < lane.times_asked; ++i)
      items *= 2;
    // What a unit covers is free.
    if (evaluated != 0) {
      const double item_bytes = bill.read_units * 8192 / static_cast<double>(evaluated);
      items = (std::max)(items, std::floor(std::ceil(items * item_bytes / 4096) * 4096 / item_bytes));
    }
    return static_cast<std::size_t>((std::min)(items, most));
  }

  void merge(std::size_t limit) {
    std::vector<Lane*> round;
    for (Lane& lane : lanes)
      if (lane.open) round.push_back(&lane);
    while (!round.empty()) {
      for (Lane* lane : round) {
        const std::size_t waiting = settle(limit);
        if (given == limit || spent()) return;
        ask(*lane, page_limit(*lane, limit, waiting));
      }
      settle(limit);
      if (given == limit) return;
      round = next_round(limit);
    }
  }

  // The lower half of the shards that may hold one of the rows left.
  std::vector<Lane*> next_round(std::size_t limit) {
    const CostRow* last_wanted = limit <= fetched.size() ? fetched[limit - 1] : nullptr;
    std::vector<Lane*> open;
    for (Lane& lane : lanes)
      if (lane.open &&
          !(last_wanted && lane.last && before(direction, last_wanted->sort_key, lane.last->sort_key)))
        open.push_back(&lane);
    std::stable_sort(open.begin(), open.end(), [&](const Lane* a, const Lane* b) {
      if (!a->last || !b->last) return !a->last && b->last;
      return before(direction, a->last->sort_key, b->last->sort_key);
    });
    open.resize((open.size() + 1) / 2);
    return open;
  }
};

}  // namespace support
