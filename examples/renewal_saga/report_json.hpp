// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

#include "figures.hpp"

namespace lab {

/// The report for programs: one JSON object and a line end.
std::string json_report(const Result& result);

}  // namespace lab
