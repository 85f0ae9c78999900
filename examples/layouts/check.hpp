// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stdexcept>
#include <string>

/// What a play of a layout must find; the program ends with 1 where it does not.
inline void check(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error("not so: " + what);
}
