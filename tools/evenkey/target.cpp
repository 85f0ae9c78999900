// SPDX-License-Identifier: BSL-1.0
#include "target.hpp"

#include <chrono>
#include <utility>

#include "output.hpp"

namespace evenkey_cli {

namespace {

/// A setting of the command line goes before one of the environment.
dynamodb::Config config_of(const Options& options) {
  dynamodb::Config config = dynamodb::load_config([&](const char* name) -> std::optional<std::string> {
    if (std::string_view(name) == "AWS_ENDPOINT_URL_DYNAMODB" && !options.endpoint_url.empty())
      return options.endpoint_url;
    if (std::string_view(name) == "AWS_REGION" && !options.region.empty()) return options.region;
    return dynamodb::environment_variable(name);
  });
  config.request_timeout = std::chrono::milliseconds(options.timeout_ms);
  return config;
}

std::string type_of(const dynamodb::TableDescription& table, const std::string& attribute) {
  const auto found = table.attribute_types.find(attribute);
  return found == table.attribute_types.end() ? std::string() : found->second;
}

void require_name(const std::string& said, const std::string& actual, const char* option,
                  const std::string& index) {
  if (!said.empty() && said != actual)
    throw std::runtime_error(std::string(option) + " says " + said + ", and the index " + index + " has " +
                             (actual.empty() ? "none" : actual));
}

}  // namespace

Target open(const Options& options) {
  dynamodb::Client client(config_of(options));
  dynamodb::TableDescription table = client.describe_table(options.table);
  const dynamodb::IndexDescription* index = table.index(options.index);
  if (index == nullptr) {
    std::string there;
    for (const auto& each : table.indexes)
      there += (there.empty() ? "" : ", ") + each.name;
    throw std::runtime_error("the table " + options.table + " has no global index " + options.index +
                             "; it has " + (there.empty() ? "none" : there));
  }
  require_name(options.pk_attribute, index->keys.partition_key, "--pk-attribute", options.index);
  require_name(options.sk_attribute, index->keys.sort_key, "--sk-attribute", options.index);
  TableNames names{options.index,    index->keys.partition_key, index->keys.sort_key,
                   options.shard_by, table.keys.partition_key,  table.keys.sort_key};
  if (const std::string type = type_of(table, names.partition_key); type != "S")
    throw std::runtime_error("the index's partition key " + names.partition_key + " is of type " + type +
                             ", and evenkey's keys are text (S)");
  std::string sort_key_type = names.sort_key.empty() ? std::string() : type_of(table, names.sort_key);
  return {std::move(client), std::move(table), std::move(names), std::move(sort_key_type)};
}

StateItem Target::state(const Options& options, const std::string& what) const {
  const std::string text = "evenkey " + what;
  dynamodb::TableDescription place = table;
  if (!options.state_table.empty() && options.state_table != table.name)
    place = client.describe_table(options.state_table);
  if (type_of(place, place.keys.partition_key) != "S")
    throw std::runtime_error("the key " + place.keys.partition_key + " of the table " + place.name +
                             " is no text, so the tool's state cannot lie there: name another --state-table");
  dynamodb::Item key{{place.keys.partition_key, text}};
  if (!place.keys.sort_key.empty()) {
    const std::string type = type_of(place, place.keys.sort_key);
    if (type == "N") {
      key.emplace(place.keys.sort_key, dynamodb::number(0));
    } else if (type == "B") {
      key.emplace(place.keys.sort_key, dynamodb::Binary{"evenkey"});
    } else {
      key.emplace(place.keys.sort_key, "evenkey");
    }
  }
  return {client, place.name, std::move(key)};
}

Migration migration_of(const Options& options, const Target& target, VisibilityIs visibility) {
  evenkey::Visibility assumed = evenkey::insert_visible_first;
  if (options.visible_within_ms != 0)
    assumed = evenkey::visible_within(std::chrono::milliseconds(options.visible_within_ms));
  else if (!options.insert_visible_first && visibility == VisibilityIs::needed)
    throw usage_error(
        "say what is assumed of the index: --visible-within-ms N, or --insert-visible-first (see "
        "docs/migration.md)");
  Migration forward({target.names, destination_of(options)}, source_of(options), assumed);
  if (options.back) return forward.reversed();
  return forward;
}

bool all_rows_have_ids(const Target& target) {
  const std::size_t without = target.without_id->load();
  if (without == 0) return true;
  note("evenkey: " + std::to_string(without) + " rows have " + target.names.partition_key +
       " but no text in " + target.names.shard_by + ", so no shard follows for them: is --shard-by right?");
  return false;
}

}  // namespace evenkey_cli
