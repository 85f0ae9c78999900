// SPDX-License-Identifier: BSL-1.0
#include "weeks_report.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "call_seconds.hpp"
#include "numbers.hpp"
#include "population.hpp"
#include "report_plots.hpp"
#include "text_layout.hpp"
#include "traffic.hpp"

namespace lab {
namespace {

constexpr std::uint32_t compared_shards = 16;

/// The busy hour on the constant key and on 16 shards: the lab's own calls by the second, and an hour that is
/// drawn as those of the weeks are.
///
/// The same calls fare the same, second by second, where nothing is throttled; retries are taken by their mean.
/// An hour drawn anew has other bursts, and how many seconds of it are throttled differs by a half from seed to
/// seed: of it only what many calls make is held against the lab's.
std::vector<Compared> compare(const WeeksReportSettings& settings, const Progress& progress) {
  const Result played = run_lab(
      {.seed = settings.seed, .seconds = settings.compared_seconds, .shards = compared_shards}, progress);
  const Population population = make_population(settings.seed);
  const Traffic traffic = make_traffic(settings.seed, settings.compared_seconds, population);
  const WeeksOfShards one = simulate_calls(traffic, settings.compared_seconds, population, 1);
  const WeeksOfShards many = simulate_calls(traffic, settings.compared_seconds, population, compared_shards);
  const auto drawn_anew = simulate_weeks(
      {.seed = settings.seed, .seconds = settings.compared_seconds, .hours = WeeksSettings::Hours::busy},
      population);
  const WeeksOfShards& anew =
      *std::find_if(drawn_anew.begin(), drawn_anew.end(),
                    [](const WeeksOfShards& weeks) { return weeks.shards == compared_shards; });
  const auto number = [](auto count) { return static_cast<double>(count); };
  const Side &before = played.before, &after = played.after;
  return {
      {"N = 1: requests", one.attempts, number(before.total.requests), .01},
      {"N = 1: throttled", one.throttled, number(before.total.throttled), .15},
      {"N = 1: seconds throttled", number(one.seconds_throttled), number(before.seconds_throttled), .05},
      {"N = 16: requests", many.attempts, number(after.total.requests), 0},
      {"N = 16: throttled", many.throttled, number(after.total.throttled), 0},
      {"N = 16: worst second, RCU/s", many.peak_rcu, after.busiest_reads().peak_rcu, 0},
      {"N = 16: worst second, WCU/s", many.peak_wcu, after.busiest_writes().peak_wcu, 0},
      {"drawn anew, N = 16: requests", anew.attempts, number(after.total.requests), .1},
      {"drawn anew, N = 16: throttled", anew.throttled, number(after.total.throttled), 0},
      {"drawn anew, N = 16: worst RCU/s", anew.peak_rcu, after.busiest_reads().peak_rcu, .35},
      {"drawn anew, N = 16: worst WCU/s", anew.peak_wcu, after.busiest_writes().peak_wcu, .35},
  };
}

std::string days(std::uint32_t seconds) {
  return seconds % 86'400 == 0 ? counted(seconds / 86'400, "day") : counted(seconds, "second");
}

std::string apart(const Compared& one) {
  if (one.simulated == one.by_request) return "0";
  if (one.by_request == 0) return "";
  return (one.simulated < one.by_request ? "-" : "+") +
         percent(std::abs(one.simulated - one.by_request), one.by_request, 1);
}

}  // namespace

bool Compared::agrees() const { return std::abs(simulated - by_request) <= may_differ * by_request; }

WeeksReport run_weeks(const WeeksReportSettings& settings, const Progress& progress) {
  WeeksReport report;
  report.settings = settings;
  for (std::uint32_t i = 0; i < settings.seeds; ++i) {
    progress("weeks", static_cast<double>(i) / settings.seeds);
    const std::uint64_t seed = settings.seed + i;
    report.by_seed.push_back(
        simulate_weeks({.seed = seed, .seconds = settings.seconds}, make_population(seed)));
  }
  report.hour = compare(settings, progress);
  return report;
}

