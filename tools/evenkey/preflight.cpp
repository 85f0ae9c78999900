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
  const Target target = open(options);
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
  for (const dynamodb::IndexDescription& other : table.indexes)
    if (other.name != index.name && projects(other, target.names.partition_key))
      notes.push_back("the index " + other.name + " holds " + target.names.partition_key +
                      ": each move is a write on it too");
  if (index.warm_write_units != 0)
    notes.push_back("the index bears " + std::to_string(index.warm_write_units) +
                    " write units a second at once (warm throughput)");
  else
    notes.push_back("warm throughput: the server does not say");
  if (table.billing_mode == "PROVISIONED")
    notes.push_back("capacity is provisioned: a backfill shares it with the application");
  print(options, {{"table", table.name},
                  {"items", table.item_count},
                  {"bytes", table.size_bytes},
                  {"billing", table.billing_mode},
                  {"index", index.name},
                  {"partition_key", target.names.partition_key},
                  {"sort_key", target.names.sort_key},
                  {"projection", index.projection},
                  {"notes", notes},
                  {"problems", problems},
                  {"ready", problems.empty()}});
  return problems.empty() ? 0 : 1;
}

}  // namespace evenkey_cli
