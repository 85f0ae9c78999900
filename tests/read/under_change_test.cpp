// SPDX-License-Identifier: BSL-1.0
// What each verb promises while rows change under it: every change at every step between two requests.
#include <evenkey/read.hpp>
#include <evenkey/testing/memory_table.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "support/rows.hpp"

using evenkey::Direction;
using evenkey::Order;
using support::ByTime;
using support::Row;

namespace {

using Table = evenkey::testing::MemoryTable<Row, ByTime>;
using Query = std::function<evenkey::Page<Row>(const evenkey::QueryRequest<std::string>&)>;

const ByTime index_of_two(2);

/// An id of the shard.
std::string id_in(std::uint32_t shard) {
  std::string id = "a";
  while (index_of_two.keys.shard_of(id).value != shard)
    ++id.front();
  return id;
}
const std::string person0 = id_in(0);
const std::string person1 = id_in(1);

/// Rows that stand still: among them equal sort keys in one shard and in both.
const std::vector<Row>& standing_rows() {
  static const std::vector<Row> rows{
      {person0, "1", 0, "s1"}, {person1, "2", 0, "s2"}, {person0, "3", 0, "s3"}, {person0, "3", 0, "s4"},
      {person1, "3", 0, "s5"}, {person0, "5", 0, "s6"}, {person1, "6", 0, "s7"}, {person0, "7", 0, "s8"}};
  return rows;
}

/// One row, "m", that others write while a read goes on.
struct Scenario {
  const char* name;
  std::vector<Row> before;                           // the row as it is at first, if it is there
  std::vector<std::function<void(Table&)>> changes;  // in this order, each before some request
  bool keeps_its_keys = false;
};

Row moving(const std::string& id, std::string time, std::int64_t version = 0) {
  return {id, std::move(time), version, "m"};
}
std::function<void(Table&)> put(Row row) {
  return [row](Table& table) { table.put(row); };
}
std::function<void(Table&)> erase() {
  return [](Table& table) { table.erase("m"); };
}

std::vector<Scenario> scenarios() {
  return {
      {"changed in place", {moving(person0, "3")}, {put(moving(person0, "3", 1))}, true},
      {"inserted at the front", {}, {put(moving(person0, "0"))}},
      {"inserted among ties", {}, {put(moving(person1, "3"))}},
      {"inserted at the end", {}, {put(moving(person0, "9"))}},
      {"deleted", {moving(person0, "3")}, {erase()}},
      {"inserted and deleted", {}, {put(moving(person0, "5")), erase()}},
      {"deleted and inserted again", {moving(person1, "3")}, {erase(), put(moving(person1, "3"))}},
      {"moved to another shard", {moving(person0, "3")}, {put(moving(person1, "3"))}},
      {"moved to another shard at the front", {moving(person1, "0")}, {put(moving(person0, "0"))}},
      {"moved there and back",
       {moving(person0, "5")},
       {put(moving(person1, "5")), put(moving(person0, "5"))}},
      {"moved to a later sort key", {moving(person0, "2")}, {put(moving(person0, "6"))}},
      {"moved to an earlier sort key", {moving(person1, "6")}, {put(moving(person1, "1"))}},
      {"moved to another shard and sort key", {moving(person0, "2")}, {put(moving(person1, "6"))}},
      {"moved to a later sort key and back",
       {moving(person0, "2")},
       {put(moving(person0, "6")), put(moving(person0, "2"))}},
  };
}

using Rows = std::vector<Row>;
using Verb = std::function<Rows(const Query&)>;

/// Plays a scenario with its changes before all possible requests; `check(rows)` is called for every run.
template <class Check>
void play_all(const Scenario& scenario, const Verb& verb, Check check) {
  std::vector<std::size_t> steps(scenario.changes.size(), 0);  // before which request each change comes
  for (;;) {
    Table table(index_of_two, {.page_bytes = 600});  // two items
    for (const Row& row : standing_rows())
      table.put(row);
    for (const Row& row : scenario.before)
      table.put(row);
    std::size_t request = 0;
    std::size_t done = 0;
    const Rows rows = verb([&](const auto& asked) {
      while (done < steps.size() && steps[done] <= request)
        scenario.changes[done++](table);
      ++request;
      return table.query<ByTime>(asked);
    });
    std::string when;
    for (const std::size_t step : steps)
      when += std::to_string(step) + " ";
    INFO("m is " << scenario.name << ", before request " << when << "of " << request);
    check(rows);
    // The next steps, in order, until a change would come after the last request.
    std::size_t change = steps.size();
    while (change > 0 && steps[change - 1] >= request)
      --change;
    if (change == 0) return;
    const std::size_t step = steps[change - 1] + 1;
    std::fill(steps.begin() + static_cast<std::ptrdiff_t>(change) - 1, steps.end(), step);
  }
}

std::map<std::string, std::size_t> times_seen(const Rows& rows) {
  std::map<std::string, std::size_t> times;
  for (const Row& row : rows)
    ++times[row.primary];
  return times;
}

bool all_once(const Rows& rows, std::string_view id = {}) {
  auto times = times_seen(rows);
  for (const Row& row : standing_rows())
    if (times[row.primary] != (id.empty() || row.id == id ? 1U : 0U)) return false;
  return true;
}

/// Strictly in (sort key, primary key) order: sorted, and no row twice at one sort key.
bool in_strict_order(Rows rows, Direction direction) {
  if (direction == Direction::descending) std::reverse(rows.begin(), rows.end());
  return std::adjacent_find(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
           return std::tie(a.time, a.primary) >= std::tie(b.time, b.primary);
         }) == rows.end();
}

