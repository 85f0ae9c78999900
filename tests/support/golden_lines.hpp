// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace support {

/// The lines of a golden file by their fields: tabs between, `\n` for a line feed, comments left out.
inline std::vector<std::vector<std::string>> golden_lines(std::string_view name) {
  std::ifstream file(EVENKEY_TEST_DATA_DIR "/" + std::string(name));
  if (!file) throw std::runtime_error("no golden file " + std::string(name));
  std::vector<std::vector<std::string>> lines;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    std::vector<std::string> fields(1);
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '\t') {
        fields.emplace_back();
      } else if (line[i] == '\\' && i + 1 < line.size() && line[i + 1] == 'n') {
        fields.back() += '\n';
        ++i;
      } else {
        fields.back() += line[i];
      }
    }
    lines.push_back(std::move(fields));
  }
  return lines;
}

}  // namespace support