std::vector<std::string> problems_of(const WeeksReport& report) {
  std::vector<std::string> problems;
  for (const Compared& one : report.hour)
    if (!one.agrees())
      problems.push_back(one.what + ": simulated " + whole(one.simulated) + ", request by request " +
                         whole(one.by_request));
  return problems;
}

std::string text_report(const WeeksReport& report) {
  const WeeksReportSettings& settings = report.settings;
  std::string text = "ADR-0085's traffic for " + days(settings.seconds) +
                     " of office hours, second by second, on 1 to " +
                     grouped(report.by_seed.front().back().shards) + " shards\n";
  text += paragraph(
      "", 0,
      "Rates are the lab's assumptions, hours those of weeks.cpp; the ADR gives neither, and nothing "
      "is fitted to its count of errors. Worst second: asked of the fullest partition.");
  const Columns columns({4, 9, 8, 8, 11, 12, 10, 8, 10});
  for (std::uint32_t i = 0; i < settings.seeds; ++i) {
    const auto& weeks = report.by_seed[i];
    text += "\nseed " + std::to_string(settings.seed + i) + ": the fewest shards within " +
            whole(100 * sizing_target) + " % of a partition are " + grouped(recommended_shards(weeks)) + "\n";
    text += columns.line({"", "worst s", "RCU/s", "WCU/s", "throttled", "requests", "", "longest", ""});
    text += columns.line({"N", "of limit", "", "", "seconds", "throttled", "bursts", "s", "errors"});
    text += columns.rule();
    for (const WeeksOfShards& one : weeks)
      text += columns.line({grouped(one.shards), percent(fullness(one), 1, 0), whole(one.peak_rcu),
                            whole(one.peak_wcu), grouped(one.seconds_throttled), whole(one.throttled),
                            grouped(one.bursts), grouped(one.longest_burst), whole(one.errors)});
  }
  text += "\nThe busy hour (" + counted(settings.compared_seconds, "second") + ", seed " +
          std::to_string(settings.seed) + "), simulated and request by request\n";
  const Columns hour({32, 12, 12, 10, 12});
  text += hour.line({"", "simulated", "by request", "apart", "at most"});
  text += hour.rule();
  for (const Compared& one : report.hour)
    text += hour.line(
        {one.what, whole(one.simulated), whole(one.by_request), apart(one), percent(one.may_differ, 1, 0)});
  return text;
}

std::string json_report(const WeeksReport& report) {
  nlohmann::ordered_json json{{"seed", report.settings.seed},
                              {"seconds", report.settings.seconds},
                              {"seeds", nlohmann::ordered_json::array()},
                              {"hour", nlohmann::ordered_json::array()}};
  for (std::size_t i = 0; i < report.by_seed.size(); ++i) {
    nlohmann::ordered_json one{{"seed", report.settings.seed + i},
                               {"recommended", recommended_shards(report.by_seed[i])},
                               {"shards", nlohmann::ordered_json::array()}};
    for (const WeeksOfShards& weeks : report.by_seed[i])
      one["shards"].push_back({{"shards", weeks.shards},
                               {"attempts", weeks.attempts},
                               {"throttled", weeks.throttled},
                               {"errors", weeks.errors},
                               {"seconds_throttled", weeks.seconds_throttled},
                               {"bursts", weeks.bursts},
                               {"longest_burst_s", weeks.longest_burst},
                               {"peak_rcu", weeks.peak_rcu},
                               {"peak_wcu", weeks.peak_wcu}});
    json["seeds"].push_back(std::move(one));
  }
  for (const Compared& one : report.hour)
    json["hour"].push_back({{"what", one.what},
                            {"simulated", one.simulated},
                            {"by_request", one.by_request},
                            {"may_differ", one.may_differ},
                            {"agrees", one.agrees()}});
  return json.dump(2) + "\n";
}

}  // namespace lab
