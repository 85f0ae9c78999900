// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/migrate/backfill/guard.hpp>
#include <evenkey/migrate/backfill/options.hpp>
#include <evenkey/migrate/backfill/rate.hpp>
#include <evenkey/migrate/backfill/report.hpp>
#include <evenkey/migrate/backfill/run.hpp>
#include <evenkey/migrate/checkpoint.hpp>
#include <evenkey/migrate/migration.hpp>
#include <evenkey/migrate/restamp.hpp>
#include <evenkey/migrate/scan_source.hpp>
#include <evenkey/read/clock.hpp>
#include <evenkey/read/observer.hpp>
#include <evenkey/read/retry.hpp>

#include <cstdint>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

namespace evenkey {

/// What may follow the options of a backfill, in any order, at most one of each: a clock to wait by, an error
/// classifier, and an observer (`on_page`, `on_throttled`).
template <class Extra>
concept backfill_extra = read_clock<std::remove_cvref_t<Extra>> ||
    error_classifier<std::remove_cvref_t<Extra>> || read_observer<std::remove_cvref_t<Extra>>;

/// Moves the rows of an index that are still on the source of a migration to where their id hashes to in the
/// destination.
///
/// Use it in phase `destination_writes`, when every writer of an earlier phase is gone; before that as a dry
/// run, which is the default, to know how much there is to do and how long it takes. Then prove the result by
/// `check_drift`. Several hosts share the work by `backfill_shared`.
///
/// Shape: migration, scan functor, restamp functor, options → report. The functor reports what it did or
/// found, evenkey judges: moved; found at its destination (the answer of an earlier try was lost, or somebody
/// else moved it); gone; or changed: found elsewhere, left alone. A restamp that throws, whatever it throws,
/// is tried again before the run ends, and counts as failed only after that; the other rows go on meanwhile.
/// Order: none among rows.
/// Units: write units, by the sizes that the options or the definition tell; rates are of this run alone.
/// Cost: of each move one base write, a delete on the source's partition and a put on the destination's, a
/// write on every other index that projects the attribute, and all of it again in each replica; of the scan
/// what it reads. Half the rate at once when the store throttles, a twentieth more every second after.
/// Errors: `migration_error` for a real run without `writers_drained_at`; `checkpoint_error` for a checkpoint
/// of another plan, both before any request; what the scan or the checkpoint store throws, after retries of
/// what was throttled or transient: the checkpoint saved last is good.
/// Resume: with a `checkpoint`, a run that was stopped or killed anywhere is gone on from by calling it
/// again: at most one page a segment is read again, and nothing is changed twice. Rows that failed are in the
/// checkpoint, and are looked for again. A run that finished has nothing left to do; with a later
/// `writers_drained_at` all is done once more, and so it is, after its end, where it was begun with an
/// earlier one. To begin anew otherwise, delete the checkpoint.
/// Threads: blocks; up to `max_concurrency - 1` threads of its own.
/// Source: docs/design/migration.md, docs/format/checkpoint.md.
template <class Migration, class Scan, class Functor, backfill_extra... Extras>
requires scan_functor < std::remove_reference_t<Scan>,
typename Migration::Definition >
    &&restamp_functor<std::remove_reference_t<Functor>, typename Migration::Definition::Item> BackfillReport
    backfill(const Migration& migration, Scan&& scan, Functor&& restamp, const BackfillOptions& options = {},
             Extras&&... extras) {
  detail::check_backfill_options(options);
  detail::refuse_future(options, extras...);
  const auto plan = detail::plan_of(migration, scan, options);
  std::vector<std::uint32_t> segments(plan.segments);
  std::iota(segments.begin(), segments.end(), 0U);
  detail::RateLimiter rate(options.index_partition_write_units, options.table_write_units,
                           options.table_read_units);
  detail::NoGuard guard;
  const auto run = [&] {
    return detail::run_backfill(migration, scan, restamp, options, plan, segments, rate, guard, extras...);
  };
  BackfillReport report = run();
  if (!report.finished || options.checkpoint == nullptr || options.dry_run ||
      !detail::is_too_early(options.checkpoint->load().value_or(""), options))
    return report;
  BackfillReport anew = run();
  anew.started = report.started;
  detail::add_report(anew, std::move(report), options.samples);
  return anew;
}

}  // namespace evenkey
