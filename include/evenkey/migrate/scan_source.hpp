// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/page.hpp>
#include <evenkey/read/outcome.hpp>

#include <concepts>
#include <cstdint>
#include <functional>
#include <string_view>
#include <type_traits>

namespace evenkey {

namespace detail {

/// What the scan source uses for a start key: its own type where it names one, else the definition's.
template <class Scan, class Index>
struct StartKeyOfScan {
  using type = typename Index::StartKey;
};
template <class Scan, class Index>
requires requires { typename Scan::StartKey; }
struct StartKeyOfScan<Scan, Index> {
  using type = typename Scan::StartKey;
};

/// The scan source says in how many segments it is read: it has no others.
template <class Scan>
concept fixes_segments = requires(const Scan& scan) {
  { scan.total_segments() } -> std::same_as<std::uint32_t>;
};
/// The scan source says what it reads, for checkpoints.
template <class Scan>
concept names_scan_source = requires(const Scan& scan) {
  { scan.source_name() } -> std::convertible_to<std::string_view>;
};

template <class Scan>
std::string_view scan_source_name(const Scan& scan) {
  if constexpr (names_scan_source<Scan>) {
    return scan.source_name();
  } else {
    return "table";
  }
}

}  // namespace detail

/// The start key by which a scan source goes on.
template <class Scan, class Index>
using ScanStartKey = typename detail::StartKeyOfScan<std::remove_cvref_t<Scan>, Index>::type;

/// The user's functor that scans the base table: given a `ScanRequest`, one page of items, or an outcome or
/// `std::future` that holds one, as with a query functor.
///
/// The scan should be strongly consistent: a row that it does not see is not moved, or not checked.
/// Errors: it may throw anything.
/// Threads: called from at most `max_concurrency` threads at once, for a segment by one at a time.
template <class Scan, class Index>
concept scan_functor = std::invocable < Scan&,
        const ScanRequest<ScanStartKey<Scan, Index>>
& > &&detail::is_page_answer<
        std::remove_cvref_t<std::invoke_result_t<Scan&, const ScanRequest<ScanStartKey<Scan, Index>>&>>,
        typename Index::Item, ScanStartKey<Scan, Index>>;

}  // namespace evenkey
