// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/key/key_text.hpp>
#include <evenkey/key/partition_keys.hpp>
#include <evenkey/key/shared_key_list.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace evenkey::detail {

/// Partition keys that are an object: the interface of `ShardedKey` where the prefix or N is known only at
/// run time.
///
/// Copies share one immutable list, so a view is valid while any copy of the object lives. There is no move:
/// a moved-from object without keys would be one more state to go wrong. What gives views is deleted for a
/// temporary, whose list would be gone at the end of the line: keep the object.
template <class KeyPolicy>
class ListedKeys {
 public:
  using Policy = KeyPolicy;

  ListedKeys(const ListedKeys&) = default;
  ListedKeys& operator=(const ListedKeys&) = default;

  /// The key that this id's rows have.
  /// Cost: one hash and a load.
  std::string_view of(std::string_view id) const& noexcept requires calculates_shard_from_id<Policy> {
    return list_->keys[policy_.shard_of(id).value];
  }
  void of(std::string_view id) const&& requires calculates_shard_from_id<Policy>
  = delete;

  ShardId shard_of(std::string_view id) const noexcept requires calculates_shard_from_id<Policy> {
    return policy_.shard_of(id);
  }

  /// The key of a shard drawn at random.
  template <class Generator>
  requires requires(const Policy& policy, Generator& generator) { policy.any(generator); }
  std::string_view any(Generator& generator) const& { return list_->keys[policy_.any(generator).value]; }
  template <class Generator>
  void any(Generator& generator) const&& = delete;

  /// The key of a shard.
  /// Errors: no such shard → `key_error`.
  std::string_view at(ShardId shard) const& {
    if (shard.value >= size()) refuse_shard(shard, size());
    return list_->keys[shard.value];
  }
  void at(ShardId shard) const&& = delete;

  /// All N keys, by shard.
  std::span<const std::string_view> all() const& noexcept { return list_->keys; }
  void all() const&& = delete;
  std::size_t size() const noexcept { return list_->keys.size(); }

  /// The shard of a key of these; nothing for any other text.
  std::optional<ShardId> parse(std::string_view text) const noexcept { return list_->parse(text); }

  /// Policy fingerprint, key format and generation: `xxh3_64/mod/16 #n`.
  /// Source: docs/format/keys.md.
  std::string_view layout() const& noexcept { return list_->layout; }
  void layout() const&& = delete;

 protected:
  ListedKeys(const KeyText& text, Policy policy) : policy_(policy), list_(text, policy) {}
  ~ListedKeys() = default;

 private:
  [[no_unique_address]] Policy policy_;
  SharedKeyList<Policy> list_;
};

}  // namespace evenkey::detail
