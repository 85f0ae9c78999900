// SPDX-License-Identifier: BSL-1.0
#include "report_plots.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <tuple>
#include <utility>

#include "assumptions.hpp"
#include "axes.hpp"
#include "callers.hpp"
#include "numbers.hpp"
#include "plot_parts.hpp"

namespace lab {
namespace {

std::vector<const std::vector<Second>*> all(const Side& side) {
  std::vector<const std::vector<Second>*> partitions;
  for (const PartitionFigures& partition : side.partitions)
    partitions.push_back(&partition.seconds);
  return partitions;
}

}  // namespace

double fullness(const Second& second) {
  return (std::max)(second.rcu / assumed.read_units_per_second, second.wcu / assumed.write_units_per_second);
}

double fullness(const WeeksOfShards& weeks) {
  return (std::max)(weeks.peak_rcu / assumed.read_units_per_second,
                    weeks.peak_wcu / assumed.write_units_per_second);
}

std::string minutes_and_seconds(double seconds) {
  const auto all = static_cast<std::uint64_t>(std::llround(seconds));
  return std::to_string(all / 60) + ":" + std::to_string(100 + all % 60).substr(1);
}

std::uint32_t recommended_shards(const std::vector<WeeksOfShards>& weeks) {
  for (const WeeksOfShards& one : weeks)
    if (fullness(one) <= sizing_target) return one.shards;
  return weeks.back().shards;
}

Drawing busiest_partition_plot(const Result& result) {
  Drawing drawing(plot_width, 220, "The busiest partition's load, second by second",
                  "Two lines over time, in percent of what a partition serves in a second. The constant key "
                  "stays near its limit and reaches it in bursts; the busiest of " +
                      counted(result.shards, "shard") + " stays far below.");
  const Box area{54, 22, 288, 156};
  const Scale x{0, static_cast<double>(result.seconds), area.x, area.x + area.width};
  const Scale y{0, 1.1, area.y + area.height, area.y};
  draw_y_axis(drawing, area, y, {"of a partition's limit", {0, .25, .5, .75, 1}, as_percent});
  draw_x_axis(drawing, area, x, time_axis(result.seconds));
  constexpr std::size_t points = 120;
  double key = area.x;
  for (const auto& [side, line, box, name] :
       {std::tuple{&result.before, "before-line", "before", std::string("RenewalSaga")},
        std::tuple{&result.after, "after-line", "after", counted(result.shards, "shard")}}) {
    std::vector<std::pair<double, double>> curve;
    const auto parts = stretches(all(*side), points);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const double at = (static_cast<double>(i) + .5) * result.seconds / static_cast<double>(parts.size());
      curve.emplace_back(x(at), y((std::min)(1.1, parts[i].fullest)));
    }
    for (std::size_t i = 0, end = 0; i < parts.size(); i = end) {
      for (end = i + 1; end < parts.size() && parts[end].throttled > 0 && parts[i].throttled > 0;)
        ++end;
      if (parts[i].throttled > 0)
        drawing.rect({curve[i].first - 1, y(1) - 9, curve[end - 1].first - curve[i].first + 2, 6}, "hot");
    }
    drawing.polyline(curve, line);
    key = legend(drawing, key, 12, name, box);
  }
  legend(drawing, key, 12, "above the line: throttled", "hot");
  drawing.line(area.x, y(1), area.x + area.width, y(1), "limit");
  return drawing;
}

