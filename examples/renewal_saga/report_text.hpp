// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

#include "figures.hpp"

namespace lab {

/// The report for people: tables that fit 100 columns, then the verdict.
std::string text_report(const Result& result);

}  // namespace lab
