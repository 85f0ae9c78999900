// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace support {

/// Counts arrivals and lets threads wait for them: order between threads without sleeping for luck.
///
/// A wait that is never served gives up after a minute, so that a fault is a failing test and not a hang.
class Gate {
 public:
  void arrive() {
    {
      const std::scoped_lock lock(mutex_);
      ++arrived_;
    }
    changed_.notify_all();
  }
  /// @returns whether so many arrived
  [[nodiscard]] bool wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::minutes(1), [&] { return arrived_ >= count; });
  }
  std::size_t arrived() const {
    const std::scoped_lock lock(mutex_);
    return arrived_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t arrived_ = 0;
};

}  // namespace support
