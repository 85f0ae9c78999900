// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/index.hpp>
#include <evenkey/migrate/layout_id.hpp>
#include <evenkey/migrate/paged_walk.hpp>
#include <evenkey/migrate/parity/buckets.hpp>
#include <evenkey/migrate/parity/options.hpp>
#include <evenkey/migrate/parity/recording.hpp>
#include <evenkey/migrate/parity/row_digest.hpp>
#include <evenkey/migrate/parity/two_sides.hpp>
#include <evenkey/migrate/walk_extras.hpp>
#include <evenkey/migrate/walk_options.hpp>
#include <evenkey/read/extras.hpp>
#include <evenkey/read/options.hpp>
#include <evenkey/read/outcome.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>

namespace evenkey {

/// How `record_rows` goes through the index. The order of members is API; those that `ParityOptions`
/// has too mean the same.
struct RecordOptions {
  std::size_t max_concurrency = default_max_concurrency;  ///< requests under way at once, at least 1
  std::optional<std::uint32_t> page_limit = {};           ///< items of one page; empty: as many as fit
  double max_read_units_per_second = 0;                   ///< 0: no bound
  /// What the digest is about: recordings of other labels are not compared.
  std::string_view label = {};
  double sample = 1;  ///< the part of the ids that is recorded, from (0, 1]
  /// 1 to 2^24, 12 bytes each: the fewer rows in one, the nearer the numbers of a comparison.
  std::size_t buckets = std::size_t{1} << 16U;
  /// Called after every page with how many rows were recorded, by one thread at a time.
  std::function<void(std::size_t)> progress = {};
  std::optional<Deadline> deadline = {};  ///< no request starts after it; the recording is then partial
  std::stop_token stop = {};              ///< no request starts after it; the recording is then partial
  RetryOptions retry = {};                ///< off by default: clients retry themselves
};

/// Records what readers of an index see, to be compared with what they see later: `compare_recordings`.
///
/// Shape: index, query functor, options, then any of `digest_by(…)`, `where(…)`, a clock, a classifier →
/// `Recording`. In which partition a row is seen is not recorded.
/// Cost: one listing of the index; 16 bytes a bucket.
/// Errors: an index on the move, whose readers look into two sides, → `std::invalid_argument`: a row could be
/// seen twice; else as `check_parity`.
/// Resume: none. A recording that was stopped is partial, and so is its comparison.
/// Threads: as `check_parity`.
template <index_definition Index, query_functor<typename Index::Item, typename Index::StartKey> Query,
          parity_extra... Extras>
Recording record_rows(const Index& index, Query&& query, const RecordOptions& options = {},
                      Extras&&... extras) {
  detail::check_walk_options(1, options.max_concurrency, options.max_read_units_per_second, options.retry);
  detail::check_sample(options.sample);
  detail::check_buckets(options.buckets);
  if (read_plan(index).groups.size() > 1)
    throw std::invalid_argument(
        "evenkey: rows are recorded in a phase that reads one side; while they move, one could be seen "
        "twice");
  const detail::RowView<Index, decltype(detail::digest_of(extras...)),
                        decltype(detail::predicate_of(extras...))>
      view{index, detail::digest_of(extras...), detail::predicate_of(extras...),
           detail::SampleOfIds(options.sample)};
  auto& clock = detail::clock_of(extras...);
  detail::PagedWalk<typename Index::Item, std::remove_reference_t<decltype(clock)>,
                    decltype(detail::classifier_of(extras...))>
      walk({options.max_concurrency, options.max_read_units_per_second, options.deadline, options.stop,
            options.retry},
           clock, detail::classifier_of(extras...));
  Recording recording;
  recording.layout = layout_of(index);
  recording.label = options.label;
  recording.sample = options.sample;
  recording.started = detail::time_of(detail::ticks_of(detail::wall_time(clock)));
  recording.buckets.resize(options.buckets);
  detail::IndexLanes<Index> lanes(index);
  std::size_t rows = 0;
  const bool ended = detail::walk_index(
      index, view, lanes, walk, query, options,
      [&](const detail::Sighting& seen, const typename Index::Item&) {
        Recording::Bucket& bucket = recording.buckets[detail::bucket_of(seen.row.key, options.buckets)];
        ++bucket.rows;
        bucket.digest += seen.row.digest;
        ++rows;
      },
      [&] {
        if (options.progress) options.progress(rows);
      });
  if (ended && options.sample >= 1 && !detail::compares_a_part<Extras...>)
    recording.coverage = Coverage::whole;
  return recording;
}

}  // namespace evenkey
