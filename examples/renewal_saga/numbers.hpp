// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string>

namespace lab {

/// 1234567 as `1,234,567`, whatever the locale.
std::string grouped(std::uint64_t number);
/// Rounded to the nearest whole number, and grouped.
std::string whole(double number);
/// With that many digits behind the point, from 0 to 3, whatever the locale.
std::string fixed(double number, int digits);
/// part / all as `8.7%`.
std::string percent(double part, double all, int digits);
/// `1 partition`, `16 partitions`.
std::string counted(std::uint64_t number, const std::string& noun);

}  // namespace lab
