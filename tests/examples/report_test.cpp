// SPDX-License-Identifier: BSL-1.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>

#include "figures.hpp"
#include "lab.hpp"
#include "numbers.hpp"
#include "report_json.hpp"
#include "report_text.hpp"
#include "text_layout.hpp"

namespace {

/// The default seed, run once for each number of shards: a minute, or what it takes to reach the full
/// minute's jobs.
const lab::Result& run(std::uint32_t shards) {
  static std::map<std::uint32_t, lab::Result> runs;
  const auto found = runs.find(shards);
  if (found != runs.end()) return found->second;
  return runs[shards] = lab::run_lab({.seed = 85, .seconds = shards == 16 ? 60U : 34U, .shards = shards},
                                     [](std::string_view, double) {});
}

/// The same figures as if all remedies had been tried: what is said of them is tested, not what they do.
lab::Result eased(std::uint32_t shards) {
  lab::Result result = run(shards);
  result.remedies = {lab::ListPages::coalesced, lab::Sweeps::staggered};
  for (const lab::Remedies remedies :
       {lab::Remedies{}, lab::Remedies{.list_pages = lab::ListPages::coalesced},
        lab::Remedies{.sweeps = lab::Sweeps::staggered}}) {
    lab::Variant other = result;
    other.remedies = remedies;
    result.others.push_back(other);
  }
  result.before.total.requests -= 100;
  return result;
}

void check_layout(const std::string& text) {
  CHECK(std::all_of(text.begin(), text.end(), [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); }));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    CHECK(line.size() <= lab::text_width);
    CHECK((line.empty() || line.back() != ' '));
  }
}

}  // namespace

TEST_SUITE("examples") {
  TEST_CASE("the JSON has the figures that its readers rely on") {
    const lab::Result& result = run(16);
    const auto json = nlohmann::json::parse(lab::json_report(result));
    CHECK(json.at("shards") == 16);
    CHECK(json.at("seed") == 85);
    CHECK(json.at("minutes") == 1);
    CHECK(json.at("same_data") == true);
    for (const char* side : {"before", "after"}) {
      CAPTURE(side);
      for (const char* figure :
           {"rows", "requests", "throttled", "errors", "peak_partition_rcu", "peak_partition_wcu"})
        CHECK(json.at(side).at(figure).is_number());
      CHECK(json.at(side).at("callers").size() == 9);
      CHECK(json.at(side).at("callers").at("detail_page").at("calls") > 0);
    }
    CHECK(json.at("before").at("partitions").size() == 1);
    CHECK(json.at("after").at("partitions").size() == 16);
    CHECK(json.at("after").at("partitions").at(3).at("partition_key") == "RenewalSaga#3");
    CHECK(json.at("before").at("throttled") == result.before.total.throttled);
  }

  TEST_CASE("the text fits 100 columns of plain ASCII, and says what it must") {
    for (const std::uint32_t shards : {1U, 16U, 64U}) {
      const std::string text = lab::text_report(run(shards));
      check_layout(text);
      CHECK(text.find("SAVED") == std::string::npos);
      CHECK(text.find("detail page") != std::string::npos);
      CHECK((text.find("N partition keys are not N physical partitions") != std::string::npos) ==
            (shards > 1));
      CHECK((text.find("PROBLEM") != std::string::npos) == (shards == 1));
    }
  }

  TEST_CASE("what remedies save is a table, two lines of the verdict, and rows of the JSON") {
    const lab::Result result = eased(16);
    const std::string text = lab::text_report(result);
    check_layout(text);
    for (const char* words : {"eased on both sides: list pages coalesced, sweeps staggered", "SAVED",
                              "coalesce+stagger", "  coalesce ", "  stagger ", "workflow-health"})
      CHECK(text.find(words) != std::string::npos);
    const auto saved = nlohmann::json::parse(lab::json_report(result)).at("saved");
    REQUIRE(saved.size() == 4);
    CHECK(saved.at(0).at("with") == "none");
    CHECK(saved.at(0).at("before").at("change").at("requests") == 0);
    CHECK(saved.at(3).at("with") == "coalesce+stagger");
    CHECK(saved.at(3).at("before").at("change").at("requests") == -100);
    CHECK(nlohmann::json::parse(lab::json_report(run(16))).at("saved").empty());
  }

  TEST_CASE("numbers are written the same in every locale") {
    CHECK(lab::grouped(0) == "0");
    CHECK(lab::grouped(999) == "999");
    CHECK(lab::grouped(1'000) == "1,000");
    CHECK(lab::grouped(1'234'567) == "1,234,567");
    CHECK(lab::whole(2.5) == "3");
    CHECK(lab::fixed(8.04, 1) == "8.0");
    CHECK(lab::fixed(8.06, 1) == "8.1");
    CHECK(lab::fixed(1'234.5, 0) == "1,235");
    CHECK(lab::percent(1, 3, 1) == "33.3%");
    CHECK(lab::percent(1, 0, 1) == "0.0%");
    CHECK(lab::counted(1, "shard") == "1 shard");
    CHECK(lab::counted(2, "shard") == "2 shards");
  }

  TEST_CASE("a paragraph hangs under its first line") {
    std::string words;
    for (int i = 0; i < 20; ++i)
      words += "word ";
    const std::string text = lab::paragraph("  label", 11, words);
    CHECK(text.substr(0, 16) == "  label    word ");
    CHECK(text.find("\n           word") != std::string::npos);
    CHECK(lab::paragraph("label", 8, "") == "label   \n");
  }
}
