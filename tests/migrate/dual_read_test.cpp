// SPDX-License-Identifier: BSL-1.0
#include <evenkey/migrate.hpp>
#include <evenkey/read.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <support/moving_store.hpp>
#include <support/seed.hpp>
#include <vector>

TEST_SUITE_BEGIN("migrate");

namespace {

using namespace std::chrono_literals;
using evenkey::Direction;
using evenkey::Phase;
using support::MovingRow;
using support::MovingStore;

struct People {
  static constexpr std::string_view name = "people";
  using PartitionKey = evenkey::ShardedKey<"P", evenkey::ShardPolicy<3>>;
  using SortKey = evenkey::CompositeKey<evenkey::Text, evenkey::Text>;
  using Item = MovingRow;
  using StartKey = std::string;
  static std::string_view sort_key(const MovingRow& row) { return row.sort_key; }
  static std::string_view primary_key(const MovingRow& row) { return row.id; }
  static std::string_view shard_by(const MovingRow& row) { return row.person; }
  static std::string_view partition_key(const MovingRow& row) { return row.stored; }
};
using FromOne = evenkey::Migration<People, evenkey::UnshardedKey<"P">>;
using FromTwo = evenkey::Migration<People, evenkey::ShardedKey<"Q", evenkey::ShardPolicy<2>>>;
using Doubled =
    evenkey::Migration<People, evenkey::ShardedKey<"P", evenkey::ShardPolicy<6>>>;  // halving, in fact

/// What a reader must see, in its order.
std::vector<std::string> answer(const MovingStore& store, Direction direction) {
  std::vector<std::pair<std::string, std::string>> keys;
  for (const MovingRow& row : store.rows())
    keys.emplace_back(row.sort_key, row.id);
  std::sort(keys.begin(), keys.end());
  if (direction == Direction::descending) std::reverse(keys.begin(), keys.end());
  std::vector<std::string> ids;
  for (const auto& [sort_key, id] : keys)
    ids.push_back(id);
  return ids;
}

void append(std::vector<std::string>& ids, const std::vector<MovingRow>& rows) {
  for (const MovingRow& row : rows)
    ids.push_back(row.id);
}

/// One read while rows move at random, between and during its requests.
template <class Migration>
class Reading {
 public:
  Reading(const Migration& migration, std::uint32_t seed, bool in_order)
      : migration_(migration), random_(seed), in_order_(in_order) {
    const std::size_t rows = below(14);
    for (std::size_t i = 0; i < rows; ++i) {
      const std::string person = "p" + std::to_string(below(5));
      const std::string time = std::to_string(below(3));
      store_.add({"row" + std::to_string(i), person, People::SortKey::encode(person, time),
                  std::string(migration.source().of(person))});
      if (below(3) == 0) move(i, 0ns, 0ns);
    }
    page_size_ = 1 + below(4);
    direction_ = below(2) == 0 ? Direction::ascending : Direction::descending;
  }

  std::size_t below(std::size_t bound) { return random_() % bound; }
  MovingStore& store() { return store_; }
  Direction direction() const { return direction_; }

  auto query() {
    return [this](const evenkey::QueryRequest<std::string>& request) {
      turmoil();
      auto page = store_.query(request, page_size_);
      turmoil();
      return page;
    };
  }

 private:
  void turmoil() {
    store_.pass(std::chrono::milliseconds(below(4)));
    for (std::size_t i = 0; i < store_.rows().size(); ++i)
      if (below(6) == 0) {
        const auto first = std::chrono::milliseconds(below(10));
        const auto second = std::chrono::milliseconds(below(10));
        in_order_ ? move(i, (std::max)(first, second), (std::min)(first, second)) : move(i, first, second);
      }
  }
  void move(std::size_t row, std::chrono::nanoseconds vanishes, std::chrono::nanoseconds appears) {
    const std::string to(migration_.destination().of(store_.rows()[row].person));
    if (store_.rows()[row].stored != to) store_.move(row, to, vanishes, appears);
  }

