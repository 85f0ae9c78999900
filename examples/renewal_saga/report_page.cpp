// SPDX-License-Identifier: BSL-1.0
#include "report_page.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "assumptions.hpp"
#include "callers.hpp"
#include "migration_plots.hpp"
#include "numbers.hpp"
#include "remedies.hpp"
#include "report_plots.hpp"

namespace lab {
namespace {

constexpr std::string_view page_style = R"(
* { box-sizing: border-box }
body { margin: 0 auto; padding: 1rem; max-width: 76rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif }
h1 { font-size: 1.5rem; line-height: 1.25; margin: .5rem 0 }
h2 { font-size: 1.1rem; margin: 0 0 .25rem }
.lead { max-width: 46rem }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 13rem), 1fr)); gap: .75rem;
  padding: 0; list-style: none }
.tiles li { border: 1px solid var(--rule); border-radius: .5rem; padding: .5rem .75rem }
.tiles b { display: block; font-size: 1.25rem }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 27rem), 1fr)); gap: 1.5rem }
figure { margin: 0; min-width: 0; border-top: 1px solid var(--rule); padding-top: .75rem }
figcaption { margin-top: .5rem; max-width: 40rem }
svg.plot { display: block; width: 100%; max-width: 36rem; height: auto }
.scroll { overflow-x: auto }
table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums }
th, td { padding: .15rem .6rem; text-align: right; border-bottom: 1px solid var(--rule); white-space: nowrap }
th:first-child, td:first-child { text-align: left }
summary { cursor: pointer; color: var(--soft) }
dt { font-weight: 600 }
dd { margin: 0 0 .4rem 1rem }
footer, .note { color: var(--soft) }
)";

using Table = std::vector<std::vector<std::string>>;

std::string element(std::string_view name, std::string_view text) {
  return "<" + std::string(name) + ">" + escaped(text) + "</" + std::string(name) + ">";
}

/// The figures behind a plot, for whoever cannot see it or wants them exactly. Its first row is the head.
std::string table_of(const Table& rows) {
  std::string text = "<details>\n<summary>The figures</summary>\n<div class=\"scroll\"><table>\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    text += i == 0 ? "<thead><tr>" : "<tr>";
    for (const std::string& cell : rows[i])
      text += element(i == 0 ? "th" : "td", cell);
    text += i == 0 ? "</tr></thead>\n<tbody>\n" : "</tr>\n";
  }
  return text + "</tbody>\n</table></div>\n</details>\n";
}

std::string figure(std::string_view id, const Drawing& plot, std::string_view says, const Table& rows) {
  return "<figure id=\"" + std::string(id) + "\">\n" + element("h2", plot.heading()) + "\n" +
         plot.inlined(id) + "<figcaption>" + escaped(says) + "</figcaption>\n" + table_of(rows) +
         "</figure>\n";
}

std::string tile(const std::string& large, const std::string& small) {
  return "<li><b>" + escaped(large) + "</b>" + escaped(small) + "</li>\n";
}

std::string percent_of_cap(const PartitionFigures& partition) {
  return percent((std::max)(partition.peak_rcu / assumed.read_units_per_second,
                            partition.peak_wcu / assumed.write_units_per_second),
                 1, 0);
}

std::string tiles(const PageData& data) {
  const Result& result = data.result;
  return "<ul class=\"tiles\">\n" +
         tile(grouped(result.before.total.throttled) + " \u2192 " + grouped(result.after.total.throttled),
              "requests throttled, of " + grouped(result.before.total.requests)) +
         tile(grouped(result.before.failed_calls) + " \u2192 " + grouped(result.after.failed_calls),
              "calls that failed after all retries, of " + grouped(result.calls)) +
         tile(percent_of_cap(result.before.busiest_reads()) + " \u2192 " +
                  percent_of_cap(result.after.busiest_reads()),
              "how full the busiest partition was in its busiest second") +
         tile(fixed(result.after.effective_lift(), 1) + " times",
              "higher ceiling from " + counted(result.shards, "shard") + ": the effective lift") +
         tile("N = " + grouped(recommended_shards(data.weeks)),
              "would be the fewest shards for this traffic at 70 % of a partition") +
         "</ul>\n";
}

