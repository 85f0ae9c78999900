// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attribute_value.hpp"
#include "config.hpp"
#include "error.hpp"
#include "http.hpp"

namespace dynamodb {

enum class Consistency { eventual, strong };
enum class ScanForward { yes, no };
enum class Selected { items, count };

/// Placeholders of expressions and what they stand for. DynamoDB refuses those that no expression uses.
struct Placeholders {
  std::map<std::string, std::string> names = {};
  Item values = {};
};

// What is empty in an input is left out of the request. Source: AWS API reference, by the operation's name.

struct QueryInput {
  std::string table;
  std::string index = {};
  std::string key_condition;
  std::string filter = {};
  std::string projection = {};
  Placeholders placeholders = {};
  Item exclusive_start_key = {};
  std::optional<std::uint32_t> limit = {};
  ScanForward forward = ScanForward::yes;
  Selected select = Selected::items;
  Consistency consistency = Consistency::eventual;
};

struct ScanInput {
  std::string table;
  std::string index = {};
  std::string filter = {};
  std::string projection = {};
  Placeholders placeholders = {};
  Item exclusive_start_key = {};
  std::optional<std::uint32_t> limit = {};
  std::uint32_t segment = 0;
  std::uint32_t total_segments = 1;
  Consistency consistency = Consistency::eventual;
};

/// A page of a query or a scan.
struct ItemsOutput {
  std::vector<Item> items;
  Item last_evaluated_key;  // empty: the end
  std::size_t count = 0;
  std::size_t scanned_count = 0;
  double consumed_units = 0;
  std::string request_id;
};

/// Of one BatchGetItem.
struct BatchGetOutput {
  std::vector<Item> items;
  std::vector<Item> unprocessed_keys;
  double consumed_units = 0;
  std::string request_id;
};

/// Of UpdateItem, PutItem and DeleteItem.
struct WriteInput {
  std::string table;
  /// The key; of PutItem the whole item.
  Item item;
  std::string update = {};  // UpdateItem alone
  std::string condition = {};
  Placeholders placeholders = {};
};
struct WriteOutput {
  double consumed_units = 0;
  std::string request_id;
};

struct KeySchema {
  std::string partition_key;
  std::string sort_key = {};  // empty: none
};

struct IndexDescription {
  std::string name;
  std::string status;
  KeySchema keys;
  std::string projection;  // ALL, KEYS_ONLY or INCLUDE
  std::vector<std::string> projected;
  std::size_t warm_read_units = 0;  // what it bears at once; 0: the server does not say
  std::size_t warm_write_units = 0;
};

struct TableDescription {
  std::string name;
  std::string status;
  KeySchema keys;
  /// `S`, `N` or `B`, of every attribute that is part of a key.
  std::map<std::string, std::string> attribute_types;
  std::vector<IndexDescription> indexes;        // global
  std::vector<IndexDescription> local_indexes;  // without a status and throughput of their own
  std::size_t item_count = 0;                   // of some hours ago
  std::size_t size_bytes = 0;
  std::string billing_mode;  // PROVISIONED or PAY_PER_REQUEST
  std::string stream_view;   // empty: no stream
  std::vector<std::string> replicas;

  const IndexDescription* index(std::string_view wanted) const noexcept {
    for (const IndexDescription& each : indexes)
      if (each.name == wanted) return &each;
    return nullptr;
  }
};

/// A table to be made, on demand: with global indexes that project all. Types are those of key attributes;
/// `S` where none is said.
struct CreateTableInput {
  std::string table;
  KeySchema keys;
  std::vector<IndexDescription> indexes = {};
  std::map<std::string, std::string> attribute_types = {};
};

/// A small client of DynamoDB, made to be copied into a program that has none.
///
/// Errors: all of it throws `Error`, after at most `Config::max_attempts` tries of what was throttled or lost
/// on the way, with full jitter between them. A write that ended so may have been applied. An answer without
/// what every answer has (`Items`, or the `Count` that was asked for; `Responses`; `UnprocessedItems`) is
/// `InvalidResponse`, and tried again: it says nothing, and that is not "there is nothing".
/// Threads: any number; each request has a handle of its own.
class Client {
 public:
  explicit Client(Config config) : http_(std::make_shared<const Http>(std::move(config))) {}
  /// By the environment and the profile files.
  Client() : Client(load_config()) {}

  ItemsOutput query(const QueryInput& input, const CallOptions& options = {}) const;
  ItemsOutput scan(const ScanInput& input, const CallOptions& options = {}) const;

  std::optional<Item> get(const std::string& table, const Item& key,
                          Consistency consistency = Consistency::eventual,
                          const CallOptions& options = {}) const;
  WriteOutput put(const WriteInput& input, const CallOptions& options = {}) const;
  WriteOutput update(const WriteInput& input, const CallOptions& options = {}) const;
  WriteOutput remove(const WriteInput& input, const CallOptions& options = {}) const;

  /// Any number of keys, a hundred a request; what the server leaves over is asked for again, later.
  /// Order: none. Keys without an item give none.
  std::vector<Item> batch_get(const std::string& table, const std::vector<Item>& keys,
                              Consistency consistency = Consistency::eventual,
                              const CallOptions& options = {}) const;
  /// At most a hundred keys, none of them twice, in one request; what the server leaves over is given back.
  BatchGetOutput batch_get_once(const std::string& table, std::span<const Item> keys,
                                Consistency consistency = Consistency::eventual,
                                const CallOptions& options = {}) const;
  /// Any number of puts and deletes, 25 a request; what the server leaves over is sent again, later.
  void batch_write(const std::string& table, const std::vector<Item>& puts,
                   const std::vector<Item>& deleted_keys = {}, const CallOptions& options = {}) const;

  void create_table(const CreateTableInput& input) const;
  TableDescription describe_table(const std::string& table) const;
  void delete_table(const std::string& table) const;

  const Config& config() const noexcept { return http_->config(); }

 private:
  std::shared_ptr<const Http> http_;
};

}  // namespace dynamodb
