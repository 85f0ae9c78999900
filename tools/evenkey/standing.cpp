// SPDX-License-Identifier: BSL-1.0
//
// What the state in the table says of a backfill, for `status`.
#include "standing.hpp"

#include <evenkey/migrate/standing.hpp>

#include <algorithm>

namespace evenkey_cli {

namespace {

Json json_of(const char* by, const evenkey::BackfillStanding& standing) {
  return {{"by", by},
          {"segments", standing.segments},
          {"segments_read", standing.segments_read},
          {"scanned", standing.counts.scanned},
          {"to_move", standing.counts.to_move},
          {"moved", standing.counts.moved},
          {"failed", standing.failed},
          {"finished", standing.finished}};
}

}  // namespace

Json standing_json(const StatePlace& state, const std::string& migration) {
  ItemCheckpoint checkpoint(state.item("checkpoint " + migration));
  const auto alone = evenkey::backfill_standing(checkpoint);
  ItemLeases leases(state, migration);
  const auto segments = leases.segments();
  if (!segments) return alone ? json_of("one host", *alone) : Json("none");
  const evenkey::BackfillStanding shared = evenkey::backfill_standing(leases, *segments);
  Json json = json_of("hosts", shared);
  Json list = Json::array();
  for (const evenkey::SegmentStanding& each : shared.leases)
    list.push_back({{"segment", each.segment},
                    {"state", evenkey::segment_state_name(each.state)},
                    {"host", each.host},
                    {"token", each.token},
                    {"beat", each.beat}});
  json["leases"] = std::move(list);
  if (alone) json["before_by_one_host"] = json_of("one host", *alone);
  return json;
}

std::vector<std::string> holders(ItemLeases leases) {
  std::vector<std::string> hosts;
  for (const auto& each : evenkey::backfill_standing(leases, leases.segments().value_or(0)).leases)
    if (!each.host.empty() && std::find(hosts.begin(), hosts.end(), each.host) == hosts.end())
      hosts.push_back(each.host);
  return hosts;
}

RowsLeft rows_on(const Target& target, const RuntimeKeys& keys, Counts counts) {
  RowsLeft left;
  const auto query = target.query();
  for (std::uint32_t shard = 0; shard < keys.size(); ++shard) {
    evenkey::QueryRequest<dynamodb::Item> request;
    request.index_name = target.names.index;
    request.partition_key = keys.at(evenkey::ShardId{shard});
    request.select = evenkey::Select::count;
    for (;;) {
      auto page = query(request);
      left.rows += page.count;
      request.exclusive_start_key = std::move(page.last_evaluated_key);
      if (!request.exclusive_start_key) break;
      if (counts == Counts::one_page) {
        left.exact = false;
        break;
      }
    }
  }
  return left;
}

}  // namespace evenkey_cli
