// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "options.hpp"

namespace evenkey_cli {

using Json = nlohmann::ordered_json;

/// A report, as JSON or as a line for each member, to stdout.
void print(const Options& options, const Json& report);

/// Text as it is, to stdout.
/// Errors: stdout cannot be written to → `std::runtime_error`.
void print_text(const std::string& text);

/// A line to stderr, of what may not stand among the results.
void note(std::string_view text);

/// How far something is: a line that is written over on a terminal, a plain line every few seconds elsewhere.
/// Threads: one at a time.
class Progress {
 public:
  explicit Progress(std::string what) : what_(std::move(what)) {}
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  /// @param part from 0 to 1; negative where it is not known
  void show(double part, const std::string& text);

 private:
  std::string what_;
  std::chrono::steady_clock::time_point shown_{};
  bool on_terminal_line_ = false;
};

/// As `2026-07-08T12:00:00.000Z`.
std::string time_text(std::chrono::system_clock::time_point time);
/// Errors: any other text → `usage_error`.
std::chrono::system_clock::time_point parse_time(std::string text);

}  // namespace evenkey_cli
