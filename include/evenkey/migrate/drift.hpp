// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/migrate/drift_token.hpp>
#include <evenkey/migrate/layout_id.hpp>
#include <evenkey/migrate/migration.hpp>
#include <evenkey/migrate/paged_walk.hpp>
#include <evenkey/migrate/reports.hpp>
#include <evenkey/migrate/row_place.hpp>
#include <evenkey/migrate/scan_source.hpp>
#include <evenkey/migrate/walk_extras.hpp>
#include <evenkey/migrate/walk_options.hpp>
#include <evenkey/read/options.hpp>
#include <evenkey/read/outcome.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace evenkey {

/// The definition shows the mark that the mover leaves on a row that it moves: `index.moved_marker(item)`
/// gives the text of the attribute, "" where the item has none. A row that has it for this migration while
/// its key is the source's was put back by a writer.
///
/// The mark says where the row was moved to: the partition key of the destination, or the migration's id.
template <class Index>
concept tells_moved_marker = requires(const Index& index, const typename Index::Item& item) {
  { index.moved_marker(item) } -> sort_key_text;
};

/// How `check_drift` goes through the table. The order of members is API.
struct DriftOptions {
  /// Into how many segments the scan is split, at least 1.
  std::uint32_t total_segments = 1;
  /// The most requests under way at once, at least 1.
  std::size_t max_concurrency = default_max_concurrency;
  /// The most items of one page; empty: as many as fit.
  std::optional<std::uint32_t> page_limit = {};
  /// Read capacity units a second that the scan keeps below; 0: no bound. A page for which the functor
  /// reports no units counts one unit an item.
  double max_read_units_per_second = 0;
  /// The most samples of each kind.
  std::size_t max_samples = 10;
  /// `next_token` of a report that was not whole: the run goes on from there, and keeps its start and counts.
  std::string_view token = {};
  /// Called after every page, by one thread at a time, with the report so far, its `next_token` too: what a
  /// run that is killed can be gone on with.
  std::function<void(const DriftReport&)> progress = {};
  /// No request starts after it; the report is then partial.
  std::optional<Deadline> deadline = {};
  /// No request starts after a stop is requested; the report is then partial.
  std::stop_token stop = {};
  /// Off by default, because clients retry themselves.
  RetryOptions retry = {};
};

namespace detail {

/// Counts rows by their place.
template <class Migration>
class DriftCount {
 public:
  using Index = typename Migration::Definition;
  using Item = typename Index::Item;

  DriftCount(const Migration& migration, std::size_t max_samples, DriftReport& report)
      : migration_(migration), max_samples_(max_samples), report_(report) {}

  void add(const Item& item) {
    ++report_.scanned;
    const RowPlace place = place_of(migration_, item);
    switch (place) {
      case RowPlace::in_place:
        ++report_.in_place;
        return;
      case RowPlace::on_source:
        ++report_.on_source;
        if (was_moved(item)) {
          ++report_.regressed;
          sample("regressed", 4, item);
          return;
        }
        break;
      case RowPlace::misplaced:
        ++report_.misplaced;
        break;
      case RowPlace::foreign:
        ++report_.foreign;
        break;
      case RowPlace::unindexed:
        ++report_.unindexed;
        if (!is_stranded(item)) break;
        ++report_.stranded;
        sample("stranded", 5, item);
        return;
    }
    sample(row_place_name(place), static_cast<std::size_t>(place) - 1, item);
  }

 private:
  bool was_moved(const Item& item) const {
    if constexpr (tells_moved_marker<Index>) {
      const auto marker = keep_text(migration_.index().moved_marker(item));
      return migration_.destination().parse(marker) || std::string_view(marker) == migration_.id();
    } else {
      return false;
    }
  }

  bool is_stranded(const Item& item) const {
    const auto& index = migration_.index();
    const auto stored = keep_text(index.partition_key(item));
    return !stored.empty() && migration_.source().parse(stored) && !migration_.destination().parse(stored) &&
           has_stored_sort_key(index, item);
  }