std::string busiest(const Result& result) {
  Table rows{{"side", "busiest partition", "RCU/s at most", "WCU/s at most", "seconds throttled"}};
  for (const auto& [side, name] : {std::pair{&result.before, "before"}, std::pair{&result.after, "after"}})
    rows.push_back({name, side->busiest_reads().partition_key, whole(side->busiest_reads().peak_rcu),
                    whole(side->busiest_writes().peak_wcu), grouped(side->seconds_throttled)});
  return figure("busiest", busiest_partition_plot(result),
                "Before, all rows share the partition key RenewalSaga, and one partition serves " +
                    grouped(assumed.read_units_per_second) + " read and " +
                    grouped(assumed.write_units_per_second) + " write units a second: it was throttled in " +
                    grouped(result.before.seconds_throttled) + " of " + grouped(result.seconds) +
                    " seconds. After, on " + counted(result.shards, "partition key") +
                    ", the busiest reached " + percent_of_cap(result.after.busiest_reads()) +
                    " of that, and " + grouped(result.after.seconds_throttled) + " seconds were throttled.",
                rows);
}

std::string heat(const Result& result) {
  Table rows{{"partition key", "requests", "throttled", "RCU/s at most", "WCU/s at most", "of all RCU"}};
  for (const Side* side : {&result.before, &result.after})
    for (const PartitionFigures& one : side->partitions)
      rows.push_back({one.partition_key, grouped(one.requests), grouped(one.throttled), whole(one.peak_rcu),
                      whole(one.peak_wcu), percent(one.read_units, side->total.read_units, 1)});
  return figure("heat", heat_plot(result),
                "Each row is a partition key, each cell its fullest second of a stretch, reads or writes, "
                "whichever is nearer to the limit. The constant key above bears everything; the shards below "
                "it, #0 to #" +
                    grouped(result.shards - 1) + ", bear the same traffic.",
                rows);
}

std::string throttles(const Result& result) {
  Table rows{{"caller", "calls", "throttled before", "failed before", "throttled after", "failed after"}};
  const CallerInfo* worst = &callers.front();
  for (const CallerInfo& caller : callers) {
    const auto& before = result.before.by_caller[number_of(caller.caller)];
    const auto& after = result.after.by_caller[number_of(caller.caller)];
    if (before.throttled > result.before.by_caller[number_of(worst->caller)].throttled) worst = &caller;
    rows.push_back({std::string(caller.name), grouped(before.calls), grouped(before.throttled),
                    grouped(before.failed_calls), grouped(after.throttled), grouped(after.failed_calls)});
  }
  const bool any = result.before.total.throttled > 0;
  return figure("throttles", throttles_plot(result),
                (any ? "Whoever comes in a full second is hit, whoever filled it: most of all the " +
                           std::string(worst->name) + ", " +
                           grouped(result.before.by_caller[number_of(worst->caller)].throttled) + " times. "
                     : std::string("Nobody was, on the constant key. ")) +
                    "The SDK tries again, which hides most of it: " + grouped(result.before.failed_calls) +
                    " calls failed all the same before, " + grouped(result.after.failed_calls) + " after.",
                rows);
}

