// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/index.hpp>
#include <evenkey/page.hpp>
#include <evenkey/read/failure.hpp>
#include <evenkey/read/lane.hpp>
#include <evenkey/read/limit_plan.hpp>
#include <evenkey/read/merge_part.hpp>
#include <evenkey/read/options.hpp>
#include <evenkey/read/position.hpp>
#include <evenkey/read/result.hpp>
#include <evenkey/read/settings.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <vector>

namespace evenkey::detail {

/// All that a read knows: what is to be read, how far it has come, what it has cost. The planner of requests
/// and the engine work on it.
template <class Index>
struct ReadState {
  using Part = MergePart<Index>;

  Index index;
  ReadSettings settings;
  std::vector<Lane<Index>> lanes = {};
  std::vector<Part> parts = {};
  std::size_t in_flight = 0;
  std::size_t current = 0;  // of parts, the one that gives items now
  std::size_t kept = 0;     // items that came and belong to the answer
  std::size_t settled = 0;  // items popped
  std::size_t given = 0;    // of these, items that count toward the limit
  Progress<Index> progress = {};
  FailureLog failed = {};
  std::exception_ptr cancelled = {};
  ReadCost cost = {};
  std::size_t counted = 0;
  std::chrono::milliseconds visibility_wait{0};
  Deadline source_answered = {};  // when the first group answered last
  bool gated = false;             // a listing by shard, of two groups

  Part& part_of(std::size_t lane) noexcept { return parts[lanes[lane].merge()]; }
  const Part& part_of(std::size_t lane) const noexcept { return parts[lanes[lane].merge()]; }

  /// No item comes after those given out: the limit is reached, every partition is read, or the read has
  /// failed.
  bool finished() const noexcept {
    return current == parts.size() || (settings.limit != 0 && given == settings.limit) || raised();
  }

  /// How many requests can be of use at once.
  std::size_t width() const noexcept {
    std::size_t width = 0;
    for (std::size_t m = current; m < parts.size() && m - current < settings.merges_at_once; ++m)
      width += parts[m].lanes.size();
    return width;
  }

  bool raised() const noexcept { return settings.on_failure == OnFailure::raise && !failed.empty(); }
  bool by_shard_page() const noexcept {
    return settings.positions == Positions::tracked && settings.merges_at_once == 1;
  }
  bool plans_rounds() const noexcept { return settings.limit != 0 && settings.merges_at_once != 1; }
  bool over_budget() const noexcept {
    // Also where a functor reports what is no number: a budget that cannot be counted is used up.
    return settings.max_read_units > 0 && !(cost.consumed_read_units < settings.max_read_units) &&
           progressed();
  }
  // A budget yields to progress: a page that gives no place to go on from would be asked again for ever.
  bool progressed() const noexcept {
    return settled != 0 || (settings.merges_at_once == 1 && cost.requests != 0);
  }

  static std::size_t scaled(std::size_t items, double factor) noexcept {
    constexpr double most = 1e15;  // a limit may be anything
    return static_cast<std::size_t>((std::min)(most, static_cast<double>(items) * factor));
  }

  LimitPlan limit_plan(const Part& part, LaneRange sharing) const noexcept {
    LimitPlan plan;
    plan.left = settings.limit - given;
    plan.lanes = sharing.size();
    if (plans_rounds()) {
      // Where a predicate lets few items pass, as many more are needed.
      if (given < settled)
        plan.left = scaled(plan.left, static_cast<double>(settled + 1) / static_cast<double>(given + 1));
      plan.evaluated = cost.scanned_count;
      plan.kept = kept;
      plan.run = part.merge.run_length();
      if (part.windows && part.windows->at_source())  // held back, as a run is
        for (std::size_t lane = sharing.first; lane < sharing.end; ++lane)
          plan.run += lanes[lane].items_held();
      plan.behind = progress.begins_midway() ? 1 : 0;
    }
    if (cost.scanned_count != 0)
      plan.item_bytes = cost.consumed_read_units * 8192 / static_cast<double>(cost.scanned_count);
    return plan;
  }
};

}  // namespace evenkey::detail
