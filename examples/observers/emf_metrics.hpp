// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/read.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

/// Writes CloudWatch's embedded metric format when a read is over: a line for the read and one for each shard
/// that it asked. Where stdout is a log of CloudWatch's (Lambda, an agent), they become metrics.
///
/// Dimensions are `Index` and `Index, Shard`. CloudWatch bills each combination as a metric of its own, so
/// they must be few: shards are, N at most; ids and partition keys are not, and are in no line. Where N
/// metrics are too many, take `PerShard::no`. For one read at a time: whoever reads from several threads
/// makes one for each. Source: CloudWatch User Guide, "Specification: Embedded metric format".
class EmfMetrics {
 public:
  enum class PerShard { no, yes };
  /// Milliseconds since 1970.
  using Now = std::function<std::int64_t()>;

  explicit EmfMetrics(std::ostream& out, PerShard per_shard = PerShard::yes, Now now = system_time)
      : out_(&out), now_(std::move(now)), per_shard_(per_shard) {}

  void on_page(const evenkey::PageEvent& event) {
    Shard& shard = shards_[number_of(event.shard)];
    ++shard.pages;
    shard.units += event.consumed_read_units;
    shard.slowest = (std::max)(shard.slowest, event.served);
  }
  void on_throttled(const evenkey::ThrottleEvent& event) { ++shards_[number_of(event.shard)].throttled; }

  void on_finished(const evenkey::FinishEvent& event) {
    const std::string index(event.index_name);
    std::size_t throttled = 0;
    std::chrono::nanoseconds slowest{};
    for (const auto& [number, shard] : shards_) {
      throttled += shard.throttled;
      slowest = (std::max)(slowest, shard.slowest);
      if (per_shard_ == PerShard::no || number == no_shard) continue;
      write({{"Index", index}, {"Shard", std::to_string(number)}},
            {{"Pages", "Count", shard.pages},
             {"ReadUnits", "Count", shard.units},
             {"Throttled", "Count", shard.throttled},
             {"SlowestPage", "Milliseconds", milliseconds(shard.slowest)}});
    }
    write({{"Index", index}}, {{"Requests", "Count", event.requests},
                               {"Items", "Count", event.items},
                               {"FailedPartitions", "Count", event.failures},
                               {"ReadUnits", "Count", event.consumed_read_units},
                               {"Throttled", "Count", throttled},
                               {"SlowestPage", "Milliseconds", milliseconds(slowest)}});
    shards_.clear();
  }

 private:
  using Json = nlohmann::ordered_json;
  struct Metric {
    const char* name;
    const char* unit;
    Json value;
  };
  using Dimensions = std::vector<std::pair<std::string, std::string>>;
  struct Shard {
    std::size_t pages = 0, throttled = 0;
    double units = 0;
    std::chrono::nanoseconds slowest{};
  };
  static constexpr std::int64_t no_shard = -1;

  static std::int64_t number_of(const std::optional<evenkey::ShardId>& shard) {
    return shard ? std::int64_t{shard->value} : no_shard;
  }
  static double milliseconds(std::chrono::nanoseconds time) {
    return std::chrono::duration<double, std::milli>(time).count();
  }
  static std::int64_t system_time() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  }

  void write(const Dimensions& dimensions, const std::vector<Metric>& metrics) {
    Json names = Json::array(), definitions = Json::array(), line;
    for (const auto& dimension : dimensions)
      names.push_back(dimension.first);
    for (const Metric& metric : metrics)
      definitions.push_back({{"Name", metric.name}, {"Unit", metric.unit}});
    Json directive;
    directive["Namespace"] = "evenkey";
    directive["Dimensions"] = Json::array({names});
    directive["Metrics"] = definitions;
    line["_aws"]["Timestamp"] = now_();
    line["_aws"]["CloudWatchMetrics"] = Json::array({directive});
    for (const auto& [name, value] : dimensions)
      line[name] = value;
    for (const Metric& metric : metrics)
      line[metric.name] = metric.value;
    *out_ << line.dump() << "\n";
  }

  std::ostream* out_;
  Now now_;
  PerShard per_shard_;
  std::map<std::int64_t, Shard> shards_;
};
