// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/composite_key.hpp>
#include <evenkey/fields.hpp>
#include <evenkey/index.hpp>

#include <charconv>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "attribute_value.hpp"
#include "runtime_keys.hpp"

namespace evenkey_cli {

using TextSortKey = evenkey::CompositeKey<evenkey::Text>;
using NumberSortKey = evenkey::NumberKey;

/// What the attributes of a table and of one of its indexes are called.
struct TableNames {
  std::string index;
  std::string partition_key;
  std::string sort_key;
  std::string shard_by;
  std::string table_partition_key;
  std::string table_sort_key = {};  // empty: the table has none
};

/// The text of a key attribute, whatever its type.
inline std::string_view key_bytes(const dynamodb::Item& item, std::string_view name) {
  const auto found = item.find(name);
  if (found == item.end()) return {};
  if (const auto* binary = std::get_if<dynamodb::Binary>(&found->second.get())) return binary->bytes;
  return found->second.text();
}

/// An item's key in the base table.
inline dynamodb::Item table_key(const TableNames& names, const dynamodb::Item& item) {
  dynamodb::Item key;
  for (const std::string& name : {names.table_partition_key, names.table_sort_key})
    if (const auto found = item.find(name); found != item.end()) key.emplace(name, found->second);
  return key;
}

/// Errors: a number that a double may not tell from its neighbours → `std::invalid_argument`.
inline void refuse_long_number(std::string_view text) {
  std::size_t digits = 0;
  for (const char c : text)
    digits += c >= '0' && c <= '9' ? 1U : 0U;
  if (digits > std::numeric_limits<double>::digits10)
    throw std::invalid_argument("the sort key " + std::string(text) +
                                " has more than the 15 digits that can be kept in order");
}

/// An index definition of which nothing is known before the program runs.
///
/// A number as sort key is compared as a double here: who lists in order calls `refuse_long_number` first.
template <class SortKeyType>
struct RuntimeIndex {
  using PartitionKey = RuntimeKeys;
  using SortKey = SortKeyType;
  using Item = dynamodb::Item;
  using StartKey = dynamodb::Item;

  RuntimeIndex(TableNames attribute_names, RuntimeKeys partition_keys)
      : name(attribute_names.index), names(std::move(attribute_names)), keys(std::move(partition_keys)) {}

  std::string name;
  TableNames names;
  RuntimeKeys keys;

  const RuntimeKeys& partition_keys() const noexcept { return keys; }
  std::string_view partition_key(const Item& item) const {
    return dynamodb::text_of(item, names.partition_key);
  }
  std::string_view shard_by(const Item& item) const { return dynamodb::text_of(item, names.shard_by); }
  auto sort_key(const Item& item) const {
    if constexpr (std::is_same_v<SortKey, NumberSortKey>) {
      return number_of(dynamodb::text_of(item, names.sort_key));
    } else {
      // Of an index that has no sort key, all rows have the same one.
      return names.sort_key.empty() ? std::string_view("-") : key_bytes(item, names.sort_key);
    }
  }
  /// `o1`, or `["o1","2026"]` where the table has a sort key: no two keys give one text.
  std::string primary_key(const Item& item) const {
    if (names.table_sort_key.empty()) return std::string(key_bytes(item, names.table_partition_key));
    std::string text;
    for (const std::string& each : {names.table_partition_key, names.table_sort_key}) {
      text += text.empty() ? "[\"" : "\",\"";
      for (const char c : key_bytes(item, each)) {
        if (c == '"' || c == '\\') text += '\\';
        text += c;
      }
    }
    return text + "\"]";
  }
  /// Nothing is known of what a sort key is made of: an id's whole partition.
  static evenkey::SortKeyCondition find_condition(std::string_view) { return {}; }

 private:
  static double number_of(std::string_view text) {
    if (text.empty()) return std::numeric_limits<double>::quiet_NaN();  // the attribute is absent
    double number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
  }
};
static_assert(evenkey::index_by_id<RuntimeIndex<TextSortKey>>);
static_assert(evenkey::index_by_id<RuntimeIndex<NumberSortKey>>);

}  // namespace evenkey_cli
