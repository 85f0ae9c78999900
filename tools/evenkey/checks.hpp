// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/migrate/phase.hpp>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "options.hpp"
#include "output.hpp"

namespace evenkey_cli {

// What can be seen of a value without the table is refused before any request. None of these checks has a
// description, which --help would show beside the option's own.

/// One of a few words.
inline CLI::Validator one_of(std::vector<std::string> words) {
  return {[words = std::move(words)](std::string& said) -> std::string {
            if (std::find(words.begin(), words.end(), said) != words.end()) return {};
            std::string all;
            for (const std::string& word : words)
              all += (all.empty() ? "" : ", ") + word;
            return "'" + said + "' is none of " + all;
          },
          ""};
}
inline CLI::Validator phase() {
  std::vector<std::string> words;
  for (const auto each : {evenkey::Phase::source, evenkey::Phase::dual_read,
                          evenkey::Phase::destination_writes, evenkey::Phase::destination})
    words.emplace_back(evenkey::phase_name(each));
  return one_of(std::move(words));
}
inline CLI::Validator not_empty() {
  return {[](std::string& said) -> std::string { return said.empty() ? "it is empty" : ""; }, ""};
}
/// A finite number of which something holds.
inline CLI::Validator number(bool (*holds)(double), const char* otherwise) {
  return {[=](std::string& said) -> std::string {
            char* end = nullptr;
            const double value = std::strtod(said.c_str(), &end);
            if (said.empty() || *end != '\0') return "'" + said + "' is no number";
            constexpr double most = (std::numeric_limits<double>::max)();
            return value <= most && holds(value) ? std::string() : said + " " + otherwise;
          },
          ""};
}
inline CLI::Validator more_than_zero() {
  return number([](double value) { return value > 0; }, "is not more than zero, and finite");
}
inline CLI::Validator one_or_more() {
  return number([](double value) { return value >= 1; }, "is less than 1");
}
inline CLI::Validator not_negative() {
  return number([](double value) { return value >= 0; }, "is negative, or not finite");
}
inline CLI::Validator from_to(int least, int most) { return CLI::Range(least, most).description(""); }
/// Of a moment that has passed: whatever is to be over by then is not, before it.
inline CLI::Validator past_time() {
  return {[](std::string& said) -> std::string {
            try {
              const auto time = parse_time(said);  // first: it may be now
              if (time <= std::chrono::system_clock::now()) return {};
              return said + " is in the future: a writer may live until then; start after it";
            } catch (const usage_error& error) {
              return error.what();
            }
          },
          ""};
}

}  // namespace evenkey_cli
