// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/page.hpp>
#include <evenkey/read/outcome.hpp>

#include <concepts>
#include <functional>
#include <type_traits>

namespace evenkey::detail {

/// A functor over the base table: given a `ScanRequest`, it answers with a page of items, or an outcome or
/// future that holds one, as a query functor does.
template <class Scan, class Item, class StartKey>
concept scans_pages = std::invocable<Scan&, ConstRef<ScanRequest<StartKey>>> &&
                      is_page_answer < std::remove_cvref_t < std::invoke_result_t < Scan&,
        const ScanRequest<StartKey>
& >>, Item, StartKey > ;

}  // namespace evenkey::detail
