// SPDX-License-Identifier: BSL-1.0
// A slash in a name would make fingerprints ambiguous.
// expect: has_stored_name
#include <evenkey/shard_policy.hpp>

#include <cstdint>
#include <string_view>

struct OwnPlacement {
#ifdef EVENKEY_REJECT
  static constexpr std::string_view name = "own/first";
#else
  static constexpr std::string_view name = "own-first";
#endif
  static constexpr std::uint32_t place(std::uint64_t, std::uint32_t) noexcept { return 0; }
};

static_assert(evenkey::ShardPolicy<16, evenkey::Xxh3_64, OwnPlacement>::shard_count == 16);
