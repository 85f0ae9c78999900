// SPDX-License-Identifier: BSL-1.0
//
// A program that reads in one phase, fixed at compile time: nothing of the other side may be in it. Which
// phase is given by the build, and check.cmake looks into the binary.
#include <evenkey/migrate/migration.hpp>
#include <evenkey/read/enumerate.hpp>

#include <cstdio>
#include <string>
#include <string_view>

namespace {

struct Row {
  std::string id;
};

struct Rows {
  static constexpr std::string_view name = "rows";
  using PartitionKey = evenkey::ShardedKey<"KeyOfTheDestination", evenkey::ShardPolicy<4>>;
  using SortKey = evenkey::CompositeKey<evenkey::Text>;
  using Item = Row;
  using StartKey = std::string;
  static std::string_view sort_key(const Row& row) { return row.id; }
  static std::string_view primary_key(const Row& row) { return row.id; }
  static std::string_view shard_by(const Row& row) { return row.id; }
  static std::string_view partition_key(const Row& row) { return row.id; }
};

constexpr evenkey::Migration<Rows, evenkey::UnshardedKey<"KeyOfTheSource">> cutover{
    evenkey::insert_visible_first};

}  // namespace

int main() {
  const auto query = [](const evenkey::QueryRequest<std::string>& request) {
    std::puts(std::string(request.partition_key).c_str());
    return evenkey::Page<Row>{};
  };
  return evenkey::enumerate(cutover.at<evenkey::Phase::EVENKEY_TEST_PHASE>(), query, {.max_concurrency = 1})
                 .items.empty()
             ? 0
             : 1;
}
