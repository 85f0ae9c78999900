// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace evenkey::testing {

enum class Consistency : std::uint8_t { eventual, strong };

/// What a query or scan page, or a GetItem, consumes.
///
/// Units: `bytes` is the sum over all items evaluated; it is rounded up once to 4 KiB, and halved where the
/// read is eventually consistent; at least 0.5 (1 where strong), even for an empty partition.
/// Source: AWS Developer Guide, "Provisioned capacity mode".
constexpr double read_units(std::size_t bytes, Consistency consistency) noexcept {
  const auto blocks = static_cast<double>((std::max)(std::size_t{1}, bytes / 4096 + (bytes % 4096 != 0)));
  return consistency == Consistency::strong ? blocks : blocks / 2;
}

/// What writing one item, or one index entry, of that size consumes.
/// Units: rounded up to 1 KiB, at least 1.
constexpr double write_units(std::size_t bytes) noexcept {
  return static_cast<double>((std::max)(std::size_t{1}, bytes / 1024 + (bytes % 1024 != 0)));
}

}  // namespace evenkey::testing
