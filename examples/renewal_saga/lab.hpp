// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "figures.hpp"
#include "remedies.hpp"

namespace lab {

struct Settings {
  std::uint64_t seed = 85;
  std::uint32_t seconds = 5 * 60;
  std::uint32_t shards = 16;
  Remedies remedies = {};
  /// That the index's partition keys share to begin with; 0: each key has one to itself.
  std::uint32_t physical = 0;
};

/// Hears what runs and how much of it is done, from 0 to 1.
using Progress = std::function<void(std::string_view what, double done)>;

/// Runs the same traffic on the constant key and on the shards, and compares what both hold. With remedies it
/// does so again for each that the remedies are compared with.
Result run_lab(const Settings& settings, const Progress& progress);

}  // namespace lab
