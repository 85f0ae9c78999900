// SPDX-License-Identifier: BSL-1.0
// A read in order, pages with tokens, a find, and one migration: what runs in the user's program, small.
#include <evenkey/migrate/backfill.hpp>
#include <evenkey/read/enumerate.hpp>
#include <evenkey/read/find.hpp>
#include <evenkey/read/read_page.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "support/moved_table.hpp"
#include "support/moving_store.hpp"

namespace reads {

struct People {
  static constexpr std::string_view name = "people";
  using PartitionKey = evenkey::ShardedKey<"P", evenkey::ShardPolicy<3>>;
  using SortKey = evenkey::CompositeKey<evenkey::Text, evenkey::Text>;
  using Item = support::MovingRow;
  using StartKey = std::string;
  static std::string_view sort_key(const Item& row) { return row.sort_key; }
  static std::string_view primary_key(const Item& row) { return row.id; }
  static std::string_view shard_by(const Item& row) { return row.person; }
  static std::string_view partition_key(const Item& row) { return row.stored; }
};

std::vector<std::string> sort_keys(const std::vector<support::MovingRow>& rows) {
  std::vector<std::string> keys;
  for (const support::MovingRow& row : rows)
    keys.push_back(row.sort_key);
  return keys;
}

}  // namespace reads

TEST_SUITE("portability") {
  TEST_CASE("all shards are one list in order, with threads and without, whole and page by page") {
    support::MovingStore store;
    std::vector<std::string> all;
    for (int i = 0; i < 40; ++i) {
      // Bytes above 0x7F too: order is by unsigned bytes.
      const std::string person = (i % 3 == 0 ? "\xC3\xA9" : "p") + std::to_string(i % 7);
      const std::string sort_key = person + "#" + std::to_string(i);
      all.push_back(sort_key);
      store.add({"row" + std::to_string(i), person, sort_key,
                 std::string(reads::People::PartitionKey::of(person))});
    }
    std::sort(all.begin(), all.end());
    const reads::People index;
    const auto query = [&store](const evenkey::QueryRequest<std::string>& request) {
      return store.query(request, 4);
    };
    CHECK(reads::sort_keys(evenkey::enumerate(index, query, {.max_concurrency = 1}).items) == all);
    CHECK(reads::sort_keys(evenkey::enumerate(index, query, {.max_concurrency = 3}).items) == all);
    CHECK(evenkey::find(index, query, "p1").items.size() == 4);

    std::vector<std::string> paged;
    std::string token;
    do {
      const auto page = evenkey::read_page(index, query, {.limit = 7, .max_concurrency = 1}, token);
      for (const std::string& key : reads::sort_keys(page.items))
        paged.push_back(key);
      token = page.next_token;
    } while (!token.empty() && paged.size() <= all.size());
    CHECK(paged == all);
  }

  TEST_CASE("rows are moved to their shards, once each, with a checkpoint") {
    support::MovedTable table(20);
    support::Notebook notebook;
    support::WaitedTime clock;
    const evenkey::BackfillOptions options{
        .dry_run = false, .writers_drained_at = support::long_drained, .checkpoint = &notebook};
    const auto report =
        backfill(support::to_shards, table.scan_functor(), table.restamp_functor(), options, clock);
    CHECK(report.moved == 20);
    CHECK(table.in_place() == 20);
    CHECK(table.most_moves_of_a_row() == 1);
    CHECK(notebook.text);
    (void)backfill(support::to_shards, table.scan_functor(), table.restamp_functor(), options, clock);
    CHECK(table.restamps == 20);
  }
}
