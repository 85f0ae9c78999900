// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/index.hpp>
#include <evenkey/migrate/layout_id.hpp>
#include <evenkey/migrate/migration.hpp>
#include <evenkey/migrate/paged_walk.hpp>
#include <evenkey/migrate/parity/two_sides.hpp>
#include <evenkey/migrate/reports.hpp>
#include <evenkey/migrate/restamp.hpp>
#include <evenkey/migrate/row_place.hpp>
#include <evenkey/migrate/unstamped.hpp>
#include <evenkey/migrate/walk_extras.hpp>
#include <evenkey/migrate/walk_options.hpp>
#include <evenkey/read/failure.hpp>
#include <evenkey/read/options.hpp>
#include <evenkey/read/outcome.hpp>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace evenkey {

/// A row that was found on the source after the switch: some writer of an earlier phase still lives.
struct LateRow {
  /// What became of it.
  enum class Outcome : std::uint8_t {
    moved,    ///< it is at its destination now
    deleted,  ///< it was deleted meanwhile
    changed,  ///< its key is another meanwhile, and was left alone
    failed    ///< it could not be moved, or has no sharding id: `message` says why; the next poll tries again
  };
  std::string_view primary_key;  ///< of the row
  std::string_view from;         ///< the partition key of the source on which it was found
  /// Where it belongs; empty where it has no sharding id.
  std::string_view to;
  Outcome outcome;           ///< what became of it
  std::string_view message;  ///< why it failed; empty where it did not
};

/// How `watch_source` polls. The order of members is API.
struct WatchOptions {
  /// How often it polls, at least 1; between two polls it waits.
  std::size_t polls = 1;
  /// How long it waits between two polls.
  std::chrono::milliseconds wait_between_polls = std::chrono::minutes(1);
  /// The most items of one page: a poll that finds nothing reads none.
  std::uint32_t page_limit = 25;
  /// The alarm: called for every late row, by one thread at a time.
  std::function<void(const LateRow&)> on_late = {};
  /// The most samples in the report.
  std::size_t max_samples = 10;
  /// The most queries under way at once, at least 1.
  std::size_t max_concurrency = default_max_concurrency;
  /// No request starts after it; the report is then partial.
  std::optional<Deadline> deadline = {};
  std::stop_token stop = {};  ///< no request starts after a stop is requested; the report is then partial
  /// Off by default, because clients retry themselves.
  RetryOptions retry = {};
  /// Called before every poll; what it throws ends the watch. Let it check the phase record, such as
  /// `[&] { check_mover(migration, store); }`: the watch is a mover, and one that outlives a rollback takes
  /// rows away from readers of the source.
  std::function<void()> before_poll = {};
};

/// What `watch_source` found. It is a signal, not proof: that is `check_drift`.
struct WatchReport : ReportHead {
  std::size_t polls = 0;  ///< polls that were made
  /// Late rows, each time that one was met.
  std::size_t late = 0;
  std::size_t moved = 0;    ///< of these: moved to their destination
  std::size_t deleted = 0;  ///< of these: deleted meanwhile
  std::size_t changed = 0;  ///< of these: their key was another meanwhile
  std::size_t failed = 0;   ///< of these: not moved; the next poll tries again
  /// Entries of the index whose rows are at their destination already: the index is behind.
  std::size_t stale = 0;
  /// Rows of others in the same partition.
  std::size_t foreign = 0;
  /// The primary keys of some late rows.
  std::vector<std::string> samples;

  /// No writer of an earlier phase showed itself.
  bool quiet() const noexcept { return late == 0; }
};

namespace detail {

/// Moves the late rows of a page.
template <class Migration, class RestampFunctor>
class LateRows {
 public:
  using Index = typename Migration::Definition;
  using Item = typename Index::Item;

  LateRows(const Migration& migration, RestampFunctor& restamp, const WatchOptions& options,
           WatchReport& report)
      : migration_(migration), restamp_(restamp), options_(options), report_(report) {}

  void meet(const Item& item, std::string_view partition_key) {
    const Index& index = migration_.index();
    const auto id = keep_text(index.shard_by(item));
    // The partition says where the index shows it; the projected key may be absent.
    const RowPlace place = place_of(migration_, item, partition_key, id);
    if (place == RowPlace::unindexed && id.empty()) return strand(index, item, partition_key);
    if (place != RowPlace::on_source) {
      ++report_.foreign;
      return;
    }
    const std::string to(migration_.destination().of(id));
    const auto key = primary_key_of(index, item);
    LateRow row{key, partition_key, to, LateRow::Outcome::failed, {}};
    std::string message;
    try {
      const RestampResult result = std::invoke(restamp_, Restamp<Item>{item, partition_key, to});
      if (result.is_moved()) {
        row.outcome = LateRow::Outcome::moved;
        ++report_.moved;
      } else if (result.is_gone()) {
        row.outcome = LateRow::Outcome::deleted;
        ++report_.deleted;
      } else if (result.is_throttled()) {
        message = "throttled";
        ++report_.failed;
      } else if (result.stored_key() == to) {
        ++report_.stale;  // moved long ago: nobody is late but the index
        return;
      } else if (result.stored_key() == partition_key) {
        message = "the condition did not hold, and yet this key was found: " + result.stored_key();
        ++report_.failed;
      } else {
        row.outcome = LateRow::Outcome::changed;
        ++report_.changed;
      }
    } catch (...) {
      message = message_of(std::current_exception());
      ++report_.failed;
    }
    row.message = message;
    raise_alarm(row);
  }

