// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/testing/memory_table/entry_order.hpp>
#include <evenkey/testing/memory_table/physical_partitions.hpp>
#include <evenkey/testing/memory_table/token_bucket.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace evenkey::testing {

/// Which bucket a partition draws on: the partitions that get the same text share one.
///
/// The default gives every partition key of every index, and of the base table, a bucket of its own. Replace
/// it to model physical partitions that several keys fall into. It is called under the table's lock.
/// @param index_name is empty for the base table
using BucketOf = std::function<std::string(std::string_view index_name, std::string_view partition_key)>;

}  // namespace evenkey::testing

namespace evenkey::testing::detail {

/// The read and write buckets of a table and its indexes. The only place where a key is mapped to a bucket.
class Throughput {
 public:
  /// Errors: `std::invalid_argument` for rules that are none, or both ways to share buckets at once.
  Throughput(std::optional<ThroughputCaps> caps, BucketOf bucket_of, const PhysicalPartitions& physical,
             std::uint64_t seed)
      : bucket_of_(std::move(bucket_of)), physical_(physical), seed_(seed) {
    check(physical);
    if (bucket_of_ && physical.count != 0)
      throw std::invalid_argument("evenkey: buckets are shared by bucket_of or by physical, not by both");
    set_caps(caps);
  }

  /// Null: nothing limits this partition.
  Buckets* find(std::string_view index_name, std::string_view partition_key, VirtualClock::time_point now) {
    if (physical_.count != 0) return space_of(index_name).find(partition_key, caps_, now);
    if (!caps_ && buckets_.empty()) return nullptr;
    std::string id = bucket_id(index_name, partition_key);
    auto found = buckets_.find(id);
    if (found == buckets_.end()) {
      if (!caps_) return nullptr;
      found = buckets_.emplace(std::move(id), Buckets(*caps_)).first;
    }
    return &found->second;
  }

  void set_caps(std::optional<ThroughputCaps> caps) {
    if (caps) (void)Buckets(*caps);  // refuses caps that are no numbers now, not at the first request
    caps_ = caps;
    buckets_.clear();
    for (auto& [name, space] : spaces_)
      space.forget_caps();
  }
  void set_caps(std::string_view index_name, std::string_view partition_key, ThroughputCaps caps) {
    if (physical_.count != 0) return space_of(index_name).set_caps(partition_key, caps);
    buckets_.insert_or_assign(bucket_id(index_name, partition_key), Buckets(caps));
  }

  /// Null: each partition key has a physical partition to itself.
  PhysicalSpace* space(std::string_view index_name) {
    return physical_.count == 0 ? nullptr : &space_of(index_name);
  }

 private:
  std::string bucket_id(std::string_view index_name, std::string_view partition_key) const {
    if (bucket_of_) return bucket_of_(index_name, partition_key);
    std::string id;
    id.reserve(index_name.size() + 1 + partition_key.size());
    return id.append(index_name).append(1, '/').append(partition_key);  // a name holds no slash
  }
  PhysicalSpace& space_of(std::string_view index_name) {
    const auto found = spaces_.find(index_name);
    if (found != spaces_.end()) return found->second;
    return spaces_.emplace(std::string(index_name), PhysicalSpace(physical_, index_name, seed_))
        .first->second;
  }

  std::optional<ThroughputCaps> caps_;
  BucketOf bucket_of_;
  PhysicalPartitions physical_;
  std::uint64_t seed_;
  std::unordered_map<std::string, Buckets, TextHash, std::equal_to<>> buckets_;
  std::map<std::string, PhysicalSpace, std::less<>> spaces_;
};

}  // namespace evenkey::testing::detail