  void sample(std::string_view kind, std::size_t number, const Item& item) {
    // A run that goes on from another has that one's samples already.
    if (sampled_[number] >= max_samples_ || report_.samples.size() >= max_samples_ * sampled_.size()) return;
    ++sampled_[number];
    const auto key = primary_key_of(migration_.index(), item);
    const auto stored = keep_text(migration_.index().partition_key(item));
    report_.samples.push_back(std::string(key) + ": " + std::string(kind) + ", stored " +
                              (stored.empty() ? std::string("nothing") : std::string(stored)));
  }

  const Migration& migration_;
  std::size_t max_samples_;
  DriftReport& report_;
  std::array<std::size_t, 6> sampled_{};
};

}  // namespace detail

/// Counts where the rows of the base table stand: in their place, still on the source, in a wrong
/// shard. A whole report that is `clean()`, begun after the last writer of an earlier phase was gone,
/// is half of what the last step of a migration needs; `check_parity` is the other.
///
/// Shape: migration, scan functor over the *base table*, options, then a clock and an error classifier
/// if wanted → `DriftReport`. **The functor must read strongly consistently** (`ConsistentRead`): an
/// index or an eventually consistent scan may show a row where it no longer stands, and nothing here
/// can tell. It must project the partition key, the sort key, the primary key and the sharding id.
/// Cost: one scan of the table: a read unit for every 4 KB of *item* size, whatever is projected.
/// Memory is one page for each request under way, and the samples.
/// Errors: what the functor throws leaves the check when all requests have ended; go on with the
/// `next_token` that `progress` saw last. A token of another migration, or of another number of
/// segments, → `token_error`; an option out of range → `std::invalid_argument`; both before any
/// request.
/// Resume: a run that was stopped reports what it saw, not whole, and a `next_token`. A run that goes
/// on from it keeps the *first* run's start, so that it cannot be newer evidence than its oldest row.
/// Rows that are written while it runs may be counted as they were or as they are.
/// Threads: blocks; the functor is called from the calling thread and at most `max_concurrency - 1`
/// others.
template <class Index, class From, class To, scan_functor<Index> Scan, walk_extra... Extras>
DriftReport check_drift(const Migration<Index, From, To>& migration, Scan&& scan,
                        const DriftOptions& options = {}, Extras&&... extras) {
  detail::require_base_table(scan);
  using Item = typename Index::Item;
  using StartKey = ScanStartKey<Scan, Index>;
  detail::check_walk_options(options.total_segments, options.max_concurrency,
                             options.max_read_units_per_second, options.retry);
  auto& clock = detail::clock_of(extras...);
  DriftReport report;
  std::vector<detail::WalkLane<StartKey>> lanes(options.total_segments);
  if (options.token.empty()) {
    report.started = detail::wall_time(clock);  // before the first request
  } else {
    detail::read_drift_token(options.token, migration.id(), report, lanes);
  }
  report.migration = migration.id();
  report.layout = detail::side_layout(migration.index().name, migration.destination());

  const std::size_t requests_before = report.requests;
  const double units_before = report.consumed_read_units;
  detail::DriftCount count(migration, options.max_samples, report);
  detail::PagedWalk<Item, std::remove_reference_t<decltype(clock)>,
                    decltype(detail::classifier_of(extras...))>
      walk({options.max_concurrency, options.max_read_units_per_second, options.deadline, options.stop,
            options.retry},
           clock, detail::classifier_of(extras...));
  const auto settle = [&] {
    report.requests = requests_before + walk.requests();
    report.consumed_read_units = units_before + walk.consumed_read_units();
    bool whole = true;
    for (const auto& lane : lanes)
      whole = whole && lane.ended;
    report.coverage = whole ? Coverage::whole : Coverage::partial;
    report.next_token = whole ? std::string() : detail::write_drift_token(report, lanes);
  };
  walk.run(
      lanes, 0, lanes.size(),
      [&](std::size_t lane, const std::optional<StartKey>& start) {
        return detail::page_of<Item, StartKey>(
            std::invoke(scan, detail::scan_request<StartKey>(lane, start, options)));
      },
      [&](std::size_t, Page<Item, StartKey>&& page) {
        for (const Item& item : page.items)
          count.add(item);
      },
      [&] {
        if (!options.progress) return;
        settle();
        options.progress(std::as_const(report));
      });
  settle();
  return report;
}

}  // namespace evenkey
