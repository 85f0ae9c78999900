// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/migrate/parity/row_digest.hpp>
#include <evenkey/migrate/reports.hpp>
#include <evenkey/migrate/walk_extras.hpp>
#include <evenkey/read/extras.hpp>
#include <evenkey/read/options.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>

namespace evenkey {

/// How far a parity check is, as its `progress` sees it.
struct ParityProgress {
  /// 1 for the first look at all rows, then those at the rows that differed.
  std::uint32_t look;
  /// Rows read in this look, of the table and of the index.
  std::size_t table_rows;
  std::size_t index_rows;  ///< seen by readers of the index so far
  /// The report so far, without a token; what differs is not in it before the end.
  const ParityReport& report;
  /// Makes the place from which a run that is killed now can be gone on with. It costs up to 24 bytes a
  /// bucket, so not to be called for every page.
  const std::function<std::string()>& token;
};

/// How `check_parity` goes through table and index. The order of members is API.
struct ParityOptions {
  /// Into how many segments the scan is split, at least 1.
  std::uint32_t total_segments = 1;
  /// The most requests under way at once, at least 1.
  std::size_t max_concurrency = default_max_concurrency;
  /// The most items of one page; empty: as many as fit.
  std::optional<std::uint32_t> page_limit = {};
  /// Read capacity units a second that the check keeps below, table and index together; 0: no bound. A page
  /// for which the functor reports no units counts one unit an item.
  double max_read_units_per_second = 0;
  /// The part of the ids that is compared, from (0, 1]. A sample reads as much as a whole check; under live
  /// writes fewer rows are looked at again.
  double sample = 1;
  /// How often rows that differ are looked at before they count, at least 1. With 1, no row is named.
  std::uint32_t looks = 3;
  /// How long to wait before each further look: longer than the index is usually behind.
  std::chrono::milliseconds wait_between_looks = std::chrono::milliseconds(500);
  /// Into how many buckets rows are summed, 1 to 2^24; each takes 16 bytes. A further look holds the rows of
  /// the buckets that differ: with 2^20 buckets, ten rows each of ten million.
  std::size_t buckets = std::size_t{1} << 20U;
  /// The most rows that a further look holds, each about 60 bytes. What differs beyond is counted by its
  /// buckets, without names and further looks.
  std::size_t max_named = 500'000;
  /// The most samples of each kind.
  std::size_t max_samples = 10;
  /// `next_token` of a report that was not whole: the run goes on from there, and keeps its start and counts.
  std::string_view token = {};
  /// Called after every page, by one thread at a time.
  std::function<void(const ParityProgress&)> progress = {};
  /// No request starts after it; the report is then partial.
  std::optional<Deadline> deadline = {};
  /// No request starts after a stop is requested; the report is then partial.
  std::stop_token stop = {};
  /// Off by default, because clients retry themselves.
  RetryOptions retry = {};
};

/// What may follow the options of `check_parity` and `record_rows`, in any order, at most one of each: a
/// `digest_by(…)`, a `where(…)` for a part of the rows, a clock, an error classifier.
template <class Extra>
concept parity_extra =
    walk_extra<Extra> || where_clause<Extra> || detail::is_digest_by<std::remove_cvref_t<Extra>>;

namespace detail {

inline constexpr std::size_t most_buckets = std::size_t{1} << 24U;

inline void check_sample(double sample) {
  if (!(sample > 0 && sample <= 1))
    throw std::invalid_argument(
        "evenkey: a sample of rows is a part of them, more than 0 and at most 1; 1 compares all");
}
inline void check_buckets(std::size_t buckets) {
  if (buckets == 0 || buckets > most_buckets)
    throw std::invalid_argument("evenkey: parity sums rows in 1 to 2^24 buckets");
}

template <class... Extras>
constexpr bool compares_a_part = (is_where<std::remove_cvref_t<Extras>> || ...);

}  // namespace detail
}  // namespace evenkey
