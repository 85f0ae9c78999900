// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/migrate/phase.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace evenkey {

/// The index keys of a row that a writer creates.
struct WriteStamp {
  std::string partition_key;  ///< of the index
  std::string sort_key;       ///< of the index
};

/// The partition key and the sort key of a created row, together: a row that has one of them alone is not in
/// the index.
///
/// Use it where a row is created, and never carry its result elsewhere, as into the input of a workflow that
/// runs for days: the phase may be another when the row is written.
/// Errors: an empty id, or values that the fields refuse → `key_error`.
/// @param fields the values of the definition's `SortKey`, as its `encode` takes them
template <class Migration, class... Fields>
WriteStamp created_stamp(const Migration& migration, Phase phase, std::string_view id,
                         const Fields&... fields) {
  return {std::string(migration.partition_key(phase, id)),
          std::string(Migration::Definition::SortKey::encode(fields...))};
}

/// What the expressions of a writer call the index's keys and their values. The order of members is API.
struct StampPlaceholders {
  std::string_view partition_key = "#gsi_pk";        ///< the name of the partition key's attribute
  std::string_view partition_key_value = ":gsi_pk";  ///< its value
  std::string_view sort_key = "#gsi_sk";             ///< the name of the sort key's attribute
  std::string_view sort_key_value = ":gsi_sk";       ///< its value
};

/// Whose business the sort key is in an update.
enum class StampedSortKey : std::uint8_t {
  kept,    ///< set only where the row has none
  written  ///< set to the new value: it follows from what the update changes
};

/// The `SET` clause by which an update may create a row without ever moving one:
/// `SET #gsi_pk = if_not_exists(#gsi_pk, :gsi_pk), #gsi_sk = if_not_exists(#gsi_sk, :gsi_sk)`.
///
/// Only the mover moves rows; an update that stamped the key again would put a moved row back. Where rows
/// leave a sparse index on purpose, an update must not carry the clause: it would bring them back.
/// Source: docs/design/migration.md.
inline std::string ratchet_update_expression(StampedSortKey sort_key = StampedSortKey::kept,
                                             const StampPlaceholders& names = {}) {
  const auto if_missing = [](std::string_view name, std::string_view value) {
    std::string text(name);
    return text.append(" = if_not_exists(").append(name).append(", ").append(value).append(")");
  };
  std::string text = "SET " + if_missing(names.partition_key, names.partition_key_value) + ", ";
  if (sort_key == StampedSortKey::kept) return text + if_missing(names.sort_key, names.sort_key_value);
  return text.append(names.sort_key).append(" = ").append(names.sort_key_value);
}

/// The `ConditionExpression` for a writer that replaces whole items: it must write the key that it read, on
/// the condition that the key is still stored, `#gsi_pk = :gsi_pk`; otherwise it would undo a move.
inline std::string kept_key_condition_expression(const StampPlaceholders& names = {}) {
  std::string text(names.partition_key);
  return text.append(" = ").append(names.partition_key_value);
}

}  // namespace evenkey
