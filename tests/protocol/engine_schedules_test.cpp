// SPDX-License-Identifier: BSL-1.0
// The reads' own state machine over rows that move: every order of a few, and thousands at random.
#include <evenkey/composite_key.hpp>
#include <evenkey/migrate/migration.hpp>
#include <evenkey/read/engine.hpp>
#include <evenkey/read/prepare.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/moving_store.hpp"
#include "support/seed.hpp"

namespace {

using namespace std::chrono_literals;
using evenkey::Direction;
using evenkey::Phase;
using evenkey::detail::ReadAhead;
using support::MovingRow;
using support::MovingStore;
using Time = MovingStore::Time;
using Names = std::vector<std::string>;

struct People {
  static constexpr std::string_view name = "people";
  using PartitionKey = evenkey::ShardedKey<"P", evenkey::ShardPolicy<2>>;
  using SortKey = evenkey::CompositeKey<evenkey::Text>;
  using Item = MovingRow;
  using StartKey = std::string;
  static std::string_view sort_key(const MovingRow& row) { return row.sort_key; }
  static std::string_view primary_key(const MovingRow& row) { return row.id; }
  static std::string_view shard_by(const MovingRow& row) { return row.person; }
  static std::string_view partition_key(const MovingRow& row) { return row.stored; }
  static evenkey::SortKeyCondition find_condition(std::string_view) { return {}; }
};
using Cutover = evenkey::Migration<People, evenkey::UnshardedKey<"P">>;
using Index = evenkey::PhaseIndex<People, Cutover::Source, Cutover::Destination>;
using Engine = evenkey::detail::ReadEngine<Index>;
using Position = std::optional<evenkey::detail::ReadPosition<Index>>;

constexpr std::chrono::milliseconds lag = 10ms;

/// A person whose rows go to one of the two shards, by turns.
std::string person_of(std::size_t row) {
  for (std::size_t i = row * 100;; ++i) {
    std::string person = "p" + std::to_string(i);
    if (People::PartitionKey::shard_of(person).value == row % 2) return person;
  }
}

MovingRow row_of(std::size_t row, std::size_t key) {
  const std::string id(1, static_cast<char>('a' + row));
  return {id, person_of(row), People::SortKey::encode(std::to_string(key)), "P"};
}

/// The names in the order of the answer.
Names in_order(const std::vector<MovingRow>& rows, Direction direction) {
  std::vector<std::pair<std::string, std::string>> keys;
  for (const MovingRow& row : rows)
    keys.emplace_back(row.sort_key, row.id);
  std::sort(keys.begin(), keys.end());
  if (direction == Direction::descending) std::reverse(keys.begin(), keys.end());
  Names names;
  for (const auto& [key, id] : keys)
    names.push_back(id);
  return names;
}

/// How an engine is used: `enumerate`, `enumerate` with a limit, `stream`, `read_page` by pages of one,
/// `find`, and `enumerate` by shard.
enum class Verb { whole, limited, stream, pages, find, by_shard };
enum class Groups { source_first, in_one };  // in_one: what a merge without windows does

struct Reading {
  Verb verb = Verb::whole;
  Direction direction = Direction::ascending;
  Groups groups = Groups::source_first;
};

evenkey::detail::ReadSettings settings_of(const Reading& reading, std::size_t rows) {
  evenkey::detail::ReadSettings settings;
  settings.direction = reading.direction;
  settings.ahead = reading.verb == Verb::limited || reading.verb == Verb::pages ? ReadAhead::none
                   : reading.verb == Verb::stream                               ? ReadAhead::one_page
                                                                                : ReadAhead::all;
  if (reading.verb == Verb::by_shard) settings.merges_at_once = 1;
  if (reading.verb == Verb::limited) settings.limit = rows;
  if (reading.verb == Verb::pages) settings.limit = 1;
  if (reading.verb == Verb::pages) settings.positions = evenkey::detail::Positions::tracked;
  return settings;
}

void add_groups(Engine& engine, const Reading& reading) {
  if (reading.verb == Verb::find) {
    evenkey::detail::add_find(engine, person_of(0));
    return;
  }
  if (reading.verb == Verb::by_shard) {
    evenkey::detail::add_listing(engine, evenkey::Order::by_shard, {});
    return;
  }
  if (reading.groups == Groups::source_first) {
    evenkey::detail::add_listing(engine, evenkey::Order::by_sort_key, {});
    return;
  }
  evenkey::ReadPlan plan = engine.index().read_plan();
  for (const auto& partition : plan.groups[1].partitions)
    plan.groups[0].partitions.push_back(partition);
  plan.groups.resize(1);
  engine.add(plan, {}, Engine::Ties::by_primary_key);
}

/// Reads with one request under way at a time; `world.answer(request, now)` answers it.
template <class World>
Names read(const Index& index, const Reading& reading, std::size_t rows, World& world) {
  Names names;
  Position place;
  for (bool more = true; more;) {
    Engine engine(index, settings_of(reading, rows));
    if (place) engine.resume_after(*place);
    add_groups(engine, reading);
    engine.begin(world.now());
    const auto pop = [&] {
      auto item = engine.pop();
      if (!item) return false;
      engine.give();
      names.push_back(item->id);
      return true;
    };
    for (;;) {
      // A stream reads ahead before its consumer takes a row; the others take what there is.
      if (reading.verb != Verb::stream)
        while (pop()) {
        }
      auto request = engine.next_request();
      if (!request) {
        if (pop()) continue;
        request = engine.next_request();  // taking opens the next window
        if (!request) break;
      }
      if (request->not_before) world.wait_until(*request->not_before);
      engine.on_page(request->lane, world.answer(request->query), 1, world.now());
    }
    more = reading.verb == Verb::pages && !engine.exhausted();
    place = engine.position();
  }
  return names;
}

enum class Order { insert_first, any };

/// An index in which the choices of a schedule move the rows.
///
/// Readers see events only through the next request that could show them, so an event is offered right
/// before each such request, and nowhere else: every other place gives the same answers as one of these. The
/// write itself is not seen at all; it comes right before the first of its two events, because an earlier
/// write would only make the second be due sooner.
class ChosenWorld {
 public:
  ChosenWorld(const std::vector<MovingRow>& rows, std::size_t page_size, Order order)
      : rows_(rows), moving_(rows.size()), page_size_(page_size), order_(order) {}

