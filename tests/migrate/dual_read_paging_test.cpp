// SPDX-License-Identifier: BSL-1.0
#include <evenkey/migrate.hpp>
#include <evenkey/read.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <support/moving_store.hpp>
#include <vector>

TEST_SUITE_BEGIN("migrate");

namespace {

using namespace std::chrono_literals;
using evenkey::Phase;
using support::MovingRow;
using support::MovingStore;

template <class Keys>
struct People {
  static constexpr std::string_view name = "people";
  using PartitionKey = Keys;
  using SortKey = evenkey::CompositeKey<evenkey::Text, evenkey::Text>;
  using Item = MovingRow;
  using StartKey = std::string;
  static std::string_view sort_key(const MovingRow& row) { return row.sort_key; }
  static std::string_view primary_key(const MovingRow& row) { return row.id; }
  static std::string_view shard_by(const MovingRow& row) { return row.person; }
  static std::string_view partition_key(const MovingRow& row) { return row.stored; }
};
using One = evenkey::UnshardedKey<"P">;
using Three = evenkey::ShardedKey<"P", evenkey::ShardPolicy<3>>;
using Five = evenkey::ShardedKey<"P", evenkey::ShardPolicy<5>, evenkey::KeyFormat{.generation = 2}>;
/// People in no order.
struct Crowd {
  static constexpr std::string_view name = "crowd";
  using PartitionKey = Three;
  using SortKey = evenkey::NoSortKey;
  using Item = MovingRow;
  using StartKey = std::string;
  static std::string_view primary_key(const MovingRow& row) { return row.id; }
  static std::string_view shard_by(const MovingRow& row) { return row.person; }
  static std::string_view partition_key(const MovingRow& row) { return row.stored; }
};
using Cutover = evenkey::Migration<People<Three>, One>;
using Regrown = evenkey::Migration<People<Five>, Three>;

MovingStore ten_rows() {
  MovingStore store;
  for (int i = 0; i < 10; ++i) {
    const std::string person = "p" + std::to_string(i % 4);
    store.add({"row" + std::to_string(i), person, person + "#" + std::to_string(i), "P"});
  }
  return store;
}

std::vector<std::string> ids_of(const std::vector<MovingRow>& rows) {
  std::vector<std::string> ids;
  for (const MovingRow& row : rows)
    ids.push_back(row.id);
  return ids;
}

std::vector<std::string> in_order(const MovingStore& store) {
  std::vector<MovingRow> rows = store.rows();
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.sort_key < b.sort_key; });
  return ids_of(rows);
}

/// Moves every n-th row that is not there yet.
template <class Keys>
void move_some(MovingStore& store, std::size_t n) {
  for (std::size_t i = 0; i < store.rows().size(); i += n) {
    const std::string to(Keys::of(store.rows()[i].person));
    if (store.rows()[i].stored != to) store.move(i, to, 0ns, 0ns);
  }
}

}  // namespace

TEST_CASE("a page token is good through all phases of a migration, and through the next, to another N") {
  MovingStore store = ten_rows();
  const auto query = [&](const evenkey::QueryRequest<std::string>& request) {
    return store.query(request, 3);
  };
  constexpr Cutover cutover{evenkey::insert_visible_first};
  constexpr Regrown regrown{evenkey::insert_visible_first};
  std::vector<std::string> ids;
  std::string token;
  const auto page = [&](const auto& index) {
    auto result = evenkey::read_page(index, query, {.limit = 1}, token);
    for (const std::string& id : ids_of(result.items))
      ids.push_back(id);
    token = result.next_token;
  };
  page(cutover.at(Phase::source));
  page(cutover.at(Phase::dual_read));
  move_some<Three>(store, 3);
  page(cutover.at<Phase::dual_read>());
  page(cutover.at(Phase::destination_writes));
  move_some<Three>(store, 1);
  page(cutover.at<Phase::destination>());
  page(People<Three>{});
  page(regrown.at(Phase::source));
  page(regrown.at(Phase::dual_read));
  move_some<Five>(store, 2);
  page(regrown.at(Phase::destination_writes));
  move_some<Five>(store, 1);
  page(regrown.at(Phase::destination));
  CHECK(ids == in_order(store));
}

