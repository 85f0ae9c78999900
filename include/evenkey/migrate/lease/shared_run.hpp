// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/hash.hpp>
#include <evenkey/migrate/backfill/options.hpp>
#include <evenkey/migrate/backfill/rate.hpp>
#include <evenkey/migrate/backfill/report.hpp>
#include <evenkey/migrate/backfill/run.hpp>
#include <evenkey/migrate/checkpoint.hpp>
#include <evenkey/migrate/checkpoint/checkpoint_text.hpp>
#include <evenkey/migrate/lease.hpp>
#include <evenkey/migrate/lease/lease_record.hpp>
#include <evenkey/migrate/lease/segment_lease.hpp>
#include <evenkey/migrate/standing.hpp>
#include <evenkey/migrate/walk_extras.hpp>
#include <evenkey/read/extras.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace evenkey::detail {

/// A segment's checkpoint, kept in its lease.
template <class Lease>
class LeasedCheckpoint final : public CheckpointStore {
 public:
  explicit LeasedCheckpoint(Lease& lease) : lease_(&lease) {}
  std::optional<std::string> load() override {
    const std::string text = lease_->checkpoint();
    if (text.empty()) return std::nullopt;
    return text;
  }
  void save(std::string_view checkpoint) override { lease_->save(checkpoint); }

 private:
  Lease* lease_;
};

/// Others need not wait for a host that ends by an error. Where even this fails, they wait for its lease.
template <class Lease>
void give_back(Lease& lease) noexcept {
  try {
    (void)lease.release(LeaseRecord::State::open);
  } catch (...) {
  }
}

/// Errors: a segment's checkpoint that is of another plan → `checkpoint_error`.
template <class Store>
void refuse_other_plans(Store& leases, const CheckpointPlan& plan) {
  for (std::uint32_t segment = 0; segment < plan.segments; ++segment) {
    const std::optional<std::string> text = leases.load(segment);
    const LeaseRecord record = text ? read_lease(*text) : LeaseRecord{};
    if (!record.checkpoint.empty()) check_plan(read_checkpoint(record.checkpoint).plan, plan);
  }
}

/// A host's part in a backfill that several share: takes segments until none is left that it could do.
///
/// Threads: one.
template <class Migration, class Scan, class Functor, class Store, class Clock>
class SharedRun {
 public:
  SharedRun(const Migration& migration, Scan& scan, Functor& functor, Store& leases, Clock& clock,
            const LeaseOptions& lease_options, const BackfillOptions& options)
      : migration_(migration),
        scan_(scan),
        functor_(functor),
        leases_(leases),
        clock_(clock),
        lease_options_(lease_options),
        options_(options),
        plan_(plan_of(migration, scan, options)),
        rate_(options.index_partition_write_units, options.table_write_units, options.table_read_units),
        taker_(leases, clock, lease_options),
        seen_(plan_.segments, Seen::to_do) {}

  template <class... Extras>
  BackfillReport run(Extras&... extras) {
    report_.migration = plan_.migration;
    report_.layout = plan_.layout;
    report_.started = wall_time(clock_);
    refuse_other_plans(leases_, plan_);
    // Hosts begin at segments of their own, so that they seldom ask for the same one.
    const auto first = static_cast<std::uint32_t>(Xxh3_64{}(lease_options_.host) % plan_.segments);
    do {
      while (is_any_to_do()) {
        bool took_one = false;
        for (std::uint32_t i = 0; i < plan_.segments && !options_.stop.stop_requested(); ++i) {
          const std::uint32_t segment = (first + i) % plan_.segments;
          if (seen_[segment] == Seen::to_do) took_one = take_part_in(segment, extras...) || took_one;
        }
        if (options_.stop.stop_requested()) break;
        if (is_any_to_do() && !took_one &&
            !clock_.wait_until(clock_.now() + lease_options_.poll, options_.stop))
          break;
      }
      sum_up();
    } while (is_any_to_do() && !options_.stop.stop_requested());
    report_.end = report_.finished   ? BackfillEnd::finished
                  : is_any_to_do()   ? BackfillEnd::stopped
                  : too_many_failed_ ? BackfillEnd::too_many_failed
                                     : BackfillEnd::rows_failed;
    return std::move(report_);
  }

