// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace evenkey {

/// Something that runs a function on another thread, soon: `executor.execute(function)`. A trailing argument
/// of a read, by reference.
///
/// Threads: `execute` is called from several threads at once, and must not run the function before it
/// returns. A read works without help, so a busy executor delays nothing but its own part, and a read inside a
/// read on one executor cannot wait for itself.
template <class Executor>
concept read_executor = requires(Executor& executor, std::function<void()> function) {
  executor.execute(std::move(function));
};

/// A few threads that several reads can share, started one by one as they are needed.
///
/// Use it where reads are frequent, so that none of them starts threads of its own: pass it after the
/// options.
/// Cost: an idle thread waits; none is started before the first use.
/// Errors: no threads → `std::invalid_argument`. Where the system gives no thread, those there are do the
/// work.
/// Threads: all members may be called from any. The destructor runs what is queued, then joins.
class ThreadPool {
 public:
  /// @param most_threads that run at once, at least 1; started when there is work
  explicit ThreadPool(std::size_t most_threads) : most_threads_(most_threads) {
    if (most_threads == 0) throw std::invalid_argument("evenkey: a pool of no threads never runs anything");
  }
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool() {
    {
      const std::lock_guard lock(mutex_);
      closing_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_)
      thread.join();
  }

  /// Queues the function.
  /// Errors: `std::system_error` where there is no thread at all to run it.
  void execute(std::function<void()> function) {
    {
      const std::lock_guard lock(mutex_);
      if (idle_ <= queue_.size() && threads_.size() < most_threads_ && start_thread(function)) return;
      queue_.push_back(std::move(function));
    }
    changed_.notify_one();
  }

 private:
  /// A new thread has its first function with it: nothing to wait for while others are being started.
  bool start_thread(const std::function<void()>& first) {
    try {
      threads_.emplace_back([this, own = first]() mutable { run(std::move(own)); });
      return true;
    } catch (const std::system_error&) {
      if (threads_.empty()) throw;
      most_threads_ = threads_.size();
      return false;
    }
  }

  void run(std::function<void()> function) {
    for (;;) {
      function();
      function = nullptr;
      std::unique_lock lock(mutex_);
      ++idle_;
      changed_.wait(lock, [this] { return closing_ || !queue_.empty(); });
      --idle_;
      if (queue_.empty()) return;
      function = std::move(queue_.front());
      queue_.pop_front();
    }
  }

  std::mutex mutex_;  // guards all below
  std::condition_variable changed_;
  std::deque<std::function<void()>> queue_;
  std::vector<std::thread> threads_;
  std::size_t most_threads_;
  std::size_t idle_ = 0;
  bool closing_ = false;
};

}  // namespace evenkey
