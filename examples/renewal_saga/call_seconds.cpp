// SPDX-License-Identifier: BSL-1.0
#include "call_seconds.hpp"

#include <evenkey/capacity/units.hpp>
#include <evenkey/shard_policy.hpp>

#include <cstddef>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "throttled_shards.hpp"

namespace lab {
namespace {

using evenkey::capacity::Attempts;

/// Adds up calls; an opened saga makes its person's reads dearer from then on.
class CallCounter {
 public:
  CallCounter(const Traffic& traffic, const Population& population, std::uint32_t shards)
      : traffic_(traffic), population_(population), shards_(shards) {
    const evenkey::DynamicShardPolicy<> policy(shards);
    for (const std::string& person : population.persons) {
      number_of_.emplace(person, static_cast<std::uint32_t>(number_of_.size()));
      shard_of_.push_back(policy.shard_of(person).value);
    }
    person_bytes_.resize(population.persons.size());
    shard_bytes_.resize(shards);
    for (const Saga& saga : population.sagas)
      keep(saga);
  }

  void count(const Call& call, Arrivals& arrivals) {
    switch (call.kind) {
      case Call::Kind::find_portfolio:
        for (const std::uint32_t person : traffic_.portfolios[call.subject])
          read(person, call.caller, arrivals);
        break;
      case Call::Kind::find_person:
        read(call.subject, call.caller, arrivals);
        break;
      case Call::Kind::enumerate:
        for (std::uint32_t shard = 0; shard < shards_; ++shard) {
          const std::uint64_t pages = shard_bytes_[shard] / 1'048'576 + 1;
          add(arrivals.reads[shard * readers + reader_of(info_of(call.caller).service)],
              {static_cast<double>(pages), evenkey::capacity::query_units(shard_bytes_[shard])});
        }
        break;
      case Call::Kind::step:
        write(population_.sagas[call.subject], arrivals);
        break;
      case Call::Kind::open:
        write(traffic_.opened[call.subject], arrivals);
        keep(traffic_.opened[call.subject]);
        break;
    }
  }

 private:
  void keep(const Saga& saga) {
    const std::uint32_t person = number_of_.at(saga.person_id);
    person_bytes_[person] += saga.bytes;
    shard_bytes_[shard_of_[person]] += saga.bytes;
  }
  void read(std::uint32_t person, Caller caller, Arrivals& arrivals) const {
    add(arrivals.reads[shard_of_[person] * readers + reader_of(info_of(caller).service)],
        {1, evenkey::capacity::query_units(person_bytes_[person])});
  }
  void write(const Saga& saga, Arrivals& arrivals) const {
    add(arrivals.writes[shard_of_[number_of_.at(saga.person_id)]],
        {1, static_cast<double>(evenkey::capacity::write_units(saga.bytes))});
  }

  const Traffic& traffic_;
  const Population& population_;
  std::uint32_t shards_;
  std::unordered_map<std::string_view, std::uint32_t> number_of_;  // views of the population's persons
  std::vector<std::uint32_t> shard_of_;                            // by person
  std::vector<std::uint64_t> person_bytes_, shard_bytes_;
};

}  // namespace

WeeksOfShards simulate_calls(const Traffic& traffic, std::uint32_t seconds, const Population& population,
                             std::uint32_t shards) {
  CallCounter counter(traffic, population, shards);
  ThrottledShards side(shards, std::vector<Attempts>(shards));
  Arrivals arrivals;
  auto call = traffic.calls.begin();
  for (std::uint32_t at = 0; at < seconds; ++at) {
    arrivals.reads.assign(std::size_t{shards} * readers, Attempts{});
    arrivals.writes.assign(shards, Attempts{});
    for (; call != traffic.calls.end() && second_of(call->at) == at; ++call)
      counter.count(*call, arrivals);
    side.second(at, arrivals);
  }
  return side.result();
}

}  // namespace lab
