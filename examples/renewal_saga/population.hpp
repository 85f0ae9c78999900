// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "saga.hpp"

namespace lab {

/// The persons and their sagas before the first call; `gsi4pk` is left for each side to fill in.
struct Population {
  std::vector<std::string> persons;
  std::vector<Saga> sagas;
  std::vector<std::uint32_t> open;  ///< positions in `sagas`
};

Population make_population(std::uint64_t seed);

/// @param opened_at milliseconds since 1970
Saga make_saga(std::string id, const std::string& person_id, std::int64_t opened_at, Status status,
               std::size_t bytes);

/// 2026-07-08T08:59:30Z, where the lab's clock starts, in milliseconds since 1970.
inline constexpr std::int64_t lab_starts_at = 1'783'501'170'000;

}  // namespace lab
