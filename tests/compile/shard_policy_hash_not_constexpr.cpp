// SPDX-License-Identifier: BSL-1.0
// expect: hash_is_constexpr
#include <evenkey/shard_policy.hpp>

#include <cstdint>
#include <string_view>

struct OwnHash {
  static constexpr std::string_view name = "own";
#ifdef EVENKEY_REJECT
  std::uint64_t operator()(std::string_view id) const noexcept { return id.size(); }
#else
  constexpr std::uint64_t operator()(std::string_view id) const noexcept { return id.size(); }
#endif
};

static_assert(evenkey::ShardPolicy<16, OwnHash>::shard_count == 16);