Drawing heat_plot(const Result& result) {
  const std::size_t shards = result.after.partitions.size();
  const double row = shards <= 16 ? 12 : shards <= 32 ? 7 : 4.5;
  const double height = 66 + 18 + row * static_cast<double>(shards);
  Drawing drawing(plot_width, height + 22, "Heat of each partition over time",
                  "One row for each partition key, time from left to right; the darker, the nearer to what a "
                  "partition serves. The row of the constant key is dark with throttled stretches; those of "
                  "the shards are pale.");
  const Box area{80, 22, 262, height - 40};
  const Scale x{0, static_cast<double>(result.seconds), area.x, area.x + area.width};
  draw_heat_legend(drawing, area.x);
  double top = area.y;
  const auto draw = [&](const PartitionFigures& partition, const std::string& name, double tall) {
    constexpr std::size_t cells = 60;
    draw_heat_row(drawing, {area.x, top, area.width, tall}, partition.seconds, cells, name);
    top += tall;
  };
  draw(result.before.partitions.front(), "RenewalSaga", 18);
  top += 6;
  for (std::size_t shard = 0; shard < shards; ++shard)
    draw(result.after.partitions[shard], row > 10 || shard % 8 == 0 ? "#" + std::to_string(shard) : "", row);
  draw_x_axis(drawing, {area.x, area.y, area.width, top - area.y + 2}, x, time_axis(result.seconds));
  return drawing;
}

Drawing throttles_plot(const Result& result) {
  constexpr double row = 32;
  const double bottom = 22 + row * static_cast<double>(caller_count);
  double most = 0;
  for (const Side* side : {&result.before, &result.after})
    for (const CallerFigures& caller : side->by_caller)
      most = (std::max)(most, static_cast<double>(caller.throttled));
  Drawing drawing(plot_width, bottom + 40, "Who was throttled: requests by caller",
                  "Two bars for each caller: " + grouped(result.before.total.throttled) +
                      " throttled requests in all on the constant key, " +
                      grouped(result.after.total.throttled) + " on the shards.");
  const Box area{104, 22, 212, bottom - 22};
  const auto ticks = round_ticks(most, 4);
  const Scale x{0, ticks.back(), area.x, area.x + area.width};
  legend(drawing, legend(drawing, area.x, 12, "RenewalSaga", "before"), 12, counted(result.shards, "shard"),
         "after");
  for (const double tick : ticks)
    drawing.line(x(tick), area.y, x(tick), bottom, "grid");
  for (const CallerInfo& caller : callers) {
    const double top = area.y + row * static_cast<double>(number_of(caller.caller)) + 3;
    drawing.text(area.x - 5, top + 16, caller.name, "tick", Anchor::end);
    double y = top;
    for (const auto& [side, classes] :
         {std::pair{&result.before, "before"}, std::pair{&result.after, "after"}}) {
      const auto throttled = static_cast<double>(side->by_caller[number_of(caller.caller)].throttled);
      drawing.rect({area.x, y, (std::max)(throttled > 0 ? 1.0 : .5, x(throttled) - area.x), 9}, classes);
      drawing.text((std::max)(x(throttled), area.x) + 4, y + 8.5, whole(throttled), "tick");
      y += 13;
    }
  }
  draw_x_axis(drawing, area, x, {"throttled requests in the whole run", ticks, whole});
  return drawing;
}