  /// Walks through all sequences of choices, depth first.
  bool next_schedule() {
    if (schedules_++ != 0) {
      while (!path_.empty() && path_.back())
        path_.pop_back();
      if (path_.empty()) return false;
      path_.back() = true;
    }
    depth_ = 0;
    now_ = Time{};
    moving_.assign(rows_.size(), {});
    return true;
  }
  std::size_t schedules() const { return schedules_ - 1; }

  Time now() const { return now_; }
  void wait_until(Time time) { now_ = (std::max)(now_, time); }

  evenkey::Page<MovingRow, std::string> answer(const evenkey::QueryRequest<std::string>& request) {
    const bool asks_source = request.partition_key == "P";
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (asks_source) {
        vanish_perhaps(moving_[i]);
      } else if (request.partition_key == People::PartitionKey::of(rows_[i].person)) {
        appear_perhaps(moving_[i]);
      }
    }
    MovingStore seen;  // as the index is now, for its pages
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      MovingRow row = rows_[i];
      if (asks_source ? moving_[i].vanished : !moving_[i].appeared) continue;
      if (!asks_source) row.stored = std::string(People::PartitionKey::of(row.person));
      seen.add(std::move(row));
    }
    return seen.query(request, page_size_);
  }

 private:
  struct Moving {
    bool vanished = false;  // from the source
    bool appeared = false;  // on the destination
    Time due = Time::max();
  };

  bool choose() {
    if (depth_ == path_.size()) path_.push_back(false);
    return path_[depth_++];
  }
  void vanish_perhaps(Moving& row) {
    if (row.vanished || (now_ < row.due && !choose())) return;
    row.vanished = true;
    if (order_ == Order::insert_first) row.appeared = true;
    row.due = (std::min)(row.due, now_ + lag);
  }
  void appear_perhaps(Moving& row) {
    if (row.appeared || (now_ < row.due && !choose())) return;
    row.appeared = true;
    row.due = (std::min)(row.due, now_ + lag);
  }

  std::vector<MovingRow> rows_;
  std::vector<Moving> moving_;
  std::size_t page_size_;
  Order order_;
  Time now_{};
  std::vector<bool> path_;
  std::size_t depth_ = 0;
  std::size_t schedules_ = 0;
};

struct Walk {
  std::size_t schedules = 0;
  std::size_t wrong = 0;
  Names first_wrong;
};

