// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ratios.hpp"

// A Google Benchmark program that can print its lines of the table too.
namespace bench {

/// What a run that failed says; null for one that did not. Since Google Benchmark 1.8 its names are others.
template <class Run>
const std::string* failure(const Run& run) {
  if constexpr (requires { run.skip_message; })
    return run.skipped ? &run.skip_message : nullptr;
  else
    return run.error_occurred ? &run.error_message : nullptr;
}

/// The least time of each benchmark over its repetitions, in nanoseconds an item, or an iteration where it
/// counts no items.
class LeastTimes : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (const std::string* const said = failure(run)) {
        std::fprintf(stderr, "%s: %s\n", run.benchmark_name().c_str(), said->c_str());
        std::exit(1);
      }
      if (run.run_type != Run::RT_Iteration) continue;
      const auto rate = run.counters.find("items_per_second");
      const double each = run.cpu_accumulated_time / static_cast<double>(run.iterations);
      least_[run.run_name.function_name + "/" + run.run_name.args].take(
          (rate == run.counters.end() ? each : 1 / rate->second.value) * 1e9);
    }
  }
  /// @param name as Google Benchmark prints it; a benchmark without arguments has none behind its name
  double operator()(const std::string& name) const {
    const auto found = least_.find(name.find('/') == std::string::npos ? name + "/" : name);
    if (found == least_.end()) {
      std::fprintf(stderr, "no benchmark is named %s\n", name.c_str());
      std::exit(1);
    }
    return found->second.value();
  }

 private:
  std::map<std::string, Least> least_;
};

/// `--ratios`: many short repetitions, their order mixed, and of those the table's lines. `--quick`: each
/// once, for a moment. Anything else is Google Benchmark's.
/// @param few which benchmarks those two run, where the others take long; empty: all
/// @param repetitions of `--ratios`
template <class Lines>
int run_benchmarks(int argc, char** argv, Lines lines, const std::string& few = {}, int repetitions = 25) {
  const std::string_view mode = argc > 1 ? argv[1] : "";
  std::vector<std::string> flags{argv[0]};
  if (mode == "--ratios") {
    flags.insert(flags.end(), {"--benchmark_repetitions=" + std::to_string(repetitions),
                               "--benchmark_min_time=0.02", "--benchmark_enable_random_interleaving=true"});
  } else if (mode == "--quick") {
    flags.push_back("--benchmark_min_time=0.001");
  } else {
    flags.assign(argv, argv + argc);
  }
  if (!few.empty() && (mode == "--ratios" || mode == "--quick")) flags.push_back("--benchmark_filter=" + few);
  std::vector<char*> pointers;
  for (std::string& flag : flags)
    pointers.push_back(flag.data());
  int count = static_cast<int>(pointers.size());
  benchmark::Initialize(&count, pointers.data());
  if (benchmark::ReportUnrecognizedArguments(count, pointers.data())) return 2;
  if (mode == "--ratios") {
    LeastTimes times;
    benchmark::RunSpecifiedBenchmarks(&times);
    print(lines(times));
  } else {
    benchmark::RunSpecifiedBenchmarks();
  }
  return 0;
}

}  // namespace bench
