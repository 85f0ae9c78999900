// SPDX-License-Identifier: BSL-1.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "assumptions.hpp"
#include "axes.hpp"
#include "migrate.hpp"
#include "report_page.hpp"
#include "report_plots.hpp"
#include "svg.hpp"
#include "write_report.hpp"

namespace {

using namespace std::string_view_literals;

/// Figures that no run made: enough to draw.
lab::PartitionFigures partition(std::string key, std::uint32_t seconds, double rcu, bool hot) {
  lab::PartitionFigures figures;
  figures.partition_key = std::move(key);
  figures.persons = 9;
  figures.read_units = rcu * seconds;
  figures.peak_rcu = rcu;
  for (std::uint32_t second = 0; second < seconds; ++second)
    figures.seconds.push_back({rcu, rcu / 10, hot && second % 9 == 0 ? 4U : 0U});
  return figures;
}

lab::Result result_of(std::uint32_t shards, std::uint32_t seconds) {
  lab::Result result;
  result.seed = 85;
  result.seconds = seconds;
  result.shards = shards;
  result.before.partitions.push_back(partition("RenewalSaga", seconds, 2'900, true));
  for (std::uint32_t shard = 0; shard < shards; ++shard)
    result.after.partitions.push_back(
        partition("RenewalSaga#" + std::to_string(shard), seconds, 100 + shard, false));
  for (lab::Side* side : {&result.before, &result.after})
    for (const lab::PartitionFigures& one : side->partitions)
      side->total.read_units += one.read_units;
  result.before.by_caller[2].throttled = 1'234;
  result.before.total.throttled = 1'234;
  result.comparison.same_listing = true;
  return result;
}

std::vector<lab::WeeksOfShards> weeks() {
  std::vector<lab::WeeksOfShards> made;
  for (std::uint32_t shards = 1; shards <= 64; shards *= 2) {
    lab::WeeksOfShards one;
    one.shards = shards;
    one.peak_rcu = 5'000.0 / shards;
    one.seconds_throttled = shards == 1 ? 77 : 0;
    made.push_back(one);
  }
  return made;
}

lab::MigrationResult moved(std::uint32_t shards, std::uint32_t seconds) {
  lab::MigrationResult result;
  lab::MigrationStep step;
  step.name = "as it was";
  step.ends_s = seconds / 2.0;
  result.steps.push_back(step);
  step.name = "backfill <&>";
  step.begins_s = step.ends_s;
  step.ends_s = seconds;
  step.rows_on_shards = step.moved = 800;
  result.steps.push_back(step);
  for (std::uint32_t partition = 0; partition <= shards; ++partition) {
    result.heat.push_back(
        {partition == 0 ? "RenewalSaga" : "RenewalSaga#" + std::to_string(partition - 1), {}});
    for (std::uint32_t second = 0; second < seconds; ++second)
      result.heat.back().seconds.push_back(
          {partition == 0 ? 2'900.0 - second : 100, 10, second == 3 ? 1U : 0U});
  }
  for (std::uint32_t second = 0; second < seconds; ++second)
    result.seconds.push_back({800 - 800 * second / seconds, second});
  return result;
}

/// What is wrong with a text as XML, as far as this page needs to know; empty: nothing.
std::string fault_of(std::string_view text) {
  std::vector<std::string_view> open;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '&') {
      const auto entity = text.substr(at, text.substr(at).find(';') + 1);
      constexpr std::array known{"&amp;"sv, "&lt;"sv, "&gt;"sv, "&quot;"sv};
      if (std::find(known.begin(), known.end(), entity) == known.end())
        return "a bare & at " + std::string(text.substr(at, 20));
    }
    if (text[at] != '<') continue;
    const std::size_t end = text.find('>', at);
    if (end == text.npos) return "an open tag at the end";
    const std::string_view tag = text.substr(at + 1, end - at - 1);
    at = end;
    if (tag.starts_with("!")) continue;
    if (tag.find('<') != tag.npos) return "a < within a tag: " + std::string(tag);
    if (std::count(tag.begin(), tag.end(), '"') % 2 != 0) return "an open quote: " + std::string(tag);
    if (tag.starts_with("/")) {
      if (open.empty() || open.back() != tag.substr(1)) return "not open here: " + std::string(tag);
      open.pop_back();
    } else if (!tag.ends_with("/")) {
      open.push_back(tag.substr(0, tag.find_first_of(" \n")));
    }
  }
  return open.empty() ? "" : "never closed: " + std::string(open.back());
}

std::size_t count(std::string_view text, std::string_view word) {
  std::size_t found = 0;
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1))
    ++found;
  return found;
}

/// The number of an attribute of the tag that begins at `tag`.
double attribute(std::string_view tag, const std::string& name) {
  const std::string_view shape = tag.substr(0, tag.find('>'));
  const std::size_t at = shape.find(" " + name + "=\"");
  REQUIRE(at != shape.npos);
  return std::stod(std::string(shape.substr(at + name.size() + 3, 12)));
}

/// Every shape has a size and lies on the paper, and there are marks besides axes and letters.
void check_plot(std::string_view svg) {
  CAPTURE(svg.substr(0, svg.find("</title>")));
  const std::size_t box = svg.find("viewBox=\"0 ");
  REQUIRE(box != svg.npos);
  std::istringstream sizes(std::string(svg.substr(box + 11, 32)));
  double top = 0, width = 0, height = 0;
  sizes >> top >> width >> height;
  const double bottom = top + height;
  CHECK(width == lab::plot_width);
  CHECK(height > 100);
  CHECK(svg.find("<title") != svg.npos);
  CHECK(svg.find("<desc") != svg.npos);
  CHECK(count(svg, "class=\"name\"") + count(svg, "class=\"tick\"") >= 4);
  std::size_t marks = count(svg, "<polyline") + count(svg, "<circle");
  for (std::size_t at = svg.find("<rect"); at != svg.npos; at = svg.find("<rect", at + 1)) {
    const std::string_view tag = svg.substr(at);
    CAPTURE(tag.substr(0, tag.find('>')));
    CHECK(attribute(tag, "x") >= 0);
    CHECK(attribute(tag, "y") >= top);
    CHECK(attribute(tag, "width") > 0);
    CHECK(attribute(tag, "height") > 0);
    CHECK(attribute(tag, "x") + attribute(tag, "width") <= width + .11);
    CHECK(attribute(tag, "y") + attribute(tag, "height") <= bottom + .11);
    ++marks;
  }
  for (std::size_t at = svg.find("<text x"); at != svg.npos; at = svg.find("<text x", at + 1)) {
    CHECK(attribute(svg.substr(at), "x") <= width);
    CHECK(attribute(svg.substr(at), "y") <= bottom);
  }
  CHECK(marks >= 2);
  CHECK(svg.find("nan") == svg.npos);
  CHECK(svg.find("inf") == svg.npos);
}

std::vector<std::string_view> plots_of(std::string_view page) {
  std::vector<std::string_view> plots;
  for (std::size_t at = page.find("<svg"); at != page.npos; at = page.find("<svg", at + 1))
    plots.push_back(page.substr(at, page.find("</svg>", at) - at));
  return plots;
}

}  // namespace

