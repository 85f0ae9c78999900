// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/evenkey.hpp>
#include <evenkey/testing/memory_table.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Rows, and the indexes that the tests of the table in memory see them by.
namespace fixture {

using namespace evenkey::testing;

struct Row {
  std::string id;
  std::string pk;  // empty: the row has no such attribute
  std::string sk = "s";
  std::int64_t number = 0;
  std::size_t bytes = 300;

  friend bool operator==(const Row&, const Row&) = default;
};

/// A physical index: it shows the stored partition key and cares for nothing else.
struct ByText {
  static constexpr std::string_view name = "by-text";
  using PartitionKey = evenkey::ShardedKey<"P", evenkey::ShardPolicy<4>>;
  using SortKey = evenkey::CompositeKey<evenkey::Text>;
  using Item = Row;
  using StartKey = MemoryStartKey;
  static std::string_view sort_key(const Row& row) { return row.sk; }
  static std::string_view primary_key(const Row& row) { return row.id; }
  static std::string_view shard_by(const Row& row) { return row.id; }
  static std::string_view partition_key(const Row& row) { return row.pk; }
};

struct ByNumber : ByText {
  static constexpr std::string_view name = "by-number";
  using SortKey = evenkey::NumberKey;
  using StartKey = std::string;
  static std::int64_t sort_key(const Row& row) { return row.number; }
};

struct ByReal : ByText {
  static constexpr std::string_view name = "by-real";
  using SortKey = evenkey::NumberKey;
  static double sort_key(const Row& row) { return static_cast<double>(row.number) / 4; }
};

struct Unsorted : ByText {
  static constexpr std::string_view name = "unsorted";
  using SortKey = evenkey::NoSortKey;
  using StartKey = std::map<std::string, std::string>;
};

template <class Index>
using Request = evenkey::QueryRequest<typename Index::StartKey>;

template <class Index>
Request<Index> request(std::string_view partition_key, std::optional<std::uint32_t> limit = std::nullopt,
                       evenkey::Direction direction = evenkey::Direction::ascending) {
  Request<Index> made;
  made.index_name = Index::name;
  made.partition_key = partition_key;
  made.limit = limit;
  made.direction = direction;
  return made;
}

inline ItemFunctions<Row> sized() {
  return {.size_of = [](const Row& row) { return row.bytes; }};
}

template <class Items>
std::vector<std::string> ids(const Items& items) {
  std::vector<std::string> all;
  all.reserve(items.size());
  for (const Row& row : items)
    all.push_back(row.id);
  return all;
}

using Ids = std::vector<std::string>;

/// All pages of a query, and how many they were.
template <class Index, class Table>
std::pair<Ids, std::size_t> all_pages(Table& table, Request<Index> asked) {
  Ids found;
  for (std::size_t pages = 1;; ++pages) {
    auto page = table.template query<Index>(asked);
    for (const Row& row : page.items)
      found.push_back(row.id);
    if (!page.last_evaluated_key) return {found, pages};
    asked.exclusive_start_key = std::move(page.last_evaluated_key);
  }
}

/// The name of the error that a call ends with; empty: none.
template <class Call>
std::string error_of(Call call) {
  try {
    (void)call();
  } catch (const dynamodb_error& error) {
    return error.name();
  }
  return {};
}

inline const std::string validation = "ValidationException";

}  // namespace fixture
