// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace lab {

/// Numbers that are the same on every platform: the engine is the standard's, the distributions are our own,
/// because the standard leaves those to each library.
class Random {
 public:
  /// Streams of one seed do not follow each other: one more draw in one of them changes none of the others.
  Random(std::uint64_t seed, std::uint64_t stream) : engine_(seed * 0x9E3779B97F4A7C15U + stream) {}

  /// From 0 to n - 1. @pre n > 0
  std::uint32_t below(std::uint32_t n) {
    return static_cast<std::uint32_t>(((engine_() >> 32) * std::uint64_t{n}) >> 32);
  }
  /// Both ends included.
  std::uint32_t between(std::uint32_t least, std::uint32_t most) { return least + below(most - least + 1); }

  template <class T>
  void shuffle(std::vector<T>& values) {
    for (std::size_t left = values.size(); left > 1; --left)
      std::swap(values[left - 1], values[below(static_cast<std::uint32_t>(left))]);
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace lab
