// SPDX-License-Identifier: BSL-1.0
#include <evenkey/fields/timestamp.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "support/exotic_locale.hpp"
#include "support/field_text.hpp"
#include "support/key_vectors.hpp"

namespace {

using evenkey::KeyErrorReason;
using evenkey::Timestamp;
using support::fault;
using support::write;
using namespace std::chrono;
using Milliseconds = sys_time<milliseconds>;

Milliseconds at(std::int64_t count) { return Milliseconds(milliseconds(count)); }

static_assert(evenkey::value_field<Timestamp>);
static_assert(evenkey::detail::is_whole_milliseconds<sys_days> &&
              evenkey::detail::is_whole_milliseconds<sys_seconds>);
static_assert(!evenkey::detail::is_whole_milliseconds<system_clock::time_point>);
static_assert(!evenkey::detail::is_whole_milliseconds<local_days> &&
              !evenkey::detail::is_whole_milliseconds<milliseconds>);
static_assert(!evenkey::detail::is_whole_milliseconds<sys_time<duration<double>>>);
static_assert(Timestamp::read("1970-01-01T00:00:00.001Z", '#') == Milliseconds(milliseconds(1)));

void check_golden_times() {
  for (const auto& row : support::read_key_vectors("timestamp")) {
    CAPTURE(row.text);
    CHECK(write<Timestamp>(at(std::stoll(row.value))) == row.text);
    CHECK(Timestamp::read(row.text, '#') == at(std::stoll(row.value)));
  }
}

}  // namespace

TEST_SUITE("fields") {
  TEST_CASE("times write the golden text and read it back") { check_golden_times(); }

  TEST_CASE("a locale of other digits and signs changes no byte of a time") {
    const support::ExoticLocale locale;
    check_golden_times();
  }

  TEST_CASE("F22: times before 1970 count toward the past") {
    CHECK(write<Timestamp>(at(-1)) == "1969-12-31T23:59:59.999Z");
    CHECK(write<Timestamp>(at(-1500)) == "1969-12-31T23:59:58.500Z");
    CHECK(write<Timestamp>(sys_days(year(107) / 6 / 5)) == "0107-06-05T00:00:00.000Z");
  }

  TEST_CASE("F22: years 10000 and -1 are refused") {
    CHECK(fault<Timestamp>(sys_days(year(10000) / 1 / 1)) == KeyErrorReason::out_of_range);
    CHECK(fault<Timestamp>(sys_days(year(-1) / 12 / 31)) == KeyErrorReason::out_of_range);
    CHECK(fault<Timestamp>(sys_days(year(10000) / 1 / 1) - milliseconds(1)) == std::nullopt);
    CHECK(fault<Timestamp>(sys_days(year(0) / 1 / 1)) == std::nullopt);
    CHECK(fault<Timestamp>(sys_days(year(0) / 1 / 1) - milliseconds(1)) == KeyErrorReason::out_of_range);
  }

  TEST_CASE("a coarse time far out of range is refused, not overflowed into range") {
    CHECK(fault<Timestamp>(sys_time<hours>::max()) == KeyErrorReason::out_of_range);
    CHECK(fault<Timestamp>(sys_time<hours>::min()) == KeyErrorReason::out_of_range);
    CHECK(fault<Timestamp>(Milliseconds::max()) == KeyErrorReason::out_of_range);
    CHECK(fault<Timestamp>(Milliseconds::min()) == KeyErrorReason::out_of_range);
    CHECK(fault<Timestamp>(sys_time<duration<std::uint64_t, std::ratio<86400>>>::max()) ==
          KeyErrorReason::out_of_range);
    CHECK(write<Timestamp>(sys_days(year(9999) / 12 / 31)) == "9999-12-31T00:00:00.000Z");
    CHECK(write<Timestamp>(sys_time<duration<std::uint64_t>>(duration<std::uint64_t>(1))) ==
          "1970-01-01T00:00:01.000Z");
  }

  TEST_CASE("only times that exist, written in full, are read") {
    for (const std::string_view text : {"",
                                        "2026-07-08",
                                        "2026-07-08T12:00:00Z",
                                        "2026-07-08T12:00:00.000",
                                        "2026-07-08T12:00:00.000z",
                                        "2026-07-08t12:00:00.000Z",
                                        "2026-07-08 12:00:00.000Z",
                                        "2026-7-08T12:00:00.0000Z",
                                        "+026-07-08T12:00:00.000Z",
                                        "-001-07-08T12:00:00.000Z",
                                        "2026-07-08T12:00:00,000Z",
                                        "2026-07-08T12:00:00.000Z ",
                                        " 2026-07-08T12:00:00.000Z",
                                        "2026-00-08T12:00:00.000Z",
                                        "2026-13-08T12:00:00.000Z",
                                        "2026-07-00T12:00:00.000Z",
                                        "2026-07-32T12:00:00.000Z",
                                        "2026-02-29T12:00:00.000Z",
                                        "1900-02-29T12:00:00.000Z",
                                        "2026-04-31T12:00:00.000Z",
                                        "2026-07-08T24:00:00.000Z",
                                        "2026-07-08T12:60:00.000Z",
                                        "2016-12-31T23:59:60.000Z",
                                        "2026-07-08T12:00:00.00 Z",
                                        "2026-07-08T12:00:0O.000Z"}) {
      CAPTURE(text);
      CHECK(!Timestamp::read(text, '#'));
    }
    CHECK(Timestamp::read("2000-02-29T23:59:59.999Z", '#').has_value());
    CHECK(Timestamp::read("0000-02-29T23:59:59.999Z", '#').has_value());
  }

  TEST_CASE("every day of 800 years comes back, and sorts after the day before") {
    std::string before;
    std::size_t wrong = 0;
    for (sys_days day = year(1500) / 1 / 1; day < sys_days(year(2300) / 1 / 1); day += days(1)) {
      const std::string text = write<Timestamp>(day).value();
      wrong += before < text && Timestamp::read(text, '#') == Milliseconds(day) ? 0U : 1U;
      before = text;
    }
    CHECK(wrong == 0);
  }
}
