// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/evenkey.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace lab {

enum class Status : std::uint8_t { open, archived };

/// One renewal saga, as its row in the base table.
struct Saga {
  std::string id;         ///< base-table key: RSAGA#{id}
  std::string person_id;  ///< the canonical Person spine's id
  std::string gsi4pk;     ///< index partition key: what ADR-0085 changes
  std::string gsi4sk;     ///< index sort key: {personId}#{openedAt}
  Status status = Status::open;
  std::uint32_t transitions = 0;  ///< workflow steps written so far
  std::size_t bytes = 0;          ///< what DynamoDB would count; the lab keeps no payload

  friend bool operator==(const Saga&, const Saga&) = default;
};

using SagaSortKey = evenkey::CompositeKey<evenkey::Text, evenkey::Timestamp>;

/// What both sides of ADR-0085 share of GSI4; they differ in the partition key alone.
struct SagaIndex {
  static constexpr std::string_view name = "renewal-saga-person-index";
  using SortKey = SagaSortKey;
  using Item = Saga;
  using StartKey = std::string;
  static std::string_view sort_key(const Saga& saga) { return saga.gsi4sk; }
  static std::string_view primary_key(const Saga& saga) { return saga.id; }
  static std::string_view shard_by(const Saga& saga) { return saga.person_id; }
  static std::string_view partition_key(const Saga& saga) { return saga.gsi4pk; }
};

/// Before: every row under the one key `RenewalSaga`.
struct ConstantKeySagas : SagaIndex {
  using PartitionKey = evenkey::UnshardedKey<"RenewalSaga">;

  static std::string_view partition_key_of(std::string_view person_id) { return PartitionKey::of(person_id); }
  static std::uint32_t shard_count() { return 1; }
};

/// After: `RenewalSaga#0` to `RenewalSaga#N-1`. An application knows its N and takes
/// `ShardedKey<"RenewalSaga", ShardPolicy<16>>`; the lab takes N from its command line.
struct ShardedSagas : SagaIndex {
  using PartitionKey = evenkey::DynamicShardedKey;

  explicit ShardedSagas(std::uint32_t shards) : keys("RenewalSaga", shards) {}
  const PartitionKey& partition_keys() const { return keys; }

  std::string_view partition_key_of(std::string_view person_id) const { return keys.of(person_id); }
  std::uint32_t shard_count() const { return static_cast<std::uint32_t>(keys.size()); }

  PartitionKey keys;
};

static_assert(evenkey::index_by_id<ConstantKeySagas> && evenkey::index_with_order<ConstantKeySagas>);
static_assert(evenkey::index_by_id<ShardedSagas> && evenkey::index_with_order<ShardedSagas>);

}  // namespace lab
