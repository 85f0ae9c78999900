// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/key.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace evenkey_cli {

enum class HashChoice { xxh3_64, xxh64 };
enum class PlacementChoice { modulo, jump };

/// The partition keys of one side of a migration, all of it known at run time only: a constant key, or a
/// prefix with N shards. One type for both sides, so that the way back is the same code as the way there.
///
/// Shape: views live as long as the object or a copy of it. Its layouts are those of `UnshardedKey` and
/// `ShardedKey`, so that records agree with an application's.
class RuntimeKeys {
 public:
  static RuntimeKeys constant(std::string key) {
    if (key.empty()) throw evenkey::key_error(evenkey::KeyErrorReason::empty, "evenkey: the key is empty");
    return RuntimeKeys(ConstantKey(std::move(key)));
  }
  /// Errors: as `DynamicShardedKey`.
  static RuntimeKeys sharded(std::string_view prefix, std::uint32_t shards, evenkey::KeyFormat format = {},
                             HashChoice hash = HashChoice::xxh3_64,
                             PlacementChoice placement = PlacementChoice::modulo) {
    using namespace evenkey;
    if (hash == HashChoice::xxh3_64) {
      if (placement == PlacementChoice::modulo)
        return RuntimeKeys(BasicDynamicShardedKey<Xxh3_64, Modulo>(prefix, shards, format));
      return RuntimeKeys(BasicDynamicShardedKey<Xxh3_64, Jump>(prefix, shards, format));
    }
    if (placement == PlacementChoice::modulo)
      return RuntimeKeys(BasicDynamicShardedKey<Xxh64, Modulo>(prefix, shards, format));
    return RuntimeKeys(BasicDynamicShardedKey<Xxh64, Jump>(prefix, shards, format));
  }

  std::string_view of(std::string_view id) const {
    return std::visit([&](const auto& keys) { return keys.of(id); }, keys_);
  }
  evenkey::ShardId shard_of(std::string_view id) const {
    return std::visit([&](const auto& keys) { return keys.shard_of(id); }, keys_);
  }
  std::string_view at(evenkey::ShardId shard) const {
    return std::visit([&](const auto& keys) { return keys.at(shard); }, keys_);
  }
  std::size_t size() const {
    return std::visit([](const auto& keys) { return keys.size(); }, keys_);
  }
  std::optional<evenkey::ShardId> parse(std::string_view text) const {
    return std::visit([&](const auto& keys) { return keys.parse(text); }, keys_);
  }
  std::string_view layout() const {
    return std::visit([](const auto& keys) { return keys.layout(); }, keys_);
  }
  bool is_sharded() const noexcept { return !std::holds_alternative<ConstantKey>(keys_); }

 private:
  /// `UnshardedKey` as an object.
  class ConstantKey {
   public:
    explicit ConstantKey(std::string key) : key_(std::make_shared<const std::string>(std::move(key))) {}
    std::string_view of(std::string_view) const noexcept { return *key_; }
    evenkey::ShardId shard_of(std::string_view) const noexcept { return {0}; }
    std::string_view at(evenkey::ShardId) const noexcept { return *key_; }
    std::size_t size() const noexcept { return 1; }
    std::optional<evenkey::ShardId> parse(std::string_view text) const noexcept {
      if (text != *key_) return std::nullopt;
      return evenkey::ShardId{0};
    }
    std::string_view layout() const noexcept { return "unsharded"; }

   private:
    std::shared_ptr<const std::string> key_;  // views outlive a move
  };
  using Variant =
      std::variant<ConstantKey, evenkey::BasicDynamicShardedKey<evenkey::Xxh3_64, evenkey::Modulo>,
                   evenkey::BasicDynamicShardedKey<evenkey::Xxh3_64, evenkey::Jump>,
                   evenkey::BasicDynamicShardedKey<evenkey::Xxh64, evenkey::Modulo>,
                   evenkey::BasicDynamicShardedKey<evenkey::Xxh64, evenkey::Jump>>;

  explicit RuntimeKeys(Variant keys) : keys_(std::move(keys)) {}

  Variant keys_;
};
static_assert(evenkey::partition_keys<RuntimeKeys> && evenkey::has_key_of_id<RuntimeKeys>);

}  // namespace evenkey_cli