/// No row twice at one sort key of one shard.
bool each_place_once(const Rows& rows) {
  std::set<std::tuple<std::string, std::string, std::string>> places;
  return std::all_of(rows.begin(), rows.end(),
                     [&](const Row& row) { return places.emplace(row.id, row.time, row.primary).second; });
}

constexpr Direction both_directions[] = {Direction::ascending, Direction::descending};

Rows all_pages(const Query& query, const evenkey::PageOptions& options) {
  Rows rows;
  std::string token;
  do {
    auto page = evenkey::read_page(index_of_two, query, options, token);
    rows.insert(rows.end(), page.items.begin(), page.items.end());
    token = page.next_token;
  } while (!token.empty());
  return rows;
}

Rows streamed(const Query& query, const evenkey::PageOptions& options) {
  Rows rows;
  for (Row& row : evenkey::stream(index_of_two, query, options))
    rows.push_back(std::move(row));
  return rows;
}

struct NamedVerb {
  const char* name;
  Verb call;
};

/// All verbs that list the index. One request at a time, so that a step has one meaning.
std::vector<NamedVerb> listings(Order order, Direction direction) {
  const evenkey::PageOptions paged{.order = order, .direction = direction, .max_concurrency = 1};
  evenkey::PageOptions small = paged;
  small.limit = 2;
  evenkey::PageOptions budgeted = paged;
  budgeted.max_read_units = 0.5;
  return {{"enumerate",
           [=](const Query& query) {
             return evenkey::enumerate(index_of_two, query,
                                       {.order = order, .direction = direction, .max_concurrency = 1})
                 .items;
           }},
          {"stream", [=](const Query& query) { return streamed(query, paged); }},
          {"read_page", [=](const Query& query) { return all_pages(query, small); }},
          {"read_page within a budget", [=](const Query& query) { return all_pages(query, budgeted); }}};
}

}  // namespace

