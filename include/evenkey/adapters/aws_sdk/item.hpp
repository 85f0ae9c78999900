// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/read/start_key_traits.hpp>

#include <aws/core/utils/json/JsonSerializer.h>
#include <aws/core/utils/memory/stl/AWSMap.h>
#include <aws/core/utils/memory/stl/AWSString.h>
#include <aws/dynamodb/model/AttributeValue.h>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace evenkey::aws_sdk {

/// An item, and the `StartKey` of index definitions for these functors.
using Item = Aws::Map<Aws::String, Aws::DynamoDB::Model::AttributeValue>;
using Aws::DynamoDB::Model::AttributeValue;

/// The SDK's string: `std::string` or, where it is built with a memory manager of its own, another type.
inline Aws::String to_sdk(std::string_view text) { return Aws::String(text.data(), text.size()); }
inline std::string from_sdk(const Aws::String& text) { return std::string(text.data(), text.size()); }

/// Errors: U+0000 → `std::invalid_argument`: the SDK's JSON would end the text there, and the request would be
/// about another key.
inline AttributeValue string_value(std::string_view text) {
  if (text.find('\0') != std::string_view::npos)
    throw std::invalid_argument("evenkey: the SDK for C++ cannot send text that holds U+0000");
  AttributeValue value;
  value.SetS(to_sdk(text));
  return value;
}
/// @param text decimal, so that none of DynamoDB's 38 digits is lost
inline AttributeValue number_value(std::string_view text) {
  AttributeValue value;
  value.SetN(to_sdk(text));
  return value;
}

/// The text of an item's String or Number attribute; empty where it is absent or of another type. Neither
/// keys nor ids are ever empty, so that empty means "there is none".
///
/// Shape: a copy, since the SDK's getters give copies: a view of one would dangle.
inline std::string text_of(const Item& item, std::string_view name) {
  const auto found = item.find(to_sdk(name));
  if (found == item.end()) return {};
  // Not asked for its type first: a value of a type that the SDK does not know has none, and would crash.
  std::string text = from_sdk(found->second.GetS());
  return text.empty() ? from_sdk(found->second.GetN()) : text;
}

/// Gives items as they are; where the definition's `Item` is a type of the program's own, write one that
/// makes it from a `const Item&`.
struct AsItem {
  /// The whole item.
  Item operator()(const Item& item) const { return item; }
};

/// The part of an item that these attributes are: its key in the base table, as `evenkey::hydrate` and
/// `restamp_functor` want it. Attributes that the item lacks are left out.
class TableKey {
 public:
  /// @param attributes the names of the key's attributes
  explicit TableKey(std::vector<std::string> attributes) : attributes_(std::move(attributes)) {}
  /// The key's attributes of an item, and no others.
  Item operator()(const Item& item) const {
    Item key;
    for (const std::string& name : attributes_)
      if (const auto found = item.find(to_sdk(name)); found != item.end()) key.insert(*found);
    return key;
  }

 private:
  std::vector<std::string> attributes_;
};

/// Whether an index's entry and its row still have the same values of these attributes, for
/// `evenkey::unchanged_if`.
class SameAttributes {
 public:
  /// @param attributes the names of those that are compared
  explicit SameAttributes(std::vector<std::string> attributes) : attributes_(std::move(attributes)) {}
  /// Whether an entry of the index and a row of the table agree in them.
  bool operator()(const Item& entry, const Item& row) const { return attributes_(entry) == attributes_(row); }

 private:
  TableKey attributes_;
};

}  // namespace evenkey::aws_sdk

/// Start keys in page tokens and checkpoints are DynamoDB's own JSON, byte by byte as the wire client of the
/// examples writes them: what one of the two has begun, the other can go on with.
template <>
struct evenkey::start_key_traits<evenkey::aws_sdk::Item> {
  /// A start key as bytes for a token.
  static std::string encode(const aws_sdk::Item& key) {
    Aws::Utils::Json::JsonValue json;
    for (const auto& [name, value] : key)
      json.WithObject(name, value.Jsonize());
    return aws_sdk::from_sdk(json.View().WriteCompact());
  }

  /// Only what can be part of a key: String, Number, Binary.
  static std::optional<aws_sdk::Item> decode(std::string_view bytes) {
    const Aws::Utils::Json::JsonValue json(aws_sdk::to_sdk(bytes));
    if (!json.WasParseSuccessful() || !json.View().IsObject()) return std::nullopt;
    aws_sdk::Item key;
    const auto members = json.View().GetAllObjects();
    for (const auto& [name, value] : members) {
      if (!is_key_value(value)) return std::nullopt;
      key.emplace(name, aws_sdk::AttributeValue(value));
    }
    return key;
  }

 private:
  static bool is_key_value(const Aws::Utils::Json::JsonView& value) {
    if (!value.IsObject()) return false;
    const auto types = value.GetAllObjects();
    if (types.size() != 1 || !types.begin()->second.IsString()) return false;
    const std::string type = aws_sdk::from_sdk(types.begin()->first);
    return type == "S" || type == "N" || type == "B";
  }
};
