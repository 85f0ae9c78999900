// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/page/sort_key_condition.hpp>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace evenkey {

/// A value of a key attribute as the wire has it: `{"S": "person-42"}` or `{"N": "42"}`.
struct KeyAttributeValue {
  /// DynamoDB's S and N.
  enum class Type : std::uint8_t { string, number };
  Type type = Type::string;  ///< of the value
  /// A number as decimal text that reads back as the same number.
  std::string text;

  friend bool operator==(const KeyAttributeValue&, const KeyAttributeValue&) = default;
};

/// DynamoDB's own letter of a type: `S` or `N`.
constexpr std::string_view to_string(KeyAttributeValue::Type type) noexcept {
  return type == KeyAttributeValue::Type::number ? "N" : "S";
}

/// What the attributes of an index's keys are called in the table. Empty `sort_key`: the index has none.
struct KeyAttributeNames {
  std::string_view partition_key;  ///< attribute of the partition key
  std::string_view sort_key = {};  ///< attribute of the sort key; empty: none
};

/// The three parts of a query that say which items are meant, for any client to copy.
///
/// The placeholders begin with `#ek_` and `:ek_`, so that those of a filter or a projection can stand beside
/// them.
struct KeyConditionExpression {
  /// `KeyConditionExpression`, such as `#ek_partition = :ek_partition AND begins_with(#ek_sort, :ek_sort)`.
  std::string text;
  /// `ExpressionAttributeNames`: placeholder and attribute. DynamoDB refuses one that the text does not use.
  std::vector<std::pair<std::string_view, std::string>> names;
  /// `ExpressionAttributeValues`: placeholder and value.
  std::vector<std::pair<std::string_view, KeyAttributeValue>> values;
};

namespace detail {

inline std::string number_text(std::int64_t number) { return std::to_string(number); }

/// The shortest decimal that reads back as the same double; it never needs DynamoDB's 38 digits.
inline std::string number_text(double number) {
  if (number == 0) return "0";  // also for -0.0, as DynamoDB has it
  const double magnitude = std::fabs(number);
  if (!(magnitude >= 1e-130 && magnitude < 1e126))
    throw std::invalid_argument(
        "evenkey: a condition on the sort key holds a number outside DynamoDB's range, 1E-130 to 1E126");
  char buffer[32];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof(buffer), number);
  (void)error;  // 24 characters are enough for any double
  return {buffer, end};
}

struct RenderKeyValue {
  KeyAttributeValue operator()(const std::string& text) const {
    return {KeyAttributeValue::Type::string, text};
  }
  template <class Number>
  KeyAttributeValue operator()(Number number) const {
    return {KeyAttributeValue::Type::number, number_text(number)};
  }
};

constexpr std::string_view operator_of(SortKeyCondition::Form form) noexcept {
  using Form = SortKeyCondition::Form;
  switch (form) {
    case Form::less:
      return " < ";
    case Form::less_equal:
      return " <= ";
    case Form::greater:
      return " > ";
    case Form::greater_equal:
      return " >= ";
    case Form::none:
    case Form::equal:
    case Form::between:
    case Form::begins_with:
      break;
  }
  return " = ";
}

}  // namespace detail

/// Renders what a query request asks for as DynamoDB's KeyConditionExpression with its names and values.
///
/// Use it in the query functor: `key_condition_expression({"gsi1pk", "gsi1sk"}, request.partition_key,
/// request.sort_key)`. Attribute names stand behind placeholders, so that reserved words (`status`, `date`)
/// and dots need no care. An index whose keys are made of several attributes needs one equality for each, and
/// is not rendered here; `request.shard` is there for it. A sort key of type Binary is bytes: send the text
/// of its values as `B` and not as `S`.
///
/// Shape: names, partition key, condition → text, names, values, all owned but the placeholders, which are
/// static.
/// Errors: an attribute name that is needed and empty, or a number that DynamoDB cannot hold →
/// `std::invalid_argument`.
/// Source: AWS API reference, Query; Developer Guide, "Key condition expressions for the Query operation".
inline KeyConditionExpression key_condition_expression(const KeyAttributeNames& names,
                                                       std::string_view partition_key,
                                                       const SortKeyCondition& condition) {
  using Form = SortKeyCondition::Form;
  if (names.partition_key.empty())
    throw std::invalid_argument("evenkey: the name of the partition-key attribute is empty");
  KeyConditionExpression rendered;
  rendered.text = "#ek_partition = :ek_partition";
  rendered.names.emplace_back("#ek_partition", names.partition_key);
  rendered.values.emplace_back(
      ":ek_partition", KeyAttributeValue{KeyAttributeValue::Type::string, std::string(partition_key)});
  if (condition.form() == Form::none) return rendered;
  if (names.sort_key.empty())
    throw std::invalid_argument(
        "evenkey: the query has a condition on the sort key, but the name of its attribute is empty");
  rendered.names.emplace_back("#ek_sort", names.sort_key);
  rendered.values.emplace_back(":ek_sort", std::visit(detail::RenderKeyValue{}, condition.value()));
  switch (condition.form()) {
    case Form::begins_with:
      rendered.text += " AND begins_with(#ek_sort, :ek_sort)";
      break;
    case Form::between:
      rendered.text += " AND #ek_sort BETWEEN :ek_sort AND :ek_sort_upper";
      rendered.values.emplace_back(":ek_sort_upper", std::visit(detail::RenderKeyValue{}, condition.upper()));
      break;
    default:
      rendered.text += " AND #ek_sort";
      rendered.text += detail::operator_of(condition.form());
      rendered.text += ":ek_sort";
      break;
  }
  return rendered;
}

}  // namespace evenkey
