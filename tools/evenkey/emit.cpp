// SPDX-License-Identifier: BSL-1.0
#include "emit.hpp"

#include <evenkey/capacity/expected_lift.hpp>
#include <evenkey/capacity/load.hpp>
#include <evenkey/capacity/physical_partitions.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "output.hpp"

namespace evenkey_cli {

namespace {

namespace capacity = evenkey::capacity;

/// Units a second; 0: as a new index has them.
struct Warm {
  std::uint64_t read_units = 0;
  std::uint64_t write_units = 0;
};

// What a new index on demand has, less than which cannot be asked for.
constexpr double least_read_units = 12'000;
constexpr double least_write_units = 4'000;

std::uint64_t rounded_up(double units) { return static_cast<std::uint64_t>(std::ceil(units)); }

/// So much that the shards find enough physical partitions at once. One of the two settings makes these; the
/// other is what the load itself needs, since each unit is paid for.
Warm warm_throughput(const capacity::Workload& workload, const capacity::Recommendation& answer) {
  if (answer.advice != capacity::Advice::shard) return {};
  // As all partitions bear it together: a listing costs every shard half a unit at least.
  const capacity::Demand on_each = capacity::demand_on(workload.load, 1.0 / answer.shards);
  const double reads = on_each.read_units * answer.shards;
  const double writes = on_each.write_units * answer.shards;
  const capacity::Limits limits;
  const double lift = capacity::utilisation({reads, writes}, limits);
  const double reachable = answer.shards == 1 ? 1.0 : 0.9 * answer.shards;
  const capacity::Demand whole = capacity::warm_throughput_for(answer.shards, (std::min)(lift, reachable));
  const bool by_writes = writes / limits.write_units >= reads / limits.read_units;
  return {rounded_up((std::max)(least_read_units, by_writes ? reads : whole.read_units)),
          rounded_up((std::max)(least_write_units, by_writes ? whole.write_units : writes))};
}

/// Text between double quotes; of Terraform, where `${` and `%{` begin a template.
std::string quoted(const std::string& text, bool templates_too = false) {
  std::string made = Json(text).dump();
  if (!templates_too) return made;
  for (const char* begins : {"${", "%{"})
    for (std::size_t at = made.find(begins); at != std::string::npos; at = made.find(begins, at + 3))
      made.insert(at, 1, made[at]);
  return made;
}

std::string terraform(const Options& options, Warm warm) {
  const auto text = [](const std::string& name) { return quoted(name, true); };
  std::string made = "# Into resource \"aws_dynamodb_table\" of " + Json(options.table).dump() + ":\n";
  const auto attribute = [&](const std::string& name, const std::string& type) {
    made += "attribute {\n  name = " + text(name) + "\n  type = " + text(type) + "\n}\n\n";
  };
  attribute(options.pk_attribute, "S");
  if (!options.sk_attribute.empty()) attribute(options.sk_attribute, options.sk_type);
  made += "global_secondary_index {\n  name            = " + text(options.index) +
          "\n  hash_key        = " + text(options.pk_attribute) + "\n";
  if (!options.sk_attribute.empty()) made += "  range_key       = " + text(options.sk_attribute) + "\n";
  made += "  projection_type = \"ALL\"\n";
  if (warm.read_units != 0)
    made += "\n  warm_throughput {\n    read_units_per_second  = " + std::to_string(warm.read_units) +
            "\n    write_units_per_second = " + std::to_string(warm.write_units) + "\n  }\n";
  return made + "}\n";
}

std::string cdk(const Options& options, Warm warm) {
  const auto type_name = [](const std::string& type) {
    return std::string("dynamodb.AttributeType.") + (type == "N"   ? "NUMBER"
                                                     : type == "B" ? "BINARY"
                                                                   : "STRING");
  };
  const auto key = [&](const std::string& name, const std::string& type) {
    return "{ name: " + quoted(name) + ", type: " + type_name(type) + " },\n";
  };
  std::string made =
      "// import { aws_dynamodb as dynamodb } from \"aws-cdk-lib\"; table is the dynamodb.Table of " +
      quoted(options.table) + "\ntable.addGlobalSecondaryIndex({\n  indexName: " + quoted(options.index) +
      ",\n  partitionKey: " + key(options.pk_attribute, "S");
  if (!options.sk_attribute.empty()) made += "  sortKey: " + key(options.sk_attribute, options.sk_type);
  made += "  projectionType: dynamodb.ProjectionType.ALL,\n";
  if (warm.read_units != 0)
    made += "  warmThroughput: { readUnitsPerSecond: " + std::to_string(warm.read_units) +
            ", writeUnitsPerSecond: " + std::to_string(warm.write_units) + " },\n";
  return made + "});\n";
}

std::string cli(const Options& options, Warm warm) {
  Json units = {{"ReadUnitsPerSecond", warm.read_units}, {"WriteUnitsPerSecond", warm.write_units}};
  Json input{{"TableName", options.table}};
  if (options.existing) {
    input["GlobalSecondaryIndexUpdates"] =
        Json::array({Json{{"Update", {{"IndexName", options.index}, {"WarmThroughput", std::move(units)}}}}});
    return input.dump(2) + "\n";
  }
  Json attributes = Json::array();
  Json keys = Json::array();
  const auto add = [&](const std::string& name, const std::string& type, const char* role) {
    attributes.push_back({{"AttributeName", name}, {"AttributeType", type}});
    keys.push_back({{"AttributeName", name}, {"KeyType", role}});
  };
  add(options.pk_attribute, "S", "HASH");
  if (!options.sk_attribute.empty()) add(options.sk_attribute, options.sk_type, "RANGE");
  Json create{{"IndexName", options.index},
              {"KeySchema", std::move(keys)},
              {"Projection", {{"ProjectionType", "ALL"}}}};
  if (warm.read_units != 0) create["WarmThroughput"] = std::move(units);
  input["AttributeDefinitions"] = std::move(attributes);
  input["GlobalSecondaryIndexUpdates"] = Json::array({Json{{"Create", std::move(create)}}});
  return input.dump(2) + "\n";
}

}  // namespace

int emit(const Options& options, const capacity::Workload& workload, const capacity::Recommendation& answer) {
  using capacity::Advice;
  if (options.table.empty() || options.index.empty() || options.pk_attribute.empty())
    throw usage_error(
        "--emit needs --table, --index and --pk-attribute, and --sk-attribute where there is one");
  for (const std::string& reason : answer.reasons)
    note(reason);
  if (answer.advice != Advice::shard && answer.advice != Advice::do_not_shard &&
      answer.advice != Advice::make_sparse) {
    note("so no such index is the answer, and none is printed");
    return 1;
  }
  const Warm warm = warm_throughput(workload, answer);
  if (warm.read_units == 0 && options.existing) {
    note("so the index needs no warm throughput, and nothing is printed");
    return 0;
  }
  if (warm.read_units != 0)
    note("Warm throughput is paid for once, and cannot be taken back: look at the price before.");
  print_text(options.emit == "terraform" ? terraform(options, warm)
             : options.emit == "cdk"     ? cdk(options, warm)
                                         : cli(options, warm));
  return 0;
}

}  // namespace evenkey_cli
