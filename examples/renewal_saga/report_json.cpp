// SPDX-License-Identifier: BSL-1.0
#include "report_json.hpp"

#include <nlohmann/json.hpp>

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
            {"answers_wrong", side.answers_wrong}};
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

}  // namespace

std::string json_report(const Result& result) {
  Json assumptions = Json::object();
  for (const AssumptionText& line : describe(assumed))
    assumptions[std::string(line.topic)] = line.text;
  const Json json{{"shards", result.shards},
                  {"seed", result.seed},
                  {"minutes", result.seconds / 60},
                  {"calls", result.calls},
                  {"same_data", result.comparison.same() && result.before.rows == result.after.rows},
                  {"persons_compared", result.comparison.persons},
                  {"problems", problems_of(result)},
                  {"before", side(result.before)},
                  {"after", side(result.after)},
                  {"assumptions", std::move(assumptions)}};
  return json.dump(2) + "\n";
}

}  // namespace lab
