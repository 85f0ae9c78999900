// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace evenkey {

/// Where one record lies that all instances share: a phase record or a layout record. One store, one record.
///
/// Shape: `store.load()` gives the record's text, nothing where there is none yet. `store.replace(expected,
/// text)` puts `text` there only if what is stored is `expected` (nothing: only if there is none), and says
/// whether it did. On DynamoDB: a strongly consistent GetItem, and a PutItem under the condition `#text =
/// :expected`, or `attribute_not_exists(#text)`. A record's text holds its version, so a text never comes
/// back.
/// Errors: may throw anything; it leaves the call that met it.
template <class Store>
concept record_store = requires(Store& store, const std::optional<std::string>& expected,
                                std::string_view text) {
  { store.load() } -> std::same_as<std::optional<std::string>>;
  { store.replace(expected, text) } -> std::same_as<bool>;
};

/// A record in memory: for tests, and for trying a migration out.
///
/// Threads: any.
class MemoryRecordStore {
 public:
  /// The record; empty where there is none.
  std::optional<std::string> load() {
    const std::lock_guard lock(mutex_);
    return text_;
  }
  /// Stores the record where it still is as expected. @returns whether it was
  bool replace(const std::optional<std::string>& expected, std::string_view text) {
    const std::lock_guard lock(mutex_);
    if (text_ != expected) return false;
    text_ = std::string(text);
    return true;
  }

 private:
  std::mutex mutex_;
  std::optional<std::string> text_;
};

}  // namespace evenkey
