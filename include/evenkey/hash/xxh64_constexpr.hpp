// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/hash/bytes.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace evenkey::detail::xxh {

constexpr std::uint64_t xxh64_round(std::uint64_t lane, std::uint64_t input) noexcept {
  return std::rotl(lane + input * prime64_2, 31) * prime64_1;
}

/// XXH64 with seed 0, for constant evaluation.
constexpr std::uint64_t xxh64(std::string_view bytes) noexcept {
  std::size_t at = 0;
  std::uint64_t hash = prime64_5;
  if (bytes.size() >= 32) {
    std::uint64_t lane0 = prime64_1 + prime64_2;
    std::uint64_t lane1 = prime64_2;
    std::uint64_t lane2 = 0;
    std::uint64_t lane3 = 0 - prime64_1;
    for (; bytes.size() - at >= 32; at += 32) {
      lane0 = xxh64_round(lane0, read64(bytes, at));
      lane1 = xxh64_round(lane1, read64(bytes, at + 8));
      lane2 = xxh64_round(lane2, read64(bytes, at + 16));
      lane3 = xxh64_round(lane3, read64(bytes, at + 24));
    }
    hash = std::rotl(lane0, 1) + std::rotl(lane1, 7) + std::rotl(lane2, 12) + std::rotl(lane3, 18);
    for (const std::uint64_t lane : {lane0, lane1, lane2, lane3}) {
      hash = (hash ^ xxh64_round(0, lane)) * prime64_1 + prime64_4;
    }
  }
  hash += bytes.size();
  for (; bytes.size() - at >= 8; at += 8) {
    hash = std::rotl(hash ^ xxh64_round(0, read64(bytes, at)), 27) * prime64_1 + prime64_4;
  }
  if (bytes.size() - at >= 4) {
    hash = std::rotl(hash ^ read32(bytes, at) * prime64_1, 23) * prime64_2 + prime64_3;
    at += 4;
  }
  for (; at < bytes.size(); ++at) {
    hash = std::rotl(hash ^ byte_at(bytes, at) * prime64_5, 11) * prime64_1;
  }
  return xxh64_avalanche(hash);
}

}  // namespace evenkey::detail::xxh
