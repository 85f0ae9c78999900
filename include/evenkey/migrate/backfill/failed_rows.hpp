// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/migrate/backfill/find_again.hpp>
#include <evenkey/migrate/backfill/mover.hpp>
#include <evenkey/migrate/backfill/options.hpp>
#include <evenkey/migrate/backfill/rows.hpp>
#include <evenkey/migrate/backfill/state.hpp>
#include <evenkey/migrate/row_place.hpp>
#include <evenkey/read/retry.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

namespace evenkey::detail {

/// Tries the rows again that failed, in this run or in one before it.
///
/// Threads: alone: no page and no other row is under way.
template <class Migration, class Scanner, class Mover, class Clock, class State, class Tally>
class FailedRows {
 public:
  using Item = typename Migration::Definition::Item;
  using StartKey = typename Scanner::StartKey;
  using Failed = FailedRow<Item, StartKey>;

  FailedRows(const Migration& migration, Scanner& scanner, Mover& mover, Clock& clock, State& state,
             Tally& tally, const BackfillOptions& options)
      : migration_(migration),
        scanner_(scanner),
        mover_(mover),
        clock_(clock),
        state_(state),
        tally_(tally),
        options_(options) {}

  /// Rows that failed in an earlier run: their keys are known, and the rows are looked for.
  void find_again_and_retry() {
    for (std::size_t i = 0; i < state_.failed.size() && !options_.stop.stop_requested(); ++i) {
      if (state_.failed[i].row) continue;
      const auto lane = state_.failed[i].lane;
      const auto page_start = state_.failed[i].page_start;
      const auto page_end = state_.failed[i].page_end;
      const std::optional<std::string> start = page_key(page_start);
      WantedRows<Item> wanted;
      for (const Failed& row : state_.failed)
        if (!row.row && row.lane == lane && page_key(row.page_start) == start)
          wanted.try_emplace(row.primary_key);
      if (find_again(migration_.index(), scanner_, state_.lanes[lane].segment, page_start, page_end,
                     options_.page_limit, wanted) == Search::stopped)
        return;
      for (Failed& row : state_.failed)
        if (!row.row && row.lane == lane && page_key(row.page_start) == start)
          if (auto& item = wanted.find(row.primary_key)->second) found_again(row, *std::move(item));
      std::erase_if(state_.failed, [&](const Failed& row) {
        if (row.row || row.lane != lane || page_key(row.page_start) != start) return false;
        state_.settle(lane, row.settled_as, true);
        if (row.settled_as == RowEnd::deleted) tally_.sample_key("deleted", row.primary_key, {});
        return true;
      });
      i = static_cast<std::size_t>(-1);  // the list has changed
    }
    retry();
  }

  /// Tries every row of the list once more.
  void retry() {
    auto& failed = state_.failed;
    for (std::size_t i = 0; i < failed.size() && !options_.stop.stop_requested();) {
      Failed& row = failed[i];
      if (!row.row) {
        ++i;
        continue;
      }
      Attempt attempt = mover_.move(*row.row);
      tally_.on_attempt(attempt);
      if (attempt.end == RowEnd::untouched) return;
      if (attempt.end == RowEnd::failing) {
        row.error = std::move(attempt.detail);
        row.tried_again = true;
        ++i;
        continue;
      }
      state_.settle(row.lane, attempt.end, row.page_done);
      tally_.on_settled(attempt, row.row->item);
      failed.erase(failed.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

  void retry_to_the_end() {
    for (std::size_t pass = 0; pass < options_.retry_passes && !state_.failed.empty(); ++pass) {
      const auto delay = retry_delay(options_.retry, ErrorKind::transient, pass, random_unit());
      if (pass != 0 && !clock_.wait_until(clock_.now() + delay, options_.stop)) return;
      retry();
    }
  }

 private:
  static std::optional<std::string> page_key(const std::optional<StartKey>& key) {
    if (!key) return std::nullopt;
    return encode_start_key(*key);
  }

  void found_again(Failed& row, Item&& item) {
    const auto stored = keep_text(migration_.index().partition_key(item));
    const auto id = keep_text(migration_.index().shard_by(item));
    switch (place_of(migration_, item, stored, id)) {
      case RowPlace::on_source:
        row.row = row_to_move(migration_, std::move(item), stored, id, options_);
        break;
      case RowPlace::in_place:
        row.settled_as = RowEnd::already_moved;
        break;
      default:
        row.settled_as = RowEnd::changed;
        tally_.sample_key("changed", row.primary_key, std::string(stored));
    }
  }

  const Migration& migration_;
  Scanner& scanner_;
  Mover& mover_;
  Clock& clock_;
  State& state_;
  Tally& tally_;
  const BackfillOptions& options_;
};

}  // namespace evenkey::detail
