// SPDX-License-Identifier: BSL-1.0
#include <evenkey/read.hpp>

#include <doctest/doctest.h>

#include <random>

#include "test_table.hpp"

using namespace servers;
using evenkey::Direction;

namespace {

struct Listed {
  std::string sort_key, id;
  auto operator<=>(const Listed&) const = default;
};

/// Rows whose sort keys tie a lot, within shards and between them.
std::vector<Item> tied_rows(const RuntimeKeys& keys, int count, unsigned different, std::size_t padding) {
  std::mt19937 engine(7);
  std::vector<Item> rows;
  for (int i = 0; i < count; ++i) {
    const std::string person = "person-" + std::to_string(engine() % 97);
    rows.push_back(row("row-" + std::to_string(engine()) + "-" + std::to_string(i), person, keys.of(person),
                       "t" + std::to_string(1000 + engine() % different)));
    if (padding != 0) rows.back().emplace("padding", std::string(padding, 'x'));
  }
  return rows;
}

std::vector<std::string> in_order(const std::vector<Item>& rows, Direction direction) {
  std::vector<Listed> listed;
  for (const Item& item : rows)
    listed.push_back({std::string(dynamodb::text_of(item, "gsi_sk")), id_of(item)});
  std::sort(listed.begin(), listed.end());
  if (direction == Direction::descending) std::reverse(listed.begin(), listed.end());
  std::vector<std::string> ids;
  for (Listed& each : listed)
    ids.push_back(std::move(each.id));
  return ids;
}

std::vector<std::string> page_by_page(const TextIndex& index, const TestTable& table,
                                      const evenkey::PageOptions& options) {
  std::vector<std::string> ids;
  std::string token;
  do {
    auto page = evenkey::read_page(index, table.query(), options, token);
    for (std::string& id : ids_of(page.items))
      ids.push_back(std::move(id));
    token = page.next_token;
  } while (!token.empty());
  return ids;
}

}  // namespace

TEST_SUITE_BEGIN("reads");

TEST_CASE("tied rows on 5 shards are paged both ways, each once and in order") {
  const TestTable table;
  const TextIndex index(table.names(), RuntimeKeys::sharded("Saga", 5));
  const auto rows = tied_rows(index.keys, 300, 6, 0);
  table.client().batch_write(table.name(), rows);
  for (const Direction direction : {Direction::ascending, Direction::descending}) {
    const auto expected = in_order(rows, direction);
    CHECK(ids_of(evenkey::enumerate(index, table.query(), {.direction = direction}).items) == expected);
    CHECK(page_by_page(index, table, {.limit = 23, .direction = direction}) == expected);
    const auto newest = evenkey::enumerate(index, table.query(), {.limit = 10, .direction = direction});
    CHECK(ids_of(newest.items) == std::vector<std::string>(expected.begin(), expected.begin() + 10));
  }
  auto by_shard = page_by_page(index, table, {.limit = 31, .order = evenkey::Order::by_shard});
  auto all = ids_of(rows);
  std::sort(by_shard.begin(), by_shard.end());
  std::sort(all.begin(), all.end());
  CHECK(by_shard == all);
}

TEST_CASE("pages of 1 MB are gone on from") {
  const TestTable table;
  const TextIndex index(table.names(), RuntimeKeys::sharded("Saga", 2));
  const auto rows = tied_rows(index.keys, 120, 40, 30'000);  // 3.6 MB
  table.client().batch_write(table.name(), rows);
  const auto listed = evenkey::enumerate(index, table.query());
  CHECK(ids_of(listed.items) == in_order(rows, Direction::ascending));
  CHECK(listed.requests >= 4);
  CHECK(page_by_page(index, table, {.limit = 50}) == in_order(rows, Direction::ascending));
}

TEST_CASE("find gives one person's rows, from one shard") {
  const TestTable table;
  const TextIndex index(table.names(), RuntimeKeys::sharded("Saga", 7));
  const auto rows = tied_rows(index.keys, 200, 1000, 0);
  table.client().batch_write(table.name(), rows);
  std::vector<Item> of_person;
  for (const Item& item : rows)
    if (index.shard_by(item) == "person-42") of_person.push_back(item);
  const auto found = evenkey::find(index, table.query(), "person-42");
  CHECK(ids_of(found.items) == in_order(of_person, Direction::ascending));
  CHECK(found.requests == 1);
}

TEST_CASE("10,000 rows on 16 shards are listed, each once and in order") {
  const TestTable table;
  const TextIndex index(table.names(), RuntimeKeys::sharded("Saga", 16));
  const auto rows = tied_rows(index.keys, 10'000, 3000, 0);
  std::vector<std::thread> writers;
  for (std::size_t part = 0; part < 4; ++part)
    writers.emplace_back([&, part] {
      table.client().batch_write(table.name(),
                                 {rows.begin() + static_cast<std::ptrdiff_t>(2500 * part),
                                  rows.begin() + static_cast<std::ptrdiff_t>(2500 * (part + 1))});
    });
  for (std::thread& writer : writers)
    writer.join();
  const auto listed = evenkey::enumerate(index, table.query());
  CHECK(ids_of(listed.items) == in_order(rows, Direction::ascending));
  CHECK(evenkey::count(index, table.query()).count == 10'000);
}

TEST_SUITE_END();
