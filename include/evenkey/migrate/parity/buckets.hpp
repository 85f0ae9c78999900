// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/migrate/parity/row_digest.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace evenkey::detail {

/// In which of `count` buckets a row is, by the hash of its primary key.
/// Source: docs/format/recording.md.
inline std::size_t bucket_of(std::uint64_t key, std::size_t count) {
  return static_cast<std::size_t>((key >> 32U) * static_cast<std::uint64_t>(count) >> 32U);
}

/// The table's rows less the index's, summed by bucket, so that the order in which rows come does not matter
/// and millions of them take 16 bytes a bucket. A bucket that is not all zero has rows that differ.
///
/// A sum of 64-bit hashes that is zero by chance hides a difference once in 2^64; nothing here defends
/// against someone who makes up rows so that it does.
class BucketDifferences {
 public:
  struct Bucket {
    std::uint64_t digest = 0;  // the table's sum less the index's, modulo 2^64
    std::int32_t rows = 0;     // likewise their count
    std::uint32_t table_rows = 0;
    bool is_even() const noexcept { return digest == 0 && rows == 0; }
  };

  explicit BucketDifferences(std::size_t count) : buckets_(count) {}

  void add_table(const RowDigest& row) {
    Bucket& bucket = at(row.key);
    bucket.digest += row.digest;
    ++bucket.rows;
    ++bucket.table_rows;
  }
  void add_index(std::uint64_t key, std::uint64_t digest) {
    Bucket& bucket = at(key);
    bucket.digest -= digest;
    --bucket.rows;
  }

  std::size_t size() const noexcept { return buckets_.size(); }
  const std::vector<Bucket>& all() const noexcept { return buckets_; }
  Bucket& operator[](std::size_t bucket) { return buckets_[bucket]; }

 private:
  Bucket& at(std::uint64_t key) { return buckets_[bucket_of(key, buckets_.size())]; }
  std::vector<Bucket> buckets_;
};

/// What differs by a bucket's numbers alone: at least so many rows.
struct UnnamedDifferences {
  std::size_t missing = 0;
  std::size_t extra = 0;
  std::size_t mismatched = 0;

  void add(std::int64_t rows) {
    if (rows > 0) {
      missing += static_cast<std::size_t>(rows);
    } else if (rows < 0) {
      extra += static_cast<std::size_t>(-rows);
    } else {
      ++mismatched;
    }
  }
};

}  // namespace evenkey::detail
