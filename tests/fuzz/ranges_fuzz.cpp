// SPDX-License-Identifier: BSL-1.0
//
// Ranges of sort keys: a caller's condition, a place to go on from and a window become one condition, which is
// legal, lets all keys of the range through, and loses none; by a reference that looks at each key by itself.
#include <evenkey/page/key_condition_expression.hpp>
#include <evenkey/page/key_range.hpp>

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/fuzz.hpp"

namespace {

using namespace evenkey;
using fuzz::require;
using Form = SortKeyCondition::Form;

/// Texts of a small alphabet, at the borders of UTF-8's lengths, or as the input has them.
std::string text_value(fuzz::Input& input) {
  constexpr std::string_view pieces[] = {"a",
                                         "b",
                                         "\x7F",
                                         "\xC2\x80",
                                         "\xDF\xBF",
                                         "#",
                                         "\xE0\xA0\x80",
                                         "\xED\x9F\xBF",
                                         "\xEE\x80\x80",
                                         "\xEF\xBF\xBF",
                                         "aa",
                                         "\xF0\x90\x80\x80",
                                         "\xF4\x8F\xBF\xBF"};
  const std::size_t how = input.byte();
  if (how == 255) return std::string(input.text());
  if (how == 254) return std::string(1018 + input.below(8), 'z');
  std::string text;
  for (std::size_t left = how % 4; left != 0; --left)
    text += pieces[input.below(std::size(pieces))];
  return text;
}

SortKeyValue value_of(fuzz::Input& input, bool is_text) {
  if (is_text) return text_value(input);
  const auto small = static_cast<std::int64_t>(input.below(8));
  switch (input.below(4)) {
    case 0:
      return small;
    case 1:
      return static_cast<double>(small) / 2;
    case 2:
      return static_cast<std::int64_t>(input.number());
    default:
      return std::bit_cast<double>(input.number());
  }
}

bool is_nan(const SortKeyValue& value) {
  const auto* number = std::get_if<double>(&value);
  return number != nullptr && *number != *number;
}

SortKeyCondition condition_of(fuzz::Input& input, bool is_text) {
  const SortKeyValue value = value_of(input, is_text);
  switch (static_cast<Form>(input.below(is_text ? 8 : 7))) {
    case Form::none:
      break;
    case Form::equal:
      return SortKeyCondition::equal(value);
    case Form::less:
      return SortKeyCondition::less(value);
    case Form::less_equal:
      return SortKeyCondition::less_equal(value);
    case Form::greater:
      return SortKeyCondition::greater(value);
    case Form::greater_equal:
      return SortKeyCondition::greater_equal(value);
    case Form::between:
      return SortKeyCondition::between(value, value_of(input, is_text));
    case Form::begins_with:
      return SortKeyCondition::begins_with(std::get<std::string>(value));
  }
  return {};
}

bool matches(const SortKeyCondition& condition, const SortKeyValue& key) {
  return std::visit([&](const auto& k) { return condition.matches(k); }, key);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const bool is_text = input.below(2) == 0;
  try {
    const SortKeyCondition wanted = condition_of(input, is_text);
    detail::KeyRange range(wanted);

    struct Bound {
      std::size_t kind;
      SortKeyValue value;
      bool admits(const SortKeyValue& key) const {
        const auto order = detail::compare_values(key, value);
        return kind == 0 ? order >= 0 : kind == 1 ? order <= 0 : kind == 2 ? order > 0 : order < 0;
      }
    };
    std::vector<Bound> bounds;
    for (std::size_t left = input.below(4); left != 0; --left) {
      Bound bound{input.below(4), value_of(input, is_text)};
      if (is_nan(bound.value)) return 0;
      // Where a read goes on and its windows are keys that the store gave out: valid.
      if (const auto* text = std::get_if<std::string>(&bound.value))
        if (text->empty() || text->size() > 1024 || !detail::is_utf8(*text)) return 0;
      if (bound.kind == 0) range.at_least(bound.value);
      if (bound.kind == 1) range.at_most(bound.value);
      if (bound.kind == 2) range.above(bound.value);
      if (bound.kind == 3) range.below(bound.value);
      bounds.push_back(std::move(bound));
    }
    const bool second = input.below(4) == 0;
    const SortKeyCondition other = second ? condition_of(input, is_text) : SortKeyCondition();
    range.intersect(detail::KeyRange(other));

    SortKeyCondition condition;
    if (!range.empty()) {
      condition = range.condition();
      require(condition.form() == Form::none || !is_text ||
                  !detail::KeyRange(condition).empty(),  // throws where a value is none that DynamoDB takes
              "the condition is legal");
      key_condition_expression({"pk", "sk"}, "p", condition);
    }
    while (!input.empty()) {
      const SortKeyValue key = value_of(input, is_text);
      if (is_nan(key)) continue;
      if (const auto* text = std::get_if<std::string>(&key))
        if (text->empty() || text->size() > 1024 || !detail::is_utf8(*text)) continue;
      bool expected = matches(wanted, key) && matches(other, key);
      for (const Bound& bound : bounds)
        expected = expected && bound.admits(key);
      const bool contained = std::visit([&](const auto& k) { return range.contains(k); }, key);
      require(contained == expected, "a range holds the keys that all its conditions hold");
      if (range.empty()) {
        require(!contained, "an empty range holds no key");
      } else if (contained) {
        require(matches(condition, key), "the condition loses no key of the range");
      }
    }
  } catch (const key_error&) {
  } catch (const std::invalid_argument&) {
  }
  return 0;
}
