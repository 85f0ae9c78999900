// SPDX-License-Identifier: BSL-1.0
//
// `plan --emit`: the index, and the warm throughput that it needs from its first minute, as the text that other
// tools take.
#include "emit.hpp"

#include <evenkey/capacity/load.hpp>

#include <algorithm>
#include <cmath>
#include <string>

#include "output.hpp"

namespace evenkey_cli {

namespace {

namespace capacity = evenkey::capacity;

/// What an index on demand has without being asked; a table refuses less.
constexpr double least_read_units = 12'000;
constexpr double least_write_units = 4'000;

struct Warm {
  long long read_units;
  long long write_units;
};

/// All shards together, each no fuller than the plan's target.
Warm warm_throughput(const capacity::Load& load, std::uint32_t shards, double target) {
  const capacity::Demand each = capacity::demand_on(load, 1.0 / shards);
  const auto whole = [&](double units, double least) {
    return static_cast<long long>((std::max)(std::ceil(units * shards / target), least));
  };
  return {whole(each.read_units, least_read_units), whole(each.write_units, least_write_units)};
}

struct Names {
  std::string table, index, partition_key, sort_key;
  bool number_sort_key;
};

/// Text within quotes, of any of the three languages: names of DynamoDB's have none of what would end it.
std::string quoted(const std::string& text) { return '"' + text + '"'; }

void require_plain(const std::string& name, const char* option) {
  for (const char c : name)
    if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') && c != '_' &&
        c != '-' && c != '.' && c != ':' && c != '/')
      throw usage_error(std::string(option) +
                        " has a character that no such name of DynamoDB's needs: " + name);
}

std::string terraform(const Names& names, const Warm& warm) {
  std::string text = "# In resource \"aws_dynamodb_table\" " + quoted(names.table) + ":\n";
  const auto attribute = [&](const std::string& name, const char* type) {
    text += "attribute {\n  name = " + quoted(name) + "\n  type = " + quoted(type) + "\n}\n";
  };
  attribute(names.partition_key, "S");
  if (!names.sort_key.empty()) attribute(names.sort_key, names.number_sort_key ? "N" : "S");
  text += "global_secondary_index {\n  name            = " + quoted(names.index) +
          "\n  hash_key        = " + quoted(names.partition_key) + "\n";
  if (!names.sort_key.empty()) text += "  range_key       = " + quoted(names.sort_key) + "\n";
  text += "  projection_type = \"ALL\"\n  warm_throughput {\n    read_units_per_second  = " +
          std::to_string(warm.read_units) +
          "\n    write_units_per_second = " + std::to_string(warm.write_units) + "\n  }\n}\n";
  return text;
}

std::string cdk(const Names& names, const Warm& warm) {
  std::string text = "// For the TableV2 of " + quoted(names.table) +
                     ":\ntable.addGlobalSecondaryIndex({\n  indexName: " + quoted(names.index) +
                     ",\n  partitionKey: { name: " + quoted(names.partition_key) +
                     ", type: dynamodb.AttributeType.STRING },\n";
  if (!names.sort_key.empty())
    text += "  sortKey: { name: " + quoted(names.sort_key) + ", type: dynamodb.AttributeType." +
            (names.number_sort_key ? "NUMBER" : "STRING") + " },\n";
  return text + "  projectionType: dynamodb.ProjectionType.ALL,\n  warmThroughput: { readUnitsPerSecond: " +
         std::to_string(warm.read_units) + ", writeUnitsPerSecond: " + std::to_string(warm.write_units) +
         " },\n});\n";
}

/// Compact JSON within single quotes, which no name that is let through contains.
std::string cli(const Names& names, const Warm& warm) {
  const Json throughput{{"ReadUnitsPerSecond", warm.read_units}, {"WriteUnitsPerSecond", warm.write_units}};
  Json attributes = Json::array({{{"AttributeName", names.partition_key}, {"AttributeType", "S"}}});
  Json schema = Json::array({{{"AttributeName", names.partition_key}, {"KeyType", "HASH"}}});
  if (!names.sort_key.empty()) {
    attributes.push_back(
        {{"AttributeName", names.sort_key}, {"AttributeType", names.number_sort_key ? "N" : "S"}});
    schema.push_back({{"AttributeName", names.sort_key}, {"KeyType", "RANGE"}});
  }
  const Json create = Json::array({{{"Create",
                                     {{"IndexName", names.index},
                                      {"KeySchema", schema},
                                      {"Projection", {{"ProjectionType", "ALL"}}},
                                      {"WarmThroughput", throughput}}}}});
  const Json update =
      Json::array({{{"Update", {{"IndexName", names.index}, {"WarmThroughput", throughput}}}}});
  const std::string command = "aws dynamodb update-table --table-name " + names.table;
  return "# A new index:\n" + command + " \\\n  --attribute-definitions '" + attributes.dump() +
         "' \\\n  --global-secondary-index-updates '" + create.dump() +
         "'\n# Or, where the index is there:\n" + command + " \\\n  --global-secondary-index-updates '" +
         update.dump() + "'\n";
}

}  // namespace

std::string emit_index(const Options& options, const capacity::Load& load, std::uint32_t shards) {
  const Names names{options.table, options.index, options.pk_attribute, options.sk_attribute,
                    options.sk_type == "N"};
  for (const auto& [name, option] : {std::pair{&names.table, "--table"},
                                     {&names.index, "--index"},
                                     {&names.partition_key, "--pk-attribute"}}) {
    if (name->empty()) throw usage_error(std::string("--emit needs ") + option);
    require_plain(*name, option);
  }
  require_plain(names.sort_key, "--sk-attribute");
  const Warm warm = warm_throughput(load, shards, options.target);
  if (options.emit == "terraform") return terraform(names, warm);
  return options.emit == "cdk" ? cdk(names, warm) : cli(names, warm);
}

}  // namespace evenkey_cli
