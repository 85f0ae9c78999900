// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "svg.hpp"

namespace lab {

/// From numbers to places on the paper.
struct Scale {
  double from, to;    ///< numbers
  double begin, end;  ///< places
  double operator()(double number) const { return begin + (number - from) / (to - from) * (end - begin); }
};

/// Round numbers from 0 to the first that is not below `most`: about as many as wanted.
std::vector<double> round_ticks(double most, int wanted);

/// All plots are as wide, so that they stand below and beside each other on any screen. Narrow, so that their
/// letters can still be read on a phone.
inline constexpr double plot_width = 360;

/// What every plot with two axes has: where its points are drawn, ticks, names and a grid.
struct Axis {
  std::string name;  ///< with its unit
  std::vector<double> ticks;
  std::function<std::string(double)> label;
};

void draw_x_axis(Drawing& drawing, const Box& area, const Scale& x, const Axis& axis);
void draw_y_axis(Drawing& drawing, const Box& area, const Scale& y, const Axis& axis);

}  // namespace lab
