// SPDX-License-Identifier: BSL-1.0
//
// What the state in the table says of a backfill, for `status`.
#include "standing.hpp"

#include <evenkey/migrate/backfill/report.hpp>
#include <evenkey/migrate/checkpoint/checkpoint_text.hpp>
#include <evenkey/migrate/lease/lease_record.hpp>

#include <algorithm>

namespace evenkey_cli {

namespace {

using evenkey::detail::Checkpoint;
using evenkey::detail::LeaseRecord;

/// Checkpoints of several segments, added up.
struct Sum {
  evenkey::BackfillCounts counts;
  std::size_t failed = 0;
  std::uint32_t segments = 0;
  std::uint32_t segments_read = 0;

  void add(const Checkpoint& checkpoint) {
    const auto members = evenkey::BackfillCounts::members();
    for (std::size_t i = 0; i < members.size(); ++i)
      counts.*members[i] += checkpoint.counts[i];
    failed += checkpoint.failures.size();
    segments = checkpoint.plan.segments;
    for (const auto& place : checkpoint.places)
      if (place.at == evenkey::detail::CheckpointPlace::At::end) ++segments_read;
  }
  void tell(Json& json) const {
    json["segments"] = segments;
    json["segments_read"] = segments_read;
    json["scanned"] = counts.scanned;
    json["to_move"] = counts.to_move;
    json["moved"] = counts.moved;
    json["failed"] = failed;
  }
};

}  // namespace

Json backfill_standing(const StatePlace& state, const std::string& migration) {
  Json json;
  Sum sum;
  if (const auto text = state.item("checkpoint " + migration).load()) {
    sum.add(evenkey::detail::read_checkpoint(*text));
    json["by"] = "one host";
    sum.tell(json);
    json["finished"] = sum.failed == 0 && sum.segments_read == sum.segments;
  }
  const ItemLeases leases(state, migration);
  const auto segments = leases.segments();
  if (!segments) return json.is_null() ? Json("none") : json;
  Json alone = std::move(json);
  json = {{"by", "hosts"}};
  sum = {};
  std::uint32_t finished = 0;
  Json list = Json::array();
  for (std::uint32_t segment = 0; segment < *segments; ++segment) {
    const auto text = leases.load(segment);
    const LeaseRecord record = text ? evenkey::detail::read_lease(*text) : LeaseRecord{};
    if (!record.checkpoint.empty()) sum.add(evenkey::detail::read_checkpoint(record.checkpoint));
    const bool done = record.state == LeaseRecord::State::finished;
    finished += done ? 1U : 0U;
    list.push_back({{"segment", segment},
                    {"state", done                   ? "finished"
                              : !text                ? "not begun"
                              : record.owner.empty() ? "free"
                                                     : "held"},
                    {"host", record.owner},
                    {"token", record.token},
                    {"beat", record.beat}});
  }
  sum.segments = *segments;
  sum.tell(json);
  json["finished"] = finished == *segments;
  json["leases"] = std::move(list);
  if (!alone.is_null()) json["before_by_one_host"] = std::move(alone);
  return json;
}

std::vector<std::string> holders(const ItemLeases& leases) {
  std::vector<std::string> hosts;
  const auto segments = leases.segments().value_or(0);
  for (std::uint32_t segment = 0; segment < segments; ++segment)
    if (const auto text = leases.load(segment))
      if (const std::string owner = evenkey::detail::read_lease(*text).owner;
          !owner.empty() && std::find(hosts.begin(), hosts.end(), owner) == hosts.end())
        hosts.push_back(owner);
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
