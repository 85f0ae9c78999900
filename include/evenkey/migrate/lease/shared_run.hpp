// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/hash.hpp>
#include <evenkey/migrate/backfill/options.hpp>
#include <evenkey/migrate/backfill/rate.hpp>
#include <evenkey/migrate/backfill/report.hpp>
#include <evenkey/migrate/backfill/rows.hpp>
#include <evenkey/migrate/backfill/run.hpp>
#include <evenkey/migrate/checkpoint.hpp>
#include <evenkey/migrate/checkpoint/checkpoint_text.hpp>
#include <evenkey/migrate/lease.hpp>
#include <evenkey/migrate/lease/lease_record.hpp>
#include <evenkey/migrate/lease/segment_lease.hpp>
#include <evenkey/migrate/walk_extras.hpp>
#include <evenkey/read/extras.hpp>

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

/// Adds what a host did in one segment to what it did before.
inline void add_report(BackfillReport& all, BackfillReport&& one, std::size_t samples) {
  static_cast<BackfillCounts&>(all) += one;
  all.requests += one.requests;
  all.consumed_read_units += one.consumed_read_units;
  all.table_write_units += one.table_write_units;
  all.index_write_units += one.index_write_units;
  all.time_at_allowed_rate += one.time_at_allowed_rate;
  all.throttled += one.throttled;
  Samples bounded(samples);
  for (BackfillSample& sample : all.samples)
    bounded.add(sample.what, std::move(sample.primary_key), std::move(sample.detail));
  for (BackfillSample& sample : one.samples)
    bounded.add(sample.what, std::move(sample.primary_key), std::move(sample.detail));
  all.samples = std::move(bounded).take();
}

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

/// What all hosts together have done, by the checkpoints in the leases.
template <class Store>
void sum_up(Store& leases, const CheckpointPlan& plan, BackfillReport& report) {
  bool finished = true;
  bool whole = true;
  for (std::uint32_t segment = 0; segment < plan.segments; ++segment) {
    const std::optional<std::string> text = leases.load(segment);
    const LeaseRecord record = text ? read_lease(*text) : LeaseRecord{};
    finished = finished && record.state == LeaseRecord::State::finished;
    if (record.checkpoint.empty()) {
      whole = false;
      continue;
    }
    const Checkpoint checkpoint = read_checkpoint(record.checkpoint);
    check_plan(checkpoint.plan, plan);
    for (std::size_t i = 0; i < checkpoint_counts; ++i)
      report.overall.*BackfillCounts::members()[i] += checkpoint.counts[i];
    report.failed += checkpoint.failures.size();
    for (const CheckpointPlace& place : checkpoint.places)
      whole = whole && place.at == CheckpointPlace::At::end;
  }
  report.finished = finished;
  report.coverage = whole ? Coverage::whole : Coverage::partial;
}

template <class Migration, class Scan, class Functor, class Store, class... Extras>
BackfillReport run_shared(const Migration& migration, Scan& scan, Functor& functor, Store& leases,
                          const LeaseOptions& lease_options, const BackfillOptions& options,
                          Extras&... extras) {
  auto& clock = clock_of(extras...);
  using Clock = std::remove_reference_t<decltype(clock)>;
  using Taker = LeaseTaker<Store, Clock>;
  const CheckpointPlan plan = plan_of(migration, scan, options);
  RateLimiter rate(options.index_partition_write_units, options.table_write_units, options.table_read_units);
  Taker taker(leases, clock, lease_options);
  BackfillReport report;
  report.migration = plan.migration;
  report.layout = plan.layout;
  report.started = wall_time(clock);
  refuse_other_plans(leases, plan);
  // As by one host: what is done is done once more where writers turn out to have lived longer.
  const auto begins_anew = [&](const LeaseRecord& record) {
    return options.writers_drained_at && !record.checkpoint.empty() &&
           read_checkpoint(record.checkpoint).drained_ms < to_ms(*options.writers_drained_at);
  };
  std::vector<char> over(plan.segments, 0);  // finished, or tried by this host
  std::uint32_t left = plan.segments;
  bool too_many_failed = false;
  // Hosts begin at segments of their own, so that they seldom ask for the same one.
  const auto first = static_cast<std::uint32_t>(Xxh3_64{}(lease_options.host) % plan.segments);
  while (left != 0 && !options.stop.stop_requested()) {
    bool took_one = false;
    for (std::uint32_t i = 0; i < plan.segments && !options.stop.stop_requested(); ++i) {
      const std::uint32_t segment = (first + i) % plan.segments;
      if (over[segment] != 0) continue;
      std::optional<typename Taker::Lease> lease;
      const auto answer = taker.take(segment, lease, begins_anew);
      if (answer == Taker::Answer::held_by_another) continue;
      BackfillEnd end = BackfillEnd::finished;
      if (answer == Taker::Answer::taken) {
        took_one = true;
        LeasedCheckpoint<typename Taker::Lease> checkpoint(*lease);
        BackfillOptions of_segment = options;
        of_segment.checkpoint = &checkpoint;
        BackfillReport one;
        try {
          one = run_backfill(migration, scan, functor, of_segment, plan, {segment}, rate, *lease, extras...);
        } catch (...) {
          give_back(*lease);
          throw;
        }
        end = one.end;
        // Whoever holds it by now may die: until it stands there that the segment is finished, it is not.
        if (!lease->release(one.finished ? LeaseRecord::State::finished : LeaseRecord::State::open))
          end = BackfillEnd::lease_lost;
        add_report(report, std::move(one), options.samples);
      }
      if (end == BackfillEnd::lease_lost || end == BackfillEnd::stopped) continue;
      too_many_failed = too_many_failed || end == BackfillEnd::too_many_failed;
      over[segment] = 1;
      --left;
    }
    if (left != 0 && !took_one && !clock.wait_until(clock.now() + lease_options.poll, options.stop)) break;
  }
  sum_up(leases, plan, report);
  report.end = report.finished   ? BackfillEnd::finished
               : left != 0       ? BackfillEnd::stopped
               : too_many_failed ? BackfillEnd::too_many_failed
                                 : BackfillEnd::rows_failed;
  return report;
}

}  // namespace evenkey::detail
