// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/capacity/throttle_simulation.hpp>
#include <evenkey/shard_policy.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "assumptions.hpp"
#include "callers.hpp"
#include "weeks.hpp"

namespace lab {

using evenkey::capacity::Attempts;

/// With hash % N, the shards of each smaller power of two are sums of these.
inline constexpr std::uint32_t finest = 64;
using FinestPolicy = evenkey::ShardPolicy<finest>;

/// Where the reads of a service, which shares a bucket of retry tokens, stand among those of a shard.
inline constexpr std::uint32_t readers = std::uint32_t{service_count};
constexpr std::uint32_t reader_of(Service service) { return static_cast<std::uint32_t>(service); }

/// What arrives in one second, by shard and reader.
struct Arrivals {
  std::vector<Attempts> reads = std::vector<Attempts>(finest * readers);
  std::vector<Attempts> writes = std::vector<Attempts>(finest);
};

inline void add(Attempts& to, const Attempts& more) {
  to.requests += more.requests;
  to.units += more.units;
}

/// Adds the upper half of the shards to the lower: from N to N / 2.
inline void fold(std::vector<Attempts>& arrivals) {
  const std::size_t half = arrivals.size() / 2;
  for (std::size_t i = 0; i < half; ++i)
    add(arrivals[i], arrivals[half + i]);
  arrivals.resize(half);
}

/// One N, as the seconds pass.
class ThrottledShards {
 public:
  ThrottledShards(std::uint32_t shards, std::vector<Attempts> sweep)
      : sweep_(std::move(sweep)),
        reads_(shards, readers, assumed.read_units_per_second),
        writes_(shards, 1, assumed.write_units_per_second) {
    result_.shards = shards;
  }

  bool idle() const { return reads_.idle() && writes_.idle(); }

  /// Adds the sweeps that start in this second.
  void second(std::uint32_t at, Arrivals& arrivals, std::uint32_t sweeps_started) {
    for (std::uint32_t shard = 0; shard < result_.shards; ++shard)
      arrivals.reads[shard * readers + reader_of(Service::sweeps)] = {sweep_[shard].requests * sweeps_started,
                                                                      sweep_[shard].units * sweeps_started};
    second(at, arrivals);
  }

  void second(std::uint32_t at, const Arrivals& arrivals) {
    for (std::uint32_t shard = 0; shard < result_.shards; ++shard) {
      double units = 0;
      for (std::uint32_t reader = 0; reader < readers; ++reader)
        units += arrivals.reads[shard * readers + reader].units;
      result_.peak_rcu = (std::max)(result_.peak_rcu, units);
      result_.peak_wcu = (std::max)(result_.peak_wcu, arrivals.writes[shard].units);
    }
    const evenkey::capacity::ThrottleCount read = reads_.second(arrivals.reads),
                                           written = writes_.second(arrivals.writes);
    result_.attempts += read.attempts + written.attempts;
    result_.throttled += read.throttled + written.throttled;
    result_.errors += read.errors + written.errors;
    if (read.throttled + written.throttled >= 1) note_throttled(at);
  }

  const WeeksOfShards& result() const { return result_; }

 private:
  void note_throttled(std::uint32_t at) {
    if (result_.seconds_throttled == 0 || at - last_throttled_ > 60) {
      ++result_.bursts;
      burst_began_ = at;
    }
    ++result_.seconds_throttled;
    last_throttled_ = at;
    result_.longest_burst = (std::max)(result_.longest_burst, std::uint64_t{at} - burst_began_ + 1);
  }

  std::vector<Attempts> sweep_;
  evenkey::capacity::ThrottleSimulation reads_, writes_;
  WeeksOfShards result_;
  std::uint32_t last_throttled_ = 0, burst_began_ = 0;
};

}  // namespace lab
