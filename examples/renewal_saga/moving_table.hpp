// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/migrate/restamp.hpp>
#include <evenkey/page.hpp>
#include <evenkey/testing/memory_table.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>

#include "migrate.hpp"
#include "population.hpp"
#include "reference.hpp"
#include "saga.hpp"

namespace lab {

/// A request had no room in its partition.
class throttled_error : public std::runtime_error {
 public:
  throttled_error() : std::runtime_error("throttled") {}
};

/// The table with its index on the move, as the application and the operator's tools ask it, and what becomes
/// of their requests. It knows of each of the application's that is throttled whether it would have been
/// without the tools: a second set of buckets is charged by the application alone.
class MovingTable {
 public:
  using Table = evenkey::testing::MemoryTable<Saga, ShardedSagas>;

  MovingTable(const MigrationSettings& settings, const Population& population, std::string_view constant_key);

  Table& table() noexcept { return table_; }
  Reference& reference() noexcept { return reference_; }
  /// Where figures are added from now on; they must outlive the table, or the next call.
  void count_in(StepFigures& figures) { figures_ = &figures; }

  // --- the application. Errors: `throttled_error` ---
  evenkey::Page<Saga> query(const evenkey::QueryRequest<std::string>& request);
  void create(Saga saga, const std::string& partition_key);
  void take_step(const std::string& id);

  // --- the operator's tools. Errors: the table's own ---
  evenkey::Page<Saga> scan(const evenkey::ScanRequest<std::string>& request) { return table_.scan(request); }
  evenkey::Page<Saga> query_by_tool(const evenkey::QueryRequest<std::string>& request) {
    return table_.query<ShardedSagas>(request);
  }
  evenkey::RestampResult restamp(const evenkey::Restamp<Saga>& request);

  /// A row that nobody should have written: readers need not see it before `adopt`.
  void create_late(Saga saga, const std::string& partition_key);
  void adopt(const std::string& id);

  const std::string& constant_key() const noexcept { return constant_key_; }
  std::uint64_t rows_on(bool shards) const;
  std::uint64_t moves() const noexcept { return moves_; }

 private:
  struct Buckets {
    evenkey::testing::TokenBucket read;
    evenkey::testing::TokenBucket write;
  };

  static evenkey::testing::MemoryTableOptions options();
  evenkey::testing::VisibilityLag watched_lag(std::uint64_t seed, Duration most);
  Time now() { return table_.clock().now(); }
  Buckets& own_buckets(std::string_view partition_key);
  bool is_sharded(std::string_view partition_key) const { return partition_key != constant_key_; }
  template <class Ask>
  auto ask(std::string_view partition_key, bool writes, Ask ask_table);
  void put(Saga saga, const std::string& partition_key);

  std::string constant_key_;
  Reference reference_;
  Table table_;
  std::unordered_map<std::string, Buckets> own_;         // by partition, charged by the application alone
  std::unordered_map<std::string, std::string> key_of_;  // of each row, as it is stored
  StepFigures nowhere_;
  StepFigures* figures_ = &nowhere_;
  Duration most_lag_;
  std::uint64_t moves_ = 0;
};

}  // namespace lab
