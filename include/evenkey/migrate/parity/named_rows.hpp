// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/migrate/parity/buckets.hpp>
#include <evenkey/migrate/parity/row_digest.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace evenkey::detail {

/// How a row differs. Of a row that differs in several ways, the one that is worst for readers.
enum class Difference : std::uint8_t { none, missing, extra, mismatched, misplaced };

constexpr std::string_view difference_name(Difference difference) noexcept {
  switch (difference) {
    case Difference::none:
      return "in order";
    case Difference::missing:
      return "missing";
    case Difference::extra:
      return "extra";
    case Difference::mismatched:
      return "mismatched";
    case Difference::misplaced:
      break;
  }
  return "misplaced";
}

/// A row that differs, by the hash of its primary key.
struct NamedDifference {
  std::uint64_t key;
  Difference difference;
};

/// Which rows are looked at again: those of the buckets that differed, then those that were named.
class Focus {
 public:
  /// Chooses buckets that differ, as long as their rows are at most `max_rows`; what is left out is counted
  /// by its buckets.
  Focus(const BucketDifferences& differences, std::size_t max_rows) : chosen_(differences.size()) {
    std::size_t rows = 0;
    for (std::size_t i = 0; i < differences.size(); ++i) {
      const auto& bucket = differences.all()[i];
      if (bucket.is_even()) continue;
      const std::size_t here =
          (std::max)(bucket.table_rows, static_cast<std::uint32_t>(std::max<std::int64_t>(
                                            0, std::int64_t{bucket.table_rows} - bucket.rows)));
      if (rows != 0 && rows + here > max_rows) {
        unnamed_.add(bucket.rows);
        continue;
      }
      rows += here;
      chosen_[i] = true;
      chosen_buckets_.push_back(static_cast<std::uint32_t>(i));
    }
    rows_ = rows;
  }

  bool has(std::uint64_t key) const {
    if (by_bucket_) return chosen_[bucket_of(key, chosen_.size())];
    const auto found = std::lower_bound(rows_named_.begin(), rows_named_.end(), key, less);
    return found != rows_named_.end() && found->key == key;
  }

  /// How many rows it is about, by what was seen so far.
  std::size_t rows() const noexcept { return rows_; }
  const UnnamedDifferences& unnamed() const noexcept { return unnamed_; }
  const std::vector<NamedDifference>& named() const noexcept { return rows_named_; }

  /// Takes what differs now: of the rows in focus, only those that differed at every look stay.
  /// @param extra_not_held what differs beside them and cannot be looked at again
  /// @returns how many were settled
  std::size_t narrow(std::vector<NamedDifference> differing, std::size_t extra_not_held) {
    std::size_t settled = 0;
    if (by_bucket_) {
      std::vector<bool> named(chosen_.size());
      for (const NamedDifference& row : differing)
        named[bucket_of(row.key, chosen_.size())] = true;
      for (const std::uint32_t bucket : chosen_buckets_)
        if (!named[bucket]) ++settled;
    } else {
      settled = rows_named_.size() - differing.size();  // only rows in focus were looked at
    }
    by_bucket_ = false;
    rows_named_ = std::move(differing);
    rows_ = rows_named_.size();
    unnamed_.extra += extra_not_held;
    return settled - (std::min)(settled, extra_not_held);
  }

 private:
  static bool less(const NamedDifference& row, std::uint64_t key) { return row.key < key; }

  bool by_bucket_ = true;
  std::vector<bool> chosen_;
  std::vector<std::uint32_t> chosen_buckets_;
  std::vector<NamedDifference> rows_named_;  // by key
  std::size_t rows_ = 0;
  UnnamedDifferences unnamed_;
};

/// One look at the rows in focus: the table's first, then what the index shows of them.
class RowsInFocus {
 public:
  RowsInFocus(std::size_t expected_rows, std::size_t max_extra) : max_extra_(max_extra) {
    rows_.reserve(expected_rows);
  }

  void add_table(const RowDigest& row) { rows_.push_back({row.key, row.digest, 0, false, false, false}); }

  /// Between the passes.
  void sort() {
    std::sort(rows_.begin(), rows_.end(), before);
    rows_.erase(std::unique(rows_.begin(), rows_.end(), same), rows_.end());
  }

