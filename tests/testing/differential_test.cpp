// SPDX-License-Identifier: BSL-1.0
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "fixture.hpp"

using namespace fixture;
using evenkey::Direction;
using evenkey::SortKeyCondition;

namespace {

// Few keys, so that rows meet: ties, re-keying, prefixes of one another, bytes above 127.
const std::vector<std::string> partitions{"P", "Q", ""};
const std::vector<std::string> sort_keys{"a", "ab", "b", "a#", "\xC3\xA9", "ab\x01"};

/// The table as nobody would write it: one vector, sorted anew for each question.
struct Naive {
  std::vector<Row> rows;
  double index_units = 0;
  double table_units = 0;

  static double units(std::size_t bytes) {
    return static_cast<double>(std::max<std::size_t>(1, (bytes + 1023) / 1024));
  }

  Row* find(const std::string& id) {
    for (Row& row : rows)
      if (row.id == id) return &row;
    return nullptr;
  }
  // By text only: the other indexes are compared by what they show.
  void write(const std::string& id, const Row* after) {
    const Row* before = find(id);
    table_units += units(std::max(before ? before->bytes : 0, after ? after->bytes : 0));
    const bool was_in = before && !before->pk.empty();
    const bool is_in = after && !after->pk.empty();
    if (was_in && is_in && before->pk == after->pk && before->sk == after->sk) {
      if (!(*before == *after)) index_units += std::max(units(before->bytes), units(after->bytes));
    } else {
      if (was_in) index_units += units(before->bytes);
      if (is_in) index_units += units(after->bytes);
    }
    std::vector<Row> next;
    for (const Row& row : rows)
      if (row.id != id) next.push_back(row);
    if (after) next.push_back(*after);
    rows = next;
  }
  template <class Index>
  std::vector<Row> query(const std::string& partition, const SortKeyCondition& condition) const {
    std::vector<Row> found;
    for (const Row& row : rows)
      if (row.pk == partition && condition.matches(Index::sort_key(row))) found.push_back(row);
    std::sort(found.begin(), found.end(), [](const Row& a, const Row& b) {
      if (Index::sort_key(a) != Index::sort_key(b)) return Index::sort_key(a) < Index::sort_key(b);
      return a.id < b.id;
    });
    return found;
  }
};

/// Ties come in the table's own order: sort each run of equal keys by id before comparing.
template <class Index>
std::vector<Row> ties_by_id(std::vector<Row> rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return Index::sort_key(a) == Index::sort_key(b) && a.id < b.id;
  });
  return rows;
}

template <class Value, class Random>
SortKeyCondition any_condition(const std::vector<Value>& values, Random& pick) {
  Value low = values[pick(values.size())];
  Value high = values[pick(values.size())];
  if (high < low) std::swap(low, high);
  switch (pick(8)) {
    case 0:
      return {};
    case 1:
      return SortKeyCondition::equal(low);
    case 2:
      return SortKeyCondition::less(low);
    case 3:
      return SortKeyCondition::less_equal(low);
    case 4:
      return SortKeyCondition::greater(low);
    case 5:
      return SortKeyCondition::greater_equal(low);
    case 6:
      return SortKeyCondition::between(low, high);
    default:
      if constexpr (std::same_as<Value, std::string>) {
        return SortKeyCondition::begins_with(low);
      } else {
        return SortKeyCondition::between(low, low);
      }
  }
}

template <class Index, class Table>
std::vector<Row> rows_of(Table& table, Request<Index> asked) {
  std::vector<Row> found;
  for (;;) {
    auto page = table.template query<Index>(asked);
    CHECK(page.scanned_count == page.items.size());
    if (asked.limit) CHECK(page.items.size() <= *asked.limit);
    found.insert(found.end(), page.items.begin(), page.items.end());
    if (!page.last_evaluated_key) return found;
    asked.exclusive_start_key = std::move(page.last_evaluated_key);
  }
}

