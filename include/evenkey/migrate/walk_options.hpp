// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/migrate/scan_source.hpp>
#include <evenkey/page.hpp>
#include <evenkey/read/options.hpp>
#include <evenkey/read/retry.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

namespace evenkey::detail {

/// Refuses a scan source that says it is another than the base table, such as the source partition of the
/// index or an export: what it does not show would look like proof.
template <class Scan>
void require_base_table(const Scan& scan) {
  if (scan_source_name(scan) != "table")
    throw std::invalid_argument("evenkey: a check reads the base table itself, not its " +
                                std::string(scan_source_name(scan)));
}

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
  return {start,
          options.page_limit,
          static_cast<std::uint32_t>(lane),
          options.total_segments,
          options.deadline,
          options.stop};
}

}  // namespace evenkey::detail
