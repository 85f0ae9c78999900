// SPDX-License-Identifier: BSL-1.0
// expect: hashes_bytes
#include <evenkey/shard_policy.hpp>

#include <cstdint>
#include <string_view>

struct OwnHash {
  static constexpr std::string_view name = "own";
#ifdef EVENKEY_REJECT
  constexpr std::uint32_t operator()(std::string_view) const noexcept { return 0; }
#else
  constexpr std::uint64_t operator()(std::string_view) const noexcept { return 0; }
#endif
};

static_assert(evenkey::ShardPolicy<16, OwnHash>::shard_count == 16);
