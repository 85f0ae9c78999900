// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/page.hpp>
#include <evenkey/read/options.hpp>
#include <evenkey/read/retry.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>

namespace evenkey::detail {

/// Refuses options out of range, before any request.
inline void check_walk_options(std::uint32_t segments, std::size_t max_concurrency, double rate,
                               const RetryOptions& retry) {
  check_retry_options(retry);
  require_positive(segments, "evenkey: a scan of 0 segments reads nothing; give at least 1");
  require_positive(max_concurrency,
                   "evenkey: max_concurrency is 0, so no request could ever start; give at least 1");
  if (!(rate >= 0))
    throw std::invalid_argument(
        "evenkey: max_read_units_per_second is negative or no number; give 0 for no bound");
}

/// One scan request of a walk's lane.
template <class StartKey, class Options>
ScanRequest<StartKey> scan_request(std::size_t lane, const std::optional<StartKey>& start,
                                   const Options& options) {
  return {
      start,       options.page_limit, static_cast<std::uint32_t>(lane), options.segments, options.deadline,
      options.stop};
}

}  // namespace evenkey::detail
