// SPDX-License-Identifier: BSL-1.0
#include "migration_plots.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "axes.hpp"
#include "numbers.hpp"
#include "plot_parts.hpp"
#include "report_plots.hpp"

namespace lab {
namespace {

double ends_of(const MigrationResult& moved) {
  return (std::max)(1.0, static_cast<double>(moved.seconds.size()));
}

/// The numbers of those steps that are wide enough, above the area.
void draw_step_numbers(Drawing& drawing, const Box& area, const Scale& x, const MigrationResult& moved) {
  for (std::size_t i = 0; i < moved.steps.size(); ++i) {
    const double begins = x(moved.steps[i].begins_s), width = x(moved.steps[i].ends_s) - begins;
    drawing.line(begins, area.y - 4, begins, area.y, "axis");
    if (width > 12)
      drawing.text(begins + width / 2, area.y - 3, std::to_string(i + 1), "tick", Anchor::middle);
  }
}

/// Every other step is shaded.
void shade_steps(Drawing& drawing, const Box& area, const Scale& x, const MigrationResult& moved) {
  for (std::size_t i = 0; i < moved.steps.size(); i += 2) {
    const double begins = x(moved.steps[i].begins_s), width = x(moved.steps[i].ends_s) - begins;
    if (width > 0) drawing.rect({begins, area.y, width, area.height}, "empty");
  }
}

std::string rate_of(const MigrationStep& step) {
  if (step.moved == 0) return "none";
  const double lasts = step.ends_s - step.begins_s;
  return grouped(step.moved) + "; " + fixed(static_cast<double>(step.moved) / (lasts > 0 ? lasts : 1), 1);
}

}  // namespace

Drawing moving_heat_plot(const MigrationResult& moved) {
  const std::size_t shards = moved.heat.size() - 1;
  const double row = shards <= 16 ? 12 : shards <= 32 ? 7 : 4.5;
  const double height = 18 + 8 + row * static_cast<double>(shards);
  Drawing drawing(
      plot_width, 38 + height + 34, "Heat of each partition before, during and after the move",
      "One row for each partition key, time from left to right; the darker, the nearer to what a "
      "partition serves. The constant key's row is dark until its rows have been moved, then empty "
      "while those of the shards are pale, and dark again after the rollback.");
  draw_heat_legend(drawing, 80);
  const Box area{80, 38, 262, height};
  const Scale x{0, ends_of(moved), area.x, area.x + area.width};
  draw_step_numbers(drawing, area, x, moved);  // no shades: here these mean heat
  drawing.text(area.x - 4, area.y - 3, "step", "tick", Anchor::end);
  double top = area.y + 2;
  for (std::size_t i = 0; i < moved.heat.size(); ++i) {
    constexpr std::size_t cells = 90;
    const bool named = i == 0 || row > 10 || (i - 1) % 8 == 0;
    const double tall = i == 0 ? 18 : row;
    draw_heat_row(drawing, {area.x, top, area.width, tall}, moved.heat[i].seconds, cells,
                  !named   ? ""
                  : i == 0 ? moved.heat[i].partition_key
                           : "#" + std::to_string(i - 1));
    top += tall + (i == 0 ? 4 : 0);
  }
  draw_x_axis(drawing, area, x, time_axis(ends_of(moved)));
  return drawing;
}

Drawing migration_plot(const MigrationResult& moved) {
  const auto& steps = moved.steps;
  constexpr double line = 17, list = 286;
  Drawing drawing(plot_width, list + line * static_cast<double>(steps.size()) + 8,
                  "The migration: rows left on the constant key, and how fast they move",
                  "A line over time that falls to none as rows are moved, and rises where the operator goes "
                  "back; below it bars of rows moved in a second, and each step with its mean rate.");
  const Scale x{0, ends_of(moved), 54, 342};
  // Both have the same time, so that only the lower one names it.
  const Box rows{54, 14, 288, 118}, rates{54, 154, 288, 62};
  const Box both{rows.x, rows.y, rows.width, rates.y + rates.height - rows.y};
  shade_steps(drawing, both, x, moved);
  draw_step_numbers(drawing, both, x, moved);

  double most = 0, fastest = 0;
  for (const MovedSecond& second : moved.seconds)
    most = (std::max)(most, static_cast<double>(second.rows_left));
  constexpr std::size_t bars = 144;
  std::vector<double> moves((std::min)(bars, moved.seconds.size()));
  for (std::size_t i = 0; i < moved.seconds.size(); ++i)
    moves[i * moves.size() / moved.seconds.size()] += static_cast<double>(moved.seconds[i].moved);
  const double wide = static_cast<double>(moved.seconds.size()) / static_cast<double>(moves.size());
  for (double& bar : moves)
    fastest = (std::max)(fastest, bar /= wide);

  const auto row_ticks = round_ticks(most, 4);
  const Scale y{0, row_ticks.back(), rows.y + rows.height, rows.y};
  draw_y_axis(drawing, rows, y, {"rows left", row_ticks, whole});
  std::vector<std::pair<double, double>> curve;
  for (std::size_t i = 0; i < moved.seconds.size(); ++i)
    curve.emplace_back(x(static_cast<double>(i + 1)), y(static_cast<double>(moved.seconds[i].rows_left)));
  drawing.polyline(curve, "before-line");

  const auto rate_ticks = round_ticks(fastest, 2);
  const Scale height{0, rate_ticks.back(), rates.y + rates.height, rates.y};
  draw_y_axis(drawing, rates, height, {"moved/s", rate_ticks, whole});
  for (std::size_t i = 0; i < moves.size(); ++i)
    if (moves[i] > 0) {
      const double from = x(static_cast<double>(i) * wide), to = x(static_cast<double>(i + 1) * wide);
      drawing.rect({from, height(moves[i]), to - from, (std::max)(.5, height(0) - height(moves[i]))},
                   "after");
    }
  draw_x_axis(drawing, rates, x, time_axis(ends_of(moved)));

  double top = list;
  drawing.text(4, top - 14, "step, from (minutes:seconds)", "tick");
  drawing.text(plot_width - 4, top - 14, "rows moved; per second", "tick", Anchor::end);
  for (std::size_t i = 0; i < steps.size(); ++i, top += line) {
    drawing.text(4, top + 4,
                 std::to_string(i + 1) + ". " + steps[i].name + ", " + minutes_and_seconds(steps[i].begins_s),
                 "strong");
    drawing.text(plot_width - 4, top + 4, rate_of(steps[i]), "tick", Anchor::end);
  }
  return drawing;
}

}  // namespace lab
