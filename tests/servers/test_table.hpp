// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "client.hpp"
#include "functors.hpp"
#include "patient_client.hpp"
#include "runtime_index.hpp"

namespace servers {

using dynamodb::Client;
using dynamodb::Item;
using evenkey_cli::RuntimeKeys;
using TextIndex = evenkey_cli::RuntimeIndex<evenkey_cli::TextSortKey>;
using NumberIndex = evenkey_cli::RuntimeIndex<evenkey_cli::NumberSortKey>;

/// Which server this is: `dynalite` or `moto`.
inline std::string server_name() {
  const char* name = std::getenv("EVENKEY_SERVER");
  return name == nullptr ? "unknown" : name;
}

/// A table `id` with the index `by-type` over `gsi_pk` and `gsi_sk`, for as long as a test runs.
class TestTable {
 public:
  explicit TestTable(std::string_view sort_key_type = "S", std::string_view table_sort_key = "") {
    static std::atomic<int> made = 0;
    name_ = "evenkey-" + std::to_string(std::chrono::steady_clock::now().time_since_epoch().count()) + "-" +
            std::to_string(++made);
    names_ = {"by-type", "gsi_pk", "gsi_sk", "person", "id", std::string(table_sort_key)};
    dynamodb::IndexDescription index;
    index.name = names_.index;
    index.keys = {names_.partition_key, names_.sort_key};
    client_.create_table({.table = name_,
                          .keys = {"id", names_.table_sort_key},
                          .indexes = {index},
                          .attribute_types = {{"gsi_sk", std::string(sort_key_type)}}});
    for (int looks = 0; looks < 200 && client_.describe_table(name_).status != "ACTIVE"; ++looks)
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  TestTable(const TestTable&) = delete;
  TestTable& operator=(const TestTable&) = delete;
  ~TestTable() {
    try {
      client_.delete_table(name_);
    } catch (const std::exception&) {
      // The server is gone, and the table with it.
    }
  }

  const Client& client() const noexcept { return client_; }
  const std::string& name() const noexcept { return name_; }
  const evenkey_cli::TableNames& names() const noexcept { return names_; }

  auto query() const {
    return dynamodb::query_functor(client_, name_, {names_.partition_key, names_.sort_key});
  }
  auto scan() const { return dynamodb::scan_functor(client_, name_); }
  auto restamp() const {
    return dynamodb::restamp_functor<Item>(
        client_, name_, names_.partition_key,
        [names = names_](const Item& item) { return evenkey_cli::table_key(names, item); });
  }

 private:
  Client client_ = patient_client();
  std::string name_;
  evenkey_cli::TableNames names_;
};

inline evenkey::QueryRequest<Item> request_for(std::string_view partition_key) {
  evenkey::QueryRequest<Item> request;
  request.index_name = "by-type";
  request.partition_key = partition_key;
  return request;
}

inline Item row(std::string_view id, std::string_view person, std::string_view partition_key,
                dynamodb::AttributeValue sort_key) {
  return {{"id", id}, {"person", person}, {"gsi_pk", partition_key}, {"gsi_sk", std::move(sort_key)}};
}

inline std::string id_of(const Item& item) { return std::string(dynamodb::text_of(item, "id")); }

inline std::vector<std::string> ids_of(const std::vector<Item>& items) {
  std::vector<std::string> ids;
  for (const Item& item : items)
    ids.push_back(id_of(item));
  return ids;
}

}  // namespace servers
