// SPDX-License-Identifier: BSL-1.0
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "fixture.hpp"

using namespace fixture;
using namespace std::chrono_literals;

namespace {

using Table = MemoryTable<Row, ByText>;

std::string seen(Table& table, std::string_view partition) {
  std::string text;
  for (const Row& row : table.query<ByText>(request<ByText>(partition)).items)
    text += row.id + ":" + std::to_string(row.number) + " ";
  return text;
}
void move(Table& table, std::string_view id, std::string_view to) {
  table.update(id, always, [&](Row& row) {
    row.pk = to;
    ++row.number;
  });
}

}  // namespace

TEST_SUITE("testing") {
  TEST_CASE("by default a write is visible at once") {
    Table table;
    table.put({"1", "P"});
    CHECK(seen(table, "P") == "1:0 ");
    CHECK(table.pending().empty());
  }

  TEST_CASE("an insert that is visible first shows a moved row twice, a remove that is shows it nowhere") {
    for (const bool insert_first : {true, false}) {
      Table table;
      table.put({"1", "source"});
      table.set_lag<ByText>(insert_first ? VisibilityLag::insert_first(20ms)
                                         : VisibilityLag::remove_first(20ms));
      move(table, "1", "destination");
      CHECK(table.get("1")->pk == "destination");  // the base table is always current
      CHECK(seen(table, "source") == (insert_first ? "1:0 " : ""));
      CHECK(seen(table, "destination") == (insert_first ? "1:1 " : ""));
      CHECK(table.pending().size() == 1);
      table.clock().advance(19ms);
      CHECK(table.pending().size() == 1);
      table.clock().advance(1ms);
      CHECK(seen(table, "source") == "");
      CHECK(seen(table, "destination") == "1:1 ");
    }
  }

  TEST_CASE("simultaneous events become visible together, and an entry shows its content as of its event") {
    Table table;
    table.put({"1", "source"});
    table.set_lag<ByText>(VisibilityLag::simultaneous(5ms));
    move(table, "1", "destination");
    CHECK(seen(table, "source") == "1:0 ");
    CHECK(seen(table, "destination") == "");
    table.clock().advance(5ms);
    CHECK(seen(table, "source") == "");
    CHECK(seen(table, "destination") == "1:1 ");
  }

  TEST_CASE("a change in place is one event") {
    Table table;
    table.put({"1", "P"});
    table.set_lag<ByText>(VisibilityLag(3ms, 0ms));
    move(table, "1", "P");
    const auto events = table.pending();
    REQUIRE(events.size() == 1);
    CHECK(events[0].change == IndexChange::replace);
    CHECK(events[0].partition_key == "P");
    CHECK(events[0].sort_key == MemorySortKey(std::string("s")));
    CHECK(events[0].primary_key == "1");
    CHECK(events[0].index_name == "by-text");
    CHECK(seen(table, "P") == "1:0 ");
    table.clock().advance(3ms);
    CHECK(seen(table, "P") == "1:1 ");
  }

  TEST_CASE("by hand, every order of two moves' events can be played, and all end alike") {
    std::vector<std::size_t> order{0, 1, 2, 3};
    std::set<std::string> ends;
    int seen_nowhere = 0;
    int seen_twice = 0;
    do {
      Table table;
      table.put({"1", "A"});
      table.set_lag<ByText>(VisibilityLag::by_hand());
      move(table, "1", "B");
      move(table, "1", "C");
      const auto events = table.pending();  // remove A, insert B, remove B, insert C
      REQUIRE(events.size() == 4);
      CHECK(events[0].write == events[1].write);
      CHECK(events[1].write < events[2].write);
      for (const std::size_t step : order) {
        (void)table.deliver(events[step].id);
        const auto copies = std::string(seen(table, "A") + seen(table, "B") + seen(table, "C")).size() / 4;
        seen_nowhere += copies == 0 ? 1 : 0;
        seen_twice += copies >= 2 ? 1 : 0;
      }
      CHECK(table.pending().empty());
      ends.insert(seen(table, "A") + "|" + seen(table, "B") + "|" + seen(table, "C"));
    } while (std::next_permutation(order.begin(), order.end()));
    CHECK(ends == std::set<std::string>{"||1:2 "});
    CHECK(seen_nowhere > 0);
    CHECK(seen_twice > 0);
  }

  TEST_CASE("a later event at a place makes the earlier ones there void") {
    Table table;
    table.set_lag<ByText>(VisibilityLag::by_hand());
    table.put({"1", "P"});
    table.erase("1");
    const auto events = table.pending();
    REQUIRE(events.size() == 2);
    CHECK(table.deliver(events[1].id));
    CHECK(table.pending().empty());
    CHECK_FALSE(table.deliver(events[0].id));
    CHECK(seen(table, "P") == "");  // no ghost
    // and what was put there anew is not taken away by an old remove
    table.put({"2", "P"});
    table.deliver_all();
    move(table, "2", "Q");
    move(table, "2", "P");
    const auto back = table.pending();  // remove P, insert Q, remove Q, insert P
    REQUIRE(back.size() == 4);
    CHECK(table.deliver(back[3].id));
    CHECK_FALSE(table.deliver(back[0].id));
    CHECK(seen(table, "P") == "2:2 ");
    table.deliver_all();
    CHECK(seen(table, "P") == "2:2 ");
    CHECK(seen(table, "Q") == "");
  }

  TEST_CASE("rows and indexes lag by themselves") {
    MemoryTable<Row, ByText, ByNumber> table;
    table.set_lag<ByText>(VisibilityLag::by_hand());
    table.put({"1", "P"});
    table.put({"2", "P"});
    CHECK(table.query<ByNumber>(request<ByNumber>("P")).items.size() == 2);
    const auto events = table.pending();
    REQUIRE(events.size() == 2);
    CHECK(table.deliver(events[1].id));
    CHECK(ids(table.query<ByText>(request<ByText>("P")).items) == Ids{"2"});
  }

  TEST_CASE("a lag may be chosen for each event") {
    Table table({.lag = VisibilityLag::each([](const IndexEvent& event) -> VirtualClock::duration {
                   return event.partition_key == "slow" ? 1h : 0h;
                 })});
    table.put({"1", "slow"});
    table.put({"2", "fast"});
    CHECK(seen(table, "slow") == "");
    CHECK(seen(table, "fast") == "2:0 ");
    table.clock().advance(1h);
    CHECK(seen(table, "slow") == "1:0 ");
  }

  TEST_CASE("a drawn lag is the same in every run, within its ends, and keeps the order it was given") {
    const auto dues = [](std::uint64_t seed, VisibilityOrder order) {
      Table table({.lag = VisibilityLag::random(seed, 10ms, 20ms, order)});
      for (int i = 0; i < 50; ++i)
        table.put({std::to_string(i), "P"});
      table.deliver_all();
      for (int i = 0; i < 50; ++i)
        move(table, std::to_string(i), "Q");
      return table.pending();
    };
    for (const auto order : {VisibilityOrder::any, VisibilityOrder::insert_first,
                             VisibilityOrder::remove_first, VisibilityOrder::simultaneous}) {
      const auto events = dues(7, order);
      REQUIRE(events.size() == 100);
      int insert_first = 0;
      int remove_first = 0;
      for (std::size_t i = 0; i < events.size(); i += 2) {
        const auto& remove = events[i];
        const auto& insert = events[i + 1];
        REQUIRE(remove.change == IndexChange::remove);
        REQUIRE(insert.change == IndexChange::insert);
        for (const auto& event : {remove, insert}) {
          CHECK(event.due.time_since_epoch() >= 10ms);
          CHECK(event.due.time_since_epoch() <= 20ms);
        }
        insert_first += insert.due < remove.due ? 1 : 0;
        remove_first += remove.due < insert.due ? 1 : 0;
      }
      CHECK((insert_first > 10) == (order == VisibilityOrder::any || order == VisibilityOrder::insert_first));
      CHECK((remove_first > 10) == (order == VisibilityOrder::any || order == VisibilityOrder::remove_first));
      CHECK((insert_first + remove_first == 0) == (order == VisibilityOrder::simultaneous));
      const auto again = dues(7, order);
      const auto other = dues(8, order);
      bool same = true;
      bool differ = false;
      for (std::size_t i = 0; i < events.size(); ++i) {
        same = same && events[i].due == again[i].due;
        differ = differ || events[i].due != other[i].due;
      }
      CHECK(same);
      CHECK(differ);
    }
  }

  TEST_CASE("under insert_first a row on the move is never invisible, whatever the lags") {
    Table table({.lag = VisibilityLag::random(3, 0ms, 50ms, VisibilityOrder::insert_first)});
    table.put({"1", "P0"});
    table.deliver_all();
    for (int step = 0; step < 200; ++step) {
      if (step % 3 == 0) move(table, "1", "P" + std::to_string(step * 7 % 4));
      table.clock().advance(4ms);
      std::string all;
      for (int p = 0; p < 4; ++p)
        all += seen(table, "P" + std::to_string(p));
      CHECK_FALSE(all.empty());
    }
  }

  TEST_CASE("lags that are negative are refused") {
    CHECK_THROWS_AS(VisibilityLag(-1ms, 0ms), std::invalid_argument);
    CHECK_THROWS_AS(VisibilityLag(0ms, -1ms), std::invalid_argument);
    CHECK_THROWS_AS(VisibilityLag::random(1, 2ms, 1ms), std::invalid_argument);
    CHECK_THROWS_AS(VisibilityLag::random(1, -2ms, 1ms), std::invalid_argument);
  }
}
