// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "callers.hpp"
#include "remedies.hpp"

namespace lab {

/// What one caller, one partition or all together asked for.
struct Figures {
  std::uint64_t requests = 0;   ///< attempts, as they reached the table
  std::uint64_t throttled = 0;  ///< of these
  std::uint64_t errors = 0;     ///< requests whose attempts or retry tokens were used up
  std::uint32_t attempts_p50 = 0;
  std::uint32_t attempts_p99 = 0;
  std::uint32_t attempts_max = 0;
  double read_units = 0;
  double write_units = 0;
  double peak_rcu = 0;  ///< in the busiest second
  double peak_wcu = 0;
};

struct CallerFigures : Figures {
  std::uint64_t calls = 0;
  std::uint64_t failed_calls = 0;  ///< at least one of the call's requests ended with an error
};

/// One second of one partition.
struct Second {
  double rcu = 0;
  double wcu = 0;
  std::uint32_t throttled = 0;
};

struct PartitionFigures : Figures {
  std::string partition_key;
  std::uint32_t persons = 0;
  std::uint64_t rows = 0;
  std::vector<Second> seconds;  ///< all partitions of a side have as many
};

/// What was measured on one side of ADR-0085.
struct Side {
  std::uint64_t rows = 0;  ///< in the index at the end
  Figures total;           ///< its peaks are those of all partitions together
  std::array<CallerFigures, caller_count> by_caller;
  std::vector<PartitionFigures> partitions;
  std::uint64_t failed_calls = 0;
  std::uint64_t seconds_throttled = 0;  ///< seconds in which anything was
  std::uint64_t answers_checked = 0;
  std::uint64_t answers_wrong = 0;
  std::uint64_t physical_used = 0;      ///< physical partitions with at least one key, in the end
  std::uint64_t physical_at_end = 0;    ///< more than to begin with: heat split some
  std::uint64_t queries_coalesced = 0;  ///< answered from what another's query had answered

  /// The partitions that had the most read units in one second, the most write units in one, and the most in
  /// all.
  const PartitionFigures& busiest_reads() const;
  const PartitionFigures& busiest_writes() const;
  const PartitionFigures& most_read() const;
  std::uint32_t fewest_persons() const;
  std::uint32_t most_persons() const;
  /// By how much the whole may grow until the most read partition is as full as one for everything would be:
  /// N where the load is spread evenly, less where it is not.
  double effective_lift() const;
};

/// What both sides hold at the end, compared row by row; partition keys are the only thing that may differ.
struct Comparison {
  bool same_listing = false;  ///< the whole enumeration, order included
  std::uint64_t persons = 0;
  std::uint64_t persons_differing = 0;

  bool same() const { return same_listing && persons_differing == 0; }
};

/// The same traffic, eased in another way or not at all: for seeing what a remedy saves.
struct Variant {
  Remedies remedies;
  std::uint64_t calls = 0;
  Side before;
  Side after;
  Comparison comparison;

  bool same_data() const { return comparison.same() && before.rows == after.rows; }
};

/// What was asked for, and what it is compared with.
struct Result : Variant {
  std::uint64_t seed = 0;
  std::uint32_t seconds = 0;
  std::uint32_t shards = 0;
  std::uint32_t physical = 0;  ///< partitions that keys share to begin with; 0: none is shared
  std::uint64_t open_sagas = 0;
  std::uint64_t archived_sagas = 0;
  double index_bytes = 0;
  /// None at all first, then each remedy alone where several were asked for; empty where none was.
  std::vector<Variant> others;
};

/// Something is wrong with the sharded side: the lab then ends with exit status 1.
std::vector<std::string> problems_of(const Result& result);

}  // namespace lab
