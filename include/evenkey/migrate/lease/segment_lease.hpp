// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/migrate/backfill/guard.hpp>
#include <evenkey/migrate/lease.hpp>
#include <evenkey/migrate/lease/lease_record.hpp>
#include <evenkey/read/clock.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace evenkey::detail {

/// A segment that this host holds. Its owner is fenced off by conditional writes: each replaces the very text
/// that this host wrote last.
///
/// Time: hosts' clocks are not compared. The holder counts from before its write was sent; a host that waits
/// counts from when it first saw that write, and waits longer. So the holder's time is over first, as long as
/// clocks run equally fast to within a tenth.
/// Threads: safe, but for `checkpoint()`.
template <class Store, class Clock>
class SegmentLease {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// @param record as it was written last, at or after `written`
  SegmentLease(Store& store, Clock& clock, std::uint32_t segment, LeaseRecord record, Time written)
      : store_(store), clock_(clock), segment_(segment), record_(std::move(record)) {
    text_ = write_lease(record_);
    extend(written);
  }

  std::uint64_t token() const noexcept { return record_.token; }
  std::uint32_t segment() const noexcept { return segment_; }
  std::string checkpoint() const { return record_.checkpoint; }

  /// The lease is good now, and for half of its time to come it needs no request to know so.
  /// Errors: `LeaseLost`; what the store throws.
  void check() {
    const std::lock_guard lock(mutex_);
    if (clock_.now() < renew_at_) return;
    write(record_);
    if (clock_.now() >= good_until_) throw LeaseLost{};  // the answer took longer than the lease is good
  }

  /// Keeps the segment's checkpoint, which renews the lease.
  void save(std::string_view checkpoint) {
    const std::lock_guard lock(mutex_);
    LeaseRecord next = record_;
    next.checkpoint = std::string(checkpoint);
    write(std::move(next));
  }

  /// Gives the segment back. A lease that was lost meanwhile is left as it is.
  /// @returns whether it was this host's still, and what it says of the segment stands
  [[nodiscard]] bool release(LeaseRecord::State state) {
    const std::lock_guard lock(mutex_);
    LeaseRecord next = record_;
    next.owner.clear();
    next.state = state;
    try {
      write(std::move(next));
      return true;
    } catch (const LeaseLost&) {
      return false;
    }
  }

 private:
  void write(LeaseRecord next) {
    ++next.beat;
    const Time asked = clock_.now();
    const std::string text = write_lease(next);
    // A client that asked twice, since the first answer was lost, is told that the condition did not hold.
    if (!store_.replace(segment_, text_, text) && store_.load(segment_) != text) throw LeaseLost{};
    record_ = std::move(next);
    text_ = text;
    extend(asked);
  }
  void extend(Time written) {
    renew_at_ = written + record_.duration / 2;
    good_until_ = written + record_.duration;
  }

  Store& store_;
  Clock& clock_;
  std::uint32_t segment_;
  std::mutex mutex_;  // guards all below
  LeaseRecord record_;
  std::string text_;
  Time renew_at_;
  Time good_until_;
};

/// Takes segments that nobody holds: free ones at once, those of a host that died when their lease was not
/// renewed for longer than it is good.
///
/// Threads: one at a time.
template <class Store, class Clock>
class LeaseTaker {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Lease = SegmentLease<Store, Clock>;

  LeaseTaker(Store& store, Clock& clock, const LeaseOptions& options)
      : store_(store), clock_(clock), options_(options) {}

  enum class Answer { taken, held_by_another, finished };

  Answer take(std::uint32_t segment, std::optional<Lease>& lease) {
    return take(segment, lease, [](const LeaseRecord&) { return false; });
  }
  /// @param lease is filled in where the answer is `taken`
  /// @param begins_anew whether a segment that is finished is to be done once more, by its record
  template <class BeginsAnew>
  Answer take(std::uint32_t segment, std::optional<Lease>& lease, BeginsAnew begins_anew) {
    const std::optional<std::string> stored = store_.load(segment);
    const Time seen = clock_.now();  // after the answer: not earlier than it was written
    LeaseRecord record;
    if (stored) record = read_lease(*stored);
    if (record.state == LeaseRecord::State::finished && !begins_anew(std::as_const(record)))
      return Answer::finished;
    record.state = LeaseRecord::State::open;
    if (!record.owner.empty() && !is_over(segment, *stored, record, seen)) return Answer::held_by_another;
    ++record.token;
    record.beat = 0;
    record.owner = options_.host;
    record.duration = options_.duration;
    const Time asked = clock_.now();
    const std::string text = write_lease(record);
    if (!store_.replace(segment, stored, text) && store_.load(segment) != text)
      return Answer::held_by_another;
    watched_.erase(segment);
    lease.emplace(store_, clock_, segment, std::move(record), asked);
    return Answer::taken;
  }

 private:
  struct Watched {
    std::string text;
    Time since;
  };

  bool is_over(std::uint32_t segment, const std::string& text, const LeaseRecord& record, Time now) {
    auto [watched, first] = watched_.try_emplace(segment, Watched{text, now});
    if (!first && watched->second.text != text) watched->second = {text, now};
    return now - watched->second.since > record.duration + record.duration / 10;
  }

  Store& store_;
  Clock& clock_;
  const LeaseOptions& options_;
  std::map<std::uint32_t, Watched> watched_;
};

}  // namespace evenkey::detail