TEST_CASE("a budget ends a page of a dual read early, and its token leaves nothing out") {
  MovingStore store = ten_rows();
  std::size_t requests = 0;
  const auto query = [&](const evenkey::QueryRequest<std::string>& request) {
    if (++requests % 5 == 0) move_some<Three>(store, 4);
    auto answer = store.query(request, 2);
    answer.consumed_read_units = 0.5;
    return answer;
  };
  constexpr Cutover cutover{evenkey::insert_visible_first};
  std::vector<std::string> ids;
  std::string token;
  std::size_t pages = 0;
  do {
    auto result = evenkey::read_page(cutover.at(Phase::destination_writes), query,
                                     {.limit = 10, .max_concurrency = 1, .max_read_units = 3}, token);
    for (const std::string& id : ids_of(result.items))
      ids.push_back(id);
    token = result.next_token;
    REQUIRE(++pages < 50);
  } while (!token.empty());
  CHECK(pages > 1);
  CHECK(ids == in_order(store));
}

TEST_CASE("a limited dual read asks the source for what is wanted, not for all of it") {
  MovingStore store;
  for (int i = 0; i < 500; ++i)
    store.add({"row" + std::to_string(i), "p", "p#" + std::to_string(1000 + i), "P"});
  std::size_t from_source = 0;
  std::size_t requests = 0;
  const auto query = [&](const evenkey::QueryRequest<std::string>& request) {
    auto answer = store.query(request, 1000);
    ++requests;
    if (request.partition_key == "P") from_source += answer.items.size();
    return answer;
  };
  constexpr Cutover cutover{evenkey::insert_visible_first};
  CHECK(evenkey::enumerate(cutover.at(Phase::dual_read), query, {.limit = 25, .max_concurrency = 1})
            .items.size() == 25);
  CHECK(from_source == 26);
  CHECK(requests == 1 + 3);
}

TEST_CASE("a whole dual read costs one request more than a read of the destination alone") {
  MovingStore store = ten_rows();
  move_some<Three>(store, 2);
  std::size_t requests = 0;
  const auto query = [&](const evenkey::QueryRequest<std::string>& request) {
    ++requests;
    return store.query(request, 100);
  };
  constexpr Cutover cutover{evenkey::insert_visible_first};
  CHECK(evenkey::enumerate(cutover.at(Phase::dual_read), query, {.max_concurrency = 1}).items.size() == 10);
  CHECK(requests == 1 + 3);
  requests = 0;
  (void)evenkey::find(cutover.at(Phase::dual_read), query, "p1");
  CHECK(requests == 2);
  requests = 0;
  (void)evenkey::find_many(cutover.at(Phase::dual_read), query, std::vector<std::string>{"p0", "p1", "p2"},
                           {.max_concurrency = 1});
  CHECK(requests == 6);
}

