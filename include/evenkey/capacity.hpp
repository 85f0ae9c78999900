// SPDX-License-Identifier: BSL-1.0
#pragma once

// How many shards an index needs, and what that costs: docs/capacity.md.
#include <evenkey/capacity/load.hpp>
#include <evenkey/capacity/required_shards.hpp>
#include <evenkey/capacity/spread.hpp>
#include <evenkey/capacity/units.hpp>
