// SPDX-License-Identifier: BSL-1.0
//
// The commands that need no table.
#include <evenkey/capacity/recommend.hpp>
#include <evenkey/capacity/spread.hpp>

#include <cstdlib>
#include <iostream>

#include "commands.hpp"
#include "output.hpp"

namespace evenkey_cli {

namespace {

/// Calls `take(id)` for every id of the command line, or for every line of stdin.
template <class Take>
void each_id(const Options& options, Take take) {
  if (!options.ids.empty()) {
    for (const std::string& id : options.ids)
      take(id);
    return;
  }
  std::size_t number = 0;
  for (std::string line; std::getline(std::cin, line);) {
    ++number;
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty())
      throw std::runtime_error("line " + std::to_string(number) + " of stdin is empty: no id");
    take(line);
  }
}

/// What `capacity::measure` wants of a policy.
struct Policy {
  const RuntimeKeys& keys;
  evenkey::ShardId shard_of(std::string_view id) const { return keys.shard_of(id); }
  const RuntimeKeys& shards() const { return keys; }  // for their number
};

}  // namespace

int shard(const Options& options) {
  const RuntimeKeys keys = destination_of(options);
  Json all = Json::array();
  each_id(options, [&](const std::string& id) {
    if (id.empty()) throw std::runtime_error("an id is empty, and no row can have it");
    const auto number = keys.shard_of(id).value;
    if (options.json) {
      all.push_back({{"id", id}, {"shard", number}, {"key", keys.of(id)}});
    } else {
      std::cout << id << '\t' << number << '\t' << keys.of(id) << '\n';
    }
  });
  if (options.json) print(options, all);
  std::cout.flush();
  if (!std::cout) throw std::runtime_error("stdout cannot be written to");
  return 0;
}

int spread(const Options& options) {
  const RuntimeKeys keys = destination_of(options);
  std::vector<std::string> ids;
  std::vector<double> weights;
  each_id(options, [&](const std::string& line) {
    const auto tab = line.find('\t');
    ids.push_back(line.substr(0, tab));
    double weight = 1;
    if (tab != std::string::npos) {
      char* end = nullptr;
      weight = std::strtod(line.c_str() + tab + 1, &end);
      if (end == line.c_str() + tab + 1 || *end != '\0')
        throw std::runtime_error("what follows the tab is no weight: " + line);
    }
    weights.push_back(weight);
  });
  const auto measured = evenkey::capacity::measure(Policy{keys}, ids, weights);
  Json report{{"ids", ids.size()},
              {"total", measured.total},
              {"shards", keys.size()},
              {"hottest", keys.at(measured.hottest)},
              {"hottest_share", measured.hottest_share},
              {"effective_lift", measured.effective_lift}};
  Json shards = Json::array();
  for (std::size_t i = 0; i < measured.per_shard.size(); ++i) {
    const auto key = keys.at(evenkey::ShardId{static_cast<std::uint32_t>(i)});
    if (options.json) {
      shards.push_back({{"key", key}, {"weight", measured.per_shard[i]}});
    } else {
      const double most = measured.per_shard[measured.hottest.value];
      const auto bar = most > 0 ? static_cast<std::size_t>(measured.per_shard[i] / most * 40) : 0;
      shards.push_back(std::string(key) + '\t' + Json(measured.per_shard[i]).dump() + '\t' +
                       std::string(bar, '#'));
    }
  }
  report["per_shard"] = std::move(shards);
  print(options, report);
  return 0;
}

int plan(const Options& options) {
  namespace capacity = evenkey::capacity;
  capacity::Workload workload;
  workload.load = {options.writes,      options.write_bytes, options.queries,
                   options.query_bytes, options.listings,    options.listing_bytes};
  workload.distinct_ids = options.distinct_ids;
  workload.hottest_id_share = options.hottest_id_share;
  capacity::Sizing sizing;
  sizing.target = options.target;
  const capacity::Recommendation answer = capacity::recommend(workload, sizing);
  static constexpr const char* advices[] = {"do_not_shard", "shard",           "make_sparse", "key_by_id",
                                            "split_hot_id", "list_less_often", "beyond_reach"};
  print(options, {{"advice", advices[static_cast<std::size_t>(answer.advice)]},
                  {"shards", answer.shards},
                  {"expected_lift", answer.expected_lift},
                  {"utilisation_of_the_hottest", answer.utilisation},
                  {"room_to_grow", answer.room_to_grow},
                  {"reasons", answer.reasons}});
  return 0;
}

}  // namespace evenkey_cli
