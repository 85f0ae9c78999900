// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/index.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace support {

/// A row that every definition below can list.
struct Row {
  std::string id;
  std::string time;
  std::int64_t number = 0;
  std::string primary;
  std::string text = {};  // the stored sort key of ByPerson; `id#time` where it is left empty
};

/// What the definitions below have in common; N is chosen at run time.
struct RowIndexBase {
  using PartitionKey = evenkey::DynamicShardedKey;
  using Item = Row;
  using StartKey = std::string;

  evenkey::DynamicShardedKey keys;

  explicit RowIndexBase(std::uint32_t shards, std::string_view prefix = "P") : keys(prefix, shards) {}
  const evenkey::DynamicShardedKey& partition_keys() const { return keys; }
  static std::string_view primary_key(const Row& row) { return row.primary; }
  static std::string_view shard_by(const Row& row) { return row.id; }
};

/// ADR-0085's own shape: the sort key begins with the id, so that equal keys meet in one shard only.
struct ByPerson : RowIndexBase {
  using RowIndexBase::RowIndexBase;
  static constexpr std::string_view name = "by-person";
  using SortKey = evenkey::CompositeKey<evenkey::Text, evenkey::Text>;
  static std::string sort_key(const Row& row) {
    return row.text.empty() ? row.id + "#" + row.time : row.text;
  }
};

/// The sort key is a time, which rows of all shards can share; `find` reads the partition.
struct ByTime : RowIndexBase {
  using RowIndexBase::RowIndexBase;
  static constexpr std::string_view name = "by-time";
  using SortKey = evenkey::CompositeKey<evenkey::Timestamp>;
  static std::string_view sort_key(const Row& row) { return row.time; }
};

/// The sort key is a number, which rows of all shards can share.
struct ByNumber : RowIndexBase {
  using RowIndexBase::RowIndexBase;
  static constexpr std::string_view name = "by-number";
  using SortKey = evenkey::NumberKey;
  static std::int64_t sort_key(const Row& row) { return row.number; }
};

/// No sort key at all.
struct Unsorted : RowIndexBase {
  using RowIndexBase::RowIndexBase;
  static constexpr std::string_view name = "unsorted";
  using SortKey = evenkey::NoSortKey;
};

template <class Rows>
std::vector<std::string> primary_keys(const Rows& rows) {
  std::vector<std::string> keys;
  for (const auto& row : rows)
    keys.emplace_back(row.primary);
  return keys;
}

}  // namespace support
