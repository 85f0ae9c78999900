// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace lab {

/// Shows on stderr how far the lab is: a bar on a terminal, a line a side elsewhere.
class ProgressBar {
 public:
  ProgressBar();
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void show(std::string_view side, double done);

 private:
  bool terminal_;
  std::string side_;
  std::size_t shown_ = 0;  // hundredths of the bar that is on the screen
};

}  // namespace lab