TEST_CASE("where rows are in no order, the source is read to its end before the destination is asked") {
  constexpr evenkey::Migration<Crowd, One> cutover{evenkey::insert_visible_first};
  const auto index = cutover.at(Phase::destination_writes);
  // The last row moves to the destination after so many requests.
  for (std::size_t moves_after = 0; moves_after < 8; ++moves_after) {
    CAPTURE(moves_after);
    const auto seen_by = [&](auto read) {
      MovingStore store;
      for (int i = 0; i < 6; ++i)
        store.add({"row" + std::to_string(i), "p", "p#" + std::to_string(i), "P"});
      std::string asked;
      const auto query = [&](const evenkey::QueryRequest<std::string>& request) {
        if (asked.size() == moves_after) store.move(5, std::string(Three::of("p")), 0ns, 0ns);
        asked += request.partition_key == "P" ? 's' : 'd';
        return store.query(request, 2);
      };
      std::vector<std::string> ids = ids_of(read(query).items);
      CHECK(asked.find('d') > asked.rfind('s'));
      std::sort(ids.begin(), ids.end());
      return ids;
    };
    const std::vector<std::string> all{"row0", "row1", "row2", "row3", "row4", "row5"};
    const std::vector<std::string> people{"p"};
    CHECK(seen_by([&](const auto& query) { return evenkey::find(index, query, "p"); }) == all);
    CHECK(seen_by([&](const auto& query) {
            return evenkey::find_many(index, query, people, {.max_concurrency = 1});
          }) == all);
    for (const std::size_t limit : {1u, 2u, 3u, 6u, 9u}) {
      CAPTURE(limit);
      const auto some =
          seen_by([&](const auto& query) { return evenkey::find(index, query, "p", {.limit = limit}); });
      CHECK(some.size() == (std::min<std::size_t>)(limit, 6));
      CHECK(std::adjacent_find(some.begin(), some.end()) == some.end());
    }
  }
}

TEST_CASE(
    "a stream of a dual read gives its first row soon, and then asks the destination ever more seldom") {
  MovingStore store;
  for (int i = 0; i < 30; ++i)
    store.add({"row" + std::to_string(i), "p", "p#" + std::to_string(100 + i), "P"});
  std::string story;  // the source's pages, the destination's, and the rows
  const auto query = [&](const evenkey::QueryRequest<std::string>& request) {
    story += request.partition_key == "P" ? 's' : 'd';
    return store.query(request, 2);
  };
  constexpr Cutover cutover{evenkey::insert_visible_first};
  for (const MovingRow& row : evenkey::stream(cutover.at(Phase::dual_read), query, {.max_concurrency = 1})) {
    CHECK(row.person == "p");
    story += '.';
  }
  // Windows of one page, two, and then four; the last row of a page waits for the next one.
  CHECK(story ==
        "sddd."
        "sddd.."
        "sssddd......"
        "sssddd......"
        "sssddd......"
        "sssddd......"
        "ssddd...");
}

TEST_CASE("where the source fails, nothing is called complete, and a retry with the token gives all rows") {
  for (const char* failing : {"P", "P#0", "P#1", "P#2"}) {
    CAPTURE(failing);
    MovingStore store = ten_rows();
    move_some<Three>(store, 2);
    bool fails = true;
    const auto query = [&](const evenkey::QueryRequest<std::string>& request) {
      if (fails && request.partition_key == failing) throw std::runtime_error("no answer");
      return store.query(request, 2);
    };
    constexpr Cutover cutover{evenkey::insert_visible_first};
    const auto index = cutover.at(Phase::destination_writes);
    CHECK_THROWS_AS((void)evenkey::enumerate(index, query), evenkey::fan_out_error);
    auto partial = evenkey::read_page(
        index, query, {.limit = 10, .on_failure = evenkey::OnFailure::collect, .max_concurrency = 1});
    CHECK_FALSE(partial.complete());
    REQUIRE(partial.failures.size() == 1);
    CHECK(partial.failures.front().partition_key == failing);
    fails = false;
    const auto rest = evenkey::read_page(index, query, {.limit = 20}, partial.next_token);
    std::vector<std::string> seen = ids_of(partial.items);
    for (const std::string& id : ids_of(rest.items))
      seen.push_back(id);
    std::sort(seen.begin(), seen.end());
    seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
    CHECK(seen.size() == 10);
  }
}

