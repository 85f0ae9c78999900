// SPDX-License-Identifier: BSL-1.0
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "migrate.hpp"
#include "numbers.hpp"
#include "text_layout.hpp"

namespace lab {
namespace {

std::string clock_text(double seconds) {
  const auto whole_seconds = static_cast<unsigned>(seconds);
  std::string text = std::to_string(whole_seconds / 60) + ":";
  if (whole_seconds % 60 < 10) text += "0";
  return text + std::to_string(whole_seconds % 60);
}

std::string assumption_text(const MigrationSettings& settings) {
  if (settings.assumed_lag_ms == 0) return "a moved row comes before it goes (no wait)";
  return "a moved row has come and gone within " + grouped(settings.assumed_lag_ms) + " ms (readers wait)";
}

std::string verdict(const MigrationResult& result) {
  const bool whole = result.total.lost + result.total.doubled == 0;
  if (result.assumption_held())
    return whole ? "The assumption held, and no reader of any phase missed a row or saw one twice."
                 : "FAULT: the assumption held, and yet rows were lost or doubled.";
  const std::string why =
      result.settings.assumed_lag_ms == 0
          ? "The index showed some rows gone before they had come, and readers were told to assume that it "
            "never does: who looked into both partitions between the two found such a row in neither."
          : "The index was behind by up to " + grouped(result.settings.index_lag_ms) +
                " ms, and readers were told to assume " + grouped(result.settings.assumed_lag_ms) +
                " ms: who looked into the source after a row had gone, waited, and looked into the "
                "destination "
                "before it had come, found it in neither.";
  return (whole ? "The assumption did not hold, though no reader happened to miss a row. " : "") + why;
}

std::vector<std::string> cells(const std::string& name, const std::string& time,
                               const std::string& on_constant_key, const StepFigures& figures) {
  return {name,
          time,
          on_constant_key,
          grouped(figures.requests),
          grouped(figures.throttled),
          grouped(figures.throttled_by_tools),
          grouped(figures.reads),
          grouped(figures.lost),
          grouped(figures.doubled)};
}

nlohmann::ordered_json to_json(const StepFigures& figures) {
  return {{"requests", figures.requests},
          {"throttled", figures.throttled},
          {"throttled_by_tools", figures.throttled_by_tools},
          {"failed_calls", figures.failed_calls},
          {"reads", figures.reads},
          {"lost", figures.lost},
          {"doubled", figures.doubled},
          {"moved", figures.moved},
          {"moves_throttled", figures.moves_throttled}};
}

}  // namespace

std::string text_report(const MigrationResult& result) {
  const MigrationSettings& settings = result.settings;
  std::string text = "ADR-0085 carried out live: RenewalSaga -> RenewalSaga#0 to #" +
                     std::to_string(settings.shards - 1) + ", half-way back, forward, and back; seed " +
                     std::to_string(settings.seed) + "\n";
  text += paragraph("traffic   ", 10,
                    counted(settings.managers, "manager") + " with the list page open, sweeps, workflows; " +
                        counted(result.instances, "instance") + ", restarted one by one");
  text += paragraph("assumed   ", 10, assumption_text(settings));
  text += paragraph("here      ", 10,
                    settings.index_lag_ms == 0
                        ? "the index shows every write at once"
                        : "either may take up to " + grouped(settings.index_lag_ms) + " ms, in any order");
  text += paragraph("mover     ", 10,
                    grouped(settings.move_units) + " write units a second of any one index partition");
  const Columns columns({30, 6, 10, 12, 11, 7, 9, 6, 9});
  text += "\n" + columns.line({"", "", "rows on", "requests", "", "by the", "answers", "rows", "rows"});
  text += columns.line(
      {"step", "until", "constant", "of the app", "throttled", "tools", "checked", "lost", "doubled"});
  text += columns.rule();
  for (const MigrationStep& step : result.steps)
    text += columns.line(cells(step.name, clock_text(step.ends_s), grouped(step.rows_on_constant_key), step));
  text += columns.rule();
  text += columns.line(cells("all", clock_text(result.steps.back().ends_s), "", result.total));
  text += "\nWhat was done, and what was refused\n";
  for (const MigrationStep& step : result.steps) {
    text += "  " + step.name + "\n";
    for (const std::string& note : step.notes)
      text += paragraph("    ", 14, note);
  }
  text += "\n";
  text += paragraph("mover     ", 10,
                    grouped(result.total.moved) + " moves, itself throttled " +
                        grouped(result.total.moves_throttled) + " times; " +
                        grouped(result.total.throttled_by_tools) +
                        " of the application's requests were throttled because of it and the checks, and " +
                        counted(result.total.failed_calls, "call") + " failed in all");
  text += paragraph("late row  ", 10,
                    "hidden from readers for " + fixed(result.late_row_hidden_s, 1) +
                        " s, which is no fault of reading: its writer should have been gone");
  text += paragraph("answers   ", 10,
                    "lost " + grouped(result.total.lost) + ", doubled " + grouped(result.total.doubled) +
                        " in " + grouped(result.total.reads) + ". " + verdict(result));
  for (const std::string& loss : result.losses)
    text += paragraph("          ", 12, loss);
  return text;
}

std::string json_report(const MigrationResult& result) {
  const MigrationSettings& settings = result.settings;
  nlohmann::ordered_json json{{"seed", settings.seed},
                              {"shards", settings.shards},
                              {"managers", settings.managers},
                              {"index_lag_ms", settings.index_lag_ms},
                              {"assumed_lag_ms", settings.assumed_lag_ms},
                              {"move_units", settings.move_units},
                              {"instances", result.instances},
                              {"assumption_held", result.assumption_held()},
                              {"total", to_json(result.total)},
                              {"late_row_hidden_s", result.late_row_hidden_s},
                              {"verdict", verdict(result)},
                              {"losses", result.losses},
                              {"steps", nlohmann::ordered_json::array()}};
  for (const MigrationStep& step : result.steps) {
    nlohmann::ordered_json one{{"name", step.name},
                               {"begins_s", step.begins_s},
                               {"ends_s", step.ends_s},
                               {"rows_on_constant_key", step.rows_on_constant_key},
                               {"rows_on_shards", step.rows_on_shards}};
    one.update(to_json(step));
    one["proofs"] = nlohmann::ordered_json::array();
    for (const Proof& proof : step.proofs)
      one["proofs"].push_back({{"drift",
                                {{"scanned", proof.scanned},
                                 {"on_source", proof.on_source},
                                 {"misplaced", proof.misplaced},
                                 {"clean", proof.clean}}},
                               {"parity",
                                {{"compared", proof.compared},
                                 {"missing", proof.missing},
                                 {"extra", proof.extra},
                                 {"different", proof.different},
                                 {"identical", proof.identical}}}});
    one["notes"] = step.notes;
    json["steps"].push_back(std::move(one));
  }
  return json.dump(2) + "\n";
}

}  // namespace lab