 private:
  using Taker = LeaseTaker<Store, Clock>;

  /// What this host knows of a segment.
  enum class Seen : std::uint8_t {
    to_do,
    tried,    // by this host, and rows of it failed
    finished  // when it was last looked at
  };

  bool is_any_to_do() const { return std::find(seen_.begin(), seen_.end(), Seen::to_do) != seen_.end(); }

  /// @returns whether the segment was this host's for a while
  template <class... Extras>
  bool take_part_in(std::uint32_t segment, Extras&... extras) {
    std::optional<typename Taker::Lease> lease;
    const auto answer = taker_.take(
        segment, lease, [&](const LeaseRecord& record) { return is_too_early(record.checkpoint, options_); });
    if (answer == Taker::Answer::finished) seen_[segment] = Seen::finished;
    if (answer != Taker::Answer::taken) return false;
    LeasedCheckpoint<typename Taker::Lease> checkpoint(*lease);
    BackfillOptions of_segment = options_;
    of_segment.checkpoint = &checkpoint;
    BackfillReport one;
    try {
      one = run_backfill(migration_, scan_, functor_, of_segment, plan_, {segment}, rate_, *lease, extras...);
    } catch (...) {
      give_back(*lease);
      throw;
    }
    // Whoever holds it by now may die: until it stands there that the segment is finished, it is not.
    if (lease->release(one.finished ? LeaseRecord::State::finished : LeaseRecord::State::open)) {
      const bool failed = one.end == BackfillEnd::rows_failed || one.end == BackfillEnd::too_many_failed;
      if (one.finished && !is_too_early(lease->checkpoint(), options_)) seen_[segment] = Seen::finished;
      if (failed) seen_[segment] = Seen::tried;
      too_many_failed_ = too_many_failed_ || one.end == BackfillEnd::too_many_failed;
    }
    add_report(report_, std::move(one), options_.samples);
    return true;
  }

  /// What all hosts together have done, by the checkpoints in the leases. A segment that another host has begun
  /// anew since this one saw it finished is to do once more.
  void sum_up() {
    const BackfillStanding all = backfill_standing(leases_, plan_.segments);
    report_.overall = all.counts;
    report_.failed = static_cast<std::size_t>(all.failed);
    report_.finished = all.finished;
    report_.coverage = all.segments_read == all.segments ? Coverage::whole : Coverage::partial;
    for (const SegmentStanding& one : all.leases)
      if (one.state != SegmentState::finished && seen_[one.segment] == Seen::finished)
        seen_[one.segment] = Seen::to_do;
  }

  const Migration& migration_;
  Scan& scan_;
  Functor& functor_;
  Store& leases_;
  Clock& clock_;
  const LeaseOptions& lease_options_;
  const BackfillOptions& options_;
  CheckpointPlan plan_;
  RateLimiter rate_;
  Taker taker_;
  std::vector<Seen> seen_;  // by segment
  bool too_many_failed_ = false;
  BackfillReport report_;
};

template <class Migration, class Scan, class Functor, class Store, class... Extras>
BackfillReport run_shared(const Migration& migration, Scan& scan, Functor& functor, Store& leases,
                          const LeaseOptions& lease_options, const BackfillOptions& options,
                          Extras&... extras) {
  auto& clock = clock_of(extras...);
  SharedRun<Migration, Scan, Functor, Store, std::remove_reference_t<decltype(clock)>> run(
      migration, scan, functor, leases, clock, lease_options, options);
  return run.run(extras...);
}

}  // namespace evenkey::detail
