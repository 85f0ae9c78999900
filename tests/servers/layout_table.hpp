// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <chrono>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <thread>

#include "client.hpp"
#include "patient_client.hpp"

namespace servers {

/// A table `id` with one index over two attributes, for as long as a test runs.
class LayoutTable {
 public:
  LayoutTable(std::string_view index_name, dynamodb::KeySchema keys, std::string_view sort_key_type) {
    static std::atomic<int> made = 0;
    name_ = "layout-" + std::to_string(std::chrono::steady_clock::now().time_since_epoch().count()) + "-" +
            std::to_string(++made);
    dynamodb::IndexDescription index;
    index.name = index_name;
    index.keys = keys;
    client_.create_table({.table = name_,
                          .keys = {"id"},
                          .indexes = {index},
                          .attribute_types = {{keys.sort_key, std::string(sort_key_type)}}});
    for (int looks = 0; looks < 200 && client_.describe_table(name_).status != "ACTIVE"; ++looks)
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  LayoutTable(const LayoutTable&) = delete;
  LayoutTable& operator=(const LayoutTable&) = delete;
  ~LayoutTable() {
    try {
      client_.delete_table(name_);
    } catch (const std::exception&) {
      // The server is gone, and the table with it.
    }
  }

  const dynamodb::Client& client() const noexcept { return client_; }
  const std::string& name() const noexcept { return name_; }

 private:
  dynamodb::Client client_ = patient_client();
  std::string name_;
};

/// What the layout's program prints over the table in memory.
inline std::string expected_lines(const std::string& layout) {
  std::ifstream file(std::string(EVENKEY_LAYOUTS_DIR) + "/" + layout + ".expected");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace servers
