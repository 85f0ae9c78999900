// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/shard_policy.hpp>

#include <concepts>
#include <cstddef>
#include <optional>
#include <string_view>

namespace evenkey {

/// The source of a migration to a *second* index: the rows that do not bear the new index's key yet.
///
/// Use `Migration<NewIndex, Unstamped>` where a new attribute is stamped for a new index beside the old one.
/// Rows never leave the old index: there is no window in which one can be missed and no assumption about
/// visibility, and going back is reading the old index again. It costs one more index, and its writes while
/// both live. It is the only way to keys of several attributes, since an index's key schema cannot be
/// changed.
///
/// The phases mean: `source` and `dual_read`, writers stamp nothing new; `destination_writes`, writers stamp
/// both and the backfill runs; `destination`, readers read the new index. Until then they read the old one,
/// by its own definition.
///
/// Shape: the interface of `UnshardedKey`, with the empty text, which no item has, for its key. A restamp's
/// `from` is empty then: its condition is `first_stamp_condition_expression`, for a row that exists and has
/// no key.
struct Unstamped {
  /// No partition key.
  static constexpr std::string_view value() noexcept { return {}; }
  /// No partition key, whatever the id.
  static constexpr std::string_view of(std::string_view) noexcept { return {}; }
  /// No partition key, whatever the id.
  static constexpr ShardId shard_of(std::string_view) noexcept { return ShardId{0}; }
  /// No partition key.
  static constexpr std::string_view at(ShardId) noexcept { return {}; }
  /// Counts as one partition.
  static constexpr std::size_t size() noexcept { return 1; }
  /// Only of an empty text.
  static constexpr std::optional<ShardId> parse(std::string_view text) noexcept {
    if (!text.empty()) return std::nullopt;
    return ShardId{0};
  }
  /// As layouts store it: do not change.
  static constexpr std::string_view layout() noexcept { return "unstamped"; }
};

/// A migration to a second index.
template <class Migration>
concept stamps_second_index = std::same_as<typename Migration::Source, Unstamped>;

}  // namespace evenkey
