// SPDX-License-Identifier: BSL-1.0
#include "write_report.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "population.hpp"
#include "report_page.hpp"
#include "weeks.hpp"

namespace lab {

void check_writable(const Pages& pages) {
  for (const std::string& name : {pages.report, pages.picture}) {
    if (name.empty()) continue;
    std::error_code none;
    const bool was_there = std::filesystem::exists(name, none);
    errno = 0;
    // To append: what is there stays until there is something to put in its place.
    if (!std::ofstream(name, std::ios::binary | std::ios::app)) throw_not_written(name);
    if (!was_there) std::filesystem::remove(name, none);
  }
}

void write_pages(const Pages& pages, const Result& result, const MigrationResult* moved,
                 const Progress& progress) {
  if (!pages.report.empty()) {
    progress("weeks", 0);
    const PageData data{.result = result,
                        .weeks = simulate_weeks({.seed = result.seed}, make_population(result.seed)),
                        .migration = moved};
    progress("weeks", 1);
    write_file(pages.report, html_page(data));
  }
  if (!pages.picture.empty()) write_file(pages.picture, picture(result));
}

}  // namespace lab
