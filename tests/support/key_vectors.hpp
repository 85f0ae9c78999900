// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "support/shard_vectors.hpp"

// The rows of tests/golden/keys.tsv, made with another implementation than the one tested.
// docs/format/keys.md says what its columns hold.
namespace support {

struct KeyVector {
  std::string parameter;
  std::string value;
  std::string text;
};

/// The rows of one kind; never none, or a test would pass without having tested.
inline std::vector<KeyVector> read_key_vectors(std::string_view kind) {
  std::ifstream file(EVENKEY_TEST_DATA_DIR "/keys.tsv");
  std::vector<KeyVector> rows;
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> cells = cells_of(line);
    if (cells.size() != 4) throw std::runtime_error("keys.tsv: a row of another width: " + line);
    if (cells[0] == kind) rows.push_back({cells[1], cells[2], cells[3]});
  }
  if (rows.empty()) throw std::runtime_error("no such rows in " EVENKEY_TEST_DATA_DIR "/keys.tsv");
  return rows;
}

}  // namespace support
