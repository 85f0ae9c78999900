// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

#include "figures.hpp"
#include "lab.hpp"
#include "migrate.hpp"

namespace lab {

/// Files that the lab writes besides what it prints; empty: none.
struct Pages {
  std::string report;   ///< HTML
  std::string picture;  ///< SVG

  bool any() const { return !report.empty() || !picture.empty(); }
};

/// Before minutes of work go into what cannot be written. Leaves what is there as it is.
/// Errors: `std::runtime_error` that names the file and says what is wrong.
void check_writable(const Pages& pages);

/// Simulates the weeks that the choice of N is made by, and writes the files.
/// Errors: `std::runtime_error` for a file that cannot be written.
void write_pages(const Pages& pages, const Result& result, const MigrationResult* moved,
                 const Progress& progress);

}  // namespace lab
