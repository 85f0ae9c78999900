// SPDX-License-Identifier: BSL-1.0
//
// What the README's reader has around its snippets. The first is also a whole program, examples/quickstart.cpp, and the
// third is carried out in examples/migration.cpp.
#include <chrono>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

struct Order {
  std::string id, customer, placed_at;
};

// snippet 1 until "You write 2"

void read_orders(const std::map<std::string_view, std::multimap<std::string, Order>>& store) {
  const OrdersByCustomer index;
  // snippet 1 from "You write 2"
  // snippet 2
}

struct Saga {
  std::string id, person_id, gsi4pk, gsi4sk;
};
struct RenewalSagas {
  static constexpr std::string_view name = "renewal-saga-person-index";
  using PartitionKey = evenkey::ShardedKey<"RenewalSaga", evenkey::ShardPolicy<16>>;
  using SortKey = evenkey::CompositeKey<evenkey::Text, evenkey::Text>;
  using Item = Saga;
  using StartKey = std::string;
  static std::string_view sort_key(const Saga& saga) { return saga.gsi4sk; }
  static std::string_view primary_key(const Saga& saga) { return saga.id; }
  static std::string_view shard_by(const Saga& saga) { return saga.person_id; }
  static std::string_view partition_key(const Saga& saga) { return saga.gsi4pk; }
};
using namespace std::chrono_literals;
using evenkey::Phase;

template <class Query, class Scan, class Restamp>
void move_sagas(Phase phase, std::string_view person, std::string_view opened_at, Query query, Scan scan,
                Restamp restamp, std::chrono::system_clock::time_point drained,
                evenkey::CheckpointStore& notebook, evenkey::MemoryRecordStore& phases,
                const evenkey::Evidence& evidence) {
  // snippet 3
}
void move_sagas_in_memory(std::string_view person, evenkey::CheckpointStore& notebook,
                          evenkey::MemoryRecordStore& phases) {
  move_sagas(
      Phase::dual_read, person, "2026-07-08",
      [](const evenkey::QueryRequest<std::string>&) { return evenkey::Page<Saga>{}; },
      [](const evenkey::ScanRequest<std::string>&) { return evenkey::Page<Saga>{}; },
      [](const evenkey::Restamp<Saga>&) { return evenkey::RestampResult::moved(); }, {}, notebook, phases,
      {});
}
