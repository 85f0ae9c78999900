// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace evenkey::detail {

using RateTime = std::chrono::steady_clock::time_point;

/// A token bucket that gives out times: whoever takes units is told from when on they may be used. Takers who
/// wait at the same time so stand in a line, and none is overtaken for ever.
class TokenBucket {
 public:
  /// What the bucket saves up while nobody takes: small, since a burst hits the partition as a burst.
  static constexpr std::chrono::milliseconds burst{100};

  /// @param units_per_second more than zero; infinite: no limit
  explicit TokenBucket(double units_per_second) : rate_(units_per_second) {}

  /// @param pace which part of the rate is allowed now
  RateTime take(double units, RateTime now, double pace) {
    using Seconds = std::chrono::duration<double>;
    constexpr Seconds longest = std::chrono::hours(24);  // of one request: no time overflows
    free_ = (std::max)(free_, now - burst);
    const RateTime when = (std::max)(free_, now);
    const double seconds = units / (rate_ * pace);
    // A functor may report anything: a negative number of units, or none at all, takes no time.
    const Seconds cost(seconds > 0 ? (std::min)(seconds, longest.count()) : 0.0);
    free_ += std::chrono::duration_cast<RateTime::duration>(cost);
    return when;
  }
  /// Forgets what was saved up.
  void drain(RateTime now) { free_ = (std::max)(free_, now); }

 private:
  double rate_;
  RateTime free_{RateTime::duration(0)};  // from when on the next units may be used
};

/// Which part of the allowed rates is used: half of it at once when the store throttles, a twentieth of the
/// whole more every second that it does not. Requests that were under way together are throttled together:
/// they count as one.
class AdaptivePace {
 public:
  static constexpr double least = 1.0 / 64;
  static constexpr double step_up = 1.0 / 20;
  static constexpr std::chrono::seconds step_time{1};

  double value() const noexcept { return value_; }
  /// @param asked when the throttled request was made. @returns whether the pace was changed
  bool on_throttled(RateTime asked, RateTime now) noexcept {
    if (cut_ && asked <= last_change_) return false;
    cut_ = true;
    value_ = (std::max)(least, value_ / 2);
    last_change_ = now;
    return true;
  }
  void on_served(RateTime now) noexcept {
    if (value_ >= 1 || now - last_change_ < step_time) return;
    value_ = (std::min)(1.0, value_ + step_up);
    last_change_ = now;
    cut_ = cut_ && value_ < 1;
  }

 private:
  double value_ = 1;
  bool cut_ = false;
  RateTime last_change_{};
};

/// The write units of one move.
struct MoveUnits {
  double table = 1;
  /// Of one index entry: taken from the source's partition and from the destination's.
  double entry = 1;
};

/// The rates of a mover: of the table, and of each partition of the index.
///
/// Threads: safe.
class RateLimiter {
 public:
  RateLimiter(double partition_rate, double table_rate, double read_rate)
      : partition_rate_(partition_rate), table_(table_rate), reads_(read_rate) {}

  /// From when on a row may be moved. An empty `from` is no partition: the row is in none yet.
  RateTime take_move(std::string_view from, std::string_view to, const MoveUnits& units, RateTime now) {
    const std::lock_guard lock(mutex_);
    const double pace = pace_.value();
    RateTime turn =
        (std::max)(table_.take(units.table, now, pace), partition(to).take(units.entry, now, pace));
    if (!from.empty()) turn = (std::max)(turn, partition(from).take(units.entry, now, pace));
    return turn;
  }
  /// From when on a page may be read that costs so much. What it costs is known afterwards only: ask for 0
  /// units before it, and take what it cost then.
  RateTime take_read(double units, RateTime now) {
    const std::lock_guard lock(mutex_);
    return reads_.take(units, now, pace_.value());
  }
  void on_throttled(RateTime asked, RateTime now) {
    const std::lock_guard lock(mutex_);
    if (!pace_.on_throttled(asked, now)) return;
    table_.drain(now);
    reads_.drain(now);
    for (auto& [name, bucket] : partitions_)
      bucket.drain(now);
  }
  void on_served(RateTime now) {
    const std::lock_guard lock(mutex_);
    pace_.on_served(now);
  }
  double pace() {
    const std::lock_guard lock(mutex_);
    return pace_.value();
  }

 private:
  TokenBucket& partition(std::string_view key) {
    auto found = partitions_.find(key);
    if (found == partitions_.end()) found = partitions_.try_emplace(std::string(key), partition_rate_).first;
    return found->second;
  }

  std::mutex mutex_;  // guards all below
  double partition_rate_;
  TokenBucket table_;
  TokenBucket reads_;
  std::map<std::string, TokenBucket, std::less<>> partitions_;
  AdaptivePace pace_;
};

}  // namespace evenkey::detail