std::string choice(const PageData& data) {
  const std::uint32_t best = recommended_shards(data.weeks);
  Table rows{{"N", "worst second, RCU/s", "worst second, WCU/s", "seconds throttled", "bursts",
              "a listing costs at least"}};
  const WeeksOfShards* recommended = &data.weeks.front();
  for (const WeeksOfShards& one : data.weeks) {
    if (one.shards == best) recommended = &one;
    rows.push_back({grouped(one.shards), whole(one.peak_rcu), whole(one.peak_wcu),
                    grouped(one.seconds_throttled), grouped(one.bursts),
                    fixed(one.shards / 2.0, 1) + " RCU"});
  }
  const WeeksOfShards& constant = data.weeks.front();
  return figure(
      "choice", choice_plot(data.weeks),
      "The same callers for six weeks of office hours, second by second, for each N. On one key the worst "
      "second asks for " +
          fixed(100 * fullness(constant), 0) + " % of what a partition serves, and " +
          grouped(constant.seconds_throttled) + " seconds are throttled, in " + grouped(constant.bursts) +
          " bursts. The fewest shards that keep the busiest partition within 70 % are " + grouped(best) +
          ", at " + fixed(100 * fullness(*recommended), 0) +
          " %. More leave more room for growth, and each " +
          "adds half a read unit to every listing. Hours and rates are assumed.",
      rows);
}

std::string spread(const Result& result) {
  Table rows{{"partition key", "persons", "rows", "of all RCU"}};
  for (const PartitionFigures& one : result.after.partitions)
    rows.push_back({one.partition_key, grouped(one.persons), grouped(one.rows),
                    percent(one.read_units, result.after.total.read_units, 1)});
  const PartitionFigures& hottest = result.after.most_read();
  return figure("spread", spread_plot(result),
                grouped(assumed.persons) + " persons fall on the shards by a hash: " +
                    grouped(result.after.fewest_persons()) + " to " + grouped(result.after.most_persons()) +
                    " persons each. The hottest, " + hottest.partition_key + ", takes " +
                    percent(hottest.read_units, result.after.total.read_units, 1) +
                    " of the reads, an even share is " + fixed(100.0 / result.shards, 1) +
                    "%. The whole may therefore grow " + fixed(result.after.effective_lift(), 1) +
                    " times before a partition is as full as the one was, not " + grouped(result.shards) +
                    " times. That is the most: until DynamoDB has split them for heat, " +
                    "several keys may share a physical partition.",
                rows);
}

std::string moving_heat(const MigrationResult* moved) {
  if (moved == nullptr || moved->heat.empty() || moved->seconds.empty()) return "";
  Table rows{{"partition key", "RCU/s at most", "WCU/s at most", "of the limit", "throttled", "in seconds"}};
  double fullest_shard = 0;
  for (const PartitionHeat& partition : moved->heat) {
    double fullest = 0, rcu = 0, wcu = 0;
    std::uint64_t throttled = 0, seconds = 0;
    for (const Second& second : partition.seconds) {
      fullest = (std::max)(fullest, fullness(second));
      rcu = (std::max)(rcu, second.rcu), wcu = (std::max)(wcu, second.wcu);
      throttled += second.throttled, seconds += second.throttled > 0 ? 1 : 0;
    }
    if (&partition != &moved->heat.front()) fullest_shard = (std::max)(fullest_shard, fullest);
    rows.push_back({partition.partition_key, whole(rcu), whole(wcu), percent(fullest, 1, 0),
                    grouped(throttled), grouped(seconds)});
  }
  return figure("moving-heat", moving_heat_plot(*moved),
                "All that the partitions serve while the live index is moved, the mover and the checks "
                "included. At first the constant key bears everything, as before; then the shards share it, "
                "and the fullest of them reaches " +
                    percent(fullest_shard, 1, 0) +
                    " of its limit in its fullest second, the move's own writes included. The numbers above "
                    "are the steps of the migration's timeline.",
                rows);
}

