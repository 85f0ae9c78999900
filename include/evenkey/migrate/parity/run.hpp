// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/index.hpp>
#include <evenkey/migrate/drift_token.hpp>
#include <evenkey/migrate/layout_id.hpp>
#include <evenkey/migrate/paged_walk.hpp>
#include <evenkey/migrate/parity/buckets.hpp>
#include <evenkey/migrate/parity/named_rows.hpp>
#include <evenkey/migrate/parity/options.hpp>
#include <evenkey/migrate/parity/row_digest.hpp>
#include <evenkey/migrate/parity/token.hpp>
#include <evenkey/migrate/parity/two_sides.hpp>
#include <evenkey/migrate/phase.hpp>
#include <evenkey/migrate/reports.hpp>
#include <evenkey/migrate/scan_source.hpp>
#include <evenkey/migrate/walk_options.hpp>
#include <evenkey/page.hpp>
#include <evenkey/read/outcome.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace evenkey::detail {

/// What a report on what readers of an index see is about. Readers that look into both sides of a migration
/// show nothing about those of one side, so the layout is then the whole migration's.
template <class Index>
void set_head(const Index& index, ReportHead& head) {
  head.layout = layout_of(index);
  if constexpr (requires { index.phase(); }) {
    head.migration = index.migration_id();
    if (reads_source(index.phase()) && reads_destination(index.phase())) head.layout = head.migration;
  }
}

/// One parity check: a first look that sums rows by bucket, then looks at the buckets that differ.
template <class Index, class Scan, class Query, class View, class Clock, class Classifier>
class ParityRun {
 public:
  using Item = typename Index::Item;
  using StartKey = typename Index::StartKey;
  using TableStartKey = ScanStartKey<Scan, Index>;

  ParityRun(const Index& index, Scan& scan, Query& query, const View& view, const ParityOptions& options,
            Clock& clock, Classifier classifier)
      : index_(index),
        scan_(scan),
        query_(query),
        view_(view),
        options_(options),
        walk_({options.max_concurrency, options.max_read_units_per_second, options.deadline, options.stop,
               options.retry},
              clock, std::move(classifier)),
        table_(options.total_segments),
        partitions_(index),
        differences_(options.buckets) {
    set_head(index, report_);
    if (options.token.empty()) {
      report_.started = wall_time(clock);
    } else {
      read_parity_token(options.token, options.sample, report_, place());
    }
    requests_before_ = report_.requests;
    units_before_ = report_.consumed_read_units;
  }

  ParityReport run(Coverage coverage) {
    report_.looks = 1;
    const bool ended = look_at_all() && look_again();
    settle();
    if (ended) {
      report_.coverage = coverage;
    } else {
      report_.next_token = write_parity_token(report_, options_.sample, place());
    }
    return std::move(report_);
  }

 private:
  ParityPlace<TableStartKey, StartKey> place() { return {table_, partitions_.lanes, differences_}; }

  bool look_at_all() {
    const auto on_table = [&](const RowDigest& row, const Item&) {
      ++report_.compared;
      differences_.add_table(row);
    };
    const auto on_index = [&](const Sighting& seen, const Item&) {
      // A row that is seen in a wrong place must not be taken for one that is in order.
      differences_.add_index(seen.row.key,
                             seen.misplaced ? hash_numbers<2>({seen.row.digest, 1}) : seen.row.digest);
    };
    return walk_table(table_, on_table) && walk_partitions(partitions_, on_index);
  }

  /// Looks at what differs until nothing does, or often enough. @returns whether it came to its end
  bool look_again() {
    const auto& buckets = differences_.all();
    if (std::all_of(buckets.begin(), buckets.end(), [](const auto& bucket) { return bucket.is_even(); }))
      return true;
    if (options_.looks == 1) {
      count_buckets();
      return true;
    }
    Focus focus(differences_, options_.max_named);
    NamesInFocus names;
    while (report_.looks < options_.looks && (report_.looks == 1 || !focus.named().empty())) {
      ++report_.looks;
      if (!walk_.wait(options_.wait_between_looks)) return give_up(focus);
      RowsInFocus rows(focus.rows(), options_.max_named);
      names.clear();
      std::vector<WalkLane<TableStartKey>> table(options_.total_segments);
      IndexLanes<Index> partitions(index_);
      const auto on_table = [&](const RowDigest& row, const Item& item) {
        if (!focus.has(row.key)) return;
        rows.add_table(row);
        names.add(row.key, primary_key_of(index_, item), {}, false);
      };
      const auto on_index = [&](const Sighting& seen, const Item& item) {
        if (!focus.has(seen.row.key)) return;
        rows.add_index(seen.row, seen.group, seen.misplaced);
        names.add(seen.row.key, primary_key_of(index_, item), seen.partition_key, seen.misplaced);
      };
      if (!walk_table(table, on_table)) return give_up(focus);
      rows.sort();
      if (!walk_partitions(partitions, on_index)) return give_up(focus);
      const std::size_t extra_not_held = rows.extra_not_held();
      report_.settled += focus.narrow(std::move(rows).differing(), extra_not_held);
    }
    report(focus, names);
    return true;
  }

