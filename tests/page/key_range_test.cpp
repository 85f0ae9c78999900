// SPDX-License-Identifier: BSL-1.0
#include <evenkey/page/key_range.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "support/seed.hpp"

using evenkey::SortKeyCondition;
using evenkey::detail::KeyRange;
using evenkey::detail::prefix_successor;

namespace {

/// Texts over code points at every edge of UTF-8, up to two of them, and some longer ones.
std::vector<std::string> hostile_keys() {
  const std::vector<std::string> points = {"\x01",
                                           "#",
                                           "a",
                                           "\x7f",
                                           "\xc2\x80",
                                           "\xdf\xbf",
                                           "\xe0\xa0\x80",
                                           "\xed\x9f\xbf",
                                           "\xee\x80\x80",
                                           "\xef\xbf\xbf",
                                           "\xf0\x90\x80\x80",
                                           "\xf4\x8f\xbf\xbf"};
  std::vector<std::string> keys = points;
  for (const std::string& a : points)
    for (const std::string& b : points)
      keys.push_back(a + b);
  return keys;
}

/// What DynamoDB takes as a value of a condition on the sort key.
void check_legal(const SortKeyCondition& condition) {
  const auto legal = [](const evenkey::SortKeyValue& value) {
    const auto* text = std::get_if<std::string>(&value);
    return text == nullptr || (!text->empty() && text->size() <= 1024 && evenkey::detail::is_utf8(*text));
  };
  if (condition.form() == SortKeyCondition::Form::none) return;
  REQUIRE(legal(condition.value()));
  if (condition.form() != SortKeyCondition::Form::between) return;
  REQUIRE(legal(condition.upper()));
  REQUIRE(evenkey::detail::compare_values(condition.value(), condition.upper()) <= 0);
}

}  // namespace

TEST_SUITE("page") {
  TEST_CASE("the successor of a prefix is above all that begin with it, and nothing is between") {
    const auto keys = hostile_keys();
    for (const std::string& prefix : keys) {
      const std::optional<std::string> successor = prefix_successor(prefix);
      if (successor) REQUIRE(evenkey::detail::is_utf8(*successor));
      for (const std::string& key : keys) {
        const bool below = !successor || key < *successor;
        REQUIRE(key.starts_with(prefix) == (key >= prefix && below));
      }
    }
    CHECK(prefix_successor("p1#") == "p1$");
    CHECK(prefix_successor("\xed\x9f\xbf") == "\xee\x80\x80");  // surrogates are skipped
    CHECK(prefix_successor("a\xf4\x8f\xbf\xbf") == "b");        // U+10FFFF carries
    CHECK(prefix_successor("\xc2\xbf") == "\xc3\x80");          // the last of 64 carries
    CHECK(prefix_successor("\xe4\xbf\xbf") == "\xe5\x80\x80");
    CHECK_FALSE(prefix_successor("\xf4\x8f\xbf\xbf\xf4\x8f\xbf\xbf"));
  }

  TEST_CASE(
      "every combination of prefix, range, place and window is one legal condition that covers it exactly") {
    const auto keys = hostile_keys();
    std::mt19937_64 random(support::seed());
    const auto any = [&]() -> const std::string& { return keys[random() % keys.size()]; };
    for (int i = 0; i < 3000; ++i) {
      KeyRange range;
      std::vector<SortKeyCondition> all;
      const auto add = [&](const SortKeyCondition& condition) {
        all.push_back(condition);
        range.intersect(KeyRange(condition));
      };
      if (random() % 2 == 0) add(SortKeyCondition::begins_with(any()));
      if (random() % 3 == 0) add(SortKeyCondition::greater(any()));
      if (random() % 3 == 0) add(SortKeyCondition::less(any()));
      if (random() % 4 == 0) add(SortKeyCondition::begins_with(any()));
      if (random() % 6 == 0) add(SortKeyCondition::equal(any()));
      if (random() % 4 == 0) {
        const std::string &a = any(), &b = any();
        add(SortKeyCondition::between((std::min)(a, b), (std::max)(a, b)));
      }
      if (random() % 2 == 0) {
        const std::string& place = any();
        all.push_back(SortKeyCondition::greater_equal(place));
        range.at_least(place);
      }
      if (random() % 2 == 0) {
        const std::string& window = any();
        all.push_back(SortKeyCondition::less_equal(window));
        range.at_most(window);
      }
      std::optional<SortKeyCondition> one;
      if (!range.empty()) {
        one = range.condition();
        check_legal(*one);
      }
      for (const std::string& key : keys) {
        const bool wanted =
            std::all_of(all.begin(), all.end(), [&](const auto& c) { return c.matches(key); });
        REQUIRE(range.contains(key) == wanted);
        if (wanted) REQUIRE((one && one->matches(key)));
      }
    }
  }

  TEST_CASE("a prefix alone stays a prefix, also beside bounds that it does not need") {
    KeyRange range(SortKeyCondition::begins_with("p1#"));
    range.at_least(std::string("p1#"));
    range.at_most(std::string("q"));
    CHECK(range.condition() == SortKeyCondition::begins_with("p1#"));
    range.at_least(std::string("p1#T5"));
    CHECK(range.condition() == SortKeyCondition::between("p1#T5", "p1$"));
    CHECK_FALSE(range.contains(std::string("p1$")));  // the surplus of an inclusive bound
  }

  TEST_CASE("values that DynamoDB refuses are refused here, a full-length prefix is the one key it can be") {
    CHECK_THROWS_AS(KeyRange(SortKeyCondition::begins_with("")), evenkey::key_error);
    CHECK_THROWS_AS(KeyRange(SortKeyCondition::equal("\xff")), evenkey::key_error);
    CHECK_THROWS_AS(KeyRange(SortKeyCondition::less(std::string(1025, 'x'))), evenkey::key_error);
    const std::string full(1024, 'x');
    const KeyRange range(SortKeyCondition::begins_with(full));
    CHECK(range.condition() == SortKeyCondition::equal(full));
  }

  TEST_CASE("numbers: bounds of both types, empty ranges") {
    KeyRange range(SortKeyCondition::greater(1));
    range.at_most(2.5);
    CHECK(range.contains(std::int64_t{2}));
    CHECK_FALSE(range.contains(std::int64_t{1}));
    CHECK_FALSE(range.contains(3.0));
    CHECK_FALSE(range.empty());
    range.below(std::int64_t{1});
    CHECK(range.empty());
    KeyRange point(SortKeyCondition::less_equal(4));
    point.at_least(std::int64_t{4});
    CHECK(point.condition() == SortKeyCondition::equal(4));
    point.above(std::int64_t{4});
    CHECK(point.empty());
  }
}
