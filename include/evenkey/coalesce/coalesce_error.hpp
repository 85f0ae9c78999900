// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <stdexcept>

namespace evenkey {

/// Why a caller of `Coalescer::get` got no answer, where no loader failed.
enum class CoalesceFailure : std::uint8_t {
  /// It waited for a load that, directly or by way of other threads, waits for this very caller.
  own_load,
  /// Its deadline passed before the load it waited for had ended; others may still get the answer.
  deadline_passed,
  /// Its stop token asked it to stop.
  stop_requested
};

/// What `Coalescer::get` throws of its own; a loader's exceptions pass through as they are.
class coalesce_error : public std::runtime_error {
 public:
  /// For evenkey's own use.
  coalesce_error(CoalesceFailure failure, const char* message)
      : std::runtime_error(message), failure_(failure) {}

  /// Why there is no answer.
  CoalesceFailure failure() const noexcept { return failure_; }

 private:
  CoalesceFailure failure_;
};

}  // namespace evenkey