TEST_SUITE("examples") {
  TEST_CASE(
      "the page is well-formed, needs nothing from elsewhere, and has every plot with a text beside it") {
    for (const std::uint32_t shards : {1U, 2U, 16U, 17U, 64U})
      for (const std::uint32_t seconds : {1U, 60U, 300U, 7'200U}) {
        CAPTURE(shards);
        CAPTURE(seconds);
        const lab::Result result = result_of(shards, seconds);
        const lab::MigrationResult move = moved(shards, seconds);
        const std::string page = lab::html_page({.result = result, .weeks = weeks(), .migration = &move});
        CHECK(fault_of(page) == "");
        CHECK(page.find("http") == page.npos);
        CHECK(page.find("<script") == page.npos);
        CHECK(page.find("prefers-color-scheme: dark") != page.npos);
        const auto plots = plots_of(page);
        CHECK(plots.size() == 7);
        CHECK(count(page, "<figcaption>") == 7);
        CHECK(count(page, "<table>") == 7);
        for (const std::string_view plot : plots)
          check_plot(plot);
      }
  }

  TEST_CASE("the page says what the figures say") {
    const lab::Result result = result_of(16, 60);
    const std::string page = lab::html_page({.result = result, .weeks = weeks()});
    CHECK(plots_of(page).size() == 5);  // nothing was moved
    CHECK(page.find("1,234 \u2192 0") != page.npos);
    CHECK(page.find("N = 4<") != page.npos);  // 5,000 / 4 of 3,000 are 42 %, / 2 were 83 %
    CHECK(page.find("RenewalSaga#15") != page.npos);
    CHECK(page.find("workflow-health, 1,234 times") != page.npos);
    lab::Result quiet = result_of(16, 60);
    quiet.before.by_caller = {};
    quiet.before.total.throttled = 0;
    CHECK(lab::html_page({.result = quiet, .weeks = weeks()}).find("Nobody was") != page.npos);
  }

  TEST_CASE("the README's picture is a small file of its own, light and dark") {
    const std::string picture = lab::picture(result_of(16, 300));
    CHECK(fault_of(picture) == "");
    check_plot(std::string_view(picture).substr(picture.find("<svg")));
    CHECK(picture.size() < 10'000);
    CHECK(picture.find("xmlns=\"http://www.w3.org/2000/svg\"") != picture.npos);
    CHECK(picture.find("prefers-color-scheme: dark") != picture.npos);
  }

  TEST_CASE("ticks are round and reach beyond the largest figure") {
    CHECK(lab::round_ticks(100, 5) == std::vector<double>{0, 20, 40, 60, 80, 100});
    CHECK(lab::round_ticks(0, 4).back() == 1);
    for (const double most : {.07, 1.0, 1.77, 3.0, 99.0, 1'940.0, 123'456.0}) {
      const auto ticks = lab::round_ticks(most, 4);
      CHECK(ticks.back() >= most);
      CHECK(ticks.size() >= 3);
      CHECK(ticks.size() <= 9);
    }
  }

  TEST_CASE("numbers and words are written so that XML can hold them") {
    CHECK(lab::coordinate(0) == "0");
    CHECK(lab::coordinate(-.04) == "0");
    CHECK(lab::coordinate(-12.34) == "-12.3");
    CHECK(lab::coordinate(1'234.96) == "1235");
    CHECK(lab::escaped("a<b> & \"c\"") == "a&lt;b&gt; &amp; &quot;c&quot;");
  }

  TEST_CASE("a migration's heat is that of all partitions before, during and after, tools included") {
    lab::MigrationSettings settings;
    settings.managers = 1;
    const lab::MigrationResult result = lab::run_migration(settings, [](std::string_view, double) {});
    REQUIRE(result.heat.size() == 17);
    REQUIRE(result.seconds.size() >= result.steps.back().ends_s);
    const auto units_in = [&](std::size_t partition, const lab::MigrationStep& step) {
      double units = 0;
      const auto end = static_cast<std::size_t>(step.ends_s);
      for (auto second = static_cast<std::size_t>(step.begins_s) + 1; second + 1 < end; ++second)
        units += result.heat[partition].seconds[second].rcu + result.heat[partition].seconds[second].wcu;
      return units;
    };
    const lab::MigrationStep &before = result.steps.front(), &after = result.steps[10];
    REQUIRE(after.name == "destination");
    CHECK(units_in(0, before) > 0);
    double on_shards = 0;
    for (std::size_t shard = 1; shard < result.heat.size(); ++shard) {
      CHECK(result.heat[shard].seconds.size() == result.seconds.size());
      CHECK(units_in(shard, before) == 0);
      on_shards += units_in(shard, after);
    }
    CHECK(on_shards > units_in(0, after));
    std::uint64_t moves = 0;
    for (const lab::MovedSecond& second : result.seconds)
      moves += second.moved;
    CHECK(moves == result.total.moved);
    CHECK(result.seconds.back().rows_left == result.steps.back().rows_on_constant_key);
    // No second serves more than a partition does, by more than one request.
    for (const lab::PartitionHeat& partition : result.heat)
      for (const lab::Second& second : partition.seconds)
        REQUIRE(lab::fullness(second) < 1.05);
  }

  TEST_CASE("a page that cannot be written is refused before any work, and one that is there stays") {
    CHECK_THROWS_WITH(lab::check_writable({.report = "/nowhere/out.html", .picture = ""}),
                      "/nowhere/out.html: No such file or directory");
    CHECK_THROWS(lab::check_writable({.report = "", .picture = "/"}));
    const auto name = std::filesystem::temp_directory_path() /
                      ("evenkey-page-" + std::to_string(std::random_device{}()) + ".html");
    lab::check_writable({.report = name.string(), .picture = ""});
    CHECK_FALSE(std::filesystem::exists(name));
    lab::write_file(name.string(), "as before");
    lab::check_writable({.report = name.string(), .picture = ""});
    CHECK(std::filesystem::file_size(name) == 9);
    std::filesystem::remove(name);
  }

  TEST_CASE("a file that cannot be written is an error that names it") {
    CHECK_THROWS_WITH(lab::write_file("/nowhere/at/all.html", "x"),
                      "/nowhere/at/all.html: No such file or directory");
  }
}
