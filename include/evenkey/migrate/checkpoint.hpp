// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace evenkey {

/// Where a run keeps its place, so that another can go on from there: a file, an item of a table.
///
/// Shape: one text, printable ASCII and line ends, of at most some 200 bytes a segment and a failed row.
/// Errors: what it throws ends the run as it is.
/// Threads: called by one thread at a time, while others may move rows.
/// Source: docs/format/checkpoint.md.
struct CheckpointStore {
  CheckpointStore() = default;
  CheckpointStore(const CheckpointStore&) = default;
  CheckpointStore& operator=(const CheckpointStore&) = default;
  virtual ~CheckpointStore() = default;

  /// What was saved last; nothing where there is no checkpoint yet.
  virtual std::optional<std::string> load() = 0;
  /// Keeps the text in the place of the one before. It must be durable on return, and whole or not at all:
  /// write a file beside it, then rename.
  virtual void save(std::string_view checkpoint) = 0;
};

/// A checkpoint that cannot be gone on from: damaged, of another version, or of another plan (migration,
/// layout, table, scan source or number of segments).
///
/// Errors: thrown before any request. Give the plan that it belongs to, or start again without it: rows that
/// were moved already stay moved.
class checkpoint_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace evenkey