Drawing choice_plot(const std::vector<WeeksOfShards>& weeks) {
  double most = 1;
  for (const WeeksOfShards& one : weeks)
    most = (std::max)(most, fullness(one));
  const std::uint32_t best = recommended_shards(weeks);
  Drawing drawing(plot_width, 262, "Choice of N: the worst second of six weeks",
                  "A falling curve of the worst second, in percent of what a partition serves, from 1 to " +
                      grouped(weeks.back().shards) + " shards; " + grouped(best) +
                      " is marked as the fewest that stay within the target of 70 percent.");
  const Box area{62, 12, 284, 168};
  const auto ticks = round_ticks(most, 5);
  const Scale x{0, std::log2(weeks.back().shards), area.x + 16, area.x + area.width - 28};
  const Scale y{0, ticks.back(), area.y + area.height, area.y};
  draw_y_axis(drawing, area, y, {"of a partition's limit", ticks, as_percent});
  drawing.line(area.x, y(1), area.x + area.width, y(1), "limit");
  drawing.text(area.x + area.width, y(1) - 4, "full: throttled above", "tick", Anchor::end);
  drawing.line(area.x, y(sizing_target), area.x + area.width, y(sizing_target), "target");
  drawing.text(area.x + area.width, y(sizing_target) - 4, "target 70 %", "good-text", Anchor::end);
  const double bottom = area.y + area.height;
  std::vector<std::pair<double, double>> curve;
  for (const WeeksOfShards& one : weeks)
    curve.emplace_back(x(std::log2(one.shards)), y(fullness(one)));
  drawing.polyline(curve, "after-line");
  drawing.text(4, bottom + 50, "throttled", "tick");
  drawing.text(4, bottom + 62, "seconds", "tick");
  for (std::size_t i = 0; i < weeks.size(); ++i) {
    const auto [at, height] = curve[i];
    drawing.circle(at, height, 3, fullness(weeks[i]) > 1 ? "hot" : "after");
    if (weeks[i].shards == best) drawing.circle(at, height, 6.5, "ring");
    drawing.text(at + 7, height - 7, as_percent(fullness(weeks[i])),
                 weeks[i].shards == best ? "good-text" : "strong");
    drawing.text(at, bottom + 56, grouped(weeks[i].seconds_throttled), "strong", Anchor::middle);
  }
  std::vector<double> powers;
  for (const WeeksOfShards& one : weeks)
    powers.push_back(std::log2(one.shards));
  draw_x_axis(drawing, area, x,
              {"N, number of shards (ring: the fewest within the target)", powers,
               [](double power) { return whole(std::exp2(power)); }});
  return drawing;
}

Drawing spread_plot(const Result& result) {
  const auto& partitions = result.after.partitions;
  const double all_read = (std::max)(result.after.total.read_units, 1.0);
  const double even = 1 / static_cast<double>(partitions.size());
  double most = even;
  for (const PartitionFigures& partition : partitions)
    most = (std::max)(most, partition.read_units / all_read);
  Drawing drawing(
      plot_width, 238, "Spread over the shards: effective lift " + fixed(result.after.effective_lift(), 1),
      "A bar for each shard, its part of all read units; a line marks an even spread. The longest "
      "bar decides: the ceiling rises " +
          fixed(result.after.effective_lift(), 1) + " times, not " + grouped(result.shards) + ".");
  const Box area{64, 22, 280, 156};
  auto ticks = round_ticks(100 * most, 4);
  for (double& tick : ticks)
    tick /= 100;
  const auto count = static_cast<double>(partitions.size());
  const Scale x{0, count, area.x, area.x + area.width};
  const Scale y{0, ticks.back(), area.y + area.height, area.y};
  draw_y_axis(drawing, area, y,
              {"of all read units", ticks, [](double share) { return fixed(100 * share, 1) + " %"; }});
  const PartitionFigures* hottest = &result.after.most_read();
  std::vector<double> labelled;
  for (std::size_t shard = 0; shard < partitions.size(); ++shard) {
    const double share = partitions[shard].read_units / all_read;
    const double left = x(static_cast<double>(shard)), width = area.width / count;
    drawing.rect({left + width * .12, y(share), width * .76, (std::max)(.5, y(0) - y(share))},
                 hottest == &partitions[shard] ? "hot" : "after");
    if (shard % (partitions.size() > 16 ? 8 : 1) == 0) labelled.push_back(static_cast<double>(shard));
  }
  drawing.line(area.x, y(even), area.x + area.width, y(even), "limit");
  legend(drawing, legend(drawing, area.x, 12, "hottest", "hot"), 12,
         "others; dashed: even, " + fixed(100 * even, 1) + " % each", "after");
  Scale middle = x;
  middle.begin += area.width / count / 2, middle.end += area.width / count / 2;
  draw_x_axis(drawing, area, middle, {"shard, as in RenewalSaga#0", labelled, whole});
  return drawing;
}

}  // namespace lab
