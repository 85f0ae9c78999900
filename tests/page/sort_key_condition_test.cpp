// SPDX-License-Identifier: BSL-1.0
#include <evenkey/composite_key.hpp>
#include <evenkey/page.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

using evenkey::SortKeyCondition;
using evenkey::SortKeyValue;
using Form = SortKeyCondition::Form;

namespace {

// 2^53 + 1 is the first integer that no double holds; converted, it would equal its neighbours.
constexpr std::int64_t two_to_53 = std::int64_t{1} << 53;
constexpr std::int64_t least = (std::numeric_limits<std::int64_t>::min)();
constexpr std::int64_t most = (std::numeric_limits<std::int64_t>::max)();

struct Ranked {
  std::variant<std::int64_t, double> number;
  int rank;  // equal ranks are equal numbers
};

/// Integers and doubles together, in order.
const std::vector<Ranked>& ranked_numbers() {
  static const std::vector<Ranked> numbers{
      {-1.5e300, 0},
      {-9223372036854777856.0, 1},
      {least, 2},
      {-9223372036854775808.0, 2},
      {least + 1, 3},
      {-two_to_53 - 1, 4},
      {-two_to_53, 5},
      {-9007199254740992.0, 5},
      {-1.5, 6},
      {std::int64_t{-1}, 7},
      {-1.0, 7},
      {-0.5, 8},
      {std::int64_t{0}, 9},
      {0.0, 9},
      {-0.0, 9},
      {5e-324, 10},
      {0.5, 11},
      {std::int64_t{1}, 12},
      {1.5, 13},
      {two_to_53, 14},
      {9007199254740992.0, 14},
      {two_to_53 + 1, 15},
      {two_to_53 + 2, 16},
      {9007199254740994.0, 16},
      {9223372036854774784.0, 17},
      {most - 1, 18},
      {most, 19},
      {9223372036854775808.0, 20},
      {1.5e300, 21},
  };
  return numbers;
}

template <class Make>
SortKeyCondition with(const Ranked& number, Make make) {
  return std::visit([&](auto value) { return make(value); }, number.number);
}
bool matches(const SortKeyCondition& condition, const Ranked& number) {
  return std::visit([&](auto value) { return condition.matches(value); }, number.number);
}

/// Something that converts to a string_view, as an SDK's string does.
struct SdkString {
  std::string bytes;
  operator std::string_view() const { return bytes; }
};

}  // namespace