Walk in_every_schedule(const Cutover& cutover, Order order, const std::vector<MovingRow>& rows,
                       std::size_t page_size, const Reading& reading) {
  const Index index = cutover.at(Phase::dual_read);
  const bool by_shard = reading.verb == Verb::by_shard;
  Names wanted = in_order(rows, reading.direction);
  if (by_shard) std::sort(wanted.begin(), wanted.end());
  ChosenWorld world(rows, page_size, order);
  Walk walk;
  while (world.next_schedule()) {
    Names got = read(index, reading, rows.size(), world);
    if (by_shard) {  // at least once
      std::sort(got.begin(), got.end());
      got.erase(std::unique(got.begin(), got.end()), got.end());
    }
    if (got == wanted) continue;
    if (walk.wrong++ == 0) walk.first_wrong = got;
  }
  walk.schedules = world.schedules();
  return walk;
}

/// Rows of many people, or of one where one is found.
std::vector<MovingRow> rows_with_keys(const std::vector<std::size_t>& keys, Verb verb) {
  std::vector<MovingRow> rows;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    rows.push_back(row_of(i, keys[i]));
    if (verb == Verb::find) rows.back().person = person_of(0);
  }
  return rows;
}

constexpr std::array both_directions{Direction::ascending, Direction::descending};
constexpr std::array listings{Verb::whole, Verb::limited, Verb::stream, Verb::pages};
constexpr std::array all_verbs{Verb::whole, Verb::limited, Verb::stream,
                               Verb::pages, Verb::find,    Verb::by_shard};

std::size_t each_row_once(const Cutover& cutover, Order order) {
  std::size_t schedules = 0;
  // What descends over 1 1 2 is what ascends over 1 2 2.
  const std::vector<std::vector<std::size_t>> patterns{{1, 2}, {1, 1}, {1, 1, 2}, {1, 1, 1}};
  for (const auto& keys : patterns) {
    for (const std::size_t page_size : {std::size_t{1}, std::size_t{2}}) {
      for (const Direction direction : both_directions) {
        for (const Verb verb : all_verbs) {
          // Pages of one ask most of all; of the longest walks one is enough.
          if (verb == Verb::pages && page_size == 1 && keys.size() == 3 &&
              (keys[2] == 1 || direction == Direction::descending))
            continue;
          const Walk walk =
              in_every_schedule(cutover, order, rows_with_keys(keys, verb), page_size, {verb, direction});
          schedules += walk.schedules;
          std::string got;
          for (const std::string& name : walk.first_wrong)
            got += name + " ";
          CHECK_MESSAGE(walk.wrong == 0, walk.wrong << " of " << walk.schedules
                                                    << " schedules, first: " << got << "; rows "
                                                    << keys.size() << ", page size " << page_size
                                                    << ", descending " << (direction == Direction::descending)
                                                    << ", verb " << static_cast<int>(verb));
        }
      }
    }
  }
  return schedules;
}

}  // namespace

