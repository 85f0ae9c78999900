// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/hash/bytes.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace evenkey::detail::xxh {

/// The default secret of XXH3: 192 bytes, here as little-endian words.
inline constexpr std::array<std::uint64_t, 24> xxh3_secret{
    0xbe4ba423396cfeb8, 0x1cad21f72c81017c, 0xdb979083e96dd4de, 0x1f67b3b7a4a44072,  //
    0x78e5c0cc4ee679cb, 0x2172ffcc7dd05a82, 0x8e2443f7744608b8, 0x4c263a81e69035e0,  //
    0xcb00c391bb52283c, 0xa32e531b8b65d088, 0x4ef90da297486471, 0xd8acdea946ef1938,  //
    0x3f349ce33f76faa8, 0x1d4f0bc7c7bbdcf9, 0x3159b4cd4be0518a, 0x647378d9c97e9fc8,  //
    0xc3ebd33483acc5ea, 0xeb6313faffa081c5, 0x49daf0b751dd0d17, 0x9e68d429265516d3,  //
    0xfca1477d58be162b, 0xce31d07ad1b8f88f, 0x280416958f3acb45, 0x7e404bbbcafbd7af};

/// Eight bytes of the secret, read at any byte offset.
constexpr std::uint64_t secret_at(std::size_t offset) noexcept {
  const std::size_t word = offset / 8;
  const unsigned shift = static_cast<unsigned>(offset % 8) * 8;
  return shift == 0 ? xxh3_secret[word] : xxh3_secret[word] >> shift | xxh3_secret[word + 1] << (64 - shift);
}

/// The 128-bit product of two words, its halves xored; by 32-bit limbs, since MSVC has no 128-bit integer.
constexpr std::uint64_t fold_product(std::uint64_t a, std::uint64_t b) noexcept {
  constexpr std::uint64_t low32 = 0xFFFFFFFF;
  const std::uint64_t low = (a & low32) * (b & low32);
  const std::uint64_t cross = (a >> 32) * (b & low32) + (low >> 32);
  const std::uint64_t middle = (a & low32) * (b >> 32) + (cross & low32);
  const std::uint64_t high = (a >> 32) * (b >> 32) + (cross >> 32) + (middle >> 32);
  return high ^ (middle << 32 | (low & low32));
}

constexpr std::uint64_t byte_swap(std::uint64_t value) noexcept {
  value = (value & 0x00FF00FF00FF00FF) << 8 | (value >> 8 & 0x00FF00FF00FF00FF);
  value = (value & 0x0000FFFF0000FFFF) << 16 | (value >> 16 & 0x0000FFFF0000FFFF);
  return value << 32 | value >> 32;
}

constexpr std::uint64_t xxh3_avalanche(std::uint64_t hash) noexcept {
  hash = (hash ^ hash >> 37) * 0x165667919E3779F9;
  return hash ^ hash >> 32;
}

constexpr std::uint64_t xxh3_mix16(std::string_view bytes, std::size_t at, std::size_t secret) noexcept {
  return fold_product(read64(bytes, at) ^ secret_at(secret), read64(bytes, at + 8) ^ secret_at(secret + 8));
}

constexpr std::uint64_t xxh3_up_to_16(std::string_view bytes) noexcept {
  const std::uint64_t size = bytes.size();
  if (size > 8) {
    const std::uint64_t low = read64(bytes, 0) ^ secret_at(24) ^ secret_at(32);
    const std::uint64_t high = read64(bytes, size - 8) ^ secret_at(40) ^ secret_at(48);
    return xxh3_avalanche(size + byte_swap(low) + high + fold_product(low, high));
  }
  if (size >= 4) {
    std::uint64_t hash = (read32(bytes, 0) << 32) + read32(bytes, size - 4);
    hash ^= secret_at(8) ^ secret_at(16);
    hash = (hash ^ std::rotl(hash, 49) ^ std::rotl(hash, 24)) * 0x9FB21C651E98DF25;
    hash = (hash ^ ((hash >> 35) + size)) * 0x9FB21C651E98DF25;
    return hash ^ hash >> 28;
  }
  if (size > 0) {
    const std::uint64_t word =
        byte_at(bytes, 0) << 16 | byte_at(bytes, size / 2) << 24 | byte_at(bytes, size - 1) | size << 8;
    const std::uint64_t flip = (secret_at(0) ^ secret_at(0) >> 32) & 0xFFFFFFFF;
    return xxh64_avalanche(word ^ flip);
  }
  return xxh64_avalanche(secret_at(56) ^ secret_at(64));
}

