// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/migrate/backfill.hpp>
#include <evenkey/migrate/lease.hpp>
#include <evenkey/migrate/lease/segment_lease.hpp>
#include <evenkey/migrate/lease/shared_run.hpp>

#include <stdexcept>
#include <type_traits>
#include <utility>

namespace evenkey {

/// Takes part in a backfill that several hosts share: takes segments one by one, moves their rows, and ends
/// when no segment is left.
///
/// Use it where one host is too slow, or where the backfill should go on when a host dies: every host calls
/// it with the same migration, options and store. What is not done of a host's segment is gone on with by
/// another, from the segment's checkpoint, when its lease is over. Two hosts never restamp rows of one
/// segment under a lease that is good; a host that stood still and is behind finds out before its next row,
/// and what it sent before that is held off by the restamp's own condition.
///
/// Shape: as `backfill`, with the lease store and how this host takes part. `total_segments` should be
/// several times the number of hosts. The report's counts are this host's; `overall`, `finished` and what
/// follows from them are those of all hosts. A segment with rows that failed is tried once by every host.
/// Units: rates are of this host: give each its share.
/// Cost: of leases a write for each page and for each half of `duration`, and while a host has no segment a
/// read a segment every `poll`.
/// Errors: a dry run, a `checkpoint` in the options, or a host without a name → `std::invalid_argument`;
/// leases of another plan → `checkpoint_error`; else as `backfill`, and what the store throws.
/// Resume: by calling it again, on any host. Segments that are finished stay so; with a later
/// `writers_drained_at` they are done once more, and so are, after their end, those that were begun with an
/// earlier one. To begin anew otherwise, delete the leases.
/// Threads: as `backfill`.
/// Source: docs/format/lease.md.
template <class Migration, class Scan, class Functor, lease_store Store, backfill_extra... Extras>
requires scan_functor < std::remove_reference_t<Scan>,
typename Migration::Definition >
    &&restamp_functor<std::remove_reference_t<Functor>, typename Migration::Definition::Item> BackfillReport
    backfill_shared(const Migration& migration, Scan&& scan, Functor&& restamp, Store& leases,
                    const LeaseOptions& lease_options, const BackfillOptions& options, Extras&&... extras) {
  detail::check_backfill_options(options);
  detail::refuse_future(options, extras...);
  if (options.dry_run)
    throw std::invalid_argument("evenkey: a dry run needs no leases: use backfill, on one host");
  if (options.checkpoint != nullptr)
    throw std::invalid_argument("evenkey: a shared backfill keeps its checkpoints in the leases");
  if (lease_options.host.empty() || lease_options.duration.count() < 10 ||
      lease_options.duration > detail::most_lease_duration || lease_options.poll.count() <= 0)
    throw std::invalid_argument(
        "evenkey: a lease needs the host's name, a duration of at least 10 ms and at most a year, and a time "
        "after which to look again");
  return detail::run_shared(migration, scan, restamp, leases, lease_options, options, extras...);
}

}  // namespace evenkey
