// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/index.hpp>
#include <evenkey/page.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace evenkey::detail {

/// Rows that are looked for, by primary key; those found have their item.
template <class Item>
using WantedRows = std::map<std::string, std::optional<Item>, std::less<>>;

enum class Search { done, stopped };

/// Looks for rows of one page of an earlier run, of which the start keys are known: the page may be cut
/// otherwise now, since rows came and went. So the first row behind it is asked for at first, and the scan
/// goes on until it is met: what was not met before it is gone. Where that row is deleted meanwhile, the
/// search goes on to the end of the segment, which costs more and is as right.
template <class Index, class Scanner>
Search find_again(const Index& index, Scanner& scanner, std::uint32_t segment,
                  const std::optional<typename Scanner::StartKey>& page_start,
                  const std::optional<typename Scanner::StartKey>& page_end,
                  std::optional<std::uint32_t> limit, WantedRows<typename Index::Item>& wanted) {
  std::optional<std::string> first_behind;
  for (auto place = page_end; leads_on(place) && !first_behind;) {
    auto page = scanner.read(segment, place, 1);
    if (!page) return Search::stopped;
    if (!page->items.empty()) first_behind = std::string(primary_key_of(index, page->items.front()));
    place = std::move(page->last_evaluated_key);
  }
  std::size_t missing = wanted.size();
  for (auto place = page_start;;) {
    auto page = scanner.read(segment, place, limit);
    if (!page) return Search::stopped;
    for (auto& item : page->items) {
      const std::string key(primary_key_of(index, item));
      if (first_behind && key == *first_behind) return Search::done;
      if (const auto found = wanted.find(key); found != wanted.end() && !found->second) {
        found->second = std::move(item);
        if (--missing == 0) return Search::done;
      }
    }
    place = std::move(page->last_evaluated_key);
    if (!leads_on(place)) return Search::done;
  }
}

}  // namespace evenkey::detail
