// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/testing/memory_table/entry_order.hpp>
#include <evenkey/testing/memory_table/token_bucket.hpp>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

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
  struct Buckets {
    TokenBucket read;
    TokenBucket write;
  };

  Throughput(std::optional<ThroughputCaps> caps, BucketOf bucket_of) : bucket_of_(std::move(bucket_of)) {
    set_caps(caps);
  }

  /// Null: nothing limits this partition.
  Buckets* find(std::string_view index_name, std::string_view partition_key) {
    if (!caps_ && buckets_.empty()) return nullptr;
    std::string id = bucket_id(index_name, partition_key);
    auto found = buckets_.find(id);
    if (found == buckets_.end()) {
      if (!caps_) return nullptr;
      found = buckets_.emplace(std::move(id), make(*caps_)).first;
    }
    return &found->second;
  }

  void set_caps(std::optional<ThroughputCaps> caps) {
    if (caps) (void)make(*caps);  // refuses caps that are no numbers now, not at the first request
    caps_ = caps;
    buckets_.clear();
  }
  void set_caps(std::string_view index_name, std::string_view partition_key, ThroughputCaps caps) {
    buckets_.insert_or_assign(bucket_id(index_name, partition_key), make(caps));
  }

 private:
  static Buckets make(ThroughputCaps caps) {
    return {TokenBucket(caps.read_units_per_second), TokenBucket(caps.write_units_per_second)};
  }
  std::string bucket_id(std::string_view index_name, std::string_view partition_key) const {
    if (bucket_of_) return bucket_of_(index_name, partition_key);
    std::string id;
    id.reserve(index_name.size() + 1 + partition_key.size());
    return id.append(index_name).append(1, '/').append(partition_key);  // a name holds no slash
  }

  std::optional<ThroughputCaps> caps_;
  BucketOf bucket_of_;
  std::unordered_map<std::string, Buckets, TextHash, std::equal_to<>> buckets_;
};

}  // namespace evenkey::testing::detail
