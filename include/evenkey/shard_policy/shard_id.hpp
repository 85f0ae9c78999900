// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace evenkey {

/// The number of a key shard, 0 … N-1: the suffix of its partition key.
///
/// Not a shard of DynamoDB Streams, and not a physical partition: several shards may share one of those.
struct ShardId {
  std::uint32_t value;  ///< from 0 to N - 1

  friend constexpr auto operator<=>(const ShardId&, const ShardId&) = default;
};

/// All shards 0 … N-1 in ascending order, made as they are asked for.
///
/// Use it in a range-for or an algorithm of `std::ranges`; it owns nothing and costs four bytes, whatever N
/// is.
class ShardRange {
 public:
  /// Goes from shard to shard.
  class Iterator {
   public:
    using iterator_concept = std::forward_iterator_tag;
    using iterator_category = std::input_iterator_tag;
    using value_type = ShardId;
    using difference_type = std::ptrdiff_t;

    constexpr Iterator() = default;
    constexpr explicit Iterator(std::uint32_t at) noexcept : at_(at) {}

    constexpr ShardId operator*() const noexcept { return ShardId{at_}; }
    constexpr Iterator& operator++() noexcept {
      ++at_;
      return *this;
    }
    constexpr Iterator operator++(int) noexcept { return Iterator(at_++); }
    friend constexpr bool operator==(const Iterator&, const Iterator&) = default;

   private:
    std::uint32_t at_ = 0;
  };

  /// @param shard_count N
  constexpr explicit ShardRange(std::uint32_t shard_count) noexcept : size_(shard_count) {}

  /// Shard 0.
  constexpr Iterator begin() const noexcept { return Iterator(0); }
  /// Behind the last.
  constexpr Iterator end() const noexcept { return Iterator(size_); }
  /// N.
  constexpr std::size_t size() const noexcept { return size_; }
  /// Whether N is 0.
  constexpr bool empty() const noexcept { return size_ == 0; }

 private:
  std::uint32_t size_;
};

}  // namespace evenkey