  const Migration& migration_;
  std::mt19937 random_;
  bool in_order_;
  MovingStore store_;
  std::size_t page_size_;
  Direction direction_;
};

template <class Migration>
void every_verb_gives_each_row_once(const Migration& migration, std::uint32_t seed) {
  const bool in_order = migration.visibility().lag() == 0ms;
  const Phase phase = seed % 2 == 0 ? Phase::dual_read : Phase::destination_writes;
  const auto index = migration.at(phase);
  {
    Reading reading(migration, seed, in_order);
    std::size_t limit = reading.below(2) == 0 ? 0 : 1 + reading.below(9);
    const auto got = evenkey::enumerate(
        index, reading.query(), {.limit = limit, .direction = reading.direction(), .max_concurrency = 1},
        reading.store());
    std::vector<std::string> ids;
    append(ids, got.items);
    std::vector<std::string> wanted = answer(reading.store(), reading.direction());
    if (limit != 0 && limit < wanted.size()) wanted.resize(limit);
    CHECK(ids == wanted);
  }
  {
    Reading reading(migration, seed, in_order);
    std::vector<std::string> ids;
    for (const MovingRow& row :
         evenkey::stream(index, reading.query(), {.direction = reading.direction(), .max_concurrency = 1}, {},
                         reading.store()))
      ids.push_back(row.id);
    CHECK(ids == answer(reading.store(), reading.direction()));
  }
  {
    Reading reading(migration, seed, in_order);
    std::vector<std::string> ids;
    std::string token;
    do {
      auto page = evenkey::read_page(
          index, reading.query(),
          {.limit = 1 + reading.below(4), .direction = reading.direction(), .max_concurrency = 1}, token,
          reading.store());
      append(ids, page.items);
      token = page.next_token;
    } while (!token.empty());
    CHECK(ids == answer(reading.store(), reading.direction()));
  }
  for (const char* person : {"p0", "p3"}) {
    Reading reading(migration, seed, in_order);
    const auto got =
        evenkey::find(index, reading.query(), person, {.direction = reading.direction()}, reading.store());
    std::vector<std::string> ids;
    append(ids, got.items);
    std::vector<std::string> wanted = answer(reading.store(), reading.direction());
    std::erase_if(wanted, [&](const std::string& id) {
      return std::none_of(reading.store().rows().begin(), reading.store().rows().end(),
                          [&](const MovingRow& row) { return row.id == id && row.person == person; });
    });
    CHECK(ids == wanted);
  }
  {
    Reading reading(migration, seed, in_order);
    const std::vector<std::string> people{"p0", "p1", "p2", "p3", "p4"};
    const auto got =
        evenkey::find_many(index, reading.query(), people, {.max_concurrency = 1}, reading.store());
    std::vector<std::string> ids;
    append(ids, got.items);
    CHECK(ids == answer(reading.store(), Direction::ascending));
  }
  {
    Reading reading(migration, seed, in_order);
    const auto got = evenkey::enumerate(
        index, reading.query(), {.order = evenkey::Order::by_shard, .max_concurrency = 1}, reading.store());
    std::vector<std::string> ids;
    append(ids, got.items);
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());  // at least once
    std::vector<std::string> wanted = answer(reading.store(), Direction::ascending);
    std::sort(wanted.begin(), wanted.end());
    CHECK(ids == wanted);
  }
}

template <class Migration>
void try_many(const Migration& migration, std::uint32_t seeds) {
  for (std::uint32_t seed = 0; seed < seeds; ++seed) {
    CAPTURE(seed);
    every_verb_gives_each_row_once(migration, seed);
  }
}

}  // namespace

TEST_CASE("while rows move from one key to many, every verb gives each row once where inserts show first") {
  try_many(FromOne(evenkey::insert_visible_first), 400);
}
TEST_CASE("while rows move from one key to many, every verb gives each row once where both show in time") {
  try_many(FromOne(evenkey::visible_within(10ms)), 400);
}
TEST_CASE("while rows move from two shards to three of another name, every verb gives each row once") {
  try_many(FromTwo(evenkey::insert_visible_first), 300);
  try_many(FromTwo(evenkey::visible_within(10ms)), 300);
}
TEST_CASE(
    "while rows move from six shards to three of the same names, and back, every verb gives each row once") {
  try_many(Doubled(evenkey::insert_visible_first), 300);
  try_many(Doubled(evenkey::visible_within(10ms)), 300);
  try_many(Doubled(evenkey::insert_visible_first).reversed(), 300);
  try_many(Doubled(evenkey::visible_within(10ms)).reversed(), 300);
}

TEST_SUITE_END();
