// SPDX-License-Identifier: BSL-1.0
#include "output.hpp"

#include <evenkey/composite_key.hpp>
#include <evenkey/fields.hpp>

#include <algorithm>
#include <cstdio>
#include <tuple>
#include <unistd.h>

namespace evenkey_cli {

namespace {

using TimeKey = evenkey::CompositeKey<evenkey::Timestamp>;

std::string plain(const Json& value) {
  return value.is_string() ? value.get<std::string>()
                           : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// A line for each member; what is within a member stands further in.
void add_lines(std::string& text, const Json& report, const std::string& margin) {
  for (const auto& [name, value] : report.items()) {
    if (value.is_object()) {
      text += margin + name + ":\n";
      add_lines(text, value, margin + "  ");
    } else if (value.is_array()) {
      if (value.empty()) continue;
      text += margin + name + ":\n";
      for (const Json& each : value)
        text += margin + "  " + plain(each) + "\n";
    } else {
      text += margin + name + ": " + (value.is_null() ? "not known" : plain(value)) + "\n";
    }
  }
}

void write(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw std::runtime_error("stdout cannot be written to");
}

}  // namespace

void print(const Options& options, const Json& report) {
  if (options.json) {
    write(report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
    return;
  }
  std::string text;
  add_lines(text, report, "");
  write(text);
}

void print_text(const std::string& text) { write(text); }

void note(std::string_view text) {
  std::fprintf(stderr, "%.*s\n", static_cast<int>(text.size()), text.data());
}

Progress::~Progress() {
  if (on_terminal_line_) std::fputs("\n", stderr);
}

void Progress::show(double part, const std::string& text) {
  static const bool terminal = isatty(STDERR_FILENO) != 0;
  const auto now = std::chrono::steady_clock::now();
  const auto pause = terminal ? std::chrono::milliseconds(100) : std::chrono::milliseconds(5000);
  if (shown_ == std::chrono::steady_clock::time_point{}) {
    shown_ = terminal ? now - pause : now;  // nothing of what is quick
  }
  if (now - shown_ < pause) return;
  shown_ = now;
  std::string line = what_ + ": ";
  if (part >= 0 && terminal) {
    constexpr std::size_t width = 30;
    const auto full = static_cast<std::size_t>((std::min)(part, 1.0) * static_cast<double>(width));
    line += "[" + std::string(full, '=') + std::string(width - full, ' ') + "] ";
  }
  if (part >= 0) line += std::to_string(static_cast<int>((std::min)(part, 1.0) * 100)) + "% ";
  line += text;
  std::fprintf(stderr, terminal ? "\r%-100s" : "%s\n", line.c_str());
  std::fflush(stderr);
  on_terminal_line_ = terminal;
}

std::string time_text(std::chrono::system_clock::time_point time) {
  return std::string(TimeKey::encode(std::chrono::floor<std::chrono::milliseconds>(time)));
}

std::chrono::system_clock::time_point parse_time(std::string text) {
  if (text == "now") return std::chrono::system_clock::now();
  constexpr std::size_t without_millis = 20;
  if (text.size() == without_millis && text.ends_with('Z')) text.insert(text.size() - 1, ".000");
  const auto time = TimeKey::decode(text);
  if (!time) throw usage_error("a time is written 2026-07-08T12:00:00Z or now, not '" + text + "'");
  return std::get<0>(*time);
}

}  // namespace evenkey_cli
