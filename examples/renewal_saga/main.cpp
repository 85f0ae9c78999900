// SPDX-License-Identifier: BSL-1.0
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>

#include "figures.hpp"
#include "lab.hpp"
#include "migrate.hpp"
#include "options.hpp"
#include "progress.hpp"
#include "report_json.hpp"
#include "report_text.hpp"

namespace {

/// Plays, prints the report, and gives the exit status.
template <class Run, class Settings>
int tell(lab::Format format, Run run, const Settings& settings) {
  const auto result = [&] {
    lab::ProgressBar bar;
    return run(settings, [&bar](std::string_view what, double done) { bar.show(what, done); });
  }();
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

int run(int argc, char** argv) {
  const lab::CommandLine command = lab::parse_command_line(argc, argv);
  std::fputs(command.err.c_str(), stderr);
  std::fputs(command.out.c_str(), stdout);
  if (!command.options) return command.exit_status;
  return command.options->play == lab::Play::migration
             ? tell(command.options->format, lab::run_migration, command.options->migration)
             : tell(command.options->format, lab::run_lab, command.options->settings);
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
