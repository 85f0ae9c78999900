// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/fields/fixed_string.hpp>
#include <evenkey/fields/utf8.hpp>
#include <evenkey/key/key_text.hpp>
#include <evenkey/key/partition_keys.hpp>
#include <evenkey/shard_policy.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace evenkey {

namespace detail {

/// What the keys are made of; of a prefix or format that a static_assert refuses, something harmless, so that
/// no error of the table follows.
template <FixedString Prefix, KeyFormat Format, std::uint32_t N>
inline constexpr KeyText static_key_text = [] {
  const KeyText wanted{Prefix.view(), Format, N};
  return wanted.width_fits() && wanted.length_fits() ? wanted : KeyText{"?", KeyFormat{}, N};
}();

/// The bytes of all keys, a row of fixed size each. A row starts as a copy of the stem: a compiler copies an
/// object in one step, so that thousands of keys cost it little more than their digits. Plain arrays, for the
/// same reason.
template <const KeyText& Text>
struct KeyRows {
  struct Row {
    char bytes[Text.longest()];
  };
  Row rows[Text.shard_count]{};

  constexpr KeyRows() {
    Row stem{};
    Text.write_stem(stem.bytes);
    for (std::uint32_t shard = 0; shard < Text.shard_count; ++shard) {
      rows[shard] = stem;
      Text.write_number(shard, rows[shard].bytes + Text.stem_size());
    }
  }
};

template <const KeyText& Text>
inline constexpr KeyRows<Text> key_rows{};

template <const KeyText& Text>
struct KeyViews {
  std::string_view keys[Text.shard_count];

  constexpr KeyViews() {
    for (std::uint32_t shard = 0; shard < Text.shard_count; ++shard) {
      keys[shard] = {key_rows<Text>.rows[shard].bytes, Text.stem_size() + Text.digits(shard)};
    }
  }
};

template <const KeyText& Text>
inline constexpr KeyViews<Text> key_views{};

template <class Policy, KeyFormat Format>
inline constexpr auto key_layout = [] {
  constexpr KeyText text{"", Format, Policy::shard_count};
  std::array<char, text.layout_size(Policy::fingerprint())> layout{};
  text.write_layout(Policy::fingerprint(), layout.data());
  return layout;
}();

}  // namespace detail

/// One constant partition key for all rows: the hot key that sharding cures, and the source of a migration.
///
/// Use it for an index that is not sharded (yet). It has the interface of `ShardedKey` with one shard, 0.
/// Source: docs/format/keys.md.
template <FixedString Prefix>
struct UnshardedKey {
  static_assert(Prefix.size() > 0,
                "evenkey: the partition key is empty, and DynamoDB has no empty keys: name it");
  static_assert(Prefix.size() <= detail::KeyText::max_size,
                "evenkey: the partition key is longer than DynamoDB's 2048 bytes: shorten it");
  static_assert(detail::is_utf8(Prefix.view()),
                "evenkey: the partition key is not valid UTF-8, DynamoDB refuses it");

  /// The one partition key.
  static constexpr std::string_view value() noexcept { return Prefix.view(); }
  /// The one partition key.
  static constexpr std::string_view of(std::string_view) noexcept { return value(); }
  /// The same for every id.
  static constexpr ShardId shard_of(std::string_view) noexcept { return ShardId{0}; }

  /// Errors: a shard other than 0 → `key_error`.
  static constexpr std::string_view at(ShardId shard) {
    if (shard.value != 0) detail::refuse_shard(shard, 1);
    return value();
  }

  /// The one partition key, as a list.
  static constexpr std::span<const std::string_view, 1> all() noexcept { return keys_; }
  /// One partition.
  static constexpr std::size_t size() noexcept { return 1; }

  /// Shard 0 for the key itself; nothing for any other text.
  static constexpr std::optional<ShardId> parse(std::string_view text) noexcept {
    if (text != value()) return std::nullopt;
    return ShardId{0};
  }

  /// As layouts store it: do not change.
  static constexpr std::string_view layout() noexcept { return "unsharded"; }

