// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/testing/memory_table/options.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

namespace evenkey::testing::detail {

/// An item as the table keeps it, and its size.
template <class Item>
struct StoredItem {
  std::shared_ptr<const Item> item;  // null: no such item
  std::size_t bytes = 0;
};

/// Decides where a page of a query or a scan ends: limit and bytes count what is evaluated, before the
/// filter.
template <class Item, class Filter>
class PageBuilder {
 public:
  enum class Step : std::uint8_t { goes_on, was_last, begins_next };

  PageBuilder(std::optional<std::uint32_t> limit, const MemoryTableOptions& options, Filter& filter)
      : limit_(limit.value_or((std::numeric_limits<std::uint32_t>::max)())),
        options_(options),
        filter_(filter) {
    items_.reserve((std::min)(limit_, std::size_t{4}));  // a page of a few items needs no second allocation
  }

  Step offer(const StoredItem<Item>& stored) {
    const std::size_t with_it = bytes_ + stored.bytes;
    if (options_.page_cut == PageCut::before_crossing && scanned_ > 0 && with_it > options_.page_bytes)
      return Step::begins_next;
    bytes_ = with_it;
    ++scanned_;
    if (std::invoke(filter_, *stored.item)) items_.push_back(*stored.item);
    const bool full = options_.page_cut == PageCut::after_crossing && bytes_ >= options_.page_bytes;
    return scanned_ == limit_ || full ? Step::was_last : Step::goes_on;
  }

  std::size_t bytes() const noexcept { return bytes_; }
  std::size_t scanned() const noexcept { return scanned_; }
  std::vector<Item> take_items() noexcept { return std::move(items_); }

 private:
  std::size_t limit_;
  const MemoryTableOptions& options_;
  Filter& filter_;
  std::vector<Item> items_;
  std::size_t bytes_ = 0;
  std::size_t scanned_ = 0;
};

}  // namespace evenkey::testing::detail
