// SPDX-License-Identifier: BSL-1.0
//
// The commands that need no table.
#include <evenkey/capacity/recommend.hpp>
#include <evenkey/capacity/spread.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <string_view>

#include "commands.hpp"
#include "emit.hpp"
#include "output.hpp"

namespace evenkey_cli {

namespace {

/// Calls `take(line)` for every line.
template <class Take>
void each_line(std::istream& lines, const std::string& name, Take take) {
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty())
      throw std::runtime_error("line " + std::to_string(number) + " of " + name + " is empty: no id");
    take(line);
  }
}

/// Calls `take(id)` for every id of the command line, or for every line of stdin.
template <class Take>
void each_id(const Options& options, Take take) {
  if (options.ids.empty()) return each_line(std::cin, "stdin", take);
  for (const std::string& id : options.ids)
    take(id);
}

/// Ids and how much each weighs: 1, or what stands behind a tab.
struct WeighedIds {
  std::vector<std::string> ids;
  std::vector<double> weights;

  void add(const std::string& line) {
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
  }
};

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
  WeighedIds given;
  each_id(options, [&](const std::string& line) { given.add(line); });
  const auto measured = evenkey::capacity::measure(Policy{keys}, given.ids, given.weights);
  Json report{{"ids", given.ids.size()},
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

namespace {

/// What is known of the ids: how many there are, and how much of the load the hottest has.
void describe(const WeighedIds& given, evenkey::capacity::Workload& workload) {
  std::map<std::string_view, double> by_id;
  double total = 0;
  for (std::size_t i = 0; i < given.ids.size(); ++i) {
    by_id[given.ids[i]] += given.weights[i];
    total += given.weights[i];
  }
  double most = 0;
  for (const auto& [id, weight] : by_id)
    most = (std::max)(most, weight);
  workload.distinct_ids = by_id.size();
  workload.hottest_id_share = total > 0 ? most / total : 0;
}

struct Measured {
  std::uint32_t shards;
  evenkey::capacity::Spread spread;
  double utilisation;
};

/// The fewest shards, from the recommended ones on, of which the hottest stays below the target with just these
/// ids; the best that was seen where there is no such N.
Measured measured_shards(const WeighedIds& given, const evenkey::capacity::Load& load, std::uint32_t from,
                         double target) {
  namespace capacity = evenkey::capacity;
  constexpr std::uint32_t tries = 64;
  std::optional<Measured> best;
  for (std::uint32_t n = from; n < from + tries; ++n) {
    const RuntimeKeys keys = RuntimeKeys::sharded("x", n, {}, HashChoice::xxh3_64, PlacementChoice::modulo);
    auto spread = capacity::measure(Policy{keys}, given.ids, given.weights);
    const double used = capacity::utilisation(capacity::demand_on(load, spread.hottest_share));
    if (!best || used < best->utilisation) best = Measured{n, std::move(spread), used};
    if (used <= target) break;
  }
  return *std::move(best);
}

}  // namespace

int plan(const Options& options) {
  namespace capacity = evenkey::capacity;
  capacity::Workload workload;
  workload.load = {options.writes,      options.write_bytes, options.queries,
                   options.query_bytes, options.listings,    options.listing_bytes};
  workload.distinct_ids = options.distinct_ids;
  workload.hottest_id_share = options.hottest_id_share;
  WeighedIds given;
  if (!options.ids_file.empty()) {
    const auto take = [&](const std::string& line) { given.add(line); };
    if (options.ids_file == "-") {
      each_line(std::cin, "stdin", take);
    } else {
      std::ifstream file(options.ids_file);
      if (!file) throw std::runtime_error("cannot read " + options.ids_file);
      each_line(file, options.ids_file, take);
    }
    if (given.ids.empty()) throw std::runtime_error(options.ids_file + " has no ids");
    describe(given, workload);
  }
  capacity::Sizing sizing;
  sizing.target = options.target;
  const capacity::Recommendation answer = capacity::recommend(workload, sizing);
  static constexpr const char* advices[] = {"do_not_shard", "shard",           "make_sparse", "key_by_id",
                                            "split_hot_id", "list_less_often", "beyond_reach"};
  Json report{{"advice", advices[static_cast<std::size_t>(answer.advice)]},
              {"shards", answer.shards},
              {"expected_lift", answer.expected_lift},
              {"utilisation_of_the_hottest", answer.utilisation},
              {"room_to_grow", answer.room_to_grow},
              {"reasons", answer.reasons}};
  std::uint32_t shards = answer.shards;
  bool reached = true;
  if (!given.ids.empty() && answer.advice == capacity::Advice::shard) {
    const Measured measured = measured_shards(given, workload.load, shards, options.target);
    shards = measured.shards;
    reached = measured.utilisation <= options.target;
    report["measured"] = {{"ids", given.ids.size()},
                          {"distinct_ids", workload.distinct_ids},
                          {"hottest_id_share", workload.hottest_id_share},
                          {"shards", shards},
                          {"hottest_share", measured.spread.hottest_share},
                          {"effective_lift", measured.spread.effective_lift},
                          {"utilisation_of_the_hottest", measured.utilisation},
                          {"below_target", reached}};
  }
  if (options.emit.empty() || options.json) {
    if (!options.emit.empty()) report["emitted"] = emit_index(options, workload.load, (std::max)(shards, 1U));
    print(options, report);
  } else {
    std::cout << emit_index(options, workload.load, (std::max)(shards, 1U)) << std::flush;
    note(std::string("advice: ") + report["advice"].get<std::string>() +
         ", shards: " + std::to_string(shards));
  }
  if (!reached)
    note("with these ids no N up to " + std::to_string(answer.shards + 63) +
         " stays below the target: see `evenkey spread` for which shard is hot, and docs/choosing-n.md");
  return reached ? 0 : 1;
}

}  // namespace evenkey_cli