std::string migration(const MigrationResult* moved) {
  if (moved == nullptr || moved->steps.empty() || moved->seconds.empty()) return "";
  Table rows{{"step", "from", "to", "rows left", "on shards", "moved", "moved/s, mean", "requests",
              "requests/s", "throttled", "of these by moving", "lost", "doubled"}};
  for (const MigrationStep& step : moved->steps) {
    const double lasts = (std::max)(1.0, step.ends_s - step.begins_s);
    rows.push_back({step.name, minutes_and_seconds(step.begins_s), minutes_and_seconds(step.ends_s),
                    grouped(step.rows_on_constant_key), grouped(step.rows_on_shards), grouped(step.moved),
                    fixed(static_cast<double>(step.moved) / lasts, 1), grouped(step.requests),
                    whole(static_cast<double>(step.requests) / lasts), grouped(step.throttled),
                    grouped(step.throttled_by_tools), grouped(step.lost), grouped(step.doubled)});
  }
  std::uint64_t fastest = 0;
  for (const MovedSecond& second : moved->seconds)
    fastest = (std::max)(fastest, second.moved);
  return figure(
      "migration", migration_plot(*moved),
      "The application goes on reading and writing while its rows are moved from the constant key to "
      "the shards, in " +
          counted(moved->steps.size(), "step") + " and " + minutes_and_seconds(moved->steps.back().ends_s) +
          " minutes; the mover keeps to " + grouped(moved->settings.move_units) +
          " write units a second of one partition and moved " + counted(fastest, "row") +
          " in its fastest second. Of the rows that were there all the time, readers missed " +
          grouped(moved->total.lost) + " and saw " + grouped(moved->total.doubled) + " twice.",
      rows);
}

std::string assumptions() {
  std::string text =
      "<details>\n<summary>What was assumed, since the ADR gives only the first</summary>\n<dl>\n";
  for (const AssumptionText& line : describe(assumed))
    text += element("dt", line.topic) + element("dd", line.text) + "\n";
  return text + "</dl>\n</details>\n";
}

std::string eased(Remedies remedies) {
  return remedies == Remedies{}
             ? ""
             : " The traffic is eased on both sides by " + std::string(name_of(remedies)) + ".";
}

}  // namespace

std::string html_page(const PageData& data) {
  const Result& result = data.result;
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
         "<link rel=\"icon\" href=\"data:,\"/>\n"
         "<title>One hot partition, then " +
         escaped(counted(result.shards, "shard")) + "</title>\n<style>" + std::string(plot_style()) +
         std::string(page_style) + "</style>\n</head>\n<body>\n<header>\n<h1>One hot partition, then " +
         escaped(counted(result.shards, "shard")) + "</h1>\n<p class=\"lead\">" +
         escaped(
             (result.seconds % 60 == 0 ? counted(result.seconds / 60, "minute")
                                       : counted(result.seconds, "second")) +
             " of a leasing application's traffic (ADR-0085), played in virtual time over a DynamoDB "
             "table in memory: first with one constant index key, then with the shards that replace it. " +
             grouped(result.calls) + " calls, the same on both sides; both hold " +
             (result.same_data() ? "the same " : "DIFFERENT: ") + grouped(result.after.rows) + " rows." +
             eased(result.remedies)) +
         "</p>\n" + tiles(data) + "</header>\n<main class=\"plots\">\n" + busiest(result) + heat(result) +
         throttles(result) + choice(data) + spread(result) + moving_heat(data.migration) +
         migration(data.migration) + "</main>\n<footer>\n" + assumptions() + "<p>Made by <code>" +
         escaped("examples/run.sh --report FILE --shards " + std::to_string(result.shards) + " --minutes " +
                 std::to_string(result.seconds / 60) + " --seed " + std::to_string(result.seed)) +
         "</code>; the same seed gives the same page. RCU and WCU: read and write capacity units.</p>\n" +
         "</footer>\n</body>\n</html>\n";
}

std::string picture(const Result& result) { return busiest_partition_plot(result).standalone(); }

void throw_not_written(const std::string& name) {
  throw std::runtime_error(name + ": " + (errno == 0 ? "could not be written" : std::strerror(errno)));
}

void write_file(const std::string& name, const std::string& text) {
  errno = 0;
  std::ofstream file(name, std::ios::binary);
  file << text << std::flush;
  if (!file) throw_not_written(name);
}

}  // namespace lab
