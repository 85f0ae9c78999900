// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace evenkey {

/// Where the leases of a backfill lie that several hosts share: one text for each segment.
///
/// Shape: `store.load(segment)` gives the segment's text, nothing where there is none yet.
/// `store.replace(segment, expected, text)` puts `text` there only if what is stored is `expected`
/// (nothing: only if there is none), and says whether it did. On DynamoDB: an item for each segment, a
/// strongly consistent GetItem, and a PutItem under the condition `#text = :expected`, or
/// `attribute_not_exists(#text)`. A text holds the lease's token and beat, so a text never comes back.
/// It has at most some 300 bytes more than the segment's checkpoint.
/// Errors: may throw anything; it leaves the backfill that met it, and another host goes on.
/// Threads: called by one thread at a time.
/// Source: docs/format/lease.md.
template <class Store>
concept lease_store = requires(Store& store, std::uint32_t segment,
                               const std::optional<std::string>& expected, std::string_view text) {
  { store.load(segment) } -> std::same_as<std::optional<std::string>>;
  { store.replace(segment, expected, text) } -> std::same_as<bool>;
};

/// Leases in memory: for tests, and for threads of one program that share a backfill.
///
/// Threads: any.
class MemoryLeaseStore {
 public:
  /// The record of a segment; empty where there is none.
  std::optional<std::string> load(std::uint32_t segment) {
    const std::lock_guard lock(mutex_);
    const auto found = texts_.find(segment);
    if (found == texts_.end()) return std::nullopt;
    return found->second;
  }
  /// Stores a segment's record where it still is as expected. @returns whether it was
  bool replace(std::uint32_t segment, const std::optional<std::string>& expected, std::string_view text) {
    const std::lock_guard lock(mutex_);
    const auto found = texts_.find(segment);
    if (found == texts_.end()) {
      if (expected) return false;
      texts_.emplace(segment, text);
      return true;
    }
    if (!expected || found->second != *expected) return false;
    found->second = std::string(text);
    return true;
  }

 private:
  std::mutex mutex_;
  std::map<std::uint32_t, std::string> texts_;
};

/// How a host takes part in a shared backfill. The order of members is API.
struct LeaseOptions {
  /// The host's name, which others see in the leases. It must differ from every other's.
  std::string host = {};
  /// How long a lease is good after it was last renewed. A host that dies keeps its segment from the others
  /// that long; one that stands still for longer than that loses it.
  std::chrono::milliseconds duration = std::chrono::seconds(30);
  /// How often a host that has no segment looks for one.
  std::chrono::milliseconds poll = std::chrono::seconds(5);
};

}  // namespace evenkey
