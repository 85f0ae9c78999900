// SPDX-License-Identifier: BSL-1.0
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>

#include "figures.hpp"
#include "lab.hpp"
#include "options.hpp"
#include "progress.hpp"
#include "report_json.hpp"
#include "report_text.hpp"

namespace {

int run(int argc, char** argv) {
  const lab::CommandLine command = lab::parse_command_line(argc, argv);
  std::fputs(command.err.c_str(), stderr);
  std::fputs(command.out.c_str(), stdout);
  if (!command.options) return command.exit_status;

  lab::Result result;
  {
    lab::ProgressBar bar;
    result = lab::run_lab(command.options->settings,
                          [&bar](std::string_view side, double done) { bar.show(side, done); });
  }
  const bool json = command.options->format == lab::Format::json;
  const std::string report = json ? lab::json_report(result) : lab::text_report(result);
  if (std::fputs(report.c_str(), stdout) < 0 || std::fflush(stdout) != 0) {
    std::perror("renewal_saga_lab: stdout");
    return 1;
  }
  const auto problems = lab::problems_of(result);
  for (const std::string& problem : problems)
    std::fprintf(stderr, "problem: %s\n", problem.c_str());
  return problems.empty() ? 0 : 1;
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
