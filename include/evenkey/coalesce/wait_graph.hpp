// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/coalesce/coalesce_error.hpp>

#include <atomic>
#include <mutex>
#include <thread>
#include <unordered_map>

namespace evenkey::detail {

/// A load that a thread, its leader, is busy with, and that others may wait for.
struct LedLoad {
  const std::thread::id leader = std::this_thread::get_id();
  std::atomic<bool> done{false};
};

/// Which thread waits for which load, of all coalescers of the process, so that waiting in a circle is
/// refused.
///
/// A leader waits inside its loader, so a load whose leader waits cannot end: following leaders from load to
/// load leads back to the asking thread exactly when it would wait for itself. That a load had ended is known
/// for sure: its leader says so before it can wait for anything else.
class WaitGraph {
 public:
  /// One for the process, never destroyed: threads may outlive static objects.
  static WaitGraph& instance() {
    static WaitGraph& graph = *new WaitGraph;
    return graph;
  }

  void add(const LedLoad& awaited) {
    const std::thread::id self = std::this_thread::get_id();
    const std::lock_guard lock(mutex_);
    for (const LedLoad* load = &awaited; load != nullptr && !load->done; load = awaited_by(load->leader)) {
      if (load->leader == self)
        throw coalesce_error(CoalesceFailure::own_load,
                             "evenkey: a loader asked for a key whose load waits for that loader");
    }
    awaited_[self] = &awaited;
  }

  void remove() noexcept {
    const std::lock_guard lock(mutex_);
    awaited_.erase(std::this_thread::get_id());
  }

 private:
  WaitGraph() = default;

  const LedLoad* awaited_by(std::thread::id thread) const {
    const auto found = awaited_.find(thread);
    return found == awaited_.end() ? nullptr : found->second;
  }

  std::mutex mutex_;
  std::unordered_map<std::thread::id, const LedLoad*> awaited_;
};

/// Stands in the graph as long as this thread waits.
/// Errors: `coalesce_error` where it would wait for itself.
class Waiting {
 public:
  explicit Waiting(const LedLoad& awaited) { WaitGraph::instance().add(awaited); }
  ~Waiting() { WaitGraph::instance().remove(); }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
};

/// The loads that this thread is in the middle of, innermost first; they lie on its stack.
class LoadFrame {
 public:
  LoadFrame(const void* coalescer, const void* key) noexcept
      : coalescer_(coalescer), key_(key), outer_(innermost_) {
    innermost_ = this;
  }
  ~LoadFrame() { innermost_ = outer_; }
  LoadFrame(const LoadFrame&) = delete;
  LoadFrame& operator=(const LoadFrame&) = delete;

  /// Whether this thread is loading a key of that coalescer for which `matches(key)` holds.
  template <class Key, class Matches>
  static bool any(const void* coalescer, const Matches& matches) {
    for (const LoadFrame* frame = innermost_; frame != nullptr; frame = frame->outer_) {
      if (frame->coalescer_ == coalescer && matches(*static_cast<const Key*>(frame->key_))) return true;
    }
    return false;
  }

 private:
  inline static constinit thread_local const LoadFrame* innermost_ = nullptr;

  const void* coalescer_;
  const void* key_;
  const LoadFrame* outer_;
};

}  // namespace evenkey::detail
