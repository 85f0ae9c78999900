// SPDX-License-Identifier: BSL-1.0
#include "progress.hpp"

#include <algorithm>
#include <cstdio>

#if __has_include(<unistd.h>)
#include <unistd.h>
#endif

namespace lab {
namespace {

bool stderr_is_terminal() {
#if __has_include(<unistd.h>)
  return isatty(STDERR_FILENO) == 1;
#else
  return false;
#endif
}

constexpr std::size_t bar_width = 40;

}  // namespace

ProgressBar::ProgressBar() : terminal_(stderr_is_terminal()) {}

ProgressBar::~ProgressBar() {
  if (terminal_ && !side_.empty()) std::fputs("\r\033[K", stderr);
}

void ProgressBar::show(std::string_view side, double done) {
  const auto hundredths = static_cast<std::size_t>((std::clamp)(done, 0.0, 1.0) * 100);
  if (side == side_ && (hundredths <= shown_ || !terminal_)) return;
  side_ = side;
  shown_ = hundredths;
  if (!terminal_) {
    std::fprintf(stderr, "running: %s\n", side_.c_str());
    return;
  }
  std::string bar(hundredths * bar_width / 100, '#');
  bar.resize(bar_width, '.');
  std::fprintf(stderr, "\r%-6s [%s] %3zu%%", side_.c_str(), bar.c_str(), hundredths);
  std::fflush(stderr);
}

}  // namespace lab
