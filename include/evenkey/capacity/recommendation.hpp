// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/capacity/load.hpp>
#include <evenkey/capacity/physical_partitions.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace evenkey::capacity {

/// Whether anybody lists the whole index.
enum class Listings : std::uint8_t {
  needed,  ///< some reader enumerates all items: the reason to share partition keys at all
  never    ///< all reads name an id
};

/// An index that may need shards: its load, and what is known of its ids and keys.
struct Workload {
  Load load = {};                  ///< of the busiest second, all shards together
  std::uint64_t distinct_ids = 0;  ///< that the load falls on; 0: so many that they spread evenly
  /// The busiest id's part of queries and writes; at least 1 / distinct_ids is assumed.
  double hottest_id_share = 0;
  /// The part of the entries, and so of what a read evaluates and of the writes, that readers want at
  /// all: 0.2 where a filter drops four of five. A key set only on wanted rows makes the index sparse.
  double wanted_share = 1;
  SortKeys sort_keys = SortKeys::any;    ///< whether they rise
  Listings listings = Listings::needed;  ///< whether the whole index is ever listed
  /// How many the index has now; a new on-demand one about 4. See `physical_partitions`.
  std::uint32_t physical_partition_count = 4;
};

/// What to do. Numbers are stored by programs: do not change them.
enum class Advice : std::uint8_t {
  do_not_shard = 0,     ///< one partition key bears the load at the target
  shard = 1,            ///< by `shards`
  make_sparse = 2,      ///< leave unwanted rows out of the index: then one partition key bears the rest
  key_by_id = 3,        ///< nobody lists: let the id itself be the partition key
  split_hot_id = 4,     ///< one id alone is too much for a partition: no N helps
  list_less_often = 5,  ///< listings cost each shard more than the target, whatever N is
  beyond_reach = 6      ///< more shards than can be listed
};

/// What fills the hottest shard first as the load grows. Numbers are stored by programs: do not change
/// them.
enum class NextLimit : std::uint8_t { none = 0, writes = 1, reads = 2, listings = 3, hottest_id = 4 };

/// An answer to "which N?", for programs and for people.
struct Recommendation {
  Advice advice = Advice::do_not_shard;  ///< in one word; `reasons` say why
  std::uint32_t shards = 1;  ///< the fewest that meet the target; 1 where sharding is not the answer
  double expected_lift = 1;  ///< of that many shards, with these ids
  double utilisation = 0;    ///< of the hottest of `shards` keys, once the index is sparse if so advised
  NextLimit next_limit = NextLimit::none;  ///< what is reached first when the load grows
  /// By how much the load may grow until the hottest shard is full; infinite without load.
  double room_to_grow = 1;
  std::vector<std::string> reasons;  ///< whole sentences: what was found, why this advice, what comes next
};

/// The most shards that `recommend` will recommend: every listing is a query to each of them.
inline constexpr std::uint32_t most_shards_to_list = 65'536;

}  // namespace evenkey::capacity
