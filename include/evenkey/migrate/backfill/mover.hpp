// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/migrate/backfill/options.hpp>
#include <evenkey/migrate/backfill/rate.hpp>
#include <evenkey/migrate/backfill/rows.hpp>
#include <evenkey/migrate/restamp.hpp>
#include <evenkey/read/clock.hpp>
#include <evenkey/read/failure.hpp>
#include <evenkey/read/retry.hpp>

#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <string>
#include <utility>

namespace evenkey::detail {

/// What became of a row that was to be moved.
enum class RowEnd {
  moved,
  already_moved,
  deleted,
  changed,
  failing,   ///< to be tried again
  untouched  ///< a stop came before its turn
};

struct Attempt {
  RowEnd end = RowEnd::untouched;
  std::string detail = {};     // the key or the error that was found
  std::size_t throttled = 0;   // how often
  bool hot_partition = false;  // the store said so
};

/// What an exception says, for a report.
inline std::string text_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "something that is no std::exception was thrown";
  }
}

/// What the answer of a restamp functor means.
template <class Item>
Attempt judge(const RestampResult& result, const RowToMove<Item>& row, bool tried_before) {
  if (result.is_moved()) return {RowEnd::moved};
  if (result.is_gone()) return {RowEnd::deleted};
  // An earlier try of this run was applied, and its answer lost; or somebody else moved the row.
  if (result.stored_key() == row.to) return {tried_before ? RowEnd::moved : RowEnd::already_moved};
  if (result.stored_key() == row.from)
    return {RowEnd::failing,
            "the condition did not hold, and yet this key was found: " + result.stored_key()};
  return {RowEnd::changed, result.stored_key()};
}

/// Moves one row at a time: waits for its turn, asks the functor, makes throttled requests again.
///
/// Threads: `move` is called from several threads at once, each with a row of its own.
template <class Item, class Functor, class Classifier, class Clock, class Guard>
class Mover {
 public:
  /// @param guard its `check()` is called before every request; what it throws ends the run
  Mover(Functor& functor, const Classifier& classifier, Clock& clock, RateLimiter& rate, Guard& guard,
        const BackfillOptions& options)
      : functor_(functor),
        classifier_(classifier),
        clock_(clock),
        rate_(rate),
        guard_(guard),
        options_(options) {}

  Attempt move(RowToMove<Item>& row) {
    Attempt attempt;
    for (std::size_t times = 1;; ++times) {
      const RateTime turn = rate_.take_move(row.from, row.to, row.units, clock_.now());
      if (!wait_until(turn)) return attempt;  // failing after the first try, untouched before it
      guard_.check();
      const RateTime asked = clock_.now();
      const std::size_t throttled = attempt.throttled;
      const bool hot = attempt.hot_partition;
      attempt = ask(row, throttled);
      attempt.hot_partition = attempt.hot_partition || hot;
      if (attempt.throttled == throttled) {
        if (attempt.end != RowEnd::failing) rate_.on_served(clock_.now());
        return attempt;
      }
      rate_.on_throttled(asked, clock_.now());
      if (times >= options_.retry.max_attempts) return attempt;
      if (!wait_until(clock_.now() +
                      retry_delay(options_.retry, ErrorKind::throttled, times - 1, random_unit())))
        return attempt;
    }
  }

 private:
  Attempt ask(RowToMove<Item>& row, std::size_t throttled) {
    const bool tried_before = std::exchange(row.tried, true);
    try {
      const Restamp<Item> request{row.item, row.from, row.to};
      const RestampResult result = std::invoke(functor_, request);
      if (result.is_throttled()) return {RowEnd::failing, "throttled", throttled + 1};
      Attempt attempt = judge(result, row, tried_before);
      attempt.throttled = throttled;
      return attempt;
    } catch (...) {
      const std::exception_ptr error = std::current_exception();
      const ErrorDetails details = classify(error, classifier_);
      const std::size_t now = throttled + (details.kind == ErrorKind::throttled ? 1U : 0U);
      return {RowEnd::failing, text_of(error), now, is_hot_key(details)};
    }
  }

  // A clock is not asked to wait for what is past: that alone takes longer than a row.
  bool wait_until(RateTime time) {
    if (options_.stop.stop_requested()) return false;
    return time <= clock_.now() || clock_.wait_until(time, options_.stop);
  }

  Functor& functor_;
  const Classifier& classifier_;
  Clock& clock_;
  RateLimiter& rate_;
  Guard& guard_;
  const BackfillOptions& options_;
};

}  // namespace evenkey::detail