 private:
  static constexpr std::array<std::string_view, 1> keys_{Prefix.view()};
};

/// N partition keys for one logical list: `RenewalSaga#0` to `RenewalSaga#15`, each row's by the hash of its
/// id.
///
/// Use it as an index definition's `PartitionKey`, and to stamp the rows.
/// Shape: all static; views point to constants and live for ever. `of` hashes any bytes, none too: refusing
/// an empty id is for those who stamp and ask.
/// Cost: `of` is one hash and one load, and never allocates.
/// Errors: a prefix or format that cannot fit does not compile; `at` of a shard that is not → `key_error`.
/// Source: docs/format/keys.md; AWS, "Using write sharding to distribute workloads evenly".
/// @tparam Prefix taken as it stands, separators included
/// @tparam KeyPolicy `ShardPolicy<N>`, or `RandomShardPolicy<N>` (shard_policy/random.hpp), which has `any` in
/// place of `of`
template <FixedString Prefix, class KeyPolicy, KeyFormat Format = KeyFormat{}>
struct ShardedKey {
  static_assert(Prefix.size() > 0, "evenkey: the prefix is empty: give the partition keys a name");
  static_assert(detail::is_utf8(Prefix.view()),
                "evenkey: the prefix is not valid UTF-8, which DynamoDB refuses");
  static_assert(is_key_separator(Format.separator),
                "evenkey: KeyFormat::separator must be printable ASCII and no letter or digit");
  // No shards at all is the policy's own error, and no fault of the width.
  static_assert(KeyPolicy::shard_count == 0 ||
                    detail::KeyText{Prefix.view(), Format, KeyPolicy::shard_count}.width_fits(),
                "evenkey: KeyFormat::width is too small for the number of the last shard: widen it, or take "
                "0 for none");
  static_assert(
      detail::KeyText{Prefix.view(), Format, KeyPolicy::shard_count}.length_fits(),
      "evenkey: the key of the last shard is longer than DynamoDB's 2048 bytes: shorten the prefix");

  /// Which shard an id falls on.
  using Policy = KeyPolicy;
  static constexpr KeyFormat format = Format;  ///< how a shard's number is written

  /// The key that this id's rows have.
  static constexpr std::string_view of(std::string_view id) noexcept requires
      calculates_shard_from_id<KeyPolicy> {
    return keys_[KeyPolicy::shard_of(id).value];
  }

  /// The shard that an id falls on.
  static constexpr ShardId shard_of(std::string_view id) noexcept requires
      calculates_shard_from_id<KeyPolicy> {
    return KeyPolicy::shard_of(id);
  }

  /// The key of a shard drawn at random: for a row that is only ever listed.
  template <class Generator>
  requires requires(Generator& generator) { KeyPolicy::any(generator); }
  static std::string_view any(Generator& generator) { return keys_[KeyPolicy::any(generator).value]; }

  /// The key of a shard.
  static constexpr std::string_view at(ShardId shard) {
    if (shard.value >= size()) detail::refuse_shard(shard, size());
    return keys_[shard.value];
  }

  /// All N keys, by shard.
  static constexpr std::span<const std::string_view, KeyPolicy::shard_count> all() noexcept { return keys_; }
  /// How many partitions there are.
  static constexpr std::size_t size() noexcept { return KeyPolicy::shard_count; }

  /// The shard of a key of these; nothing for any other text.
  static constexpr std::optional<ShardId> parse(std::string_view text) noexcept {
    return text_.parse(keys_[0].substr(0, text_.stem_size()), text);
  }

  /// Policy fingerprint, key format and generation: `xxh3_64/mod/16 #n`. It is part of the stored data.
  static constexpr std::string_view layout() noexcept { return {layout_.data(), layout_.size()}; }

 private:
  static constexpr const detail::KeyText& text_ =
      detail::static_key_text<Prefix, Format, KeyPolicy::shard_count>;
  static constexpr const auto& keys_ = detail::key_views<text_>.keys;
  static constexpr const auto& layout_ = detail::key_layout<KeyPolicy, Format>;
};

}  // namespace evenkey
