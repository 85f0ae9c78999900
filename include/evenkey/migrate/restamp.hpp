// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace evenkey {

/// What the mover asks of the restamp functor: set one row's index partition key to `to`, on the condition
/// that it is still `from`. An empty `from` is a row that has no key yet, as for a second index.
///
/// The condition implies that the row exists, so that neither a newer write is clobbered nor a deleted row
/// brought back. `attribute_not_exists` is no guard: it holds for a deleted row too. No other attribute may
/// be set, but for a marker that stream consumers drop.
/// Shape: the item as the scan gave it; views live until the functor has answered.
/// Source: AWS API reference, UpdateItem; docs/design/migration.md.
template <class Item>
struct Restamp {
  const Item& item;       ///< the row, as it was read
  std::string_view from;  ///< the partition key that it must still have
  std::string_view to;    ///< the partition key that it gets
};

/// What a restamp functor did, or what it found where the condition did not hold. evenkey judges.
class RestampResult {
 public:
  /// The update was applied.
  static RestampResult moved() { return RestampResult(Kind::moved); }
  /// The row does not exist.
  static RestampResult gone() { return RestampResult(Kind::gone); }
  /// The condition did not hold: this key is stored instead, "" where the row has none. From `ALL_OLD` of
  /// the failed condition, or from a consistent read where a server does not return it.
  static RestampResult found(std::string stored_key) {
    RestampResult result(Kind::found);
    result.stored_key_ = std::move(stored_key);
    return result;
  }
  /// The store had no capacity for it: as if the functor had thrown such an error.
  static RestampResult throttled() { return RestampResult(Kind::throttled); }

  /// The row is at its destination.
  bool is_moved() const noexcept { return kind_ == Kind::moved; }
  /// The row was deleted meanwhile.
  bool is_gone() const noexcept { return kind_ == Kind::gone; }
  /// Nothing was done: to be tried again.
  bool is_throttled() const noexcept { return kind_ == Kind::throttled; }
  /// The key that was found; empty for the other answers too.
  const std::string& stored_key() const noexcept { return stored_key_; }

 private:
  enum class Kind { moved, gone, found, throttled };
  explicit RestampResult(Kind kind) : kind_(kind) {}

  Kind kind_;
  std::string stored_key_;
};

/// The user's functor that moves one row: it asks the store once and says what it did or found.
///
/// Errors: it may throw anything. A write that ended so may have been applied; the row is tried again, and
/// found at its destination then.
/// Threads: called from at most `max_concurrency` threads at once.
template <class Functor, class Item>
concept restamp_functor = std::invocable < Functor&,
        const Restamp<Item>
& > &&std::same_as<std::remove_cvref_t<std::invoke_result_t<Functor&, const Restamp<Item>&>>, RestampResult>;

/// What the expressions of a restamp call the index's partition key and its values, in
/// `ExpressionAttributeNames` and `ExpressionAttributeValues`. The order of members is API.
struct RestampPlaceholders {
  std::string_view partition_key = "#pk";  ///< the name of the partition key's attribute
  std::string_view from = ":from";         ///< the value that must still be stored
  std::string_view to = ":to";             ///< the value that is stored
  /// An attribute that the mover sets beside the key, so that the filters of stream consumers can drop what
  /// it wrote. Empty: none.
  std::string_view marker = {};
  std::string_view marker_value = ":marker";  ///< the value of the mover's mark
  /// An attribute of the base table's key, for rows that have no index key yet.
  std::string_view primary_key = "#id";
};

/// The `UpdateExpression` of a restamp: `SET #pk = :to`, and `, #marker = :marker` where a marker is named.
inline std::string restamp_update_expression(const RestampPlaceholders& names = {}) {
  std::string text = "SET ";
  text.append(names.partition_key).append(" = ").append(names.to);
  if (!names.marker.empty()) text.append(", ").append(names.marker).append(" = ").append(names.marker_value);
  return text;
}

/// The `ConditionExpression` of a restamp: `#pk = :from`.
inline std::string restamp_condition_expression(const RestampPlaceholders& names = {}) {
  std::string text(names.partition_key);
  text.append(" = ").append(names.from);
  return text;
}

/// The `ConditionExpression` for a row that has no key yet, where `from` is empty:
/// `attribute_exists(#id) AND attribute_not_exists(#pk)`. The first half keeps a deleted row deleted.
inline std::string first_stamp_condition_expression(const RestampPlaceholders& names = {}) {
  std::string text = "attribute_exists(";
  return text.append(names.primary_key)
      .append(") AND attribute_not_exists(")
      .append(names.partition_key)
      .append(")");
}

}  // namespace evenkey
