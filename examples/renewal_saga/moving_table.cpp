// SPDX-License-Identifier: BSL-1.0
#include "moving_table.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "assumptions.hpp"

namespace lab {
namespace {

constexpr evenkey::testing::ThroughputCaps caps{
    .read_units_per_second = static_cast<double>(assumed.read_units_per_second),
    .write_units_per_second = static_cast<double>(assumed.write_units_per_second)};

bool is_throttling(const evenkey::testing::dynamodb_error& error) { return !error.reasons().empty(); }

}  // namespace

MovingTable::MovingTable(const MigrationSettings& settings, const Population& population,
                         std::string_view constant_key)
    : constant_key_(constant_key),
      reference_(population.persons),
      table_(ShardedSagas(settings.shards), options(),
             {.size_of = [](const Saga& saga) { return saga.bytes; }}),
      most_lag_(milliseconds(settings.index_lag_ms)) {
  for (const Saga& saga : population.sagas) {
    put(saga, constant_key_);
    (void)reference_.add(saga, Time());
  }
  // What was there before the first call was not written in its first second, and is visible.
  const ShardedSagas index(settings.shards);
  table_.set_caps<ShardedSagas>(constant_key_, caps);
  for (std::uint32_t shard = 0; shard < settings.shards; ++shard)
    table_.set_caps<ShardedSagas>(index.keys.at(evenkey::ShardId{shard}), caps);
  if (settings.index_lag_ms > 0) table_.set_lag<ShardedSagas>(watched_lag(settings.seed, most_lag_));
}

evenkey::testing::MemoryTableOptions MovingTable::options() { return {.table_name = "propflow-prod"}; }

/// Lags in no order, and each written down for the row that moves.
evenkey::testing::VisibilityLag MovingTable::watched_lag(std::uint64_t seed, Duration most) {
  using evenkey::testing::IndexChange;
  using evenkey::testing::VisibilityLag;
  return VisibilityLag::each(
      [this, drawn = VisibilityLag::random(seed, Duration(0), most)](const auto& event) -> Duration {
        const Time due = drawn.due(event, event.due);
        if (const auto number = reference_.number_of(event.primary_key); number != Reference::none) {
          Reference::Row& row = reference_.row(number);
          if (event.change == IndexChange::remove) row.gone_at = due;
          if (event.change == IndexChange::insert) row.shown_at = due;
        }
        return due - event.due;
      });
}

MovingTable::Buckets& MovingTable::own_buckets(std::string_view partition_key) {
  const auto found = own_.find(std::string(partition_key));
  if (found != own_.end()) return found->second;
  using evenkey::testing::TokenBucket;
  return own_
      .emplace(std::string(partition_key),
               Buckets{TokenBucket(caps.read_units_per_second), TokenBucket(caps.write_units_per_second)})
      .first->second;
}

template <class Ask>
auto MovingTable::ask(std::string_view partition_key, bool writes, Ask ask_table) {
  Buckets& own = own_buckets(partition_key);
  auto& bucket = writes ? own.write : own.read;
  ++figures_->requests;
  try {
    auto answer = ask_table();
    (void)bucket.admits(now());  // a new second fills it
    if constexpr (requires { answer.index_write_units; }) {
      bucket.charge(answer.index_write_units);
    } else {
      bucket.charge(answer.consumed_read_units);
    }
    return answer;
  } catch (const evenkey::testing::dynamodb_error& error) {
    if (!is_throttling(error)) throw;
    ++figures_->throttled;
    if (bucket.admits(now())) ++figures_->throttled_by_tools;
    throw throttled_error();
  }
}

evenkey::Page<Saga> MovingTable::query(const evenkey::QueryRequest<std::string>& request) {
  return ask(request.partition_key, false, [&] { return table_.query<ShardedSagas>(request); });
}

void MovingTable::create(Saga saga, const std::string& partition_key) {
  const auto result = ask(partition_key, true, [&] {
    saga.gsi4pk = partition_key;
    return table_.put(saga);
  });
  if (result.previous) return;
  key_of_[saga.id] = partition_key;
  reference_.row(reference_.add(saga, now() + most_lag_)).on_shards = is_sharded(partition_key);
}

/// The ratchet: an update leaves the key alone.
void MovingTable::take_step(const std::string& id) {
  (void)ask(key_of_.at(id), true, [&] {
    return table_.update(
        id, [](const Saga&) { return true; }, [](Saga& stored) { ++stored.transitions; });
  });
}

evenkey::RestampResult MovingTable::restamp(const evenkey::Restamp<Saga>& request) {
  try {
    const std::uint32_t number = reference_.number_of(request.item.id);
    const auto result = table_.update(
        request.item.id, [&](const Saga& stored) { return stored.gsi4pk == request.from; },
        [&](Saga& stored) { stored.gsi4pk = request.to; });
    if (!result.applied)
      return result.previous ? evenkey::RestampResult::found(result.previous->gsi4pk)
                             : evenkey::RestampResult::gone();
    ++figures_->moved;
    ++moves_;
    key_of_[request.item.id] = request.to;
    if (number != Reference::none) {
      Reference::Row& row = reference_.row(number);
      row.moved_at = now();
      row.on_shards = is_sharded(request.to);
    }
    return evenkey::RestampResult::moved();
  } catch (const evenkey::testing::dynamodb_error& error) {
    if (!is_throttling(error)) throw;
    ++figures_->moves_throttled;
    return evenkey::RestampResult::throttled();
  }
}

void MovingTable::put(Saga saga, const std::string& partition_key) {
  saga.gsi4pk = partition_key;
  key_of_[saga.id] = partition_key;
  (void)table_.put(std::move(saga));
}

void MovingTable::create_late(Saga saga, const std::string& partition_key) {
  reference_.row(reference_.add(saga, (Time::max)())).on_shards = is_sharded(partition_key);
  put(std::move(saga), partition_key);
}

void MovingTable::adopt(const std::string& id) {
  reference_.row(reference_.number_of(id)).seen_from = now() + most_lag_;
}

std::uint64_t MovingTable::rows_on(bool shards) const {
  return static_cast<std::uint64_t>(
      std::count_if(reference_.rows().begin(), reference_.rows().end(),
                    [shards](const Reference::Row& row) { return row.on_shards == shards; }));
}

}  // namespace lab
