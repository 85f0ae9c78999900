// SPDX-License-Identifier: BSL-1.0
#include "report_text.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "assumptions.hpp"
#include "callers.hpp"
#include "clock.hpp"
#include "numbers.hpp"
#include "remedies.hpp"
#include "text_layout.hpp"
#include "traffic.hpp"

namespace lab {
namespace {

std::string attempts(const Figures& figures) {
  return std::to_string(figures.attempts_p50) + "/" + std::to_string(figures.attempts_p99) + "/" +
         std::to_string(figures.attempts_max);
}

/// The time of day at a second of the lab.
std::string time_at(std::size_t second) {
  const std::size_t day_second = 9 * 3'600 - first_full_minute_ms / 1'000 + second;
  const auto two = [](std::size_t number) { return std::to_string(100 + number % 100).substr(1); };
  return two(day_second / 3'600) + ":" + two(day_second / 60 % 60) + ":" + two(day_second % 60);
}

std::string keys_after(const Result& result) {
  return result.shards == 1 ? "RenewalSaga#0" : "RenewalSaga#0 to #" + std::to_string(result.shards - 1);
}

std::string eased(Remedies remedies) {
  std::string text;
  if (remedies.list_pages == ListPages::coalesced) text += "list pages coalesced";
  if (remedies.sweeps == Sweeps::staggered) text += text.empty() ? "sweeps staggered" : ", sweeps staggered";
  return text.empty() ? text : "eased on both sides: " + text + "\n";
}

std::string header(const Result& result) {
  return "ADR-0085's traffic in virtual time: one constant index key, then " +
         counted(result.shards, "shard") + "\n" +
         (result.seconds % 60 == 0 ? counted(result.seconds / 60, "minute")
                                   : counted(result.seconds, "second")) +
         " from " + time_at(0) + " to " + time_at(result.seconds) + ", seed " + std::to_string(result.seed) +
         ": " + grouped(result.calls) + " calls, the same ones on both sides\n" + eased(result.remedies) +
         grouped(result.open_sagas) + " open and " + grouped(result.archived_sagas) + " archived sagas of " +
         grouped(assumed.persons) + " persons, " + fixed(result.index_bytes / 1e6, 1) +
         " MB in the index\n\n";
}

std::string throttling_table(const Result& result) {
  const Columns columns({17, 7, 10, 10, 9, 8, 12, 10, 9, 8});
  std::string text =
      placed({{0, "THROTTLING"}, {26, "before: RenewalSaga"}, {65, "after: " + keys_after(result)}});
  text += columns.line({"caller", "calls", "requests", "throttled", "attempts", "failed", "requests",
                        "throttled", "attempts", "failed"});
  text += columns.rule();
  const auto line = [&](const std::string& name, std::uint64_t calls, const Figures& before,
                        std::uint64_t failed_before, const Figures& after, std::uint64_t failed_after) {
    text += columns.line({name, grouped(calls), grouped(before.requests), grouped(before.throttled),
                          attempts(before), grouped(failed_before), grouped(after.requests),
                          grouped(after.throttled), attempts(after), grouped(failed_after)});
  };
  for (const CallerInfo& caller : callers) {
    const CallerFigures& before = result.before.by_caller[number_of(caller.caller)];
    const CallerFigures& after = result.after.by_caller[number_of(caller.caller)];
    line(std::string(caller.name), before.calls, before, before.failed_calls, after, after.failed_calls);
  }
  line("all", result.calls, result.before.total, result.before.failed_calls, result.after.total,
       result.after.failed_calls);
  return text +
         "attempts: p50/p99/most of one request. failed: calls that got an error, after the SDK's "
         "retries.\n\n";
}

std::string peak_table(const Result& result) {
  const Columns columns({17, 9, 9, 12, 12, 9, 12});
  std::string text = placed({{0, "CAPACITY"}, {21, "before"}, {54, "after"}}) +
                     columns.line({"caller", "RCU/s", "WCU/s", "all RCU", "RCU/s", "WCU/s", "all RCU"}) +
                     columns.rule();
  const auto line = [&](const std::string& name, const Figures& before, const Figures& after) {
    text += columns.line({name, whole(before.peak_rcu), whole(before.peak_wcu), whole(before.read_units),
                          whole(after.peak_rcu), whole(after.peak_wcu), whole(after.read_units)});
  };
  for (const CallerInfo& caller : callers)
    line(std::string(caller.name), result.before.by_caller[number_of(caller.caller)],
         result.after.by_caller[number_of(caller.caller)]);
  line("all", result.before.total, result.after.total);
  return text + "RCU/s, WCU/s: in the busiest second.\n\n";
}

/// The cells are stretches of time; each shows its busiest second.
constexpr std::size_t heat_cells = 25;

std::string heat(const PartitionFigures& partition) {
  std::string cells;
  const std::size_t length = partition.seconds.size();
  for (std::size_t cell = 0; cell < heat_cells && cell < length; ++cell) {
    double fullest = 0;
    bool throttled = false;
    const std::size_t cell_count = (std::min)(heat_cells, length);
    for (std::size_t second = cell * length / cell_count; second < (cell + 1) * length / cell_count;
         ++second) {
      const Second& one = partition.seconds[second];
      fullest = (std::max)(
          {fullest, one.rcu / assumed.read_units_per_second, one.wcu / assumed.write_units_per_second});
      throttled = throttled || one.throttled > 0;
    }
    const auto tenths = static_cast<unsigned>((std::min)(9.0, fullest * 10));
    cells += throttled ? '!' : tenths == 0 ? '.' : static_cast<char>('0' + tenths);
  }
  return cells;
}

std::string partition_table(const Result& result) {
  const Columns columns({15, 8, 7, 10, 10, 9, 7, 7, 2 + heat_cells});
  std::string text = columns.line({"PARTITIONS"});
  std::string heat_title = "heat by time";
  heat_title.resize(heat_cells, ' ');
  text += columns.line({"partition key", "persons", "share", "requests", "throttled", "attempts", "RCU/s",
                        "WCU/s", heat_title});
  const auto add = [&](const Side& side) {
    text += columns.rule();
    for (const PartitionFigures& partition : side.partitions)
      text += columns.line({partition.partition_key, grouped(partition.persons),
                            percent(partition.read_units, side.total.read_units, 1),
                            grouped(partition.requests), grouped(partition.throttled), attempts(partition),
                            whole(partition.peak_rcu), whole(partition.peak_wcu), "  " + heat(partition)});
  };
  add(result.before);
  add(result.after);
  return text +
         paragraph(
             "share: of all read units. heat:", 0,
             "the busiest second in tenths of the partition's cap, reads or writes; . is below a tenth, "
             "! is throttled; a cell is " +
                 fixed(static_cast<double>(result.before.partitions.front().seconds.size()) / heat_cells, 0) +
                 " s") +
         "\n";
}

/// What each remedy saves, alone and with the others.
std::string saved_table(const Result& result) {
  if (result.others.empty()) return "";
  const Columns columns({18, 10, 11, 9, 10, 12, 11, 9, 10});
  std::string text =
      placed({{0, "SAVED"}, {21, "before: RenewalSaga"}, {63, "after: " + keys_after(result)}}) +
      columns.line({"eased by", "requests", "throttled", "failed", "RCU/s", "requests", "throttled", "failed",
                    "RCU/s"}) +
      columns.rule();
  const auto line = [&](const Variant& variant) {
    std::vector<std::string> cells{std::string(name_of(variant.remedies))};
    for (const Side* side : {&variant.before, &variant.after})
      for (const std::string& cell : {grouped(side->total.requests), grouped(side->total.throttled),
                                      grouped(side->failed_calls), whole(side->busiest_reads().peak_rcu)})
        cells.push_back(cell);
    text += columns.line(cells);
  };
  for (const Variant& other : result.others)
    line(other);
  line(result);
  return text + "RCU/s: of the busiest partition in its busiest second.\n\n";
}

std::string failures(const Side& side) {
  if (side.failed_calls == 0) return "none failed, because retries helped";
  const std::uint64_t details = side.by_caller[number_of(Caller::detail_page)].failed_calls;
  return counted(side.failed_calls, "call") + " failed all the same, " +
         (details == 0 ? "no detail page among them" : counted(details, "detail page") + " among them");
}

std::string throttled_part(const Result& result, const Side& side) {
  if (side.total.throttled == 0) return "nothing was throttled.";
  return "throttled in " + grouped(side.seconds_throttled) + " of " + grouped(result.seconds) +
         " seconds: " + grouped(side.total.throttled) + " of " + grouped(side.total.requests) +
         " requests; " + failures(side) + ".";
}

std::string sweep_cost(const Result& result) {
  std::uint64_t requests[2] = {0, 0};
  double units[2] = {0, 0};
  for (const CallerInfo& caller : callers) {
    if (caller.service != Service::sweeps) continue;
    int at = 0;
    for (const Side* side : {&result.before, &result.after}) {
      requests[at] += side->by_caller[number_of(caller.caller)].requests;
      units[at++] += side->by_caller[number_of(caller.caller)].read_units;
    }
  }
  return "a sweep asks " + counted(result.shards, "partition") +
         " instead of one: all sweeps together made " + grouped(requests[0]) + " requests for " +
         whole(units[0]) + " RCU before, " + grouped(requests[1]) + " for " + whole(units[1]) +
         " after. find asks one partition, as it did.";
}

/// What all partitions together served in a second of the sharded side is what was wanted, if none was
/// throttled.
std::string demand(const Result& result) {
  if (result.before.total.throttled == 0 && result.remedies != Remedies{})
    return "So eased, this traffic never filled the one partition.";
  if (result.before.total.throttled == 0)
    return "This traffic never filled the one partition; try a longer run or another seed.";
  if (result.after.total.throttled > 0)
    return "One partition takes it all: whoever comes in such a second is hit.";
  return "In their busiest seconds the callers want " + whole(result.after.total.peak_rcu) + " RCU and " +
         whole(result.after.total.peak_wcu) + " WCU, and one partition gives " +
         grouped(assumed.read_units_per_second) + " and " + grouped(assumed.write_units_per_second) +
         ": whoever comes then is hit.";
}

std::string coalesced(const Result& result) {
  const Side& side = result.after;
  const std::uint64_t asked = side.by_caller[number_of(Caller::list_page)].requests;
  return "a tenant's answer serves all list pages for " + whole(assumed.coalesced_for_ms / 1'000.0) +
         " s: of " + grouped(asked + side.queries_coalesced) + " queries of theirs " + grouped(asked) +
         " reached the table, " +
         percent(static_cast<double>(asked), static_cast<double>(asked + side.queries_coalesced), 1) +
         ". What a page shows is older by as much, and this is for one web process; each more asks for "
         "itself.";
}

std::string staggered(const Result& result) {
  std::string starts;
  for (const SweepOffset& sweep : sweep_offsets(result.remedies.sweeps)) {
    if (!starts.empty()) starts += ", ";
    starts += std::string(info_of(sweep.caller).name) + " " + fixed(sweep.ms / 1'000.0, 1);
  }
  return "seconds past the full minute at which sweeps start: " + starts +
         ". That lowers the peak they make together, not what they read; the write bursts stay where they "
         "are.";
}

std::string verdict(const Result& result) {
  constexpr std::size_t indent = 11;
  const Side& after = result.after;
  std::string text = "VERDICT\n";
  const auto add = [&](const std::string& label, const std::string& sentence) {
    text += paragraph("  " + label, indent, sentence);
  };
  add("before", throttled_part(result, result.before) + " " + demand(result));
  const PartitionFigures& reads = after.busiest_reads();
  const PartitionFigures& writes = after.busiest_writes();
  add("after", throttled_part(result, after) + " At most " + whole(reads.peak_rcu) + " RCU/s (" +
                   percent(reads.peak_rcu, assumed.read_units_per_second, 0) + " of the cap, " +
                   reads.partition_key + ") and " + whole(writes.peak_wcu) + " WCU/s (" +
                   percent(writes.peak_wcu, assumed.write_units_per_second, 0) + ", " + writes.partition_key +
                   ").");
  const PartitionFigures& hottest = after.most_read();
  if (result.shards > 1) {
    add("spread", grouped(assumed.persons) + " ids fall unevenly on " + counted(result.shards, "shard") +
                      ": " + grouped(after.fewest_persons()) + " to " + grouped(after.most_persons()) +
                      " persons each. The hottest, " + hottest.partition_key + ", takes " +
                      percent(hottest.read_units, after.total.read_units, 1) +
                      " of the reads, so the ceiling is " + fixed(after.effective_lift(), 1) +
                      " times as high, not " + grouped(result.shards) + ".");
    add("cost", sweep_cost(result));
    if (result.physical == 0)
      add("limits",
          "N partition keys are not N physical partitions. The lab gives each key a cap of its own; in "
          "DynamoDB several keys may share one physical partition until it splits for heat, so take the "
          "factor above as the most that can be had: --physical 4 shows what a new index has.");
    else
      add("physical", "the " + counted(result.shards, "key") + " fell on " + grouped(after.physical_used) +
                          " of " + counted(after.physical_at_end, "physical partition") + ", " +
                          grouped(result.physical) +
                          " to begin with; a split takes five minutes of steady heat, so bursts meet what is "
                          "there.");
  }
  if (result.remedies.list_pages == ListPages::coalesced) add("coalesce", coalesced(result));
  if (result.remedies.sweeps == Sweeps::staggered) add("stagger", staggered(result));
  add("data", result.same_data()
                  ? "the same on both sides: " + grouped(after.rows) +
                        " rows, listed in the same order, and the same rows for each of " +
                        grouped(result.comparison.persons) + " persons. All " +
                        grouped(result.before.answers_checked + after.answers_checked) +
                        " answers on the way were checked, " +
                        (result.before.answers_wrong + after.answers_wrong == 0
                             ? "none was wrong."
                             : grouped(result.before.answers_wrong + after.answers_wrong) + " were WRONG.")
                  : "DIFFERS between the two sides.");
  for (const std::string& problem : problems_of(result))
    add("PROBLEM", problem);
  return text + "\n";
}

std::string assumptions() {
  std::string text = "ASSUMED, since the ADR does not say (all but the first line)\n";
  for (const AssumptionText& line : describe(assumed))
    text += paragraph("  " + std::string(line.topic), 16, line.text);
  return text;
}

}  // namespace

std::string text_report(const Result& result) {
  return header(result) + throttling_table(result) + peak_table(result) + partition_table(result) +
         saved_table(result) + verdict(result) + assumptions();
}

}  // namespace lab
