// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace dynamodb {

class AttributeValue;

/// An item: attribute names and values.
using Item = std::map<std::string, AttributeValue, std::less<>>;
using List = std::vector<AttributeValue>;

/// A number as DynamoDB has it: decimal text of up to 38 digits, so that nothing is lost on the way.
struct Number {
  std::string text;
  friend bool operator==(const Number&, const Number&) = default;
};
/// Bytes, here as they are; base64 only on the wire.
struct Binary {
  std::string bytes;
  friend bool operator==(const Binary&, const Binary&) = default;
};
struct Null {
  friend bool operator==(const Null&, const Null&) = default;
};
struct StringSet {
  std::vector<std::string> values;
  friend bool operator==(const StringSet&, const StringSet&) = default;
};
struct NumberSet {
  std::vector<std::string> values;
  friend bool operator==(const NumberSet&, const NumberSet&) = default;
};
struct BinarySet {
  std::vector<std::string> values;
  friend bool operator==(const BinarySet&, const BinarySet&) = default;
};

/// What an attribute value can hold; a `const char*` is none, that it does not become a bool.
template <class T>
concept attribute_type = std::same_as<T, Null> || std::same_as<T, std::string> || std::same_as<T, Number> ||
    std::same_as<T, Binary> || std::same_as<T, bool> || std::same_as<T, StringSet> ||
    std::same_as<T, NumberSet> || std::same_as<T, BinarySet> || std::same_as<T, List> ||
    std::same_as<T, Item>;

/// The value of one attribute.
/// Source: AWS API reference, AttributeValue.
class AttributeValue {
 public:
  using Variant =
      std::variant<Null, std::string, Number, Binary, bool, StringSet, NumberSet, BinarySet, List, Item>;

  AttributeValue() = default;
  AttributeValue(const char* text) : value_(std::string(text)) {}
  AttributeValue(std::string_view text) : value_(std::string(text)) {}
  template <class T>
  requires attribute_type<std::remove_cvref_t<T>> AttributeValue(T&& value)
      : value_(std::in_place_type<std::remove_cvref_t<T>>, std::forward<T>(value)) {}

  const Variant& get() const noexcept { return value_; }

  /// The text of a String or a Number; empty for every other type.
  std::string_view text() const noexcept {
    if (const auto* text = std::get_if<std::string>(&value_)) return *text;
    if (const auto* number = std::get_if<Number>(&value_)) return number->text;
    return {};
  }
  /// DynamoDB's letters of the type: `S`, `N`, `B`, `BOOL`, `NULL`, `SS`, `NS`, `BS`, `L`, `M`.
  std::string_view type() const noexcept;

  friend bool operator==(const AttributeValue& left, const AttributeValue& right);

 private:
  Variant value_;
};

/// The text of an item's String or Number attribute; empty where it is absent or of another type. Neither
/// keys nor ids are ever empty, so that empty means "there is none".
inline std::string_view text_of(const Item& item, std::string_view name) {
  const auto found = item.find(name);
  return found == item.end() ? std::string_view() : found->second.text();
}

/// A number for an attribute.
template <std::integral T>
AttributeValue number(T value) {
  return Number{std::to_string(value)};
}

/// The item as DynamoDB's JSON, such as `{"id":{"S":"o1"}}`, and back.
/// Errors: what is no such JSON → `std::invalid_argument`; text that is not UTF-8 too.
std::string to_json_text(const Item& item);
Item from_json_text(std::string_view text);

}  // namespace dynamodb