TEST_SUITE("protocol") {
  TEST_CASE("the engine gives each row once in every schedule where inserts show first") {
    const std::size_t schedules = each_row_once(Cutover(evenkey::insert_visible_first), Order::insert_first);
    MESSAGE(schedules << " schedules");
    CHECK(schedules > 5'000);
  }

  TEST_CASE("the engine gives each row once in every schedule where both show within the lag, in any order") {
    const std::size_t schedules = each_row_once(Cutover(evenkey::visible_within(lag)), Order::any);
    MESSAGE(schedules << " schedules");
    CHECK(schedules > 5'000);
  }

  TEST_CASE("the schedules find what is wrong: no wait, a lag that is longer than assumed, no windows") {
    for (const Verb verb : listings) {
      CAPTURE(static_cast<int>(verb));
      const auto rows = rows_with_keys({1, 2}, verb);
      CHECK(in_every_schedule(Cutover(evenkey::insert_visible_first), Order::any, rows, 1, {verb}).wrong > 0);
      CHECK(in_every_schedule(Cutover(evenkey::visible_within(lag / 2)), Order::any, rows, 1, {verb}).wrong >
            0);
      CHECK(in_every_schedule(Cutover(evenkey::insert_visible_first), Order::insert_first, rows, 1,
                              {verb, Direction::ascending, Groups::in_one})
                .wrong > 0);
    }
  }
}

namespace {

/// One read with several requests under way. Each is answered by the index at some moment after it was asked,
/// and its answer comes at some moment after that; rows move all the time.
class RandomRead {
 public:
  RandomRead(const Cutover& cutover, std::uint64_t seed)
      : cutover_(cutover), random_(seed), in_order_(cutover.visibility().lag() == 0ms) {
    const std::size_t rows = 2 + below(8);
    for (std::size_t i = 0; i < rows; ++i) {
      store_.add(row_of(i, below(4)));
      if (below(4) == 0) move(i);
    }
    page_size_ = 1 + below(3);
    reading_.verb = listings[below(3)];  // pages are made of such reads
    reading_.direction = both_directions[below(2)];
    at_once_ = 1 + below(5);
  }

  std::string run() {
    Engine engine(cutover_.at(below(2) == 0 ? Phase::dual_read : Phase::destination_writes),
                  settings_of(reading_, store_.rows().size()));
    add_groups(engine, reading_);
    engine.begin(store_.now());
    Names names;
    for (;;) {
      const bool takes = reading_.verb != Verb::stream || below(3) == 0;
      while (takes) {
        auto item = engine.pop();
        if (!item) break;
        engine.give();
        names.push_back(item->id);
        if (reading_.verb == Verb::stream && below(2) == 0) break;
      }
      if (under_way_.size() < at_once_)
        if (auto request = engine.next_request()) under_way_.push_back({std::move(*request), {}});
      if (under_way_.empty() && takes) {
        if (auto item = engine.pop()) {
          engine.give();
          names.push_back(item->id);
        } else if (auto request = engine.next_request()) {  // the pop has opened the next window
          under_way_.push_back({std::move(*request), {}});
        } else {
          break;
        }
      }
      something_happens(engine);
    }
    const Names wanted = in_order(store_.rows(), reading_.direction);
    if (names == wanted && engine.finished()) return {};
    std::string text = "got";
    for (const std::string& name : names)
      text += " " + name;
    text += ", wanted";
    for (const std::string& name : wanted)
      text += " " + name;
    return text;
  }

 private:
  struct UnderWay {
    Engine::Request request;
    std::optional<evenkey::Page<MovingRow, std::string>> answered;
  };

  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }

  void something_happens(Engine& engine) {
    switch (below(4)) {
      case 0:
        store_.pass(std::chrono::milliseconds(below(4)));
        break;
      case 1:
        move(below(store_.rows().size()));
        break;
      default:
        if (under_way_.empty()) break;
        const std::size_t chosen = below(under_way_.size());
        UnderWay& one = under_way_[chosen];
        if (one.answered) {
          Engine::Request request = std::move(one.request);
          auto page = std::move(*one.answered);
          under_way_.erase(under_way_.begin() + static_cast<std::ptrdiff_t>(chosen));
          engine.on_page(request.lane, std::move(page), 1, store_.now());
        } else if (!one.request.not_before || *one.request.not_before <= store_.now()) {
          one.answered = store_.query(one.request.query, page_size_);
        } else {
          store_.pass(1ms);
        }
    }
  }
  void move(std::size_t row) {
    const std::string to(Cutover::Destination::of(store_.rows()[row].person));
    if (store_.rows()[row].stored == to) return;
    const auto first = std::chrono::milliseconds(below(10));
    const auto second = std::chrono::milliseconds(below(10));
    in_order_ ? store_.move(row, to, (std::max)(first, second), (std::min)(first, second))
              : store_.move(row, to, first, second);
  }

  const Cutover& cutover_;
  std::mt19937_64 random_;
  bool in_order_;
  MovingStore store_;
  std::size_t page_size_ = 1;
  std::size_t at_once_ = 1;
  Reading reading_;
  std::vector<UnderWay> under_way_;
};

void many_random_reads(const Cutover& cutover) {
  const std::uint64_t seed = support::seed();
  INFO("EVENKEY_TEST_SEED=" << seed);
  for (std::uint64_t i = 0; i < 4000; ++i) {
    const std::string wrong = RandomRead(cutover, seed * 1'000'000 + i).run();
    if (wrong.empty()) continue;
    FAIL_CHECK("schedule " << i << ": " << wrong);
    break;
  }
}

}  // namespace

TEST_SUITE("protocol") {
  TEST_CASE("with several requests under way, each row is given once in thousands of schedules") {
    many_random_reads(Cutover(evenkey::insert_visible_first));
    many_random_reads(Cutover(evenkey::visible_within(lag)));
  }

  TEST_CASE("the random schedules find a lag that is longer than assumed") {
    const Cutover hasty(evenkey::visible_within(1ms));
    std::size_t wrong = 0;
    for (std::uint64_t i = 0; i < 500; ++i)
      if (!RandomRead(hasty, i).run().empty()) ++wrong;
    CHECK(wrong > 0);
  }
}
