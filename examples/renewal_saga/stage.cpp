// SPDX-License-Identifier: BSL-1.0
#include "stage.hpp"

#include <utility>

namespace lab {

Stage::~Stage() {
  closing_ = true;
  // An act that waits is told so, and ends; one that is idle gets nothing to play, and its thread ends.
  for (bool waiting = true; waiting;) {
    waiting = false;
    for (const auto& actor : actors_) {
      if (!actor->act) continue;
      waiting = true;
      give_turn(*actor);
    }
  }
  for (const auto& actor : actors_) {
    {
      const std::lock_guard lock(mutex_);
      actor->has_turn = true;
    }
    actor->turn.notify_one();
    actor->thread.join();
  }
}

void Stage::at(Time when, Act act) {
  events_.schedule(when, [this, act = std::move(act)] { begin(act); });
}

bool Stage::wait_until(Time when) {
  if (closing_) return false;
  if (when <= now()) return true;
  if (events_.empty() || events_.next() > when) {  // nobody has anything to do until then
    clock_->advance_to(when);
    return true;
  }
  Actor& self = *current_;
  events_.schedule(when, [this, &self] { give_turn(self); });
  std::unique_lock lock(mutex_);
  hand_back(self, lock);
  return !closing_;
}

void Stage::run() {
  while (!events_.empty()) {
    clock_->advance_to(events_.next());
    events_.take()();
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }
}

void Stage::begin(Act act) {
  if (idle_.empty()) {
    actors_.push_back(std::make_unique<Actor>());
    Actor& made = *actors_.back();
    made.thread = std::thread([this, &made] { play(made); });
    idle_.push_back(&made);
  }
  Actor& actor = *idle_.back();
  idle_.pop_back();
  actor.act = std::move(act);
  give_turn(actor);
}

void Stage::give_turn(Actor& actor) {
  std::unique_lock lock(mutex_);
  current_ = &actor;
  has_turn_ = false;
  actor.has_turn = true;
  actor.turn.notify_one();
  own_turn_.wait(lock, [this] { return has_turn_; });
}

void Stage::hand_back(Actor& actor, std::unique_lock<std::mutex>& lock) {
  has_turn_ = true;
  own_turn_.notify_one();
  actor.turn.wait(lock, [&actor] { return actor.has_turn; });
  actor.has_turn = false;
}

void Stage::play(Actor& actor) {
  std::unique_lock lock(mutex_);
  actor.turn.wait(lock, [&actor] { return actor.has_turn; });
  actor.has_turn = false;
  while (actor.act) {
    lock.unlock();
    try {
      actor.act();
    } catch (...) {
      if (!closing_ && !error_) error_ = std::current_exception();
    }
    lock.lock();
    actor.act = nullptr;
    idle_.push_back(&actor);
    hand_back(actor, lock);
  }
}

}  // namespace lab
