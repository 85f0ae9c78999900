// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/shard_policy.hpp>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace evenkey {

/// One partition that could not be read to its end, and why. Its rows may be missing from the answer.
struct Failure {
  std::string partition_key;  ///< that was asked
  /// Empty for a key that is not sharded.
  std::optional<ShardId> shard;
  /// Whose rows are concerned, where the read was of one id (`find`, `find_many`); else empty.
  std::string id;
  /// What the query functor or an accessor threw, or an error of evenkey's own, such as `deadline_error`.
  std::exception_ptr error;
  /// The error's text, for a log.
  std::string message;
};

/// A read could not ask all of its partitions: nothing was returned.
///
/// Errors: thrown where `OnFailure::raise` is in force, after every request under way has ended.
class fan_out_error : public std::runtime_error {
 public:
  /// @param partitions how many were asked in all
  fan_out_error(std::string_view index_name, std::size_t partitions, std::vector<Failure> failures)
      : std::runtime_error(describe(index_name, partitions, failures)),
        failures_(std::make_shared<const std::vector<Failure>>(std::move(failures))) {}

  /// Every partition that failed, in the order of the plan.
  const std::vector<Failure>& failures() const noexcept { return *failures_; }

 private:
  static std::string describe(std::string_view index_name, std::size_t partitions,
                              const std::vector<Failure>& failures) {
    constexpr std::size_t shown = 4;  // an incident throttles all of them; a log line should stay one
    std::string text = "evenkey: " + std::to_string(failures.size()) + " of " + std::to_string(partitions) +
                       " partition reads of " + std::string(index_name) + " failed, nothing was returned";
    for (std::size_t i = 0; i < failures.size() && i < shown; ++i)
      text += (i == 0 ? ": " : "; ") + failures[i].partition_key + ": " + failures[i].message;
    if (failures.size() > shown) text += "; and " + std::to_string(failures.size() - shown) + " more";
    return text;
  }

  std::shared_ptr<const std::vector<Failure>> failures_;  // shared: copying an exception must not throw
};

/// More items share one sort key than a read was allowed to hold to put them in order.
///
/// Errors: thrown as itself in every mode: make the sort key unique by a suffix, raise `max_tie_run`, or list
/// by shard.
class tie_run_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A store's page is not in the order of the index's sort key, so it cannot be merged: a failure of its
/// partition.
class order_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The deadline passed before a partition was read to its end: a failure of that partition.
class deadline_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A stop was requested before a partition was read to its end: a failure of that partition.
class stopped_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

namespace detail {

[[noreturn]] inline void throw_no_progress(std::string_view asked) {
  throw order_error("evenkey: " + std::string(asked) +
                    " was asked to go on from a start key and answered with the same key again; does the "
                    "functor pass on exclusive_start_key?");
}

inline std::string message_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "an exception that is not a std::exception";
  }
}

/// The failures of a read's lanes, gathered as they come and told in the order of the plan.
class FailureLog {
 public:
  bool empty() const noexcept { return entries_.empty(); }
  /// Kept in order here, since std::stable_sort with libstdc++ 12 is a warning of clang 19 in the user's build.
  void add(std::size_t lane, std::exception_ptr error) {
    const auto behind = std::upper_bound(entries_.begin(), entries_.end(), lane,
                                         [](std::size_t a, const auto& entry) { return a < entry.first; });
    entries_.emplace(behind, lane, std::move(error));
  }

  /// `describe(lane)` gives a Failure without its error.
  template <class Describe>
  std::vector<Failure> failures(Describe describe) const {
    std::vector<Failure> failures;
    failures.reserve(entries_.size());
    for (const auto& [lane, error] : entries_) {
      Failure failure = describe(lane);
      failure.message = message_of(error);
      failure.error = error;
      failures.push_back(std::move(failure));
    }
    return failures;
  }

 private:
  std::vector<std::pair<std::size_t, std::exception_ptr>> entries_;
};

}  // namespace detail
}  // namespace evenkey
