// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/testing/memory_table/capacity_units.hpp>
#include <evenkey/testing/memory_table/item_size.hpp>
#include <evenkey/testing/memory_table/key_limits.hpp>
#include <evenkey/testing/memory_table/request_log.hpp>
#include <evenkey/testing/memory_table/throughput.hpp>
#include <evenkey/testing/memory_table/virtual_clock.hpp>
#include <evenkey/testing/memory_table/visibility.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace evenkey::testing {

/// Where a page ends that reaches `page_bytes`; AWS does not say.
enum class PageCut : std::uint8_t {
  after_crossing,  ///< the item that reaches or crosses the limit is the page's last
  before_crossing  ///< the item that would cross it begins the next page, unless it is the page's first
};

/// How a table in memory behaves. Every member has the value that a plain unit test wants.
struct MemoryTableOptions {
  std::string table_name = "table";  ///< in errors, ARNs and requests
  /// The size of every item, where `ItemFunctions` has no `size_of`.
  std::size_t item_bytes = 300;
  std::size_t page_bytes = std::size_t{1} << 20;  ///< what a page holds: DynamoDB's 1 MB
  PageCut page_cut = PageCut::after_crossing;     ///< what becomes of the item that crosses it
  KeyText key_text = KeyText::string;             ///< whether primary keys must be valid UTF-8
  /// What each partition can bear; empty: nothing is throttled.
  std::optional<ThroughputCaps> caps = std::nullopt;
  BucketOf bucket_of = {};  ///< lets partition keys share what one bears; empty: each has its own
  /// Lets partition keys share physical partitions, that of each by a hash of the key and `seed`, and splits
  /// them for heat. Instead of `bucket_of`.
  PhysicalPartitions physical = {};
  /// `ThrottlingException` is what an on-demand table answers.
  std::string throttling_error = "ProvisionedThroughputExceededException";
  /// Of all indexes; `set_lag` changes one.
  VisibilityLag lag = {};
  /// For the order among equal sort keys, and for the order of a scan.
  std::uint64_t seed = 1;
  /// How many requests the log keeps; 0: none.
  std::size_t log_capacity = 0;
  /// A clock to share; empty: the table has its own.
  std::shared_ptr<VirtualClock> clock = nullptr;
  /// Called first in every request, outside the lock; whatever it throws, the caller gets. It may wait.
  std::function<void(const RequestInfo&)> before = {};
  /// How long a request takes, for the log and for `wait`.
  std::function<VirtualClock::duration(const RequestInfo&)> latency = {};
  /// Called outside the lock with each latency that is not zero, before the request is carried out: a sleep,
  /// or `clock->advance(latency)`. Empty: latency is written down only.
  std::function<void(VirtualClock::duration)> wait = {};
};

/// What the table must know of an item beyond the index definitions. Each may be left empty.
template <class Item>
struct ItemFunctions {
  /// Bytes by DynamoDB's count, such as from `item_size.hpp`.
  std::function<std::size_t(const Item&)> size_of = {};
  /// The whole key in the base table. Empty: `primary_key` of the first index.
  std::function<std::string(const Item&)> primary_key = {};
  /// The part of the primary key that is the base table's partition key. Empty: all of it.
  std::function<std::string(std::string_view primary_key)> base_partition = {};
  /// Whether two items are the same: a write of the same costs an index nothing. Empty: `==` where Item has
  /// it, else never.
  std::function<bool(const Item&, const Item&)> same_content = {};
};

/// What goes with one call.
struct CallOptions {
  /// For log and counters; empty: the thread's `CallerScope`.
  std::string_view caller = {};
  /// Empty: strong for GetItem and Scan, eventual for Query.
  std::optional<Consistency> consistency = std::nullopt;
  /// Filled in when the request ends, also when it throws. Must live until then.
  RequestRecord* record = nullptr;
};

/// What became of a write.
template <class Item>
struct WriteResult {
  /// False: the condition failed, and nothing was changed.
  bool applied = false;
  /// What was stored before; empty: nothing. DynamoDB's ALL_OLD, also where the condition failed.
  std::optional<Item> previous = std::nullopt;
  /// Consumed of the base table; of all indexes together.
  double write_units = 0;
  double index_write_units = 0;  ///< consumed of all indexes together
};

/// A condition that always holds.
struct Always {
  /// True.
  template <class Item>
  constexpr bool operator()(const Item*) const noexcept {
    return true;
  }
};
inline constexpr Always always{};

}  // namespace evenkey::testing
