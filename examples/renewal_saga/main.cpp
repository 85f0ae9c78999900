// SPDX-License-Identifier: BSL-1.0
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

#include "figures.hpp"
#include "lab.hpp"
#include "migrate.hpp"
#include "options.hpp"
#include "progress.hpp"
#include "report_json.hpp"
#include "report_text.hpp"
#include "weeks_report.hpp"
#include "write_report.hpp"

namespace {

template <class Run, class... Arguments>
auto play(Run run, const Arguments&... arguments) {
  lab::ProgressBar bar;
  return run(arguments..., [&bar](std::string_view what, double done) { bar.show(what, done); });
}

/// Prints the report, and gives the exit status.
template <class Result>
int tell(lab::Format format, const Result& result) {
  const std::string report =
      format == lab::Format::json ? lab::json_report(result) : lab::text_report(result);
  if (std::fputs(report.c_str(), stdout) < 0 || std::fflush(stdout) != 0) {
    std::perror("renewal_saga_lab: stdout");
    return 1;
  }
  const auto problems = lab::problems_of(result);
  for (const std::string& problem : problems)
    std::fprintf(stderr, "problem: %s\n", problem.c_str());
  return problems.empty() ? 0 : 1;
}

/// What was played already is not played again.
void write(const lab::Options& options, const lab::Result* result, const lab::MigrationResult* moved) {
  const lab::Pages& pages = options.pages;
  std::optional<lab::Result> own_result;
  std::optional<lab::MigrationResult> own_moved;
  if (result == nullptr) result = &own_result.emplace(play(lab::run_lab, options.settings));
  if (moved == nullptr && !pages.report.empty())
    moved = &own_moved.emplace(play(lab::run_migration, options.migration));
  play(lab::write_pages, pages, *result, moved);
  for (const std::string& file : {pages.report, pages.picture})
    if (!file.empty()) std::fprintf(stderr, "written: %s\n", file.c_str());
}

int run(int argc, char** argv) {
  const lab::CommandLine command = lab::parse_command_line(argc, argv);
  std::fputs(command.err.c_str(), stderr);
  std::fputs(command.out.c_str(), stdout);
  if (!command.options) return command.exit_status;
  const lab::Options& options = *command.options;
  lab::check_writable(options.pages);
  if (options.play == lab::Play::migration) {
    const lab::MigrationResult moved = play(lab::run_migration, options.migration);
    if (options.pages.any()) write(options, nullptr, &moved);
    return tell(options.format, moved);
  }
  if (options.play == lab::Play::weeks) {
    const lab::WeeksReport weeks = play(lab::run_weeks, options.weeks);
    if (options.pages.any()) write(options, nullptr, nullptr);
    return tell(options.format, weeks);
  }
  const lab::Result result = play(lab::run_lab, options.settings);
  if (options.pages.any()) write(options, &result, nullptr);
  return tell(options.format, result);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "renewal_saga_lab: %s\n", error.what());
    return 1;
  }
}
