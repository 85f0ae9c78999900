// SPDX-License-Identifier: BSL-1.0
//
// The commands that need no table.
#include <evenkey/capacity/recommend.hpp>
#include <evenkey/capacity/spread.hpp>
#include <evenkey/shard_policy.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>

#include "commands.hpp"
#include "emit.hpp"
#include "output.hpp"

namespace evenkey_cli {

namespace {

namespace capacity = evenkey::capacity;

/// Calls `take(line)` for every line of a stream.
template <class Take>
void each_line(std::istream& from, const std::string& name, Take take) {
  std::size_t number = 0;
  for (std::string line; std::getline(from, line);) {
    ++number;
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty())
      throw std::runtime_error("line " + std::to_string(number) + " of " + name + " is empty: no id");
    take(line);
  }
  if (from.bad()) throw std::runtime_error(name + " cannot be read to its end");
}

/// Calls `take(line)` for every line of the file that --ids names.
template <class Take>
void each_line_of_file(const std::string& name, Take take) {
  if (name == "-") return each_line(std::cin, "stdin", take);
  std::ifstream file(name);
  if (!file) throw std::runtime_error("the file " + name + " cannot be read");
  each_line(file, name, take);
}

/// Calls `take(id)` for every id of the command line, or for every line of the file or of stdin.
template <class Take>
void each_id(const Options& options, Take take) {
  if (!options.ids.empty() && !options.ids_file.empty())
    throw usage_error("ids are given one way: in the command line, or by --ids");
  if (options.ids.empty()) return each_line_of_file(options.ids_file.empty() ? "-" : options.ids_file, take);
  for (const std::string& id : options.ids)
    take(id);
}

/// Ids and what each weighs: rows, or requests a second.
struct WeightedIds {
  std::vector<std::string> ids;
  std::vector<double> weights;