  // What the last look that came to its end saw; the report is not whole.
  bool give_up(const Focus& focus) {
    --report_.looks;
    if (report_.looks == 1) {
      count_buckets();
    } else {
      report(focus, NamesInFocus());
    }
    return false;
  }

  void report(const Focus& focus, const NamesInFocus& names) {
    std::array<std::size_t, 5> sampled{};
    for (const NamedDifference& row : focus.named()) {
      const auto kind = static_cast<std::size_t>(row.difference);
      ++*std::array<std::size_t*, 5>{&report_.settled, &report_.missing, &report_.extra, &report_.mismatched,
                                     &report_.misplaced}[kind];
      if (sampled[kind] >= options_.max_samples) continue;
      std::string text = names.of(row);
      if (text.empty()) continue;
      ++sampled[kind];
      report_.samples.push_back(std::move(text));
    }
    std::sort(report_.samples.begin(), report_.samples.end());
    add(focus.unnamed());
  }

  void count_buckets() {
    UnnamedDifferences seen;
    for (const auto& bucket : differences_.all())
      if (!bucket.is_even()) seen.add(bucket.rows);
    add(seen);
  }

  void add(const UnnamedDifferences& seen) {
    report_.missing += seen.missing;
    report_.extra += seen.extra;
    report_.mismatched += seen.mismatched;
  }

  template <class Sink>
  bool walk_table(std::vector<WalkLane<TableStartKey>>& lanes, Sink sink) {
    table_rows_ = index_rows_ = 0;
    walk_.run(
        lanes, 0, lanes.size(),
        [&](std::size_t lane, const std::optional<TableStartKey>& start) {
          return page_of<Item, TableStartKey>(
              std::invoke(scan_, scan_request<TableStartKey>(lane, start, options_)));
        },
        [&](std::size_t, Page<Item, TableStartKey>&& page) {
          for (const Item& item : page.items)
            take_table(item, sink);
          table_rows_ += page.items.size();
        },
        [&] { progress(); });
    return std::all_of(lanes.begin(), lanes.end(), [](const auto& lane) { return lane.ended; });
  }

  template <class Sink>
  void take_table(const Item& item, Sink& sink) {
    const Expected expected = expected_of(index_, item);
    if (expected == Expected::in_index) {
      if (view_.wanted(item)) sink(view_.row(item), item);
    } else if (report_.looks == 1) {
      ++(expected == Expected::foreign ? report_.foreign : report_.unindexed);
    }
  }

  template <class Sink>
  bool walk_partitions(IndexLanes<Index>& partitions, Sink sink) {
    return walk_index(
        index_, view_, partitions, walk_, query_, options_,
        [&](const Sighting& seen, const Item& item) {
          ++index_rows_;
          sink(seen, item);
        },
        [&] { progress(); });
  }

  void settle() {
    report_.requests = requests_before_ + walk_.requests();
    report_.consumed_read_units = units_before_ + walk_.consumed_read_units();
  }

  void progress() {
    if (!options_.progress) return;
    settle();
    const std::function<std::string()> token = [this] {
      return write_parity_token(report_, options_.sample, place());
    };
    options_.progress(ParityProgress{report_.looks, table_rows_, index_rows_, report_, token});
  }

  const Index& index_;
  Scan& scan_;
  Query& query_;
  const View& view_;
  const ParityOptions& options_;
  PagedWalk<Item, Clock, Classifier> walk_;
  std::vector<WalkLane<TableStartKey>> table_;
  IndexLanes<Index> partitions_;
  BucketDifferences differences_;
  ParityReport report_;
  std::size_t requests_before_ = 0;
  double units_before_ = 0;
  std::size_t table_rows_ = 0;
  std::size_t index_rows_ = 0;
};

}  // namespace evenkey::detail
