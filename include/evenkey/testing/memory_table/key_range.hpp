// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/page.hpp>
#include <evenkey/testing/memory_table/entry_order.hpp>
#include <evenkey/testing/memory_table/error.hpp>
#include <evenkey/testing/memory_table/key_limits.hpp>

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

// From a sort-key condition to a range of an ordered map of entries.
namespace evenkey::testing::detail {

/// Errors: what DynamoDB refuses in a key condition is a ValidationException.
template <class SortKey>
void check_condition(const SortKeyCondition& condition, KeyText text) {
  using Form = SortKeyCondition::Form;
  if (condition.form() == Form::none) return;
  const auto check = [text](const SortKeyValue& value) {
    constexpr bool text_key = std::same_as<SortKey, std::string>;
    if (std::same_as<SortKey, std::monostate>)
      throw validation_error(RequestKind::query, "a condition on a sort key that the index does not have");
    if (std::holds_alternative<std::string>(value) != text_key)
      throw validation_error(RequestKind::query, "the condition's type is not the sort key's type");
    std::visit([text](const auto& v) { check_sort_value(RequestKind::query, v, text); }, value);
  };
  check(condition.value());
  if (condition.form() == Form::between) check(condition.upper());
}

template <class SortKey, class Entries>
auto edge_position(Entries& entries, const SortKeyValue& value, Side side) {
  if constexpr (std::same_as<SortKey, std::string>) {
    return entries.lower_bound(Edge<std::string_view>{std::get<std::string>(value), side});
  } else {
    if (const auto* integer = std::get_if<std::int64_t>(&value))
      return entries.lower_bound(Edge<std::int64_t>{*integer, side});
    return entries.lower_bound(Edge<double>{std::get<double>(value), side});
  }
}

// The entries that a condition matches lie side by side. A query looks up one end of them and walks on while
// the condition matches. @pre for all three: check_condition did not throw

template <class SortKey, class Entries>
auto range_begin(Entries& entries, const SortKeyCondition& condition) {
  using Form = SortKeyCondition::Form;
  if constexpr (!std::same_as<SortKey, std::monostate>) {
    switch (condition.form()) {
      case Form::equal:
      case Form::greater_equal:
      case Form::between:
      case Form::begins_with:
        return edge_position<SortKey>(entries, condition.value(), Side::before);
      case Form::greater:
        return edge_position<SortKey>(entries, condition.value(), Side::after);
      case Form::none:
      case Form::less:
      case Form::less_equal:
        break;
    }
  }
  return entries.begin();
}

template <class SortKey, class Entries>
auto range_end(Entries& entries, const SortKeyCondition& condition) {
  using Form = SortKeyCondition::Form;
  if constexpr (!std::same_as<SortKey, std::monostate>) {
    switch (condition.form()) {
      case Form::equal:
      case Form::less_equal:
        return edge_position<SortKey>(entries, condition.value(), Side::after);
      case Form::less:
        return edge_position<SortKey>(entries, condition.value(), Side::before);
      case Form::between:
        return edge_position<SortKey>(entries, condition.upper(), Side::after);
      case Form::begins_with:
        if constexpr (std::same_as<SortKey, std::string>)
          return entries.lower_bound(PrefixEnd{std::get<std::string>(condition.value())});
        break;
      case Form::none:
      case Form::greater:
      case Form::greater_equal:
        break;
    }
  }
  return entries.end();
}

template <class SortKey>
bool in_range(const SortKey& sort_key, const SortKeyCondition& condition) {
  if constexpr (std::same_as<SortKey, std::monostate>) {
    return true;
  } else {
    return condition.matches(sort_key);
  }
}

/// Some sort key within the condition's bounds, for a place in a partition that has none there; empty if not
/// found.
template <class SortKey>
std::optional<SortKey> any_sort_key(const SortKeyCondition& condition) {
  const auto first_match = [&condition](std::initializer_list<SortKey> candidates) -> std::optional<SortKey> {
    for (const SortKey& candidate : candidates)
      if (in_range(candidate, condition)) return candidate;
    return std::nullopt;
  };
  if constexpr (std::same_as<SortKey, std::monostate>) {
    return SortKey{};
  } else if constexpr (std::same_as<SortKey, std::string>) {
    const auto* value = std::get_if<std::string>(&condition.value());
    const std::string text = value == nullptr || value->empty() ? "a" : *value;
    return first_match({text, text + "a", text.substr(0, 1), " "});
  } else {
    const auto* real = std::get_if<double>(&condition.value());
    const auto* integer = std::get_if<std::int64_t>(&condition.value());
    const double about = real ? *real : integer ? static_cast<double>(*integer) : 0;
    if (about > 9e18 || about < -9e18) return first_match({SortKey{0}});
    const auto nearest = static_cast<SortKey>(about);
    return first_match(
        {integer ? static_cast<SortKey>(*integer) : nearest, nearest + 1, nearest - 1, SortKey{0}});
  }
}

}  // namespace evenkey::testing::detail
