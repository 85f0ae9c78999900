// SPDX-License-Identifier: BSL-1.0
#pragma once

// How many shards an index needs, and what that costs: docs/choosing-n.md.
#include <evenkey/capacity/drain_time.hpp>
#include <evenkey/capacity/expected_lift.hpp>
#include <evenkey/capacity/fan_out.hpp>
#include <evenkey/capacity/load.hpp>
#include <evenkey/capacity/moved_fraction.hpp>
#include <evenkey/capacity/physical_partitions.hpp>
#include <evenkey/capacity/recommend.hpp>
#include <evenkey/capacity/recommendation.hpp>
#include <evenkey/capacity/required_shards.hpp>
#include <evenkey/capacity/split_simulation.hpp>
#include <evenkey/capacity/spread.hpp>
#include <evenkey/capacity/throttle_simulation.hpp>
#include <evenkey/capacity/units.hpp>
