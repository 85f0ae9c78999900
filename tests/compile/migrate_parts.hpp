// SPDX-License-Identifier: BSL-1.0
#pragma once

// A definition that can be migrated, to six shards.
#include <evenkey/migrate/migration.hpp>

#include <string_view>

#include "index_parts.hpp"

namespace parts {

struct Rows : WithName, WithTypes, WithSortKey, WithPrimaryKey, WithShardBy {
  using PartitionKey = evenkey::ShardedKey<"Row", evenkey::ShardPolicy<6>>;
  static std::string_view partition_key(const Row& row) { return row.key; }
};

}  // namespace parts