constexpr std::uint64_t xxh3_17_to_128(std::string_view bytes) noexcept {
  const std::size_t size = bytes.size();
  std::uint64_t hash = size * prime64_1;
  // From both ends inwards: pair k takes 16 bytes at 16 k and 16 bytes that end 16 k before the end.
  for (std::size_t pair = 0; pair <= (size - 1) / 32; ++pair) {
    hash += xxh3_mix16(bytes, 16 * pair, 32 * pair);
    hash += xxh3_mix16(bytes, size - 16 * (pair + 1), 32 * pair + 16);
  }
  return xxh3_avalanche(hash);
}

constexpr std::uint64_t xxh3_129_to_240(std::string_view bytes) noexcept {
  const std::size_t size = bytes.size();
  std::uint64_t hash = size * prime64_1;
  for (std::size_t at = 0; at < 128; at += 16)
    hash += xxh3_mix16(bytes, at, at);
  hash = xxh3_avalanche(hash);
  for (std::size_t at = 128; at + 16 <= size; at += 16)
    hash += xxh3_mix16(bytes, at, at - 128 + 3);
  hash += xxh3_mix16(bytes, size - 16, 136 - 17);
  return xxh3_avalanche(hash);
}

using Xxh3Lanes = std::array<std::uint64_t, 8>;

/// Takes in one stripe of 64 bytes.
constexpr void xxh3_accumulate(Xxh3Lanes& lanes, std::string_view bytes, std::size_t at,
                               std::size_t secret) noexcept {
  for (std::size_t lane = 0; lane < 8; ++lane) {
    const std::uint64_t input = read64(bytes, at + 8 * lane);
    const std::uint64_t keyed = input ^ secret_at(secret + 8 * lane);
    lanes[lane ^ 1] += input;
    lanes[lane] += (keyed & 0xFFFFFFFF) * (keyed >> 32);
  }
}

constexpr std::uint64_t xxh3_over_240(std::string_view bytes) noexcept {
  const std::size_t size = bytes.size();
  Xxh3Lanes lanes{prime32_3, prime64_1, prime64_2, prime64_3, prime64_4, prime32_2, prime64_5, prime32_1};
  // Stripe k uses the secret from byte 8 (k mod 16); after 16 stripes, a block of 1024 bytes, the lanes are
  // scrambled. The last stripe is always the last 64 bytes, even where they overlap the stripe before.
  const std::size_t stripes = (size - 1) / 64;
  for (std::size_t stripe = 0; stripe < stripes; ++stripe) {
    xxh3_accumulate(lanes, bytes, 64 * stripe, 8 * (stripe % 16));
    if (stripe % 16 == 15) {
      for (std::size_t lane = 0; lane < 8; ++lane) {
        lanes[lane] = (lanes[lane] ^ lanes[lane] >> 47 ^ secret_at(128 + 8 * lane)) * prime32_1;
      }
    }
  }
  xxh3_accumulate(lanes, bytes, size - 64, 128 - 7);
  std::uint64_t hash = size * prime64_1;
  for (std::size_t lane = 0; lane < 8; lane += 2) {
    hash += fold_product(lanes[lane] ^ secret_at(11 + 8 * lane), lanes[lane + 1] ^ secret_at(19 + 8 * lane));
  }
  return xxh3_avalanche(hash);
}

/// XXH3-64 with seed 0 and the default secret, for constant evaluation.
constexpr std::uint64_t xxh3_64(std::string_view bytes) noexcept {
  if (bytes.size() <= 16) return xxh3_up_to_16(bytes);
  if (bytes.size() <= 128) return xxh3_17_to_128(bytes);
  if (bytes.size() <= 240) return xxh3_129_to_240(bytes);
  return xxh3_over_240(bytes);
}

}  // namespace evenkey::detail::xxh
