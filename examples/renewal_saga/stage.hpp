// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "clock.hpp"
#include "event_queue.hpp"

namespace lab {

/// Plays acts that wait, in virtual time: each has a thread of its own while it lasts, and only one of them
/// goes on at a time, whose time has come. So a read that waits, a backfill that is paced and a deploy run
/// beside each other, and every run of one seed is the same.
///
/// Threads: its members are called from acts, or from the thread that runs the stage.
class Stage {
 public:
  using Act = std::function<void()>;

  explicit Stage(Clock& clock) : clock_(&clock) {}
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;
  ~Stage();

  Time now() const noexcept { return clock_->now(); }
  /// An act begins at that time.
  void at(Time when, Act act);
  /// The act that calls it goes on at that time. @returns false where the stage closes: the act must end
  bool wait_until(Time when);
  /// Until every act is over. Errors: what an act throws; the others are then cut short by the destructor.
  void run();

 private:
  struct Actor {
    std::thread thread;
    std::condition_variable turn;
    bool has_turn = false;
    Act act;
  };

  void begin(Act act);
  void give_turn(Actor& actor);
  void play(Actor& actor);
  void hand_back(Actor& actor, std::unique_lock<std::mutex>& lock);

  Clock* clock_;
  EventQueue events_;
  std::mutex mutex_;  // guards the turns; all else belongs to whose turn it is
  std::condition_variable own_turn_;
  bool has_turn_ = true;
  Actor* current_ = nullptr;
  std::vector<std::unique_ptr<Actor>> actors_;
  std::vector<Actor*> idle_;
  std::exception_ptr error_;
  bool closing_ = false;
};

/// The stage's time for evenkey's reads, backfills and checks.
class StageClock {
 public:
  /// @param starts_at the time of day at which the stage begins, in milliseconds since 1970
  StageClock(Stage& stage, std::int64_t starts_at) : stage_(&stage), starts_at_(starts_at) {}

  std::chrono::steady_clock::time_point now() const noexcept {
    return std::chrono::steady_clock::time_point(
        std::chrono::duration_cast<std::chrono::steady_clock::duration>(stage_->now().time_since_epoch()));
  }
  bool wait_until(std::chrono::steady_clock::time_point time, const std::stop_token& stop) const {
    const Time when{std::chrono::duration_cast<Duration>(time.time_since_epoch())};
    return stage_->wait_until(when) && !stop.stop_requested();
  }
  std::chrono::system_clock::time_point system_now() const {
    return std::chrono::system_clock::time_point(std::chrono::milliseconds(starts_at_)) +
           std::chrono::duration_cast<std::chrono::system_clock::duration>(stage_->now().time_since_epoch());
  }

 private:
  Stage* stage_;
  std::int64_t starts_at_;
};

}  // namespace lab