TEST_SUITE("page") {
  TEST_CASE("the forms compare text by unsigned bytes") {
    const std::vector<std::string> ordered{
        "",         std::string(1, '\0'), "A",   "a!#t", "a#t", "z", "z#", "\x7F",
        "\xC3\xA9", "\xF0\x9F\x98\x80",   "\xFF"};
    for (std::size_t value = 0; value < ordered.size(); ++value) {
      const std::string& than = ordered[value];
      for (std::size_t i = 0; i < ordered.size(); ++i) {
        const std::string& key = ordered[i];
        CHECK(SortKeyCondition::equal(than).matches(key) == (i == value));
        CHECK(SortKeyCondition::less(than).matches(key) == (i < value));
        CHECK(SortKeyCondition::less_equal(than).matches(key) == (i <= value));
        CHECK(SortKeyCondition::greater(than).matches(key) == (i > value));
        CHECK(SortKeyCondition::greater_equal(than).matches(key) == (i >= value));
        for (std::size_t upper = value; upper < ordered.size(); ++upper)
          CHECK(SortKeyCondition::between(than, ordered[upper]).matches(key) == (value <= i && i <= upper));
      }
    }
  }

  TEST_CASE("a bound that composite keys begin with lies just below them") {
    using Key = evenkey::CompositeKey<evenkey::Text, evenkey::Text>;
    const std::string june = Key::encode("2026-06", "o9"), july = Key::encode("2026-07", "o1");
    const std::string prefix = Key::prefix("2026-07");
    CHECK(prefix == "2026-07#");
    for (const std::string& bound : {prefix, std::string("2026-07")}) {
      CAPTURE(bound);
      CHECK_FALSE(SortKeyCondition::less(bound).matches(july));
      CHECK_FALSE(SortKeyCondition::less_equal(bound).matches(july));
      CHECK(SortKeyCondition::less_equal(bound).matches(june));
      CHECK(SortKeyCondition::less_equal(bound).matches(bound));
      CHECK(SortKeyCondition::greater(bound).matches(july));
      CHECK(SortKeyCondition::greater_equal(bound).matches(july));
      CHECK_FALSE(SortKeyCondition::greater_equal(bound).matches(june));
      CHECK_FALSE(SortKeyCondition::greater(bound).matches(bound));
      CHECK(SortKeyCondition::between(bound, "2026-08").matches(july));
      CHECK_FALSE(SortKeyCondition::between("2026-06", bound).matches(july));
    }
    CHECK(SortKeyCondition::less("2026-07$").matches(july));
    CHECK_FALSE(SortKeyCondition::greater_equal("2026-07$").matches(july));
  }

  TEST_CASE("begins_with takes the bytes as they are") {
    const auto condition = SortKeyCondition::begins_with("p1#");
    CHECK(condition.matches("p1#"));
    CHECK(condition.matches("p1#T1"));
    CHECK_FALSE(condition.matches("p1"));
    CHECK_FALSE(condition.matches("p10#T1"));
    CHECK_FALSE(condition.matches("P1#T1"));
    CHECK(SortKeyCondition::begins_with("").matches(""));
    CHECK(SortKeyCondition::begins_with(std::string_view("a\0", 2)).matches(std::string_view("a\0b", 3)));
    CHECK_FALSE(SortKeyCondition::begins_with(std::string_view("a\0", 2)).matches("a"));
  }

  TEST_CASE("no condition matches everything, text and numbers") {
    const SortKeyCondition none;
    CHECK(none.form() == Form::none);
    CHECK(none.matches(""));
    CHECK(none.matches("x"));
    CHECK(none.matches(std::int64_t{-1}));
    CHECK(none.matches(0.5));
  }

  TEST_CASE("the forms compare numbers by value, integers and doubles exactly with each other") {
    for (const Ranked& value : ranked_numbers()) {
      const auto equal = with(value, [](auto v) { return SortKeyCondition::equal(v); });
      const auto less = with(value, [](auto v) { return SortKeyCondition::less(v); });
      const auto less_equal = with(value, [](auto v) { return SortKeyCondition::less_equal(v); });
      const auto greater = with(value, [](auto v) { return SortKeyCondition::greater(v); });
      const auto greater_equal = with(value, [](auto v) { return SortKeyCondition::greater_equal(v); });
      for (const Ranked& key : ranked_numbers()) {
        CAPTURE(value.rank);
        CAPTURE(key.rank);
        CHECK(matches(equal, key) == (key.rank == value.rank));
        CHECK(matches(less, key) == (key.rank < value.rank));
        CHECK(matches(less_equal, key) == (key.rank <= value.rank));
        CHECK(matches(greater, key) == (key.rank > value.rank));
        CHECK(matches(greater_equal, key) == (key.rank >= value.rank));
      }
    }
  }

  TEST_CASE("between of numbers holds both ends, and may mix integers and doubles") {
    for (const Ranked& lower : ranked_numbers()) {
      for (const Ranked& upper : ranked_numbers()) {
        const auto make = [&] {
          return std::visit([](auto a, auto b) { return SortKeyCondition::between(a, b); }, lower.number,
                            upper.number);
        };
        if (lower.rank > upper.rank) {
          CHECK_THROWS_AS((void)make(), std::invalid_argument);
          continue;
        }
        const SortKeyCondition between = make();
        bool right = true;
        for (const Ranked& key : ranked_numbers())
          right = right && matches(between, key) == (lower.rank <= key.rank && key.rank <= upper.rank);
        CHECK(right);
      }
    }
  }

  TEST_CASE("between with swapped ends is refused, with equal ends it is equality") {
    CHECK_THROWS_AS((void)SortKeyCondition::between("b", "a"), std::invalid_argument);
    CHECK_THROWS_AS((void)SortKeyCondition::between("\xC3\xA9", "z"), std::invalid_argument);
    CHECK_THROWS_AS((void)SortKeyCondition::between(2, 1), std::invalid_argument);
    const auto one = SortKeyCondition::between("a", "a");
    CHECK(one.matches("a"));
    CHECK_FALSE(one.matches("a "));
  }

  TEST_CASE("NaN is no DynamoDB number, in any form") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_AS((void)SortKeyCondition::equal(nan), std::invalid_argument);
    CHECK_THROWS_AS((void)SortKeyCondition::less(nan), std::invalid_argument);
    CHECK_THROWS_AS((void)SortKeyCondition::less_equal(nan), std::invalid_argument);
    CHECK_THROWS_AS((void)SortKeyCondition::greater(nan), std::invalid_argument);
    CHECK_THROWS_AS((void)SortKeyCondition::greater_equal(nan), std::invalid_argument);
    CHECK_THROWS_AS((void)SortKeyCondition::between(nan, 1.0), std::invalid_argument);
    CHECK_THROWS_AS((void)SortKeyCondition::between(1.0, nan), std::invalid_argument);
    CHECK_THROWS_AS((void)SortKeyCondition::equal(std::numeric_limits<float>::quiet_NaN()),
                    std::invalid_argument);
    // Found by fuzzing: a value that is one already was taken as it is, and compared with integers.
    CHECK_THROWS_AS((void)SortKeyCondition::equal(evenkey::SortKeyValue(nan)), std::invalid_argument);
    CHECK_THROWS_AS((void)SortKeyCondition::between(evenkey::SortKeyValue(1.0), evenkey::SortKeyValue(nan)),
                    std::invalid_argument);
  }

  TEST_CASE("text and numbers are never compared with each other") {
    const auto refused = [](const SortKeyCondition& condition, const auto& key) {
      try {
        (void)condition.matches(key);
        return false;
      } catch (const std::invalid_argument&) {
        return true;
      }
    };
    for (const auto& condition : {SortKeyCondition::equal(1), SortKeyCondition::less(1.5),
                                  SortKeyCondition::between(1, 2.5), SortKeyCondition::greater_equal(0)})
      CHECK(refused(condition, "1"));
    for (const auto& condition : {SortKeyCondition::equal("1"), SortKeyCondition::less("2"),
                                  SortKeyCondition::between("1", "2"), SortKeyCondition::begins_with("1")}) {
      CHECK(refused(condition, 1));
      CHECK(refused(condition, 1.0));
    }
    CHECK_THROWS_AS((void)SortKeyCondition::between("1", 2), std::invalid_argument);
    CHECK_THROWS_AS((void)SortKeyCondition::between(1, "2"), std::invalid_argument);
  }

  TEST_CASE("a condition shows its form and values, so that a functor can render it") {
    const auto between = SortKeyCondition::between(std::int16_t{-3}, 2.5F);
    CHECK(between.form() == Form::between);
    CHECK(between.value() == SortKeyValue(std::int64_t{-3}));
    CHECK(between.upper() == SortKeyValue(2.5));
    const auto prefix = SortKeyCondition::begins_with("p1#");
    CHECK(prefix.form() == Form::begins_with);
    CHECK(prefix.value() == SortKeyValue(std::string("p1#")));
    CHECK(SortKeyCondition::equal(1).form() == Form::equal);
    CHECK(SortKeyCondition::less(1).form() == Form::less);
    CHECK(SortKeyCondition::less_equal(1).form() == Form::less_equal);
    CHECK(SortKeyCondition::greater(1).form() == Form::greater);
    CHECK(SortKeyCondition::greater_equal(1).form() == Form::greater_equal);
  }

  TEST_CASE("values come in any type that stands for text or a number") {
    CHECK(SortKeyCondition::equal(SdkString{"k"}).matches(std::string("k")));
    CHECK(SortKeyCondition::equal(std::string("k")).matches(SdkString{"k"}));
    CHECK(SortKeyCondition::equal(std::string_view("k")).matches("k"));
    CHECK(SortKeyCondition::equal(std::uint32_t{4'000'000'000}).matches(std::int64_t{4'000'000'000}));
    CHECK(SortKeyCondition::equal(static_cast<signed char>(-5)).matches(std::int64_t{-5}));
    CHECK(SortKeyCondition::equal(0.5F).matches(0.5));
    static_assert(!evenkey::sort_key_number<bool> && !evenkey::sort_key_number<char> &&
                  !evenkey::sort_key_number<std::uint64_t> && evenkey::sort_key_number<const int&>);
    static_assert(evenkey::sort_key_text<SdkString> && evenkey::sort_key_text<const char*> &&
                  !evenkey::sort_key_text<int> && !evenkey::sort_key_text<std::vector<char>>);
  }

  TEST_CASE("conditions are equal when form and values are") {
    CHECK(SortKeyCondition::equal("a") == SortKeyCondition::equal(std::string("a")));
    CHECK(SortKeyCondition::equal("a") != SortKeyCondition::less("a"));
    CHECK(SortKeyCondition::equal("a") != SortKeyCondition::equal("b"));
    CHECK(SortKeyCondition::between("a", "b") != SortKeyCondition::between("a", "c"));
    CHECK(SortKeyCondition() == SortKeyCondition());
    CHECK(SortKeyCondition() != SortKeyCondition::begins_with(""));
  }

  TEST_CASE("a NaN is refused as a value and as a key: it has no place in any order") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_AS((void)evenkey::SortKeyCondition::equal(nan), std::invalid_argument);
    CHECK_THROWS_AS((void)evenkey::SortKeyCondition::equal(1.5).matches(nan), std::invalid_argument);
  }
}
