// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

namespace evenkey::capacity::detail {

/// Random numbers that are the same on every platform, for simulations: SplitMix64.
///
/// The standard leaves its distributions to each library, so a seed would not mean the same everywhere.
class Draws {
 public:
  constexpr explicit Draws(std::uint64_t seed) noexcept : state_(seed) {}

  constexpr std::uint64_t next() noexcept {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9U;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBU;
    return mixed ^ (mixed >> 31);
  }
  /// From 0 to n - 1; the bias is below n / 2^32.
  /// @pre n > 0
  constexpr std::uint32_t below(std::uint32_t n) noexcept {
    return static_cast<std::uint32_t>(((next() >> 32) * std::uint64_t{n}) >> 32);
  }
  /// From 0 up to, not including, 1.
  constexpr double unit() noexcept {
    return static_cast<double>(next() >> 11) / static_cast<double>(std::uint64_t{1} << 53);
  }

 private:
  std::uint64_t state_;
};

}  // namespace evenkey::capacity::detail
