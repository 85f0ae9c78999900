// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/migrate/backfill/mover.hpp>
#include <evenkey/migrate/backfill/report.hpp>
#include <evenkey/migrate/backfill/rows.hpp>
#include <evenkey/migrate/checkpoint/checkpoint_text.hpp>
#include <evenkey/page.hpp>
#include <evenkey/read/start_key_traits.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace evenkey::detail {

/// One segment of the scan, and its page under way.
template <class Item, class StartKey>
struct ScanSegment {
  std::uint32_t segment = 0;
  /// Before the page under way or the next one: the place of a checkpoint.
  std::optional<StartKey> place = {};
  bool at_end = false;
  bool busy = false;  // a page is read, or a checkpoint is saved
  bool has_page = false;
  // Of the page under way:
  std::vector<RowToMove<Item>> rows = {};
  std::size_t taken = 0;
  std::size_t open = 0;  // whose outcome is not known
  std::optional<StartKey> next = {};
  BackfillCounts counts = {};
};

/// A row whose move failed, and where to look for it again.
template <class Item, class StartKey>
struct FailedRow {
  std::size_t lane = 0;
  std::optional<StartKey> page_start = {};
  std::optional<StartKey> page_end = {};
  std::string primary_key = {};
  std::optional<RowToMove<Item>> row = {};  // nothing: of an earlier run, and not found again yet
  std::string error = {};
  bool page_done = false;  // else the page is read again by a run that goes on
  bool tried_again = false;
  RowEnd settled_as = RowEnd::deleted;  // where it is looked for and there is nothing to move
};

inline void count_end(BackfillCounts& counts, RowEnd end) {
  switch (end) {
    case RowEnd::moved:
      ++counts.moved;
      break;
    case RowEnd::already_moved:
      ++counts.already_moved;
      break;
    case RowEnd::deleted:
      ++counts.deleted;
      break;
    case RowEnd::changed:
      ++counts.changed;
      break;
    case RowEnd::failing:
    case RowEnd::untouched:
      break;
  }
}

/// Where a backfill stands: what a checkpoint holds and what the run has in hand beside it.
///
/// Rule: the place of a segment passes a page only when every row of it has an outcome that is durable, or is
/// in the list of failed rows; both are in one checkpoint.
template <class Item, class StartKey>
class BackfillState {
 public:
  using Failed = FailedRow<Item, StartKey>;

  explicit BackfillState(const std::vector<std::uint32_t>& segments) {
    lanes.resize(segments.size());
    for (std::size_t i = 0; i < segments.size(); ++i)
      lanes[i].segment = segments[i];
  }

  std::vector<ScanSegment<Item, StartKey>> lanes;
  std::vector<Failed> failed;
  BackfillCounts durable;  // of all runs, pages under way excepted
  BackfillCounts run;

  bool scanned_all() const {
    for (const auto& lane : lanes)
      if (!lane.at_end) return false;
    return true;
  }

  /// Takes a page in. @returns whether it has rows to move
  bool begin_page(std::size_t lane_number, PageRows<Item>&& sorted, const std::optional<StartKey>& next) {
    auto& lane = lanes[lane_number];
    lane.has_page = true;
    lane.rows = std::move(sorted.rows);
    lane.taken = 0;
    lane.open = lane.rows.size();
    lane.next.reset();
    if (leads_on(next)) lane.next = next;
    lane.counts = sorted.counts;
    run += sorted.counts;
    return lane.open != 0;
  }

  /// All rows of the page have an outcome, or are in the list: the place moves on.
  void end_page(std::size_t lane_number) {
    auto& lane = lanes[lane_number];
    durable += lane.counts;
    lane.counts = {};
    lane.rows.clear();
    lane.has_page = false;
    lane.at_end = !lane.next;
    lane.place = std::exchange(lane.next, std::nullopt);
    for (Failed& row : failed)
      if (row.lane == lane_number) row.page_done = true;
  }

  void settle(std::size_t lane_number, RowEnd end, bool page_done) {
    count_end(run, end);
    count_end(page_done ? durable : lanes[lane_number].counts, end);
  }

  void add_failed(std::size_t lane_number, RowToMove<Item>&& row, std::string primary_key,
                  std::string error) {
    const auto& lane = lanes[lane_number];
    failed.push_back(
        {lane_number, lane.place, lane.next, std::move(primary_key), std::move(row), std::move(error)});
  }

  Checkpoint checkpoint(const CheckpointPlan& plan, std::int64_t drained_ms) const {
    Checkpoint checkpoint;
    checkpoint.plan = plan;
    checkpoint.drained_ms = drained_ms;
    for (std::size_t i = 0; i < checkpoint_counts; ++i)
      checkpoint.counts[i] = durable.*BackfillCounts::members()[i];
    for (const auto& lane : lanes)
      checkpoint.places.push_back({lane.segment, encode(lane.place),
                                   lane.at_end ? CheckpointPlace::At::end : CheckpointPlace::At::page});
    for (const Failed& row : failed)
      if (row.page_done)
        checkpoint.failures.push_back(
            {lanes[row.lane].segment, encode(row.page_start), encode(row.page_end), row.primary_key});
    return checkpoint;
  }

  /// Errors: `checkpoint_error` for places of other segments and for start keys that cannot be read.
  void restore(const Checkpoint& checkpoint) {
    if (checkpoint.places.size() != lanes.size()) CheckpointReader::damaged();
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      const CheckpointPlace& place = checkpoint.places[i];
      if (place.segment != lanes[i].segment) CheckpointReader::damaged();
      lanes[i].place = decode(place.start_key);
      lanes[i].at_end = place.at == CheckpointPlace::At::end;
    }
    for (std::size_t i = 0; i < checkpoint_counts; ++i)
      durable.*BackfillCounts::members()[i] = checkpoint.counts[i];
    for (const CheckpointFailure& failure : checkpoint.failures) {
      Failed row;
      while (row.lane < lanes.size() && lanes[row.lane].segment != failure.segment)
        ++row.lane;
      if (row.lane == lanes.size()) CheckpointReader::damaged();
      row.page_start = decode(failure.page_start);
      row.page_end = decode(failure.page_end);
      row.primary_key = failure.primary_key;
      row.error = "failed in an earlier run";
      row.page_done = true;
      failed.push_back(std::move(row));
    }
  }

 private:
  static std::optional<std::string> encode(const std::optional<StartKey>& key) {
    if (!key) return std::nullopt;
    return encode_start_key(*key);
  }
  static std::optional<StartKey> decode(const std::optional<std::string>& bytes) {
    if (!bytes) return std::nullopt;
    std::optional<StartKey> key = decode_start_key<StartKey>(*bytes);
    if (!key) CheckpointReader::damaged();
    return key;
  }
};

}  // namespace evenkey::detail
