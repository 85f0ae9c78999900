// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/migrate/phase_record.hpp>

#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

#include "state_store.hpp"

namespace evenkey_cli {

/// Looks at the phase record again and again while rows move, before each of them: a mover that outlives the turn
/// to the way back takes rows away from readers.
///
/// Use it so: the run gets `stop()`, calls `look()` before every row, and `end()` is called when it has ended.
/// Order: where the run may go on no longer, `stop()` is requested before any other row has its turn.
/// Cost: a consistent read every `period`, while rows move.
/// Threads: any; while one looks, the others wait, so that none moves a row by what was known before.
template <class AnyMigration>
class PhaseWatch {
 public:
  PhaseWatch(const AnyMigration& migration, StateItem phases, const std::stop_token& asked,
             std::chrono::milliseconds period = std::chrono::seconds(2))
      : migration_(migration),
        phases_(std::move(phases)),
        period_(period),
        on_asked_(asked, [this] { stop_.request_stop(); }) {}
  PhaseWatch(const PhaseWatch&) = delete;
  PhaseWatch& operator=(const PhaseWatch&) = delete;

  /// Of the run: where the caller asks for a stop, or the phase does.
  std::stop_token stop() const { return stop_.get_token(); }

  /// Errors: `phase_error` where the run may go on no longer; what the store throws.
  void look() { look(std::chrono::steady_clock::now()); }
  /// The same, however short ago the record was looked at.
  void look_now() { look(std::chrono::steady_clock::time_point::max()); }

  /// Errors: the `phase_error` that ended the run, if one did.
  void end() const {
    if (ended_) throw *ended_;
  }

 private:
  void look(std::chrono::steady_clock::time_point by) {
    const std::lock_guard lock(mutex_);
    if (ended_) throw *ended_;
    if (by < next_) return;
    const auto asked = std::chrono::steady_clock::now();
    try {
      evenkey::check_mover(migration_, phases_);
    } catch (const evenkey::phase_error& error) {
      ended_ = error;
      stop_.request_stop();
      throw;
    }
    next_ = asked + period_;
  }

  const AnyMigration& migration_;
  StateItem phases_;
  std::chrono::milliseconds period_;
  std::mutex mutex_;  // guards phases_ and all below, but for the stop
  std::optional<evenkey::phase_error> ended_;
  std::chrono::steady_clock::time_point next_{};
  std::stop_source stop_;
  std::stop_callback<std::function<void()>> on_asked_;  // last: it may call at once
};

}  // namespace evenkey_cli
