// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace support {

/// Texts that differ from a key by little: all endings of up to four characters after each part of it, and
/// each character left out, doubled or changed.
inline std::vector<std::string> close_to(std::string_view key) {
  constexpr std::string_view alphabet = "0123456789 +-#.gx";
  std::vector<std::string> near;
  const std::size_t from = key.size() > 4 ? key.size() - 4 : 0;
  for (std::size_t kept = from; kept <= key.size(); ++kept) {
    near.emplace_back(key.substr(0, kept));
    std::size_t begin = near.size() - 1;
    for (int length = 1; length <= 3; ++length) {
      const std::size_t end = near.size();
      for (; begin < end; ++begin) {
        for (const char c : alphabet)
          near.push_back(near[begin] + c);
      }
    }
  }
  for (std::size_t i = 0; i < key.size(); ++i) {
    const std::string before(key.substr(0, i)), after(key.substr(i + 1));
    near.push_back(before + after);
    near.push_back(before + key[i] + key[i] + after);
    for (const char c : alphabet)
      near.push_back(before + c + after);
  }
  return near;
}

}  // namespace support
