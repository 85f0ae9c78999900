// SPDX-License-Identifier: BSL-1.0
#include "heat_recorder.hpp"

#include <chrono>
#include <string>
#include <utility>

namespace lab {

HeatRecorder::HeatRecorder(Stage& stage, MovingTable& table, MigrationResult& result)
    : stage_(stage), table_(table), result_(result) {
  const ShardedSagas index(result.settings.shards);
  result_.heat.push_back({table.constant_key(), {}});
  for (std::uint32_t shard = 0; shard < result.settings.shards; ++shard)
    result_.heat.push_back({std::string(index.keys.at(evenkey::ShardId{shard})), {}});
  before_.resize(result_.heat.size());
}

void HeatRecorder::start() {
  stage_.at(stage_.now(), [this] {
    record();  // what was there before is no heat
    for (PartitionHeat& partition : result_.heat)
      partition.seconds.clear();
    result_.seconds.clear();
    for (Time end = stage_.now() + std::chrono::seconds(1); !stopped_; end += std::chrono::seconds(1)) {
      if (!stage_.wait_until(end)) return;
      record();
    }
  });
}

void HeatRecorder::record() {
  const auto counted = table_.table().partition_counters<ShardedSagas>();
  for (std::size_t i = 0; i < before_.size(); ++i) {
    PartitionHeat& partition = result_.heat[i];
    const auto found = counted.find(partition.partition_key);
    const auto now = found == counted.end() ? evenkey::testing::Counters{} : found->second;
    const auto throttled = [](const evenkey::testing::Counters& one) {
      return one.throttled_reads + one.throttled_writes;
    };
    partition.seconds.push_back({now.read_units - before_[i].read_units,
                                 now.write_units - before_[i].write_units,
                                 static_cast<std::uint32_t>(throttled(now) - throttled(before_[i]))});
    before_[i] = now;
  }
  result_.seconds.push_back({table_.rows_on(false), table_.moves() - moved_before_});
  moved_before_ = table_.moves();
}

}  // namespace lab
