// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/migrate/checkpoint.hpp>

#include <cstdint>
#include <mutex>
#include <string>

namespace evenkey::detail {

/// Saves checkpoints, each newer than the one before it, while their writers need not wait for each other to
/// write them.
///
/// Threads: safe; the store is called by one thread at a time.
class Journal {
 public:
  explicit Journal(CheckpointStore& store) : store_(store) {}

  /// @param version grows with every text that is made
  void save(const std::string& text, std::uint64_t version) {
    const std::lock_guard lock(mutex_);
    if (version <= saved_) return;  // a newer one, which holds all of this one, is durable already
    store_.save(text);
    saved_ = version;
  }

 private:
  CheckpointStore& store_;
  std::mutex mutex_;
  std::uint64_t saved_ = 0;
};

}  // namespace evenkey::detail
