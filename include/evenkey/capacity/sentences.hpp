// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

namespace evenkey::capacity::detail {

/// 1234567 as `1,234,567`, whatever the locale.
inline std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3; at -= 3)
    text.insert(at - 3, ",");
  return text;
}

/// A figure for a sentence: whole from 100 up, one digit behind the point below.
inline std::string figure(double number) {
  if (number >= 1e15) return "more than 10^15";
  if (number >= 100) return grouped(static_cast<std::uint64_t>(std::llround(number)));
  const long long tenths = std::llround(number * 10);
  if (tenths % 10 == 0) return std::to_string(tenths / 10);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
}

inline std::string percent(double part) {
  if (part > 0 && part < 0.0005) return "less than 0.1 %";
  return figure(part * 100) + " %";
}

}  // namespace evenkey::capacity::detail
