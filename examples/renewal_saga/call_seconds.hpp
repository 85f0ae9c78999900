// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

#include "population.hpp"
#include "traffic.hpp"
#include "weeks.hpp"

namespace lab {

/// The lab's own calls, added up by the second: what `simulate_weeks` would make of the traffic that the lab
/// plays request by request. The two agree, as far as an even flow and single requests can.
///
/// @param shards a power of two up to 64
WeeksOfShards simulate_calls(const Traffic& traffic, std::uint32_t seconds, const Population& population,
                             std::uint32_t shards);

}  // namespace lab
