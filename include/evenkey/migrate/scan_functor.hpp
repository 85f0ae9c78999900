// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/page.hpp>
#include <evenkey/read/outcome.hpp>

#include <concepts>
#include <type_traits>

namespace evenkey {

/// A scan functor's call is there: `scan(request)` compiles.
template <class Scan, class StartKey>
concept answers_scan_request = std::invocable<Scan&, detail::ConstRef<ScanRequest<StartKey>>>;

/// A scan functor's answer is a page of items, or an outcome that holds one.
template <class Scan, class Item, class StartKey>
concept scan_answers_with_page = detail::is_page_answer < std::remove_cvref_t < std::invoke_result_t < Scan&,
        const ScanRequest<StartKey>
& >>, Item, StartKey > ;

/// The user's functor over the base table: given a request, it asks the store once for one page of one
/// segment. It answers as a query functor does.
///
/// Errors: it may throw anything.
/// Threads: called from at most `max_concurrency` threads at once.
template <class Scan, class Item, class StartKey>
concept scan_functor = answers_scan_request<Scan, StartKey> && scan_answers_with_page<Scan, Item, StartKey>;

}  // namespace evenkey
