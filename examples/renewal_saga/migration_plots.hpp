// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "migrate.hpp"
#include "svg.hpp"

namespace lab {

/// Each partition's heat over time, before, during and after the rows are moved.
/// @pre something was recorded
Drawing moving_heat_plot(const MigrationResult& moved);
/// The rows that are left on the constant key and how fast they move, second by second; the steps below.
/// @pre there are steps, and something was recorded
Drawing migration_plot(const MigrationResult& moved);

}  // namespace lab
