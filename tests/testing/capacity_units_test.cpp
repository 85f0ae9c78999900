// SPDX-License-Identifier: BSL-1.0
#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <stdexcept>

#include "fixture.hpp"

using namespace fixture;

TEST_SUITE("testing") {
  TEST_CASE("units are rounded where DynamoDB rounds (F34)") {
    static_assert(write_units(0) == 1 && write_units(1) == 1 && write_units(1024) == 1 &&
                  write_units(1025) == 2);
    static_assert(read_units(0, Consistency::eventual) == 0.5 && read_units(0, Consistency::strong) == 1);
    static_assert(read_units(100, Consistency::eventual) == 0.5);
    static_assert(read_units(4096, Consistency::eventual) == 0.5 &&
                  read_units(4097, Consistency::eventual) == 1);
    static_assert(read_units(40 * 1024 + 820, Consistency::eventual) == 5.5);
    static_assert(write_units((std::numeric_limits<std::size_t>::max)()) > 1e16);
    CHECK(read_units(40 * 1024 + 820, Consistency::strong) == 11);
  }

  TEST_CASE("a page's sizes are summed and rounded once, not item by item") {
    MemoryTable<Row, ByText> table({.item_bytes = 300});
    for (int i = 0; i < 14; ++i)
      table.put({std::to_string(i), "P", "s" + std::to_string(i)});
    CHECK(table.query<ByText>(request<ByText>("P", 13)).consumed_read_units == 0.5);  // 3900 bytes
    CHECK(table.query<ByText>(request<ByText>("P", 14)).consumed_read_units == 1);    // 4200 bytes
    const auto none = [](const Row&) { return false; };
    CHECK(table.query<ByText>(request<ByText>("P"), {}, none).consumed_read_units ==
          1);  // filters save nothing
  }

  TEST_CASE("a fan-out over sixteen partitions of a hundred bytes costs eight units, not half of one (F34)") {
    MemoryTable<Row, ByText> table({.item_bytes = 100});
    double units = 0;
    for (int shard = 0; shard < 16; ++shard) {
      const std::string partition = "P#" + std::to_string(shard);
      table.put({partition, partition});
      units += table.query<ByText>(request<ByText>(partition)).consumed_read_units;
    }
    CHECK(units == 8);
    CHECK(table.counters<ByText>().read_units == 8);
  }

  TEST_CASE("a number takes a byte, one for two digits on each side of the point, and one for a minus") {
    CHECK(number_bytes(0) == 1);
    CHECK(number_bytes("0.000") == 1);
    CHECK(number_bytes(7) == 2);
    CHECK(number_bytes(42) == 2);
    CHECK(number_bytes(123) == 3);
    CHECK(number_bytes(-123) == 4);
    CHECK(number_bytes("1.5") == 3);
    CHECK(number_bytes("12.345") == 4);
    CHECK(number_bytes("00012") == 2);  // outer zeros are not stored
    CHECK(number_bytes("1200") == 2);
    CHECK(number_bytes("100.50") == 4);  // inner ones are
    CHECK(number_bytes("0.0012") == 2);
    CHECK(number_bytes("1.2e3") == 2);
    CHECK(number_bytes("12E-3") == 2);
    CHECK(number_bytes("1.2e+3") == 2);
    CHECK(number_bytes("1.25e1") == number_bytes("12.5"));
    CHECK(number_bytes(std::numeric_limits<std::uint64_t>::max()) == 11);
    CHECK(number_bytes(std::numeric_limits<std::int64_t>::min()) == 12);
    for (const char* bad : {"", "-", ".", "1.2.3", "e5", "1e", "1e999", "0x1", " 1", "nan", "1-"})
      CHECK_THROWS_AS(number_bytes(bad), std::invalid_argument);
  }

  TEST_CASE("an item's size is its attributes' names and values") {
    CHECK(ItemSize{}.bytes() == 0);
    CHECK(ItemSize{}.text("pk", "RSAGA#1").bytes() == 2 + 7);
    CHECK(ItemSize{}.text("name", "\xC3\xA9").bytes() == 4 + 2);  // UTF-8 bytes, not characters
    CHECK(ItemSize{}.boolean("open").null("gone").bytes() == 5 + 5);
    CHECK(ItemSize{}.number("v", 42).bytes() == 1 + 2);
    CHECK(ItemSize{}.list("l", {}).bytes() == 1 + 3);
    CHECK(ItemSize{}.list("l", {2, 5}).bytes() == 1 + 3 + 1 + 2 + 1 + 5);
    CHECK(ItemSize{}.map("m", ItemSize{}.text("a", "bc").boolean("d")).bytes() == 1 + 3 + (1 + 3) + (1 + 2));
  }
}
