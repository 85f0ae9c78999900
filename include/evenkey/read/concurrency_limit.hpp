// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/page.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <utility>
#include <vector>

namespace evenkey {

/// A cap on requests under way that many reads share: an option of each.
///
/// Use it where several callers list at the same time and the store, or the client's connections, take only
/// so many requests: an SDK's parallelism is the lesser of its threads and its connections.
/// Errors: a cap of 0 → `std::invalid_argument`.
/// Threads: any. It must outlive the reads. A read that is made from within a query functor works under its
/// outer read's permit, so that a cap of 1 does not wait for itself.
class ConcurrencyLimit {
 public:
  /// @param most requests under way at once, at least 1
  explicit ConcurrencyLimit(std::size_t most) : free_(most) {
    if (most == 0)
      throw std::invalid_argument("evenkey: a shared cap of 0 lets no query start; give at least 1");
  }
  ConcurrencyLimit(const ConcurrencyLimit&) = delete;
  ConcurrencyLimit& operator=(const ConcurrencyLimit&) = delete;

  /// A right to have one request under way, until it is destroyed.
  /// Threads: destroyed by the thread that acquired it.
  class Permit {
   public:
    Permit() = default;
    /// The other has none then.
    Permit(Permit&& other) noexcept : limit_(std::exchange(other.limit_, nullptr)) {}
    /// Gives back its own, and takes the other's.
    Permit& operator=(Permit&& other) noexcept {
      std::swap(limit_, other.limit_);
      return *this;
    }
    ~Permit() {
      if (limit_ != nullptr) limit_->release();
    }

   private:
    friend ConcurrencyLimit;
    explicit Permit(ConcurrencyLimit* limit) : limit_(limit) {}
    ConcurrencyLimit* limit_ = nullptr;
  };

  /// Waits for a permit; nothing where the deadline passes or a stop is requested first.
  std::optional<Permit> acquire(const std::optional<Deadline>& deadline, const std::stop_token& stop) {
    if (is_held_by_this_thread()) return Permit();
    std::unique_lock lock(mutex_);
    const auto is_free = [this] { return free_ != 0; };
    const bool got =
        deadline ? changed_.wait_until(lock, stop, *deadline, is_free) : changed_.wait(lock, stop, is_free);
    if (!got) return std::nullopt;
    held_by_this_thread().push_back(this);  // may throw, so before the permit is taken
    --free_;
    return Permit(this);
  }

  /// This thread works under a permit of this limit: it is within a query functor of a read that shares it.
  bool is_held_by_this_thread() const noexcept {
    const auto& held = held_by_this_thread();
    return std::find(held.begin(), held.end(), this) != held.end();
  }

 private:
  // The limits whose permits this thread holds.
  static std::vector<const ConcurrencyLimit*>& held_by_this_thread() {
    thread_local std::vector<const ConcurrencyLimit*> held;
    return held;
  }

  void release() {
    std::erase(held_by_this_thread(), this);
    {
      const std::lock_guard lock(mutex_);
      ++free_;
    }
    changed_.notify_one();
  }

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::size_t free_;
};

}  // namespace evenkey
