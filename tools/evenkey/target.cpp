// SPDX-License-Identifier: BSL-1.0
#include "target.hpp"

#include <algorithm>
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
  config.connect_timeout = (std::min)(config.connect_timeout, config.request_timeout);
  config.max_attempts = options.max_attempts;
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

TableNames names_said(const Options& options) {
  return {options.index, options.pk_attribute, options.sk_attribute, options.shard_by, {}};
}

Target open(const Options& options, VisibilityIs visibility, Looks looks) {
  if (options.second_index) {
    (void)second_index_of(options, names_said(options));
  } else {
    (void)migration_of(options, names_said(options), visibility);
  }
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
  const auto usable = [](const std::string& status) {
    return status.empty() || status == "ACTIVE" || status == "UPDATING";
  };
  if (looks == Looks::at_what_is_ready && !usable(table.status))
    throw std::runtime_error("the table " + options.table + " is " + table.status +
                             (table.status == "DELETING" ? "" : ": wait until it is ACTIVE"));
  if (looks == Looks::at_what_is_ready && !usable(index->status))
    throw std::runtime_error("the index " + options.index + " is " + index->status +
                             (index->status == "DELETING" ? "" : ": wait until it is ACTIVE"));
  require_name(options.pk_attribute, index->keys.partition_key, "--pk-attribute", options.index);
  require_name(options.sk_attribute, index->keys.sort_key, "--sk-attribute", options.index);
  TableNames names{options.index,    index->keys.partition_key, index->keys.sort_key,
                   options.shard_by, table.keys.partition_key,  table.keys.sort_key};
  if (const std::string type = type_of(table, names.partition_key); type != "S")
    throw std::runtime_error("the index's partition key " + names.partition_key + " is of type " + type +
                             ", and evenkey's keys are text (S)");
  if (options.shard_by == names.partition_key)
    throw std::runtime_error(
        "--shard-by " + options.shard_by +
        " is the index's own partition key: name the attribute of the id that is hashed");
  std::string sort_key_type = names.sort_key.empty() ? std::string() : type_of(table, names.sort_key);
  return {std::move(client), std::move(table), std::move(names), std::move(sort_key_type)};
}

StatePlace Target::state(const Options& options) const {
  if (options.state_table.empty() || options.state_table == table.name) return {client, table};
  return {client, client.describe_table(options.state_table)};
}

Migration migration_of(const Options& options, const TableNames& names, VisibilityIs visibility) {
  evenkey::Visibility assumed = evenkey::insert_visible_first;
  if (options.visible_within_ms != 0)
    assumed = from_command_line(
        [&] { return evenkey::visible_within(std::chrono::milliseconds(options.visible_within_ms)); });
  else if (!options.insert_visible_first && visibility == VisibilityIs::needed)
    throw usage_error(
        "say what is assumed of the index: --visible-within-ms N, or --insert-visible-first (see "
        "docs/migration.md)");
  try {
    Migration forward({names, destination_of(options)}, source_of(options), assumed);
    if (options.back) return forward.reversed();
    return forward;
  } catch (const evenkey::migration_error& error) {
    throw usage_error(error.what());
  }
}

SecondIndex second_index_of(const Options& options, const TableNames& names) {
  if (options.back) refuse_for_second_index("--back", "it has no way back: readers read the old index again");
  if (!options.from.empty() || options.from_shards != 0 || options.from_generation != 0)
    refuse_for_second_index("--from", "its rows come from no key: leave --from and its kin away");
  // Rows never leave the old index, so that nothing is assumed of its lag.
  return SecondIndex({names, destination_of(options)}, evenkey::Unstamped{}, destination_of(options),
                     evenkey::insert_visible_first);
}

void refuse_for_second_index(const std::string& what, const std::string& why) {
  throw usage_error(what + " does not go with --second-index: " + why);
}

bool all_rows_have_ids(const Target& target) {
  const std::size_t without = target.without_id->load();
  if (without == 0) return true;
  note("evenkey: " + std::to_string(without) + " rows have " + target.names.partition_key +
       " but no text in " + target.names.shard_by + ", so no shard follows for them: is --shard-by right?");
  return false;
}

}  // namespace evenkey_cli
