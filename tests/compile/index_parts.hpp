// SPDX-License-Identifier: BSL-1.0
#pragma once

// An index definition in parts, so that each test can leave one out or put a wrong one in its place.
#include <evenkey/read.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace parts {

struct Row {
  std::string id;
  std::string key;
  std::int64_t number = 0;
};

struct WithName {
  static constexpr std::string_view name = "rows";
};
struct WithTypes {
  using PartitionKey = evenkey::ShardedKey<"Row", evenkey::ShardPolicy<4>>;
  using SortKey = evenkey::CompositeKey<evenkey::Text, evenkey::Text>;
  using Item = Row;
  using StartKey = std::string;
};
struct WithSortKey {
  static std::string_view sort_key(const Row& row) { return row.key; }
};
struct WithPrimaryKey {
  static std::string_view primary_key(const Row& row) { return row.id; }
};
struct WithShardBy {
  static std::string_view shard_by(const Row& row) { return row.id; }
};

/// A functor that fits all of them.
inline constexpr auto query = [](const evenkey::QueryRequest<std::string>&) { return evenkey::Page<Row>{}; };

}  // namespace parts
