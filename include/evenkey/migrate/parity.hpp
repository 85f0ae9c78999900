// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/index.hpp>
#include <evenkey/migrate/parity/options.hpp>
#include <evenkey/migrate/parity/row_digest.hpp>
#include <evenkey/migrate/parity/run.hpp>
#include <evenkey/migrate/parity/two_sides.hpp>
#include <evenkey/migrate/reports.hpp>
#include <evenkey/migrate/scan_source.hpp>
#include <evenkey/migrate/walk_options.hpp>
#include <evenkey/read/extras.hpp>
#include <evenkey/read/outcome.hpp>

#include <type_traits>
#include <utility>

namespace evenkey {

/// Compares the base table with what readers of an index see, row by row: rows that are missing, extra,
/// that differ, or that stand in a partition that their id does not hash to. A whole report that is
/// `identical()`, of `migration.at(Phase::destination)`, is half of what the last step of a migration
/// needs; `check_drift` is the other.
///
/// Shape: index (of a phase, or any other), scan functor over the *base table*, query functor of the
/// index, options, then any of `digest_by(…)`, `where(…)`, a clock, a classifier → `ParityReport`.
/// **The scan must read strongly consistently**, and both functors must project what the definition's
/// accessors, the digest and the predicate look at. Without a digest the keys alone are compared.
/// Order: the whole table, then the whole index (source before destination), summed by bucket of the
/// primary key; then only the buckets that differ, up to `looks` times, `wait_between_looks` apart. A
/// row counts if it differs at every look, so an index that is behind for a while does not. A row that
/// is in the index twice while it moves is one row.
/// Cost: one scan of the table and one listing of the index; the same again for each further look,
/// while anything differs. Memory: 16 bytes a bucket (16 MiB), then 60 bytes for each row in a bucket
/// that differs, up to `max_named` (30 MiB), whatever the number of rows; and a page for each request
/// under way.
/// Errors: what a functor throws leaves the check when all requests have ended; a token of another
/// check → `token_error`, an option out of range → `std::invalid_argument`, both before any request.
/// Rows that change all the time can differ at every look where the digest covers what changes: let it
/// cover what is steady.
/// Resume: a run that was stopped gives a `next_token`. A run that goes on from it keeps the *first*
/// run's start and first look; further looks begin anew. What a run saw that was stopped in its first
/// look is not told, since one side of it is not read. A sample, or a `where`, is never whole.
/// Threads: blocks; the functors are called from the calling thread and at most `max_concurrency - 1`
/// others.
template <index_definition Index, scan_functor<Index> Scan,
          query_functor<typename Index::Item, typename Index::StartKey> Query, parity_extra... Extras>
ParityReport check_parity(const Index& index, Scan&& scan, Query&& query, const ParityOptions& options = {},
                          Extras&&... extras) {
  detail::require_base_table(scan);
  detail::check_walk_options(options.total_segments, options.max_concurrency,
                             options.max_read_units_per_second, options.retry);
  detail::check_sample(options.sample);
  detail::check_buckets(options.buckets);
  detail::require_positive(options.looks, "evenkey: a check that never looks sees nothing; give at least 1");
  const detail::RowView<Index, decltype(detail::digest_of(extras...)),
                        decltype(detail::predicate_of(extras...))>
      view{index, detail::digest_of(extras...), detail::predicate_of(extras...),
           detail::SampleOfIds(options.sample)};
  auto& clock = detail::clock_of(extras...);
  detail::ParityRun run(index, scan, query, view, options, clock, detail::classifier_of(extras...));
  const bool whole = options.sample >= 1 && !detail::compares_a_part<Extras...>;
  return run.run(whole ? Coverage::whole : Coverage::partial);
}

}  // namespace evenkey
