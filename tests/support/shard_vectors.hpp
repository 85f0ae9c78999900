// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

// The rows of tests/golden/shards.tsv: ids, their hashes, and the shards that placements give them. The file
// was made with another implementation than the one tested; docs/format/hash.md says what its columns hold.
namespace support {

struct ShardVector {
  std::string id;
  std::uint64_t xxh3_64 = 0;
  std::uint64_t xxh64 = 0;
  std::map<std::uint32_t, std::uint32_t> mod;   // by shard count
  std::map<std::uint32_t, std::uint32_t> jump;  // by shard count
};

inline std::string bytes_of_hex(const std::string& hex) {
  std::string bytes;
  if (hex == "-") return bytes;
  for (std::size_t at = 0; at + 1 < hex.size(); at += 2) {
    bytes.push_back(
        static_cast<char>(static_cast<unsigned char>(std::stoul(hex.substr(at, 2), nullptr, 16))));
  }
  return bytes;
}

inline std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, '\t');)
    cells.push_back(cell);
  return cells;
}

inline std::vector<ShardVector> read_shard_vectors() {
  std::ifstream file(EVENKEY_TEST_DATA_DIR "/shards.tsv");
  std::string line;
  if (!std::getline(file, line)) throw std::runtime_error("cannot read " EVENKEY_TEST_DATA_DIR "/shards.tsv");
  const std::vector<std::string> names = cells_of(line);
  std::vector<ShardVector> rows;
  while (std::getline(file, line)) {
    const std::vector<std::string> cells = cells_of(line);
    if (cells.size() != names.size()) throw std::runtime_error("shards.tsv: a row of another width: " + line);
    ShardVector row;
    for (std::size_t column = 0; column < names.size(); ++column) {
      const std::string& name = names[column];
      const std::string& cell = cells[column];
      const auto number = [&cell](int base) { return std::stoull(cell, nullptr, base); };
      const auto count_in = [&name](std::size_t from) {
        return static_cast<std::uint32_t>(std::stoul(name.substr(from)));
      };
      if (name == "id_hex") {
        row.id = bytes_of_hex(cell);
      } else if (name == "xxh3_64") {
        row.xxh3_64 = number(16);
      } else if (name == "xxh64") {
        row.xxh64 = number(16);
      } else if (name.starts_with("mod")) {
        row.mod[count_in(3)] = static_cast<std::uint32_t>(number(10));
      } else if (name.starts_with("jump")) {
        row.jump[count_in(4)] = static_cast<std::uint32_t>(number(10));
      } else {
        throw std::runtime_error("shards.tsv: a column that no test reads: " + name);
      }
    }
    rows.push_back(row);
  }
  return rows;
}

}  // namespace support
