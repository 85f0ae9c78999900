// SPDX-License-Identifier: BSL-1.0
#include "axes.hpp"

#include <cmath>

namespace lab {

std::vector<double> round_ticks(double most, int wanted) {
  if (!(most > 0)) most = 1;
  const double rough = most / wanted;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = power;
  for (const double factor : {2.0, 2.5, 5.0, 10.0})
    if (step < rough) step = factor * power;
  std::vector<double> ticks{0};
  while (ticks.back() < most)
    ticks.push_back(step * static_cast<double>(ticks.size()));
  return ticks;
}

void draw_x_axis(Drawing& drawing, const Box& area, const Scale& x, const Axis& axis) {
  const double bottom = area.y + area.height;
  drawing.line(area.x, bottom, area.x + area.width, bottom, "axis");
  for (const double tick : axis.ticks) {
    drawing.line(x(tick), bottom, x(tick), bottom + 3, "axis");
    drawing.text(x(tick), bottom + 16, axis.label(tick), "tick", Anchor::middle);
  }
  drawing.text(area.x + area.width / 2, bottom + 30, axis.name, "name", Anchor::middle);
}

void draw_y_axis(Drawing& drawing, const Box& area, const Scale& y, const Axis& axis) {
  for (const double tick : axis.ticks) {
    drawing.line(area.x, y(tick), area.x + area.width, y(tick), "grid");
    drawing.text(area.x - 4, y(tick) + 3.5, axis.label(tick), "tick", Anchor::end);
  }
  drawing.text_upward(12, area.y + area.height / 2, axis.name, "name");
}

}  // namespace lab
