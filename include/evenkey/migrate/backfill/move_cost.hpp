// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/migrate/backfill/options.hpp>
#include <evenkey/migrate/backfill/rate.hpp>

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <map>
#include <string_view>

namespace evenkey {

/// The definition knows the size of a row in the base table, by DynamoDB's count: `index.item_bytes(item)`.
template <class Index>
concept tells_item_bytes = requires(const Index& index, const typename Index::Item& item) {
  { index.item_bytes(item) } -> std::convertible_to<std::size_t>;
};
/// The definition knows the size of a row's entry in the index: `index.entry_bytes(item)`.
template <class Index>
concept tells_entry_bytes = requires(const Index& index, const typename Index::Item& item) {
  { index.entry_bytes(item) } -> std::convertible_to<std::size_t>;
};

namespace detail {

/// A write unit is 1 KB or a part of it.
/// Source: AWS Developer Guide, "DynamoDB read and write operations".
constexpr double write_units(std::size_t bytes) noexcept {
  return static_cast<double>((std::max<std::size_t>)(1, bytes / 1024 + (bytes % 1024 != 0 ? 1 : 0)));
}

template <class Index>
MoveUnits move_units(const Index& index, const typename Index::Item& item, const BackfillOptions& options) {
  MoveUnits units{write_units(options.item_bytes), write_units(options.entry_bytes)};
  if constexpr (tells_item_bytes<Index>) units.table = write_units(index.item_bytes(item));
  if constexpr (tells_entry_bytes<Index>) units.entry = write_units(index.entry_bytes(item));
  return units;
}

/// What all moves cost together, and how long they take at the allowed rates: as long as what is most in
/// demand takes.
class MoveEstimate {
 public:
  void add(std::string_view from, std::string_view to, const MoveUnits& units) {
    table_ += units.table;
    index_ += units.entry;
    partitions_[to] += units.entry;
    if (from.empty()) return;  // the row is in no partition yet
    index_ += units.entry;
    partitions_[from] += units.entry;
  }
  double table_units() const noexcept { return table_; }
  double index_units() const noexcept { return index_; }
  std::chrono::duration<double> time(const BackfillOptions& options) const {
    double seconds = table_ / options.table_write_units;
    for (const auto& [key, units] : partitions_)
      seconds = (std::max)(seconds, units / options.index_partition_write_units);
    return std::chrono::duration<double>(seconds);
  }

 private:
  double table_ = 0;
  double index_ = 0;
  std::map<std::string_view, double> partitions_;  // views of the migration's keys
};

}  // namespace detail
}  // namespace evenkey