TEST_SUITE("read") {
  TEST_CASE("by sort key, rows that stand still come once, and no row twice at one sort key") {
    for (const Direction direction : both_directions) {
      for (const NamedVerb& verb : listings(Order::by_sort_key, direction)) {
        INFO(verb.name);
        for (const Scenario& scenario : scenarios()) {
          play_all(scenario, verb.call, [&](const Rows& rows) {
            CHECK(all_once(rows));
            CHECK(in_strict_order(rows, direction));
            if (scenario.keeps_its_keys) CHECK(times_seen(rows)["m"] == 1);
          });
        }
      }
    }
  }

  TEST_CASE("by shard, rows that stand still come once, and no row twice at one place") {
    for (const Direction direction : both_directions) {
      for (const NamedVerb& verb : listings(Order::by_shard, direction)) {
        INFO(verb.name);
        for (const Scenario& scenario : scenarios()) {
          play_all(scenario, verb.call, [&](const Rows& rows) {
            CHECK(all_once(rows));
            CHECK(each_place_once(rows));
            if (scenario.keeps_its_keys) CHECK(times_seen(rows)["m"] == 1);
          });
        }
      }
    }
  }

  TEST_CASE("a limited listing leaves out no row that stands still before its last") {
    for (const Direction direction : both_directions) {
      for (const std::size_t limit : {1U, 4U, 7U}) {
        const Verb first = [=](const Query& query) {
          return evenkey::enumerate(index_of_two, query,
                                    {.limit = limit, .direction = direction, .max_concurrency = 1})
              .items;
        };
        for (const Scenario& scenario : scenarios()) {
          play_all(scenario, first, [&](const Rows& rows) {
            INFO("limit " << limit);
            REQUIRE(rows.size() == limit);
            CHECK(in_strict_order(rows, direction));
            auto times = times_seen(rows);
            const auto place = [](const Row& row) { return std::tie(row.time, row.primary); };
            for (const Row& row : standing_rows()) {
              const bool due = direction == Direction::ascending ? place(row) <= place(rows.back())
                                                                 : place(row) >= place(rows.back());
              CHECK(times[row.primary] == (due ? 1U : 0U));
            }
          });
        }
      }
    }
  }

  TEST_CASE("of one id, rows that stand still come once, whatever its others do") {
    for (const Direction direction : both_directions) {
      const std::vector<NamedVerb> verbs{
          {"find",
           [=](const Query& query) {
             return evenkey::find(index_of_two, query, person0, {.direction = direction}).items;
           }},
          {"find_page", [=](const Query& query) {
             Rows rows;
             std::string token;
             do {
               auto page = evenkey::find_page(index_of_two, query, person0,
                                              {.limit = 1, .direction = direction}, token);
               rows.insert(rows.end(), page.items.begin(), page.items.end());
               token = page.next_token;
             } while (!token.empty());
             return rows;
           }}};
      for (const NamedVerb& verb : verbs) {
        INFO(verb.name);
        for (const Scenario& scenario : scenarios()) {
          play_all(scenario, verb.call, [&](const Rows& rows) {
            CHECK(all_once(rows, person0));
            CHECK(in_strict_order(rows, direction));
            if (scenario.keeps_its_keys) CHECK(times_seen(rows)["m"] == 1);
          });
        }
      }
    }
  }

  TEST_CASE("of many ids, asked one by one or by whole shards, rows that stand still come once") {
    for (const std::size_t rows_of_shard : {0U, 1U}) {
      const Verb many = [=](const Query& query) {
        const std::vector<std::string> ids{person1, person0};
        return evenkey::find_many(index_of_two, query, ids,
                                  {.max_concurrency = 1,
                                   .expected_rows_per_id = 8,
                                   .expected_rows_per_shard = rows_of_shard})
            .items;
      };
      for (const Scenario& scenario : scenarios()) {
        play_all(scenario, many, [&](const Rows& rows) {
          CHECK(all_once(rows));
          CHECK(each_place_once(rows));
          if (scenario.keeps_its_keys) CHECK(times_seen(rows)["m"] == 1);
        });
      }
    }
  }

  TEST_CASE("a count counts every row that stands still, and one that moves at most once for each place") {
    std::size_t counted = 0;
    const Verb count = [&](const Query& query) {
      counted = evenkey::count(index_of_two, query, {.max_concurrency = 1}).count;
      return Rows{};
    };
    for (const Scenario& scenario : scenarios()) {
      const std::size_t standing = standing_rows().size() + (scenario.keeps_its_keys ? 1 : 0);
      const std::size_t places =
          scenario.keeps_its_keys ? 0 : scenario.before.size() + scenario.changes.size();
      play_all(scenario, count, [&](const Rows&) {
        CHECK(counted >= standing);
        CHECK(counted <= standing + places);
      });
    }
  }

  TEST_CASE("what is not promised does happen: a row that moves is missed, or given at both places") {
    const auto seen_in = [](const char* name, const Verb& verb) {
      std::set<std::size_t> seen;
      for (const Scenario& scenario : scenarios())
        if (scenario.name == std::string_view(name))
          play_all(scenario, verb, [&](const Rows& rows) { seen.insert(times_seen(rows)["m"]); });
      std::string times;
      for (const std::size_t each : seen)
        times += (times.empty() ? "" : " or ") + std::to_string(each);
      return times;
    };
    const Verb by_sort_key = listings(Order::by_sort_key, Direction::ascending).at(2).call;
    CHECK(seen_in("inserted among ties", by_sort_key) == "0 or 1");
    CHECK(seen_in("deleted", by_sort_key) == "0 or 1");
    CHECK(seen_in("moved to another shard at the front", by_sort_key) == "0 or 1");
    CHECK(seen_in("moved to a later sort key", by_sort_key) == "1 or 2");
    CHECK(seen_in("moved to an earlier sort key", by_sort_key) == "0 or 1");
    const Verb by_shard = listings(Order::by_shard, Direction::ascending).at(2).call;
    CHECK(seen_in("moved to another shard", by_shard) == "1 or 2");
    CHECK(seen_in("moved to another shard at the front", by_shard) == "0 or 1");
  }
}
