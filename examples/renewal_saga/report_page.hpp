// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <vector>

#include "figures.hpp"
#include "migrate.hpp"
#include "weeks.hpp"

namespace lab {

/// What `--report` shows.
struct PageData {
  const Result& result;
  std::vector<WeeksOfShards> weeks;            ///< from one shard on; as `simulate_weeks` gives them
  const MigrationResult* migration = nullptr;  ///< null: rows were not moved
};

/// One page of HTML that needs nothing else: no script, no link, pictures within. It is well-formed as XML
/// too.
std::string html_page(const PageData& data);

/// The picture in the README, a file of its own.
std::string picture(const Result& result);

/// Errors: `std::runtime_error` that names the file and says what is wrong.
void write_file(const std::string& name, const std::string& text);
/// The error of a file that could not be written, by `errno`.
[[noreturn]] void throw_not_written(const std::string& name);

}  // namespace lab
