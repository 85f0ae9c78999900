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
  if (condition.form() == Form::begins_with && !std::same_as<SortKey, std::string>)
    throw validation_error(RequestKind::query, "begins_with needs a sort key of type String or Binary");
}

template <class SortKey, class Entries>
auto edge_position(Entries& entries, const SortKeyValue& value, bool after) {
  const auto find = [&entries, after](auto edge_value) {
    using E = Edge<decltype(edge_value)>;
    return entries.lower_bound(E{edge_value, after ? E::Side::after : E::Side::before});
  };
  if constexpr (std::same_as<SortKey, std::string>) {
    return find(std::string_view(std::get<std::string>(value)));
  } else {
    if (const auto* integer = std::get_if<std::int64_t>(&value)) return find(*integer);
    return find(std::get<double>(value));
  }
}

/// [first, second) holds exactly what the condition matches. @pre check_condition did not throw
template <class SortKey, class Entries>
auto key_range(Entries& entries, const SortKeyCondition& condition) {
  using Form = SortKeyCondition::Form;
  auto first = entries.begin();
  auto last = entries.end();
  if constexpr (!std::same_as<SortKey, std::monostate>) {
    const auto before = [&](const SortKeyValue& v) { return edge_position<SortKey>(entries, v, false); };
    const auto after = [&](const SortKeyValue& v) { return edge_position<SortKey>(entries, v, true); };
    switch (condition.form()) {
      case Form::none:
        break;
      case Form::equal:
        first = before(condition.value());
        last = after(condition.value());
        break;
      case Form::less:
        last = before(condition.value());
        break;
      case Form::less_equal:
        last = after(condition.value());
        break;
      case Form::greater:
        first = after(condition.value());
        break;
      case Form::greater_equal:
        first = before(condition.value());
        break;
      case Form::between:
        first = before(condition.value());
        last = after(condition.upper());
        break;
      case Form::begins_with:
        if constexpr (std::same_as<SortKey, std::string>) {
          first = before(condition.value());
          last = entries.lower_bound(PrefixEnd{std::get<std::string>(condition.value())});
        }
        break;
    }
  }
  return std::pair(first, last);
}

/// Some sort key within the condition's bounds, for a place in a partition that has none there; empty if not
/// found.
template <class SortKey>
std::optional<SortKey> any_sort_key(const SortKeyCondition& condition) {
  const auto first_match = [&condition](std::initializer_list<SortKey> candidates) -> std::optional<SortKey> {
    for (const SortKey& candidate : candidates)
      if (condition.matches(candidate)) return candidate;
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
    const auto near = static_cast<SortKey>(about);
    return first_match({integer ? static_cast<SortKey>(*integer) : near, near + 1, near - 1, SortKey{0}});
  }
}

}  // namespace evenkey::testing::detail
