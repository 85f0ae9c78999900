// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "runtime_keys.hpp"

namespace evenkey_cli {

/// What was asked for cannot be: exit status 2.
class usage_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What `make` gives; what the library refuses of it is wrong in the command line.
template <class Make>
auto from_command_line(Make make) {
  try {
    return make();
  } catch (const std::invalid_argument& error) {  // key_error is one
    throw usage_error(error.what());
  }
}

/// What the command line says, for all commands.
struct Options {
  bool json = false;

  // The layout, and where rows come from.
  std::string prefix;
  std::uint32_t shards = 0;
  std::uint32_t generation = 0;
  std::uint32_t width = 0;
  std::string separator = "#";
  HashChoice hash = HashChoice::xxh3_64;
  PlacementChoice placement = PlacementChoice::modulo;
  std::string from;  // a constant key; empty: the prefix
  std::uint32_t from_shards = 0;
  std::uint32_t from_generation = 0;
  bool second_index = false;  // rows have no key of it yet

  // The table.
  std::string table;
  std::string index;
  std::string pk_attribute;  // empty: as the table's description says
  std::string sk_attribute;
  std::string shard_by;
  std::string state_table;  // empty: the table itself
  std::string endpoint_url;
  std::string region;
  unsigned timeout_ms = 10'000;
  unsigned max_attempts = 4;
  bool insert_visible_first = false;
  unsigned visible_within_ms = 0;

  // How to go through it.
  bool back = false;
  bool execute = false;
  std::string writers_drained_at;
  std::uint32_t segments = 0;  // 0: as many as suit the command
  std::size_t concurrency = 4;
  std::uint32_t page_limit = 0;
  double index_partition_write_units = 500;
  double table_write_units = 2000;
  double read_units = 1000;
  bool restart = false;
  bool only_mover_region = false;
  unsigned hosts = 1;  // that share a backfill
  std::string host;    // empty: made up
  unsigned lease_ms = 30'000;

  // Single commands.
  std::vector<std::string> ids;
  std::string phase;
  std::string token;
  std::string id;
  std::size_t limit = 0;
  bool descending = false;
  std::string sk_begins_with, sk_from, sk_to;  // empty: no bound
  bool count_all = false;
  std::size_t polls = 1;
  unsigned interval_ms = 60'000;

  // shard, spread and plan
  std::string ids_file;  // empty: none; -: stdin
  std::string emit;      // empty: nothing; terraform, cdk or cli
  bool existing = false;
  std::string sk_type = "S";
  double writes = 0, queries = 0, listings = 0, hottest_id_share = 0, target = 0.7;
  std::uint64_t write_bytes = 1024, query_bytes = 1024, listing_bytes = 4096, distinct_ids = 0;
};

inline RuntimeKeys destination_of(const Options& options) {
  if (options.separator.size() != 1) throw usage_error("--separator is one character");
  return from_command_line([&] {
    return RuntimeKeys::sharded(
        options.prefix, options.shards,
        {.separator = options.separator[0], .width = options.width, .generation = options.generation},
        options.hash, options.placement);
  });
}

/// Of a scan that one program makes.
inline std::uint32_t segments_of(const Options& options) {
  return options.segments == 0 ? 4 : options.segments;
}

inline RuntimeKeys source_of(const Options& options) {
  const std::string& from = options.from.empty() ? options.prefix : options.from;
  return from_command_line([&] {
    if (options.from_shards == 0) return RuntimeKeys::constant(from);
    return RuntimeKeys::sharded(
        from, options.from_shards,
        {.separator = options.separator[0], .width = options.width, .generation = options.from_generation},
        options.hash, options.placement);
  });
}

}  // namespace evenkey_cli
