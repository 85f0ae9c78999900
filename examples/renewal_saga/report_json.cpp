// SPDX-License-Identifier: BSL-1.0
#include "report_json.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "assumptions.hpp"
#include "callers.hpp"

namespace lab {
namespace {

using Json = nlohmann::ordered_json;

Json figures(const Figures& figures) {
  return {{"requests", figures.requests},
          {"throttled", figures.throttled},
          {"errors", figures.errors},
          {"attempts_p50", figures.attempts_p50},
          {"attempts_p99", figures.attempts_p99},
          {"attempts_max", figures.attempts_max},
          {"read_units", figures.read_units},
          {"write_units", figures.write_units},
          {"peak_rcu", figures.peak_rcu},
          {"peak_wcu", figures.peak_wcu}};
}

Json side(const Side& side) {
  Json json{{"rows", side.rows},
            {"requests", side.total.requests},
            {"throttled", side.total.throttled},
            {"errors", side.total.errors},
            {"failed_calls", side.failed_calls},
            {"seconds_throttled", side.seconds_throttled},
            {"peak_partition_rcu", side.busiest_reads().peak_rcu},
            {"peak_partition_wcu", side.busiest_writes().peak_wcu},
            {"read_units", side.total.read_units},
            {"write_units", side.total.write_units},
            {"effective_lift", side.effective_lift()},
            {"answers_checked", side.answers_checked},
            {"answers_wrong", side.answers_wrong},
            {"queries_coalesced", side.queries_coalesced}};
  Json by_caller = Json::object();
  for (const CallerInfo& caller : callers) {
    const CallerFigures& one = side.by_caller[number_of(caller.caller)];
    Json of_caller{{"calls", one.calls}, {"failed_calls", one.failed_calls}};
    of_caller.update(figures(one));
    by_caller[std::string(caller.field)] = std::move(of_caller);
  }
  json["callers"] = std::move(by_caller);
  Json partitions = Json::array();
  for (const PartitionFigures& partition : side.partitions) {
    Json one{{"partition_key", partition.partition_key},
             {"persons", partition.persons},
             {"rows", partition.rows},
             {"share", side.total.read_units > 0 ? partition.read_units / side.total.read_units : 0}};
    one.update(figures(partition));
    partitions.push_back(std::move(one));
  }
  json["partitions"] = std::move(partitions);
  return json;
}

/// What a remedy changes, against the traffic without any: negative is saved.
Json saved(const Side& with, const Side& without) {
  const auto change = [](std::uint64_t now, std::uint64_t then) {
    return static_cast<std::int64_t>(now) - static_cast<std::int64_t>(then);
  };
  const auto figures = [](const Side& side) {
    return Json{{"requests", side.total.requests},
                {"throttled", side.total.throttled},
                {"failed_calls", side.failed_calls},
                {"read_units", side.total.read_units},
                {"peak_rcu", side.total.peak_rcu},
                {"peak_partition_rcu", side.busiest_reads().peak_rcu},
                {"queries_coalesced", side.queries_coalesced}};
  };
  Json json = figures(with);
  json["change"] = {{"requests", change(with.total.requests, without.total.requests)},
                    {"throttled", change(with.total.throttled, without.total.throttled)},
                    {"peak_partition_rcu", with.busiest_reads().peak_rcu - without.busiest_reads().peak_rcu}};
  return json;
}

/// Without remedies first, last with all that were asked for; empty where none was.
Json saved(const Result& result) {
  Json rows = Json::array();
  if (result.others.empty()) return rows;
  const Variant& none = result.others.front();
  const auto add = [&](const Variant& variant) {
    rows.push_back({{"with", std::string(name_of(variant.remedies))},
                    {"calls", variant.calls},
                    {"before", saved(variant.before, none.before)},
                    {"after", saved(variant.after, none.after)}});
  };
  for (const Variant& other : result.others)
    add(other);
  add(result);
  return rows;
}

}  // namespace

std::string json_report(const Result& result) {
  Json assumptions = Json::object();
  for (const AssumptionText& line : describe(assumed))
    assumptions[std::string(line.topic)] = line.text;
  const Json json{{"shards", result.shards},
                  {"seed", result.seed},
                  {"minutes", result.seconds / 60},
                  {"calls", result.calls},
                  {"with", std::string(name_of(result.remedies))},
                  {"same_data", result.same_data()},
                  {"persons_compared", result.comparison.persons},
                  {"problems", problems_of(result)},
                  {"before", side(result.before)},
                  {"after", side(result.after)},
                  {"saved", saved(result)},
                  {"assumptions", std::move(assumptions)}};
  return json.dump(2) + "\n";
}

}  // namespace lab
