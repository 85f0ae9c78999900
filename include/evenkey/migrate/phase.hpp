// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace evenkey {

/// Where a migration stands. It is taken one step at a time; two neighbouring phases may be live at once, as
/// in a rolling deploy, and two that are not neighbours may not.
///
/// | phase                | a created row is stamped | readers read                            |
/// |----------------------|--------------------------|-----------------------------------------|
/// | `source`             | source                   | source                                  |
/// | `dual_read`          | source                   | source, then destination                |
/// | `destination_writes` | destination              | source, then destination; rows are moved |
/// | `destination`        | destination              | destination                             |
///
/// The numbers and names are stored in phase records: do not change them.
/// Source: docs/design/migration.md, docs/format/phase-record.md.
enum class Phase : std::uint8_t { source = 0, dual_read = 1, destination_writes = 2, destination = 3 };

/// The name that is stored and shown: `dual_read`.
constexpr std::string_view phase_name(Phase phase) noexcept {
  switch (phase) {
    case Phase::source:
      return "source";
    case Phase::dual_read:
      return "dual_read";
    case Phase::destination_writes:
      return "destination_writes";
    case Phase::destination:
      break;
  }
  return "destination";
}

/// The phase of a name; nothing for any other text.
constexpr std::optional<Phase> parse_phase(std::string_view name) noexcept {
  for (const Phase phase : {Phase::source, Phase::dual_read, Phase::destination_writes, Phase::destination})
    if (phase_name(phase) == name) return phase;
  return std::nullopt;
}

namespace detail {

constexpr bool reads_source(Phase phase) noexcept { return phase != Phase::destination; }
constexpr bool reads_destination(Phase phase) noexcept { return phase != Phase::source; }
constexpr bool writes_destination(Phase phase) noexcept { return phase >= Phase::destination_writes; }

/// How far two phases are apart; up to 1, both may be live at once.
constexpr int distance(Phase a, Phase b) noexcept {
  const int difference = static_cast<int>(a) - static_cast<int>(b);
  return difference < 0 ? -difference : difference;
}

/// The phase of the way back in which readers and writers use the same partitions.
constexpr Phase mirror(Phase phase) noexcept {
  return static_cast<Phase>(static_cast<int>(Phase::destination) - static_cast<int>(phase));
}

}  // namespace detail
}  // namespace evenkey
