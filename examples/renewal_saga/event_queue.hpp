// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "clock.hpp"

namespace lab {

/// What is due, by time; what is due at one moment comes in the order in which it was scheduled.
class EventQueue {
 public:
  using Action = std::function<void()>;

  void schedule(Time at, Action action) {
    events_.push_back({at, ++scheduled_, std::move(action)});
    std::push_heap(events_.begin(), events_.end(), later);
  }
  bool empty() const noexcept { return events_.empty(); }
  Time next() const noexcept { return events_.front().at; }
  Action take() {
    std::pop_heap(events_.begin(), events_.end(), later);
    Action action = std::move(events_.back().action);
    events_.pop_back();
    return action;
  }

 private:
  struct Event {
    Time at;
    std::uint64_t number;
    Action action;
  };
  static bool later(const Event& a, const Event& b) {
    return a.at != b.at ? a.at > b.at : a.number > b.number;
  }

  std::vector<Event> events_;  // a heap, soonest at the front
  std::uint64_t scheduled_ = 0;
};

}  // namespace lab