  /// @param group of the plan: a reader keeps the copy of the last group
  void add_index(const RowDigest& row, std::uint16_t group, bool misplaced) {
    const auto found = std::lower_bound(rows_.begin(), rows_.end(), row.key,
                                        [](const Row& a, std::uint64_t key) { return a.key < key; });
    if (found == rows_.end() || found->key != row.key) {
      if (extra_.size() < max_extra_) {
        extra_.push_back({row.key, Difference::extra});
      } else {
        ++extra_not_held_;
      }
      return;
    }
    const bool equal = row.digest == found->digest;
    // Within one group a second copy is of a row on the move, or one that was left in a wrong shard.
    if (!found->seen || group > found->group) {
      found->equal = equal;
    } else if (group == found->group) {
      found->equal = found->equal || equal;
    }
    found->group = (std::max)(found->group, group);
    found->seen = true;
    found->misplaced = found->misplaced || misplaced;
  }

  /// Extra rows beyond those that are held: they count, without a further look.
  std::size_t extra_not_held() const noexcept { return extra_not_held_; }

  /// What differs, by key.
  std::vector<NamedDifference> differing() && {
    const auto by_key = [](const NamedDifference& a, const NamedDifference& b) { return a.key < b.key; };
    std::sort(extra_.begin(), extra_.end(), by_key);
    extra_.erase(std::unique(extra_.begin(), extra_.end(),
                             [](const auto& a, const auto& b) { return a.key == b.key; }),
                 extra_.end());
    std::vector<NamedDifference> held;
    for (const Row& row : rows_) {
      const Difference difference = !row.seen       ? Difference::missing
                                    : row.misplaced ? Difference::misplaced
                                    : !row.equal    ? Difference::mismatched
                                                    : Difference::none;
      if (difference != Difference::none) held.push_back({row.key, difference});
    }
    rows_ = {};
    // Not std::inplace_merge: with libstdc++ 12 it is a warning of clang 19 in the user's build.
    std::vector<NamedDifference> all;
    all.reserve(extra_.size() + held.size());
    std::merge(extra_.begin(), extra_.end(), held.begin(), held.end(), std::back_inserter(all), by_key);
    return all;
  }

 private:
  struct Row {
    std::uint64_t key;
    std::uint64_t digest;
    std::uint16_t group;
    bool seen;
    bool equal;
    bool misplaced;
  };
  static bool before(const Row& a, const Row& b) { return a.key < b.key; }
  static bool same(const Row& a, const Row& b) { return a.key == b.key; }

  std::vector<Row> rows_;
  std::vector<NamedDifference> extra_;
  std::size_t max_extra_;
  std::size_t extra_not_held_ = 0;
};

/// The primary keys of rows in focus, as many as are worth holding: a sample is chosen of them once it is
/// known which differ.
class NamesInFocus {
 public:
  void add(std::uint64_t key, std::string_view primary_key, std::string_view partition_key, bool misplaced) {
    const auto found = names_.find(key);
    if (found != names_.end()) {
      if (misplaced) found->second.partition_key = partition_key;
    } else if (held_[partition_key.empty() ? 0 : 1] < most_held) {
      ++held_[partition_key.empty() ? 0 : 1];
      names_.emplace(key, Name{std::string(primary_key), std::string(partition_key)});
    }
  }

  /// The sample's text; empty where the name is not held.
  std::string of(const NamedDifference& row) const {
    const auto found = names_.find(row.key);
    if (found == names_.end()) return {};
    std::string text = found->second.primary_key + ": " + std::string(difference_name(row.difference));
    if (row.difference == Difference::misplaced || row.difference == Difference::extra)
      text += ", seen in " + found->second.partition_key;
    return text;
  }
  void clear() {
    names_.clear();
    held_[0] = held_[1] = 0;
  }

 private:
  static constexpr std::size_t most_held = 4096;  // of the table's, and of the index's
  struct Name {
    std::string primary_key;
    std::string partition_key;
  };
  std::unordered_map<std::uint64_t, Name> names_;
  std::size_t held_[2] = {0, 0};
};

}  // namespace evenkey::detail
