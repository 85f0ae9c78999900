// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/testing/memory_table/virtual_clock.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace evenkey::testing {

/// What was asked of a table, an index or a partition so far.
struct Counters {
  std::uint64_t reads = 0;             ///< requests, throttled and failed ones included
  std::uint64_t writes = 0;            ///< of an index partition: writes of entries
  std::uint64_t throttled_reads = 0;   ///< of `reads`
  std::uint64_t throttled_writes = 0;  ///< of `writes`
  std::uint64_t failed = 0;            ///< ended with an error other than throttling
  std::uint64_t items = 0;             ///< handed out by reads
  double read_units = 0;               ///< consumed in all
  double write_units = 0;              ///< consumed in all
  double peak_read_units = 0;          ///< in the busiest second of the virtual clock
  double peak_write_units = 0;         ///< likewise

  /// The peaks become the larger of both: partitions peak at different times.
  Counters& operator+=(const Counters& other) noexcept {
    reads += other.reads;
    writes += other.writes;
    throttled_reads += other.throttled_reads;
    throttled_writes += other.throttled_writes;
    failed += other.failed;
    items += other.items;
    read_units += other.read_units;
    write_units += other.write_units;
    peak_read_units = (std::max)(peak_read_units, other.peak_read_units);
    peak_write_units = (std::max)(peak_write_units, other.peak_write_units);
    return *this;
  }
};

}  // namespace evenkey::testing

namespace evenkey::testing::detail {

/// Counters, and what their peaks are made of.
class Meter {
 public:
  Counters counters;

  void read(double units, std::size_t items, VirtualClock::time_point now) noexcept {
    turn(now);
    counters.items += items;
    counters.read_units += units;
    counters.peak_read_units = (std::max)(counters.peak_read_units, reads_ += units);
  }
  void write(double units, VirtualClock::time_point now) noexcept {
    turn(now);
    counters.write_units += units;
    counters.peak_write_units = (std::max)(counters.peak_write_units, writes_ += units);
  }

 private:
  void turn(VirtualClock::time_point now) noexcept {
    const auto second = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch());
    if (second == second_) return;
    second_ = second;
    reads_ = writes_ = 0;
  }

  std::chrono::seconds second_{0};
  double reads_ = 0;
  double writes_ = 0;
};

}  // namespace evenkey::testing::detail
