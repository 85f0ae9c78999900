// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "lab.hpp"
#include "migrate.hpp"
#include "weeks_report.hpp"
#include "write_report.hpp"

namespace lab {

enum class Format : std::uint8_t { text, json };

/// What the lab plays: traffic before and after, the way from the one to the other, or weeks of it for each N.
enum class Play : std::uint8_t { before_and_after, migration, weeks };

struct Options {
  Play play = Play::before_and_after;
  Settings settings;
  MigrationSettings migration;
  WeeksReportSettings weeks;
  Format format = Format::text;
  Pages pages;
};

/// What the command line asks for: either options to run with, or something to print and an exit status.
struct CommandLine {
  std::optional<Options> options;
  std::string out;  ///< help, for stdout
  std::string err;  ///< one line, for stderr
  int exit_status = 0;
};

CommandLine parse_command_line(int argc, const char* const* argv);

}  // namespace lab
