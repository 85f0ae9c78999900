// SPDX-License-Identifier: BSL-1.0
#include <evenkey/migrate/layout_record.hpp>
#include <evenkey/read/find.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "support/golden_lines.hpp"
#include "support/two_copies.hpp"

namespace {

using evenkey::MemoryRecordStore;
using evenkey::Phase;
using support::CopiesBy;

using Cutover = evenkey::Migration<CopiesBy<16>, evenkey::UnshardedKey<"C">>;
constexpr Cutover cutover{evenkey::insert_visible_first};

/// A start-up: the layout first, then a read.
template <class Index>
std::size_t open_and_find(MemoryRecordStore& layouts, support::TwoCopies& store, const Index& index) {
  evenkey::check_layout(layouts, index);
  return evenkey::find(index, store.query(), "a").items.size();
}

}  // namespace

TEST_SUITE("migrate") {
  TEST_CASE("layout records are written as another implementation writes them, and read back") {
    const auto lines = support::golden_lines("layout_records.tsv");
    REQUIRE(lines.size() == 2);
    for (const auto& line : lines) {
      REQUIRE(line.size() == 2);
      CHECK(evenkey::encode_layout_record(line[0]) == line[1]);
      CHECK(evenkey::parse_layout_record(line[1]) == line[0]);
      for (std::size_t i = 0; i < line[1].size(); ++i) {
        std::string damaged = line[1];
        damaged[i] = static_cast<char>(damaged[i] ^ 1);
        CHECK(!evenkey::parse_layout_record(damaged));
        CHECK(!evenkey::parse_layout_record(std::string_view(line[1]).substr(0, i)));
      }
      CHECK(!evenkey::parse_layout_record(line[1] + "x"));
    }
  }

  TEST_CASE("F19: opened with another N than was stored, an error names both before the first request") {
    const auto differs = [](const auto& writer, const auto& reader) {
      MemoryRecordStore layouts;
      support::TwoCopies store;
      evenkey::check_layout(layouts, writer);
      CHECK(open_and_find(layouts, store, writer) == 0);
      store.queries = 0;
      try {
        (void)open_and_find(layouts, store, reader);
        FAIL("was opened");
      } catch (const evenkey::layout_error& error) {
        CHECK(error.stored() == evenkey::layout_of(writer));
        CHECK(error.own() == evenkey::layout_of(reader));
        CHECK(std::string(error.what()).find(error.stored()) != std::string::npos);
        CHECK(std::string(error.what()).find(error.own()) != std::string::npos);
      }
      CHECK(store.queries == 0);
    };
    differs(CopiesBy<8>{}, CopiesBy<16>{});
    differs(CopiesBy<16>{}, CopiesBy<8>{});
  }

  TEST_CASE("F19: with a migration that names both, a row is found once, in either place") {
    constexpr evenkey::Migration<CopiesBy<16>, CopiesBy<8>::PartitionKey> doubling{
        evenkey::insert_visible_first};
    CHECK(CopiesBy<8>::PartitionKey::of("a") == "C#7");
    CHECK(CopiesBy<16>::PartitionKey::of("a") == "C#15");
    for (const std::string_view partition : {"C#7", "C#15"}) {
      support::TwoCopies store;
      store.put({"1", "a", "a#1", std::string(partition)});
      for (const Phase phase : {Phase::dual_read, Phase::destination_writes}) {
        MemoryRecordStore layouts;
        evenkey::check_layout(layouts, CopiesBy<8>{});
        evenkey::check_layout(layouts, doubling, phase);
        CHECK(evenkey::find(doubling.at(phase), store.query(), "a").items.size() == 1);
      }
    }
  }

  TEST_CASE("the first to come stores its layout, also where two come at once") {
    struct Racing : MemoryRecordStore {
      std::optional<std::string> load() {
        auto text = MemoryRecordStore::load();
        if (!std::exchange(raced, true))
          (void)MemoryRecordStore::replace(text,
                                           evenkey::encode_layout_record(evenkey::layout_of(CopiesBy<8>{})));
        return text;
      }
      bool raced = false;
    };
    Racing same;
    CHECK_NOTHROW(evenkey::check_layout(same, CopiesBy<8>{}));
    Racing another;
    CHECK_THROWS_AS(evenkey::check_layout(another, CopiesBy<16>{}), evenkey::layout_error);
  }

  TEST_CASE("a store that neither stores nor loads is refused") {
    struct Forgetful {
      static std::optional<std::string> load() { return std::nullopt; }
      static bool replace(const std::optional<std::string>&, std::string_view) { return false; }
    };
    Forgetful layouts;
    try {
      evenkey::check_layout(layouts, CopiesBy<8>{});
      FAIL("was accepted");
    } catch (const evenkey::layout_error& error) {
      CHECK(std::string_view(error.what()).find("cannot be stored or loaded") != std::string_view::npos);
      CHECK(error.stored().empty());
      CHECK(error.own() == evenkey::layout_of(CopiesBy<8>{}));
    }
  }

  TEST_CASE("a record of another layout is refused, wherever the application keeps it") {
    const std::string record = evenkey::encode_layout_record(evenkey::layout_of(CopiesBy<8>{}));
    CHECK_THROWS_WITH_AS(evenkey::check_layout(record, CopiesBy<16>{}),
                         doctest::Contains("reads would miss rows"), evenkey::layout_error);
  }

  TEST_CASE("a record whose escapes are cut short, or of no hexadecimal digits, is none") {
    for (const std::string value : {"a%", "a%2", "a%2G", "a%G2", "%0a"}) {
      CAPTURE(value);
      const std::string lines = "evenkey-layout/1\nlayout: " + value + "\n";
      CHECK(!evenkey::parse_layout_record(
          lines + "checksum: " + evenkey::detail::hex64(evenkey::Xxh3_64{}(lines)) + "\n"));
    }
  }

  TEST_CASE("a text that is no record is refused") {
    CHECK_THROWS_AS(evenkey::check_layout("", CopiesBy<8>{}), evenkey::layout_error);
    CHECK_THROWS_AS(evenkey::check_layout("evenkey-layout/2\n", CopiesBy<8>{}), evenkey::layout_error);
    CHECK_NOTHROW(evenkey::check_layout(evenkey::encode_layout_record(evenkey::layout_of(CopiesBy<8>{})),
                                        CopiesBy<8>{}));
    MemoryRecordStore damaged;
    REQUIRE(damaged.replace(std::nullopt, "?"));
    CHECK_THROWS_AS(evenkey::check_layout(damaged, CopiesBy<8>{}), evenkey::layout_error);
    CHECK_THROWS_AS(evenkey::adopt_layout(damaged, cutover), evenkey::layout_error);
  }

  TEST_CASE("a migration's phases take the layouts that they read, and the layout changes before the last") {
    MemoryRecordStore layouts;
    evenkey::check_layout(layouts, cutover, Phase::source);
    CHECK(evenkey::parse_layout_record(*layouts.load()) == "copies: C (unsharded)");
    CHECK_NOTHROW(evenkey::check_layout(layouts, cutover, Phase::dual_read));
    CHECK_NOTHROW(evenkey::check_layout(layouts, cutover, Phase::destination_writes));
    CHECK_THROWS_AS(evenkey::check_layout(layouts, cutover, Phase::destination), evenkey::layout_error);
    CHECK_THROWS_AS(evenkey::check_layout(layouts, CopiesBy<16>{}), evenkey::layout_error);
    evenkey::adopt_layout(layouts, cutover);
    evenkey::adopt_layout(layouts, cutover);
    CHECK_NOTHROW(evenkey::check_layout(layouts, CopiesBy<16>{}));
    CHECK_NOTHROW(evenkey::check_layout(layouts, cutover, Phase::destination));
    CHECK_NOTHROW(evenkey::check_layout(layouts, cutover, Phase::destination_writes));
    CHECK_THROWS_AS(evenkey::check_layout(layouts, cutover, Phase::source), evenkey::layout_error);
    evenkey::adopt_layout(layouts, cutover.reversed());
    CHECK_NOTHROW(evenkey::check_layout(layouts, cutover, Phase::source));

    MemoryRecordStore others;
    evenkey::check_layout(others, CopiesBy<3>{});
    CHECK_THROWS_AS(evenkey::adopt_layout(others, cutover), evenkey::layout_error);
  }
}