  /// `id`, or `id` TAB `weight`
  void add(const std::string& line) {
    const auto tab = line.find('\t');
    double weight = 1;
    if (tab != std::string::npos) {
      char* end = nullptr;
      weight = std::strtod(line.c_str() + tab + 1, &end);
      if (end == line.c_str() + tab + 1 || *end != '\0')
        throw std::runtime_error("what follows the tab is no weight: " + line);
    }
    if (tab == 0) throw std::runtime_error("there is no id before the tab: " + line);
    ids.push_back(line.substr(0, tab));
    weights.push_back(weight);
  }
  std::map<std::string_view, double> by_id() const {
    std::map<std::string_view, double> sums;
    for (std::size_t i = 0; i < ids.size(); ++i)
      sums[ids[i]] += weights[i];
    return sums;
  }
};

/// What `capacity::measure` wants of a policy.
struct Policy {
  const RuntimeKeys& keys;
  evenkey::ShardId shard_of(std::string_view id) const { return keys.shard_of(id); }
  const RuntimeKeys& shards() const { return keys; }  // for their number
};

capacity::Spread spread_over(const WeightedIds& given, std::uint32_t shards, const Options& options) {
  const RuntimeKeys keys = RuntimeKeys::sharded("k", shards, {}, options.hash, options.placement);
  return capacity::measure(Policy{keys}, given.ids, given.weights);
}

capacity::Workload workload_of(const Options& options) {
  capacity::Workload workload;
  workload.load = {options.writes,      options.write_bytes, options.queries,
                   options.query_bytes, options.listings,    options.listing_bytes};
  workload.distinct_ids = options.distinct_ids;
  workload.hottest_id_share = options.hottest_id_share;
  return workload;
}

bool has_load(const Options& options) {
  return options.writes != 0 || options.queries != 0 || options.listings != 0;
}

/// Ids that are known replace what was assumed of them.
void look_at_ids(const WeightedIds& given, capacity::Workload& workload) {
  double total = 0, most = 0;
  std::uint64_t distinct = 0;
  for (const auto& [id, weight] : given.by_id()) {
    if (!(weight >= 0) || std::isinf(weight)) throw std::runtime_error("a weight is negative or not finite");
    total += weight;
    most = (std::max)(most, weight);
    ++distinct;
  }
  if (!(total > 0) || std::isinf(total))
    throw std::runtime_error("there are no ids that weigh anything: nothing to plan by");
  workload.distinct_ids = distinct;
  workload.hottest_id_share = (std::min)(most / total, 1.0);
}

double utilisation_of(const capacity::Workload& workload, const capacity::Spread& spread) {
  return capacity::utilisation(capacity::demand_on(workload.load, spread.hottest_share));
}

/// The first number of shards from `first` on with which these very ids stay within the target, looked for up to
/// four times as many as `recommend` expects; 0: there is none.
std::uint32_t measured_shards(const WeightedIds& given, const capacity::Workload& workload,
                              std::uint32_t first, std::uint32_t expected, const Options& options) {
  const auto most = (std::max)(64U, (std::min)(expected, capacity::most_shards_to_list / 4) * 4);
  for (std::uint32_t shards = first; shards <= most; ++shards)
    if (utilisation_of(workload, spread_over(given, shards, options)) <= options.target) return shards;
  return 0;
}

/// Rounded for a sentence.
std::string percent(double share) { return std::to_string(std::lround(share * 100)) + " %"; }

constexpr const char* advices[] = {"do_not_shard", "shard",           "make_sparse", "key_by_id",
                                   "split_hot_id", "list_less_often", "beyond_reach"};

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
  WeightedIds given;
  each_id(options, [&](const std::string& line) { given.add(line); });
  const auto measured = capacity::measure(Policy{keys}, given.ids, given.weights);
  Json report{{"ids", given.ids.size()},
              {"total", measured.total},
              {"shards", keys.size()},
              {"hottest", keys.at(measured.hottest)},
              {"hottest_share", measured.hottest_share},
              {"effective_lift", measured.effective_lift}};
  if (has_load(options)) {
    capacity::Workload workload = workload_of(options);
    look_at_ids(given, workload);
    capacity::Sizing sizing;
    sizing.target = options.target;
    const capacity::Recommendation answer = capacity::recommend(workload, sizing);
    const double used = utilisation_of(workload, measured);
    report["utilisation_of_the_hottest"] = used;
    report["within_target"] = used <= options.target;
    report["recommended"] = {{"advice", advices[static_cast<std::size_t>(answer.advice)]},
                             {"shards_expected", answer.shards}};
    if (answer.advice == capacity::Advice::shard)
      report["recommended"]["shards_measured"] = measured_shards(given, workload, 1, answer.shards, options);
  }
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
  if (options.existing && options.emit != "cli")
    throw usage_error("--existing goes with --emit cli: the others describe the index as it is to be");
  capacity::Workload workload = workload_of(options);
  WeightedIds given;
  if (!options.ids_file.empty()) {
    if (options.distinct_ids != 0 || options.hottest_id_share != 0)
      throw usage_error(
          "--ids tells how many there are and what the hottest has: leave the two options away");
    each_line_of_file(options.ids_file, [&](const std::string& line) { given.add(line); });
    look_at_ids(given, workload);
  }
  capacity::Sizing sizing;
  sizing.target = options.target;
  capacity::Recommendation answer = capacity::recommend(workload, sizing);
  Json report{{"advice", advices[static_cast<std::size_t>(answer.advice)]}, {"shards", answer.shards}};
  if (!given.ids.empty()) {
    Json measured{{"ids", given.ids.size()},
                  {"distinct_ids", workload.distinct_ids},
                  {"hottest_id_share", workload.hottest_id_share}};
    if (answer.advice == capacity::Advice::shard) {
      const std::uint32_t expected = answer.shards;
      const std::uint32_t fewest = measured_shards(given, workload, 1, expected, options);
      const std::uint32_t chosen = measured_shards(given, workload, expected, expected, options);
      measured["shards_expected"] = expected;
      measured["fewest"] = fewest;
      if (chosen == 0) {
        answer.reasons.push_back(
            "Measured: these very ids stay within the target with no number that was tried; "
            "with " +
            std::to_string(expected) + " the hottest is " +
            percent(utilisation_of(workload, spread_over(given, expected, options))) + " full.");
      } else {
        const auto spread = spread_over(given, chosen, options);
        answer.shards = chosen;
        report["shards"] = chosen;
        measured["hottest_share"] = spread.hottest_share;
        measured["effective_lift"] = spread.effective_lift;
        measured["utilisation_of_the_hottest"] = utilisation_of(workload, spread);
        answer.reasons.push_back("Measured: of " + std::to_string(chosen) + " shards the hottest holds " +
                                 percent(spread.hottest_share) + " and is " +
                                 percent(utilisation_of(workload, spread)) + " full; " +
                                 std::to_string(fewest) + " would do for these very ids, and " +
                                 std::to_string(expected) + " are what as many ids need on average.");
      }
    }
    report["measured"] = std::move(measured);
  }
  if (!options.emit.empty()) return emit(options, workload, answer);
  report["expected_lift"] = answer.expected_lift;
  report["utilisation_of_the_hottest"] = answer.utilisation;
  report["room_to_grow"] = answer.room_to_grow;
  report["reasons"] = answer.reasons;
  print(options, report);
  return 0;
}

}  // namespace evenkey_cli
