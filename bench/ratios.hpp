// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

// The lines of the table that bench/run.sh prints. Every benchmark prints its own with `--ratios`, one a
// line, fields apart by tabs:
//   what   measured   unit   target (>= n, <= n, or - where it is only told)   verdict (ok, missed, -)   peer
namespace bench {

enum class Target { at_least, at_most, none };

struct Line {
  std::string what;
  double measured = 0;
  std::string unit;  // "x" for a ratio
  Target target = Target::none;
  double bound = 0;
  std::string peer;  // beside what it was measured, with its version

  bool missed() const {
    return (target == Target::at_least && measured < bound) ||
           (target == Target::at_most && measured > bound);
  }
};

inline void print(const std::vector<Line>& lines) {
  for (const Line& line : lines) {
    char target[32] = "-";
    if (line.target != Target::none)
      std::snprintf(target, sizeof target, "%s %g",
                    line.target == Target::at_least ? ">=" : "<=", line.bound);
    const char* const verdict = line.target == Target::none ? "-" : line.missed() ? "missed" : "ok";
    std::printf("%s\t%.3g\t%s\t%s\t%s\t%s\n", line.what.c_str(), line.measured, line.unit.c_str(), target,
                verdict, line.peer.c_str());
  }
}

inline double seconds_of(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

/// The least of several times. Other work on the machine only ever adds.
class Least {
 public:
  void take(double value) { least_ = (std::min)(least_, value); }
  double value() const { return least_; }

 private:
  double least_ = (std::numeric_limits<double>::max)();
};

inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// What to do: everything, or each thing once to show that it works; and whether only the table's lines are
/// wanted.
struct Arguments {
  bool quick = false;
};

inline std::string gcc_version() {
#if defined(__clang__)
  return "clang " + std::to_string(__clang_major__) + "." + std::to_string(__clang_minor__);
#else
  return "g++ " + std::to_string(__GNUC__) + "." + std::to_string(__GNUC_MINOR__);
#endif
}

/// The version of the standard library, as the peer's name in the table.
inline std::string standard_library() {
#if defined(_GLIBCXX_RELEASE)
  return "libstdc++ " + std::to_string(_GLIBCXX_RELEASE) + " (" + std::to_string(__GLIBCXX__) + ")";
#else
  return "the standard library";
#endif
}

}  // namespace bench
