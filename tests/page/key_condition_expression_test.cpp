// SPDX-License-Identifier: BSL-1.0
#include <evenkey/page/key_condition_expression.hpp>

#include <doctest/doctest.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/seed.hpp"

using evenkey::key_condition_expression;
using evenkey::KeyAttributeNames;
using evenkey::KeyConditionExpression;
using evenkey::SortKeyCondition;

namespace {

constexpr KeyAttributeNames attributes{"gsi1pk", "status"};

/// All of it on one line: text | names | values.
std::string line(const KeyConditionExpression& rendered) {
  std::string line = rendered.text;
  for (const auto& [placeholder, name] : rendered.names)
    line += (placeholder == "#ek_partition" ? " | " : ", ") + std::string(placeholder) + "=" + name;
  for (const auto& [placeholder, value] : rendered.values)
    line += (placeholder == ":ek_partition" ? " | " : ", ") + std::string(placeholder) + "=" +
            std::string(to_string(value.type)) + ":" + value.text;
  return line;
}

std::string sort_part(const SortKeyCondition& condition) {
  const std::string whole = line(key_condition_expression(attributes, "P#7", condition));
  const std::string head = "#ek_partition = :ek_partition AND ";
  const std::string names = " | #ek_partition=gsi1pk, #ek_sort=status | :ek_partition=S:P#7, ";
  REQUIRE(whole.starts_with(head));
  const auto at = whole.find(names);
  REQUIRE(at != std::string::npos);
  return whole.substr(head.size(), at - head.size()) + " | " + whole.substr(at + names.size());
}

template <class Number>
std::string number_of(Number value) {
  const auto rendered = key_condition_expression(attributes, "P#7", SortKeyCondition::equal(value));
  CHECK(rendered.values.at(1).second.type == evenkey::KeyAttributeValue::Type::number);
  return rendered.values.at(1).second.text;
}

}  // namespace

TEST_SUITE("page") {
  TEST_CASE("a query without a condition names the partition only: an unused name is refused by DynamoDB") {
    const char* const expected =
        "#ek_partition = :ek_partition | #ek_partition=gsi1pk | :ek_partition=S:RenewalSaga#13";
    CHECK(line(key_condition_expression(attributes, "RenewalSaga#13", {})) == expected);
    CHECK(line(key_condition_expression({"gsi1pk"}, "RenewalSaga#13", {})) == expected);
  }

  TEST_CASE("each form has its own text, and every value is named once") {
    using Condition = SortKeyCondition;
    CHECK(sort_part(Condition::equal("a")) == "#ek_sort = :ek_sort | :ek_sort=S:a");
    CHECK(sort_part(Condition::less("a")) == "#ek_sort < :ek_sort | :ek_sort=S:a");
    CHECK(sort_part(Condition::less_equal("a")) == "#ek_sort <= :ek_sort | :ek_sort=S:a");
    CHECK(sort_part(Condition::greater("a")) == "#ek_sort > :ek_sort | :ek_sort=S:a");
    CHECK(sort_part(Condition::greater_equal("a")) == "#ek_sort >= :ek_sort | :ek_sort=S:a");
    CHECK(sort_part(Condition::between("a", "b")) ==
          "#ek_sort BETWEEN :ek_sort AND :ek_sort_upper | :ek_sort=S:a, :ek_sort_upper=S:b");
    CHECK(sort_part(Condition::begins_with("a")) == "begins_with(#ek_sort, :ek_sort) | :ek_sort=S:a");
  }

  TEST_CASE("text passes as it is, whatever stands in it") {
    const std::string hostile("a'\"\\:ek_sort #\0\xF4\x8F\xBF\xBF AND", 22);
    const auto rendered = key_condition_expression({"a.b", "#x"}, hostile, SortKeyCondition::equal(hostile));
    CHECK(rendered.text == "#ek_partition = :ek_partition AND #ek_sort = :ek_sort");
    CHECK(rendered.names.at(0).second == "a.b");
    CHECK(rendered.names.at(1).second == "#x");
    CHECK(rendered.values.at(0).second.text == hostile);
    CHECK(rendered.values.at(1).second.text == hostile);
  }

  TEST_CASE("numbers are of type N, in the fewest digits that read back as the same number") {
    CHECK(sort_part(SortKeyCondition::between(-3, 12.5)) ==
          "#ek_sort BETWEEN :ek_sort AND :ek_sort_upper | :ek_sort=N:-3, :ek_sort_upper=N:12.5");
    CHECK(number_of(0) == "0");
    CHECK(number_of(-0.0) == "0");
    CHECK(number_of(std::numeric_limits<std::int64_t>::min()) == "-9223372036854775808");
    CHECK(number_of(std::numeric_limits<std::int64_t>::max()) == "9223372036854775807");
    CHECK(number_of(0.1) == "0.1");
    CHECK(number_of(-1e-130) == "-1e-130");
    CHECK(number_of(9.99e125) == "9.99e+125");

    MESSAGE("EVENKEY_TEST_SEED=" << support::seed());
    std::mt19937_64 bits(support::seed());
    for (int i = 0; i < 2000; ++i) {
      const double magnitude =
          std::ldexp(static_cast<double>(bits() >> 11U) + 1, static_cast<int>(bits() % 400) - 240);
      const double number = bits() % 2 == 0 ? magnitude : -magnitude;
      const std::string text = number_of(number);
      double back = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), back);
      REQUIRE(error == std::errc{});
      REQUIRE(end == text.data() + text.size());
      REQUIRE(back == number);
    }
  }

  TEST_CASE("what DynamoDB would refuse is refused here, with a reason") {
    const auto refused = [](const KeyAttributeNames& names, const SortKeyCondition& condition) {
      CHECK_THROWS_AS((void)key_condition_expression(names, "P#7", condition), std::invalid_argument);
    };
    refused({"", "sk"}, {});
    refused({"pk", ""}, SortKeyCondition::equal("a"));
    for (const double number : {1e126, -1e300, 1e-131, std::numeric_limits<double>::infinity()})
      refused(attributes, SortKeyCondition::less(number));
  }
}
