// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace evenkey {

/// What became of one entry of the index.
enum class Hydration : std::uint8_t {
  /// The base table has the row.
  found,
  /// The row is there, but no longer what the entry says: see `unchanged_if`.
  changed,
  /// The base table answered that it has no such row.
  missing,
  /// It was not answered: nothing is known of the row. Only where the caller collects failures.
  failed
};

/// An entry of the index and its row.
template <class Entry, class Row>
struct Hydrated {
  Entry entry;                          ///< as the index gave it
  Hydration state = Hydration::failed;  ///< what became of its row
  /// There for `found` and `changed`.
  std::optional<Row> row = {};
};

/// Keys that could not be read, and why.
struct HydrateFailure {
  std::size_t keys = 0;      ///< how many
  std::exception_ptr error;  ///< what the functor threw
  /// The error's text, for a log.
  std::string message;
};

/// What `hydrate` returns.
///
/// Shape: one element for each entry, whatever became of it.
/// Order: as the entries came.
template <class Entry, class Row>
struct HydrateResult {
  std::vector<Hydrated<Entry, Row>> items = {};  ///< one for each entry
  std::vector<HydrateFailure> failures = {};     ///< batches that failed; empty where all were answered
  /// Calls of the functor.
  std::size_t requests = 0;
  double consumed_read_units = 0;  ///< of all calls together

  /// Every entry was answered, be it as missing.
  bool complete() const noexcept { return failures.empty(); }

  /// How many entries are in a state.
  std::size_t count(Hydration state) const noexcept {
    std::size_t number = 0;
    for (const Hydrated<Entry, Row>& each : items)
      number += each.state == state ? 1U : 0U;
    return number;
  }
};

/// Rows could not be read: nothing was returned.
///
/// Errors: thrown where `OnFailure::raise` is in force, by the first batch that fails.
class hydrate_error : public std::runtime_error {
 public:
  /// Shape: copying shares the failure.
  explicit hydrate_error(HydrateFailure failure)
      : std::runtime_error(
            "evenkey: " + std::to_string(failure.keys) +
            " keys could not be read from the base table, nothing was returned: " + failure.message),
        failure_(std::make_shared<const HydrateFailure>(std::move(failure))) {}

  /// The batch that failed.
  const HydrateFailure& failure() const noexcept { return *failure_; }

 private:
  std::shared_ptr<const HydrateFailure> failure_;  // shared: copying an exception must not throw
};

}  // namespace evenkey
