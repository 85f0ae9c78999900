// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "axes.hpp"
#include "figures.hpp"
#include "svg.hpp"

namespace lab {

std::string as_percent(double share);

/// An axis of time from 0 on: full minutes, or tens of seconds where there are few.
Axis time_axis(double seconds);

/// A small square and a word. @returns where the next may begin
double legend(Drawing& drawing, double x, double y, std::string_view words, std::string_view classes);

/// Some seconds of a run, as one mark of a plot shows them.
struct Stretch {
  double fullest = 0;           ///< the share of a partition's limit in its fullest second
  std::uint32_t throttled = 0;  ///< requests
};

/// So many stretches of the run's time at most, each with its fullest second over these partitions, which have
/// as many seconds.
std::vector<Stretch> stretches(const std::vector<const std::vector<Second>*>& partitions, std::size_t most);

/// The key to the colours of heat, above the rows.
void draw_heat_legend(Drawing& drawing, double x);

/// One partition over time, pale to dark; what was throttled stands out. @param name empty: none
void draw_heat_row(Drawing& drawing, const Box& row, const std::vector<Second>& seconds, std::size_t cells,
                   const std::string& name);

}  // namespace lab
