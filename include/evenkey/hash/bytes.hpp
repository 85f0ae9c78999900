// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

// What both constexpr twins need: the primes that the xxHash family shares, and little-endian reads that do
// not depend on the signedness of char or on the byte order of the machine.
namespace evenkey::detail::xxh {

inline constexpr std::uint64_t prime32_1 = 0x9E3779B1;
inline constexpr std::uint64_t prime32_2 = 0x85EBCA77;
inline constexpr std::uint64_t prime32_3 = 0xC2B2AE3D;
inline constexpr std::uint64_t prime64_1 = 0x9E3779B185EBCA87;
inline constexpr std::uint64_t prime64_2 = 0xC2B2AE3D27D4EB4F;
inline constexpr std::uint64_t prime64_3 = 0x165667B19E3779F9;
inline constexpr std::uint64_t prime64_4 = 0x85EBCA77C2B2AE63;
inline constexpr std::uint64_t prime64_5 = 0x27D4EB2F165667C5;

constexpr std::uint64_t byte_at(std::string_view bytes, std::size_t at) noexcept {
  return static_cast<unsigned char>(bytes[at]);
}

constexpr std::uint64_t read32(std::string_view bytes, std::size_t at) noexcept {
  return byte_at(bytes, at) | byte_at(bytes, at + 1) << 8 | byte_at(bytes, at + 2) << 16 |
         byte_at(bytes, at + 3) << 24;
}

constexpr std::uint64_t read64(std::string_view bytes, std::size_t at) noexcept {
  return read32(bytes, at) | read32(bytes, at + 4) << 32;
}

/// The last mixing step of XXH64, which XXH3 uses too for its shortest inputs.
constexpr std::uint64_t xxh64_avalanche(std::uint64_t hash) noexcept {
  hash = (hash ^ hash >> 33) * prime64_2;
  hash = (hash ^ hash >> 29) * prime64_3;
  return hash ^ hash >> 32;
}

}  // namespace evenkey::detail::xxh
