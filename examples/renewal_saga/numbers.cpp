// SPDX-License-Identifier: BSL-1.0
#include "numbers.hpp"

#include <cmath>

namespace lab {

std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3; at -= 3)
    text.insert(at - 3, 1, ',');
  return text;
}

std::string whole(double number) { return grouped(static_cast<std::uint64_t>(std::llround(number))); }

std::string fixed(double number, int digits) {
  std::uint64_t scale = 1;
  for (int i = 0; i < digits; ++i)
    scale *= 10;
  const auto scaled = static_cast<std::uint64_t>(std::llround(number * static_cast<double>(scale)));
  std::string text = grouped(scaled / scale);
  if (digits > 0) text += "." + std::to_string(scale + scaled % scale).substr(1);
  return text;
}

std::string percent(double part, double all, int digits) {
  return fixed(all > 0 ? 100 * part / all : 0, digits) + "%";
}

std::string counted(std::uint64_t number, const std::string& noun) {
  return grouped(number) + " " + noun + (number == 1 ? "" : "s");
}

}  // namespace lab
