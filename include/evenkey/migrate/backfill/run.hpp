// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/migrate/backfill/engine.hpp>
#include <evenkey/migrate/backfill/guard.hpp>
#include <evenkey/migrate/backfill/journal.hpp>
#include <evenkey/migrate/backfill/mover.hpp>
#include <evenkey/migrate/backfill/options.hpp>
#include <evenkey/migrate/backfill/report.hpp>
#include <evenkey/migrate/backfill/rows.hpp>
#include <evenkey/migrate/backfill/scanner.hpp>
#include <evenkey/migrate/backfill/state.hpp>
#include <evenkey/migrate/checkpoint.hpp>
#include <evenkey/migrate/checkpoint/checkpoint_text.hpp>
#include <evenkey/migrate/migration.hpp>
#include <evenkey/migrate/walk_extras.hpp>
#include <evenkey/read/extras.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace evenkey::detail {

/// What a checkpoint of this run belongs to.
template <class Migration, class Scan>
CheckpointPlan plan_of(const Migration& migration, const Scan& scan, const BackfillOptions& options) {
  CheckpointPlan plan{migration.id(), side_layout(migration.index().name, migration.destination()),
                      options.table, std::string(scan_source_name(scan)), options.total_segments};
  if constexpr (fixes_segments<Scan>) {
    if (plan.segments != 0 && plan.segments != scan.total_segments())
      throw migration_error("evenkey: the scan source has " + std::to_string(scan.total_segments()) +
                            " segments, and total_segments says otherwise: leave it out");
    plan.segments = scan.total_segments();
  }
  if (plan.segments == 0) plan.segments = 1;
  return plan;
}

inline std::int64_t to_ms(std::chrono::system_clock::time_point time) {
  return std::chrono::floor<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

template <class... Extras>
void refuse_future(const BackfillOptions& options, Extras&... extras) {
  if (options.writers_drained_at && *options.writers_drained_at > wall_time(clock_of(extras...)))
    throw migration_error(
        "evenkey: writers_drained_at is in the future: a writer of an earlier phase may live until then, and "
        "put rows back behind the mover; start after it");
}

/// Whether a checkpoint says that everything is done.
inline bool is_finished(const Checkpoint& checkpoint) {
  for (const CheckpointPlace& place : checkpoint.places)
    if (place.at != CheckpointPlace::At::end) return false;
  return checkpoint.failures.empty();
}

/// What is done is done once more where writers turn out to have lived longer. What was begun with an earlier
/// time is first brought to its end.
inline bool is_too_early(const std::string& checkpoint, const BackfillOptions& options) {
  return options.writers_drained_at && !checkpoint.empty() &&
         read_checkpoint(checkpoint).drained_ms < to_ms(*options.writers_drained_at);
}

/// Adds what a run did to what another one did; how far all is stays as it was.
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

/// Runs a backfill of some segments of a plan, from where their checkpoint stands.
template <class Migration, class Scan, class Functor, class Guard, class... Extras>
BackfillReport run_backfill(const Migration& migration, Scan& scan, Functor& functor,
                            const BackfillOptions& options, CheckpointPlan plan,
                            const std::vector<std::uint32_t>& segments, RateLimiter& rate, Guard& guard,
                            Extras&... extras) {
  using Index = typename Migration::Definition;
  using StartKey = ScanStartKey<Scan, Index>;
  const auto started = wall_time(clock_of(extras...));
  BackfillState<typename Index::Item, StartKey> state(segments);
  std::optional<std::int64_t> drained_ms;
  if (options.writers_drained_at) drained_ms = to_ms(*options.writers_drained_at);
  std::optional<Journal> journal;
  if (options.checkpoint != nullptr) {
    require_start_key_traits<StartKey>();
    if (const std::optional<std::string> text = options.checkpoint->load()) {
      const Checkpoint checkpoint = read_checkpoint(*text);
      check_plan(checkpoint.plan, plan);
      // A backfill that is done is begun anew where writers turn out to have lived longer than it thought.
      const bool anew = is_finished(checkpoint) && drained_ms && *drained_ms > checkpoint.drained_ms;
      if (!options.dry_run && !anew) state.restore(checkpoint);
      // One that is gone on with keeps its own time, since some of its rows were looked at before the later one.
      if (!anew) drained_ms = checkpoint.drained_ms;
    }
    if (!options.dry_run) journal.emplace(*options.checkpoint);
  }
  if (!options.dry_run && !drained_ms)
    throw migration_error(
        "evenkey: writers_drained_at is missing: a backfill may run only when no writer of an earlier phase "
        "lives, its longest request and last retry included, since it would put rows back behind the mover");
  auto& clock = clock_of(extras...);
  auto& observer = observer_of(extras...);
  const auto classifier = classifier_of(extras...);
  using Clock = std::remove_reference_t<decltype(clock)>;
  using Classifier = std::remove_const_t<decltype(classifier)>;
  using Observer = std::remove_reference_t<decltype(observer)>;
  using RunScanner = Scanner<Index, Scan, Classifier, Clock>;
  using RunMover = Mover<typename Index::Item, Functor, Classifier, Clock, Guard>;
  RunScanner scanner(scan, classifier, clock, rate, options, plan.segments);
  RunMover mover(functor, classifier, clock, rate, guard, options);
  BackfillEngine<Migration, RunScanner, RunMover, Clock, Observer> engine(
      migration, scanner, mover, clock, observer, options, state, journal ? &*journal : nullptr,
      std::move(plan), drained_ms.value_or(0));
  BackfillReport report = engine.run();
  report.started = started;
  return report;
}

}  // namespace evenkey::detail