 private:
  /// Readers of the destination do not see it, and nothing says where it would have to go.
  void strand(const Index& index, const Item& item, std::string_view partition_key) {
    const auto key = primary_key_of(index, item);
    ++report_.failed;
    raise_alarm(
        {key,
         partition_key,
         {},
         LateRow::Outcome::failed,
         "it has no sharding id, so nothing says where it belongs: give it one, or take its key away"});
  }

  void raise_alarm(const LateRow& row) {
    ++report_.late;
    if (report_.samples.size() < options_.max_samples) report_.samples.emplace_back(row.primary_key);
    if (options_.on_late) options_.on_late(row);
  }

  const Migration& migration_;
  RestampFunctor& restamp_;
  const WatchOptions& options_;
  WatchReport& report_;
};

template <class Migration>
void refuse_shared_names(const Migration& migration) {
  if (share_names(migration.source(), migration.destination()))
    throw migration_error("evenkey: " + migration.id() +
                          ": source and destination share key names, so a poll of the source cannot tell a "
                          "late row; run check_drift instead");
}

}  // namespace detail

/// Looks into the source's partitions long after the switch, for rows that a late writer put there;
/// moves each by the same functor as `backfill`, and alarms.
///
/// Use it on a timer in the phase `destination`, as long as a forgotten instance, a long workflow or a
/// replayed message may still write; or let it poll by itself.
/// Shape: migration, query functor of the index, restamp functor, options, then a clock and a
/// classifier if wanted → `WatchReport`.
/// Cost: a poll that finds nothing is 0.5 read units for each partition of the source.
/// Errors: what the query functor throws leaves the watch when all requests have ended, what `before_poll`
/// throws at once; a restamp that throws is a late row that `failed`. Source and destination that share
/// names → `migration_error` before any request.
/// Threads: blocks; the query functor is called from the calling thread and at most `max_concurrency -
/// 1` others, the restamp functor and the alarm by one thread at a time.
template <class Index, class From, class To, query_of<Index> Query,
          restamp_functor<typename Index::Item> RestampFunctor, walk_extra... Extras>
WatchReport watch_source(const Migration<Index, From, To>& migration, Query&& query, RestampFunctor&& restamp,
                         const WatchOptions& options = {}, Extras&&... extras) {
  static_assert(
      !std::same_as<From, Unstamped>,
      "evenkey: rows without the new key are in no partition that could be polled: run check_drift");
  using Item = typename Index::Item;
  using StartKey = typename Index::StartKey;
  detail::check_walk_options(1, options.max_concurrency, 0, options.retry);
  detail::require_positive(options.polls, "evenkey: a watch that never polls sees nothing; give at least 1");
  detail::require_positive(options.page_limit,
                           "evenkey: a page of no items shows none; give page_limit at least 1");
  detail::refuse_shared_names(migration);
  auto& clock = detail::clock_of(extras...);
  WatchReport report;
  report.migration = migration.id();
  report.layout = detail::side_layout(migration.index().name, migration.source());
  report.started = detail::wall_time(clock);
  detail::PagedWalk<Item, std::remove_reference_t<decltype(clock)>,
                    decltype(detail::classifier_of(extras...))>
      walk({options.max_concurrency, 0, options.deadline, options.stop, options.retry}, clock,
           detail::classifier_of(extras...));
  detail::LateRows rows(migration, restamp, options, report);
  const auto source = migration.template at<Phase::source>();
  bool ended = true;
  while (ended && report.polls < options.polls) {
    if (report.polls != 0 && !walk.wait(options.wait_between_polls)) {
      ended = false;
      break;
    }
    if (options.before_poll) options.before_poll();
    detail::IndexLanes lanes(source);
    ended = lanes.walk(
        walk,
        [&](const PlannedPartition& partition, const std::optional<StartKey>& start) {
          return detail::page_of<Item, StartKey>(
              std::invoke(query, detail::query_request<StartKey>(source, partition, start, options)));
        },
        [&](const PlannedPartition& partition, std::uint16_t, Page<Item, StartKey>&& page) {
          for (const Item& item : page.items)
            rows.meet(item, partition.partition_key);
        },
        [] {});
    if (ended) ++report.polls;
  }
  report.requests = walk.requests();
  report.consumed_read_units = walk.consumed_read_units();
  report.coverage = ended ? Coverage::whole : Coverage::partial;
  return report;
}

}  // namespace evenkey
