// SPDX-License-Identifier: BSL-1.0
#include <algorithm>

#include "commands.hpp"
#include "output.hpp"
#include "target.hpp"

namespace evenkey_cli {

namespace {

bool projects(const dynamodb::IndexDescription& index, const std::string& attribute) {
  return index.projection == "ALL" || attribute == index.keys.partition_key ||
         attribute == index.keys.sort_key ||
         std::find(index.projected.begin(), index.projected.end(), attribute) != index.projected.end();
}

}  // namespace

int preflight(const Options& options) {
  const Target target = open(options, VisibilityIs::unused, Looks::at_whatever_is_there);
  const dynamodb::TableDescription& table = target.table;
  const dynamodb::IndexDescription& index = *table.index(target.names.index);
  std::vector<std::string> problems, notes;
  if (table.status != "ACTIVE") problems.push_back("the table is " + table.status);
  if (!index.status.empty() && index.status != "ACTIVE") problems.push_back("the index is " + index.status);
  const std::string& id = target.names.shard_by;
  if (!projects(index, id) && id != table.keys.partition_key && id != table.keys.sort_key)
    problems.push_back("the index projects " + index.projection + " and not " + id +
                       ": reads of it, parity and watch cannot tell a row's shard");
  if (!table.stream_view.empty())
    notes.push_back("the table has a stream (" + table.stream_view +
                    "): each moved row is a MODIFY record for its consumers");
  for (const std::string& region : table.replicas)
    notes.push_back("the table has a replica in " + region +
                    ": each move is written there too, and movers may run in one Region alone");
  // Both ends of a move are entries of the index; any other that holds the attribute is written too.
  std::vector<std::string> others;
  for (const auto* indexes : {&table.indexes, &table.local_indexes})
    for (const dynamodb::IndexDescription& other : *indexes)
      if (other.name != index.name && projects(other, target.names.partition_key))
        others.push_back(other.name);
  for (const std::string& other : others)
    notes.push_back("the index " + other + " holds " + target.names.partition_key +
                    ": each move is a write on it too");
  Json warm = nullptr;
  if (index.warm_write_units != 0) {
    notes.push_back("the index bears " + std::to_string(index.warm_write_units) +
                    " write units a second at once (warm throughput)");
    warm = {{"read_units", index.warm_read_units}, {"write_units", index.warm_write_units}};
  } else {
    notes.push_back("warm throughput: the server does not say");
  }
  if (table.billing_mode == "PROVISIONED")
    notes.push_back("capacity is provisioned: a backfill shares it with the application");
  print(options, {{"table", table.name},
                  {"items", table.item_count},
                  {"bytes", table.size_bytes},
                  {"billing", table.billing_mode},
                  {"stream", table.stream_view},
                  {"replicas", table.replicas},
                  {"index", index.name},
                  {"index_status", index.status},
                  {"partition_key", target.names.partition_key},
                  {"sort_key", target.names.sort_key},
                  {"projection", index.projection},
                  {"warm_throughput", std::move(warm)},
                  {"other_indexes_written", others},
                  {"writes_of_a_move", (3 + others.size()) * (1 + table.replicas.size())},
                  {"notes", notes},
                  {"problems", problems},
                  {"ready", problems.empty()}});
  return problems.empty() ? 0 : 1;
}

}  // namespace evenkey_cli