template <class Index, class Value, class Table, class Random>
void compare(Table& table, const Naive& naive, const std::vector<Value>& values, Random& pick) {
  const std::string partition = partitions[pick(2)];
  auto asked = request<Index>(partition);
  asked.sort_key = any_condition(values, pick);
  const std::vector<Row> whole = rows_of<Index>(table, asked);
  CHECK(std::is_sorted(whole.begin(), whole.end(),
                       [](const Row& a, const Row& b) { return Index::sort_key(a) < Index::sort_key(b); }));
  CHECK(ties_by_id<Index>(whole) == naive.template query<Index>(partition, asked.sort_key));
  asked.limit = static_cast<std::uint32_t>(1 + pick(4));
  CHECK(rows_of<Index>(table, asked) == whole);
  asked.direction = Direction::descending;
  CHECK(rows_of<Index>(table, asked) == std::vector<Row>(whole.rbegin(), whole.rend()));
}

void run(std::uint64_t seed, PageCut cut, bool lagging) {
  CAPTURE(seed);
  CAPTURE(static_cast<int>(cut));
  std::mt19937_64 generator(seed);
  auto pick = [&generator](std::size_t n) { return static_cast<std::size_t>(generator() % n); };
  MemoryTable<Row, ByText, ByNumber> table({.page_bytes = 2500, .page_cut = cut, .seed = seed}, sized());
  using std::chrono::milliseconds;
  if (lagging) {
    table.set_lag<ByText>(VisibilityLag::random(seed, milliseconds(0), milliseconds(9)));
    table.set_lag<ByNumber>(VisibilityLag::random(seed + 1, milliseconds(0), milliseconds(9)));
  }
  Naive naive;
  for (int step = 0; step < 400; ++step) {
    const std::string id(1, static_cast<char>('a' + pick(12)));
    const auto number = static_cast<std::int64_t>(pick(5)) - 2;
    const Row row{id, partitions[pick(3)], sort_keys[pick(sort_keys.size())], number, 1 + pick(3000)};
    double units = 0;
    const double before = naive.table_units;
    switch (pick(4)) {
      case 0:
        naive.write(id, nullptr);
        units = table.erase(id).write_units;
        break;
      case 1: {
        Row* stored = naive.find(id);
        if (stored == nullptr || stored->pk != "P") {
          naive.table_units += stored ? Naive::units(stored->bytes) : 1;
        } else {
          Row changed = *stored;
          changed.pk = "Q";
          naive.write(id, &changed);
        }
        units = table
                    .update(
                        id, [](const Row& r) { return r.pk == "P"; }, [](Row& r) { r.pk = "Q"; })
                    .write_units;
        break;
      }
      default:
        naive.write(id, &row);
        units = table.put(row).write_units;
    }
    CHECK(units == naive.table_units - before);
    if (lagging) {
      table.clock().advance(milliseconds(pick(4)));
      if (step % 20 != 19) continue;
      table.deliver_all();
      CHECK(table.pending().empty());
    }
    CHECK(table.size() == naive.rows.size());
    compare<ByText>(table, naive, sort_keys, pick);
    compare<ByNumber>(table, naive, std::vector<double>{-2, -1, -0.5, 0, 1, 2}, pick);
    compare<ByNumber>(table, naive, std::vector<std::int64_t>{-3, -2, -1, 0, 1, 2, 3}, pick);
  }
  CHECK(table.counters<ByText>().write_units == naive.index_units);
  CHECK(table.counters().write_units == naive.table_units);
}

}  // namespace

TEST_SUITE("testing") {
  TEST_CASE("the table is a sorted list, whatever is written, asked and paged") {
    const char* given = std::getenv("EVENKEY_TEST_SEED");
    const std::uint64_t first = given != nullptr ? std::strtoull(given, nullptr, 10) : 1;
    MESSAGE("seeds from " << first << "; set EVENKEY_TEST_SEED for others");
    for (std::uint64_t seed = first; seed < first + 20; ++seed) {
      for (const PageCut cut : {PageCut::after_crossing, PageCut::before_crossing}) {
        run(seed, cut, false);
        run(seed, cut, true);
      }
    }
  }
}
