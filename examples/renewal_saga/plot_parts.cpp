// SPDX-License-Identifier: BSL-1.0
#include "plot_parts.hpp"

#include <algorithm>
#include <cmath>

#include "numbers.hpp"
#include "report_plots.hpp"

namespace lab {
namespace {

std::vector<double> time_ticks(double seconds) {
  double step = 10;
  for (const double wider : {30.0, 60.0, 120.0, 300.0, 600.0, 1'800.0, 3'600.0})
    if (seconds / step > 7) step = wider;
  std::vector<double> ticks;
  for (double at = 0; at <= seconds; at += step)
    ticks.push_back(at);
  return ticks;
}

/// In tenths of the limit; above all of them, where anything was throttled.
constexpr double throttled_level = 99;
double level_of(const Stretch& stretch) {
  return stretch.throttled > 0 ? throttled_level : std::ceil((std::min)(1.0, stretch.fullest) * 10);
}

}  // namespace

std::string as_percent(double share) { return fixed(100 * share, 0) + " %"; }

Axis time_axis(double seconds) {
  return {"time since the start, minutes:seconds", time_ticks(seconds), minutes_and_seconds};
}

double legend(Drawing& drawing, double x, double y, std::string_view words, std::string_view classes) {
  drawing.rect({x, y - 8, 9, 9}, classes);
  drawing.text(x + 13, y, words, "key");
  return x + 13 + 5.7 * static_cast<double>(words.size()) + 12;
}

std::vector<Stretch> stretches(const std::vector<const std::vector<Second>*>& partitions, std::size_t most) {
  const std::size_t seconds = partitions.front()->size();
  std::vector<Stretch> result((std::min)(most, seconds));
  for (const std::vector<Second>* partition : partitions)
    for (std::size_t second = 0; second < seconds; ++second) {
      Stretch& stretch = result[second * result.size() / seconds];
      stretch.fullest = (std::max)(stretch.fullest, fullness((*partition)[second]));
      stretch.throttled += (*partition)[second].throttled;
    }
  return result;
}

void draw_heat_legend(Drawing& drawing, double x) {
  drawing.text(4, 12, "% of limit", "key");
  for (const double share : {.1, .5, 1.0}) {
    drawing.rect({x, 4, 9, 9}, "after", share);
    drawing.text(x + 13, 12, fixed(100 * share, 0), "key");
    x += 40;
  }
  legend(drawing, x, 12, "some throttled", "hot");
}

void draw_heat_row(Drawing& drawing, const Box& row, const std::vector<Second>& seconds, std::size_t cells,
                   const std::string& name) {
  const auto parts = stretches({&seconds}, cells);
  const double width = row.width / static_cast<double>(parts.size()), height = row.height - 1;
  drawing.rect({row.x, row.y, row.width, height}, "empty");
  for (std::size_t i = 0, end = 0; i < parts.size(); i = end) {
    const double level = level_of(parts[i]);
    for (end = i + 1; end < parts.size() && level_of(parts[end]) == level;)
      ++end;
    const Box cell{row.x + width * static_cast<double>(i), row.y, width * static_cast<double>(end - i),
                   height};
    if (level == throttled_level) {
      drawing.rect(cell, "hot");
    } else if (level > 0) {
      drawing.rect(cell, "after", level / 10);
    }
  }
  if (!name.empty()) drawing.text(row.x - 4, row.y + row.height / 2 + 3.2, name, "tick", Anchor::end);
}

}  // namespace lab
