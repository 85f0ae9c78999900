// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/page.hpp>
#include <evenkey/testing/memory_table/entry_order.hpp>
#include <evenkey/testing/memory_table/error.hpp>
#include <evenkey/testing/memory_table/options.hpp>
#include <evenkey/testing/memory_table/page_builder.hpp>
#include <evenkey/testing/memory_table/start_key.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace evenkey::testing::detail {

/// Which of `total` segments a hash falls into: its upper half decides, in integers that cannot overflow.
constexpr std::uint32_t segment_of(std::uint64_t hash, std::uint32_t total) noexcept {
  return static_cast<std::uint32_t>(((hash >> 32) * total) >> 32);
}
/// The least hash of a segment.
constexpr std::uint64_t segment_begin(std::uint64_t segment, std::uint64_t total) noexcept {
  return (((segment << 32) + total - 1) / total) << 32;
}

/// The items by primary key, in the order of a scan: by a seeded hash, so that segments are ranges of it.
template <class Item>
class BaseTable {
 public:
  using Stored = StoredItem<Item>;

  explicit BaseTable(std::uint64_t seed) : seed_(seed) {}

  std::size_t size() const noexcept { return items_.size(); }
  Stored find(std::string_view primary_key) const {
    const auto found = items_.find(place_of(primary_key));
    return found == items_.end() ? Stored{} : found->second;
  }
  void set(std::string_view primary_key, Stored stored) {
    if (stored.item) {
      items_.insert_or_assign(place_of(primary_key), std::move(stored));
    } else {
      items_.erase(place_of(primary_key));
    }
  }

  /// `hooks` makes and reads start keys (see start_key.hpp).
  template <class StartKey, class Hooks, class Filter>
  Page<Item, StartKey> scan(const ScanRequest<StartKey>& request, const Hooks& hooks,
                            const MemoryTableOptions& options, Filter& filter,
                            std::size_t& evaluated_bytes) const {
    check(request);
    auto item = items_.lower_bound(ScanKey{segment_begin(request.segment, request.total_segments), {}});
    const auto end =
        request.segment + 1 == request.total_segments
            ? items_.end()
            : items_.lower_bound(ScanKey{segment_begin(request.segment + 1, request.total_segments), {}});
    if (request.exclusive_start_key) {
      const auto start = from_start_key(hooks, *request.exclusive_start_key);
      if (!start || !start->partition_key.empty() || !std::holds_alternative<std::monostate>(start->sort_key))
        throw validation_error(RequestKind::scan,
                               "the exclusive start key is not one that a scan of this table gave");
      if (!start->primary_key.empty()) {
        const ScanKey key = place_of(start->primary_key);
        if (segment_of(key.first, request.total_segments) != request.segment)
          throw validation_error(RequestKind::scan, "the exclusive start key is of another segment");
        item = items_.upper_bound(key);
      }
    }
    Page<Item, StartKey> page;
    PageBuilder<Item, Filter> builder(request.limit, options, filter);
    using Step = typename PageBuilder<Item, Filter>::Step;
    for (Step step = Step::goes_on; step == Step::goes_on && item != end; ++item) {
      step = builder.offer(item->second);
      if (step == Step::goes_on) continue;
      const auto last = step == Step::was_last ? item : std::prev(item);
      page.last_evaluated_key = to_start_key<StartKey>(hooks, MemoryStartKey{{}, {}, last->first.second});
    }
    page.items = builder.take_items();
    page.scanned_count = builder.scanned();
    evaluated_bytes = builder.bytes();
    return page;
  }

  template <class StartKey, class Hooks>
  Page<Item, StartKey> empty_page(const ScanRequest<StartKey>& request, const Hooks& hooks) const {
    check(request);
    Page<Item, StartKey> page;
    page.last_evaluated_key = request.exclusive_start_key;
    if (!page.last_evaluated_key) page.last_evaluated_key = to_start_key<StartKey>(hooks, MemoryStartKey{});
    return page;
  }

 private:
  using ScanKey = std::pair<std::uint64_t, std::string>;

  ScanKey place_of(std::string_view primary_key) const {
    return {seeded_hash(primary_key, ~seed_), std::string(primary_key)};  // not the order of ties either
  }
  template <class StartKey>
  static void check(const ScanRequest<StartKey>& request) {
    if (request.total_segments < 1 || request.total_segments > 1'000'000)
      throw validation_error(RequestKind::scan, "total_segments must be between 1 and 1000000");
    if (request.segment >= request.total_segments)
      throw validation_error(RequestKind::scan, "segment must be less than total_segments");
    if (request.limit && *request.limit == 0)
      throw validation_error(RequestKind::scan, "limit must be at least 1");
  }

  std::uint64_t seed_;
  std::map<ScanKey, Stored> items_;
};

}  // namespace evenkey::testing::detail