TEST_CASE("a wait for visibility that the deadline would cut short is not begun") {
  MovingStore store = ten_rows();
  const auto query = [&](const evenkey::QueryRequest<std::string>& request) {
    return store.query(request, 9);
  };
  constexpr Cutover patient{evenkey::visible_within(20ms)};
  const auto result = evenkey::enumerate(
      patient.at(Phase::dual_read), query,
      {.on_failure = evenkey::OnFailure::collect, .max_concurrency = 1, .deadline = store.now() + 10ms},
      store);
  CHECK(store.now() == MovingStore::Time{});
  REQUIRE(result.failures.size() == 3);
  CHECK_THROWS_AS(std::rethrow_exception(result.failures.front().error), evenkey::deadline_error);
}

TEST_CASE("a run of equal sort keys on the source that is too long to hold is refused") {
  MovingStore store;
  for (int i = 0; i < 40; ++i)
    store.add({"row" + std::to_string(i), "p", "p#same", "P"});
  const auto query = [&](const evenkey::QueryRequest<std::string>& request) {
    return store.query(request, 5);
  };
  constexpr Cutover cutover{evenkey::insert_visible_first};
  CHECK_THROWS_AS(
      (void)evenkey::read_page(cutover.at(Phase::dual_read), query, {.limit = 5, .max_tie_run = 20}),
      evenkey::tie_run_error);
  CHECK(evenkey::read_page(cutover.at(Phase::dual_read), query, {.limit = 5}).items.size() == 5);
}

TEST_CASE(
    "a limited dual read finds the end of a long run of equal sort keys by doubling, or refuses it soon") {
  MovingStore store;
  for (int i = 0; i < 900; ++i)
    store.add({"row" + std::to_string(i), "p", "p#same", "P"});
  std::size_t requests = 0;
  const auto query = [&](const evenkey::QueryRequest<std::string>& request) {
    ++requests;
    return store.query(request, 1000);
  };
  constexpr Cutover cutover{evenkey::insert_visible_first};
  const auto index = cutover.at(Phase::dual_read);
  CHECK(evenkey::read_page(index, query, {.limit = 1, .max_concurrency = 1}).items.size() == 1);
  CHECK(requests == 9 + 3);
  requests = 0;
  CHECK_THROWS_AS(
      (void)evenkey::read_page(index, query, {.limit = 1, .max_concurrency = 1, .max_tie_run = 100}),
      evenkey::tie_run_error);
  CHECK(requests == 6);
}

TEST_CASE("an asynchronous read that would have to wait is refused before any request") {
  constexpr Cutover patient{evenkey::visible_within(20ms)};
  const auto query = [](const evenkey::QueryRequest<std::string>&,
                        const evenkey::Completion<MovingRow, std::string>&) { FAIL("asked"); };
  CHECK_THROWS_AS((void)evenkey::enumerate_async(patient.at(Phase::dual_read), query), std::invalid_argument);
}

TEST_CASE("F13: a dual read does not stop once the source has enough") {
  MovingStore store;
  for (int day = 1; day <= 10; ++day)
    store.add({"jan" + std::to_string(day), "p", "2026-01-" + std::to_string(10 + day), "P"});
  for (int day = 1; day <= 3; ++day)
    store.add({"feb" + std::to_string(day), "p", "2026-02-" + std::to_string(10 + day),
               std::string(Three::of("p"))});
  const auto query = [&](const evenkey::QueryRequest<std::string>& request) {
    return store.query(request, 4);
  };
  constexpr Cutover cutover{evenkey::insert_visible_first};
  const auto index = cutover.at(Phase::dual_read);
  using Ids = std::vector<std::string>;
  CHECK(ids_of(evenkey::enumerate(index, query, {.limit = 3, .direction = evenkey::Direction::descending})
                   .items) == Ids{"feb3", "feb2", "feb1"});
  CHECK(ids_of(evenkey::enumerate(index, query, {.limit = 3}).items) == Ids{"jan1", "jan2", "jan3"});
  CHECK(evenkey::enumerate(index, query).items.size() == 13);
  CHECK(evenkey::enumerate(index, query, {.direction = evenkey::Direction::descending}).items.size() == 13);
}

TEST_SUITE_END();
