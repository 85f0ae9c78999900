// SPDX-License-Identifier: BSL-1.0
#include <evenkey/fields/number.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include "support/exotic_locale.hpp"
#include "support/field_text.hpp"
#include "support/key_vectors.hpp"
#include "support/seed.hpp"

namespace {

using evenkey::KeyErrorReason;
using evenkey::Number;
using evenkey::SignedNumber;
using support::fault;
using support::write;

static_assert(evenkey::value_field<Number<10>> && evenkey::value_field<SignedNumber<10>>);
static_assert(evenkey::detail::plain_integer<std::uint8_t> && evenkey::detail::plain_integer<long long>);
static_assert(!evenkey::detail::plain_integer<bool> && !evenkey::detail::plain_integer<char> &&
              !evenkey::detail::plain_integer<char8_t> && !evenkey::detail::plain_integer<double>);
static_assert(Number<4>::read("0042", '#') == 42U && SignedNumber<4>::read("n9989", '#') == -10);

constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();

template <std::size_t Width>
void check_unsigned(const support::KeyVector& row) {
  const std::uint64_t value = std::stoull(row.value);
  CHECK(write<Number<Width>>(value) == row.text);
  CHECK(Number<Width>::read(row.text, '#') == value);
}

template <std::size_t Width>
void check_signed(const support::KeyVector& row) {
  const std::int64_t value = std::stoll(row.value);
  CHECK(write<SignedNumber<Width>>(value) == row.text);
  CHECK(SignedNumber<Width>::read(row.text, '#') == value);
}

void check_golden_numbers() {
  for (const support::KeyVector& row : support::read_key_vectors("number")) {
    CAPTURE(row.text);
    switch (std::stoi(row.parameter)) {
      case 1:
        check_unsigned<1>(row);
        break;
      case 4:
        check_unsigned<4>(row);
        break;
      case 10:
        check_unsigned<10>(row);
        break;
      case 20:
        check_unsigned<20>(row);
        break;
      default:
        FAIL("no such width in the test");
    }
  }
  for (const support::KeyVector& row : support::read_key_vectors("signed")) {
    CAPTURE(row.text);
    switch (std::stoi(row.parameter)) {
      case 1:
        check_signed<1>(row);
        break;
      case 4:
        check_signed<4>(row);
        break;
      case 19:
        check_signed<19>(row);
        break;
      default:
        FAIL("no such width in the test");
    }
  }
}

}  // namespace

TEST_SUITE("fields") {
  TEST_CASE("numbers write the golden digits and read them back") { check_golden_numbers(); }

  TEST_CASE("a locale that groups digits changes no byte") {
    const support::ExoticLocale locale;
    check_golden_numbers();
  }

  TEST_CASE("F22: signed numbers keep their order as text") {
    std::string before;
    for (const int value : {-10, -2, 0, 9, 900, 2800}) {
      const std::string text = write<SignedNumber<4>>(value).value();
      CHECK(before < text);
      before = text;
    }
  }

  TEST_CASE("F22: one digit too many is refused, and so is a sign where there is none") {
    CHECK(write<Number<4>>(9999) == "9999");
    CHECK(fault<Number<4>>(10000) == KeyErrorReason::out_of_range);
    CHECK(fault<Number<4>>(-1) == KeyErrorReason::negative);
    CHECK(fault<Number<20>>(lowest) == KeyErrorReason::negative);
    CHECK(fault<SignedNumber<4>>(10000) == KeyErrorReason::out_of_range);
    CHECK(fault<SignedNumber<4>>(-9999) == std::nullopt);
    CHECK(fault<SignedNumber<4>>(-10000) == KeyErrorReason::out_of_range);
  }

  TEST_CASE("the ends of 64 bits pass, and nothing wraps around") {
    CHECK(write<SignedNumber<19>>(lowest) == "n0776627963145224191");
    CHECK(SignedNumber<19>::read("n0776627963145224191", '#') == lowest);
    CHECK(!SignedNumber<19>::read("n0776627963145224190", '#'));
    CHECK(write<SignedNumber<19>>(highest) == "p9223372036854775807");
    CHECK(!SignedNumber<19>::read("p9223372036854775808", '#'));
    CHECK(fault<SignedNumber<19>>(static_cast<std::uint64_t>(highest) + 1) == KeyErrorReason::out_of_range);
    CHECK(!Number<20>::read("18446744073709551616", '#'));
    CHECK(!Number<20>::read("99999999999999999999", '#'));
    CHECK(write<Number<20>>(std::uint8_t{7}) == "00000000000000000007");
  }

  TEST_CASE("only what is written is read") {
    for (const std::string_view text : {"", "1", "001", "00001", " 001", "001 ", "+001", "-001", "0x01",
                                        "1e03", "00a1", "0\0001", "#001"}) {
      CAPTURE(text);
      CHECK(!Number<4>::read(text, '#'));
    }
    for (const std::string_view text : {"", "p", "0001", "00001", "p001", "p00001", "P0001", "N9998", "p 001",
                                        "p+001", "p-001", "n 998", "-9998", "n9999"}) {
      CAPTURE(text);
      CHECK(!SignedNumber<4>::read(text, '#'));
    }
  }

  TEST_CASE("text order is number order, and every number comes back") {
    const std::uint64_t seed = support::seed();
    INFO("seed ", seed);
    std::mt19937_64 random(seed);
    // Shifted by a random number of bits, so that small numbers come too.
    const auto draw = [&random] { return random() >> (random() % 64); };
    std::size_t wrong = 0;
    for (int i = 0; i < 100'000; ++i) {
      const std::uint64_t a = draw(), b = draw();
      wrong += (*write<Number<20>>(a) < *write<Number<20>>(b)) == (a < b) ? 0U : 1U;
      wrong += Number<20>::read(*write<Number<20>>(a), '#') == a ? 0U : 1U;
      const auto c = static_cast<std::int64_t>(a) * (i % 2 == 0 ? 1 : -1);
      const auto d = static_cast<std::int64_t>(b >> 1) * (i % 3 == 0 ? 1 : -1);
      wrong += (*write<SignedNumber<19>>(c) < *write<SignedNumber<19>>(d)) == (c < d) ? 0U : 1U;
      wrong += SignedNumber<19>::read(*write<SignedNumber<19>>(c), '#') == c ? 0U : 1U;
    }
    CHECK(wrong == 0);
  }

  TEST_CASE("all numbers of two digits sort by value") {
    for (int value = -99; value < 99; ++value)
      CHECK(*write<SignedNumber<2>>(value) < *write<SignedNumber<2>>(value + 1));
  }
}
