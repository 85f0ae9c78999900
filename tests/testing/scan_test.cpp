// SPDX-License-Identifier: BSL-1.0
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

#include "fixture.hpp"

using namespace fixture;

namespace {

using Table = MemoryTable<Row, ByText>;
using Scan = evenkey::ScanRequest<MemoryStartKey>;

void fill(Table& table, int rows) {
  for (int i = 0; i < rows; ++i)
    table.put({"id" + std::to_string(i), i % 2 == 0 ? "P" : ""});
}

Ids scan_all(Table& table, Scan scan) {
  Ids found;
  for (;;) {
    auto page = table.scan(scan);
    for (const Row& row : page.items)
      found.push_back(row.id);
    if (!page.last_evaluated_key) return found;
    scan.exclusive_start_key = std::move(page.last_evaluated_key);
  }
}

}  // namespace

TEST_SUITE("testing") {
  TEST_CASE("a scan gives every item once, those outside the index too") {
    Table table;
    fill(table, 100);
    const Ids whole = scan_all(table, {});
    CHECK(whole.size() == 100);
    CHECK(std::set<std::string>(whole.begin(), whole.end()).size() == 100);
    CHECK_FALSE(std::is_sorted(whole.begin(), whole.end()));  // by a hash, as in DynamoDB
    for (const std::uint32_t limit : {1u, 7u, 100u}) {
      Scan scan;
      scan.limit = limit;
      CHECK(scan_all(table, scan) == whole);
    }
  }

  TEST_CASE("segments share the items out, by a hash that every run computes alike") {
    Table table;
    fill(table, 200);
    for (const std::uint32_t total : {1u, 2u, 3u, 7u, 64u}) {
      CAPTURE(total);
      std::multiset<std::string> found;
      std::size_t largest = 0;
      for (std::uint32_t segment = 0; segment < total; ++segment) {
        Scan scan;
        scan.segment = segment;
        scan.total_segments = total;
        scan.limit = 3;
        const Ids rows = scan_all(table, scan);
        largest = std::max(largest, rows.size());
        found.insert(rows.begin(), rows.end());
      }
      CHECK(found.size() == 200);
      for (const std::string& id : found)
        CHECK(found.count(id) == 1);
      if (total == 2) CHECK(largest < 130);
    }
  }

  TEST_CASE("segments meet without a gap or an overlap") {
    namespace detail = evenkey::testing::detail;
    for (const std::uint32_t total : {1u, 2u, 3u, 7u, 1000u, 999'999u, 1'000'000u}) {
      for (std::uint32_t segment = 0; segment < total; segment += 1 + total / 100) {
        const std::uint64_t begin = detail::segment_begin(segment, total);
        CHECK(detail::segment_of(begin, total) == segment);
        if (segment > 0) CHECK(detail::segment_of(begin - 1, total) == segment - 1);
      }
      CHECK(detail::segment_of(~std::uint64_t{0}, total) == total - 1);
    }
  }

  TEST_CASE("a scan goes on by position where the item is gone") {
    Table table;
    fill(table, 20);
    const Ids whole = scan_all(table, {});
    Scan scan;
    scan.limit = 5;
    scan.exclusive_start_key = table.scan(scan).last_evaluated_key;
    table.erase(whole[4]);
    CHECK(scan_all(table, scan) == Ids(whole.begin() + 5, whole.end()));
  }

  TEST_CASE("a scan's pages end by limit, by bytes and before the filter, as a query's do") {
    for (const PageCut cut : {PageCut::after_crossing, PageCut::before_crossing}) {
      Table table({.item_bytes = 400, .page_bytes = 1000, .page_cut = cut});
      fill(table, 7);
      CHECK(table.scan(Scan{}).items.size() == (cut == PageCut::after_crossing ? 3 : 2));
      CHECK(scan_all(table, {}).size() == 7);
    }
    Table table;
    fill(table, 4);
    Scan scan;
    scan.limit = 4;
    const auto page = table.scan(scan, {}, [](const Row&) { return false; });
    CHECK(page.items.empty());
    CHECK(page.scanned_count == 4);
    REQUIRE(page.last_evaluated_key);
    scan.exclusive_start_key = page.last_evaluated_key;
    CHECK_FALSE(table.scan(scan).last_evaluated_key);
  }

  TEST_CASE("a scan costs its bytes, twice as much when it is consistent") {
    Table table({.item_bytes = 1000});
    fill(table, 9);  // 9000 bytes: 3 blocks of 4 KiB
    CHECK(table.scan(Scan{}).consumed_read_units == 3);
    CHECK(table.scan(Scan{}, {.consistency = Consistency::eventual}).consumed_read_units == 1.5);
    CHECK(Table{}.scan(Scan{}).consumed_read_units == 1);
    CHECK(Table{}.scan(Scan{}, {.consistency = Consistency::eventual}).consumed_read_units == 0.5);
    CHECK(table.counters().read_units == 4.5);
  }

  TEST_CASE("a scan sees the base table as it is, whatever the index shows") {
    Table table({.lag = VisibilityLag::by_hand()});
    fill(table, 10);
    CHECK(table.query<ByText>(request<ByText>("P")).items.empty());
    CHECK(scan_all(table, {}).size() == 10);
  }

  TEST_CASE("what DynamoDB refuses in a scan is refused here") {
    Table table;
    fill(table, 20);
    const auto scan = [&](auto change) {
      Scan asked;
      change(asked);
      return error_of([&] { return table.scan(asked); });
    };
    CHECK(scan([](Scan& s) { s.limit = 0; }) == validation);
    CHECK(scan([](Scan& s) { s.segment = 1; }) == validation);
    CHECK(scan([](Scan& s) { s.total_segments = 0; }) == validation);
    CHECK(scan([](Scan& s) { s.total_segments = 1'000'001; }) == validation);
    CHECK(scan([](Scan& s) {
            s.exclusive_start_key = MemoryStartKey{"P", std::string("s"), "id1"};
          }) == validation);
    CHECK(scan([](Scan& s) { s.exclusive_start_key = MemoryStartKey{{}, {}, "id1"}; }).empty());
    int refused = 0;  // a key belongs to one of two segments
    for (const std::uint32_t segment : {0u, 1u}) {
      refused += scan([&](Scan& s) {
                   s.total_segments = 2;
                   s.segment = segment;
                   s.exclusive_start_key = MemoryStartKey{{}, {}, "id1"};
                 }) == validation;
    }
    CHECK(refused == 1);
  }
}
