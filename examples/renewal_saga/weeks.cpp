// SPDX-License-Identifier: BSL-1.0
#include "weeks.hpp"

#include <evenkey/capacity/units.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "assumptions.hpp"
#include "random.hpp"
#include "throttled_shards.hpp"

namespace lab {
namespace {

using evenkey::capacity::Attempts;

/// The traffic of all callers, second after second.
class Callers {
 public:
  Callers(const WeeksSettings& settings, const Population& population)
      : settings_(settings), random_(settings.seed, 900) {
    for (std::uint32_t person = 0; person < assumed.persons; ++person)
      persons_.push_back({FinestPolicy::shard_of(population.persons[person]).value, {1, 0}});
    std::vector<std::uint64_t> bytes(assumed.persons);
    for (const Saga& saga : population.sagas)
      bytes[number_of(population, saga.person_id)] += saga.bytes;
    for (std::uint32_t person = 0; person < assumed.persons; ++person) {
      persons_[person].query.units = evenkey::capacity::query_units(bytes[person]);
      bytes_[persons_[person].shard] += bytes[person];
    }
    for (const std::uint32_t saga : population.open)
      sagas_.push_back({number_of(population, population.sagas[saga].person_id),
                        static_cast<double>(evenkey::capacity::write_units(population.sagas[saga].bytes))});
    for (std::uint32_t manager = 0; manager < assumed.managers; ++manager)
      add_manager();
  }

  /// Fills in one second. Sweeps are told apart: what they cost depends on N.
  /// @returns how many sweeps start in it, and whether anything arrives at all
  std::pair<std::uint32_t, bool> second(std::uint32_t at, Arrivals& arrivals) {
    if (at % 3'600 == 0) begin_hour(at / 3'600);
    std::fill(arrivals.reads.begin(), arrivals.reads.end(), Attempts{});
    std::fill(arrivals.writes.begin(), arrivals.writes.end(), Attempts{});
    if (busy_ == 0) return {0, false};  // jobs that run alone at night fill no partition: left out
    const std::uint64_t end_ms = (std::uint64_t{at} + 1) * 1'000;
    for (Manager& manager : managers_)
      if (manager.works) add_pages(manager, end_ms, arrivals);
    while (next_message_ < end_ms) {
      read(random_.below(assumed.persons), Service::clara, 1, arrivals);
      next_message_ += gap(assumed.message_every_ms);
    }
    while (next_step_ < end_ms) {
      step(random_.below(static_cast<std::uint32_t>(sagas_.size())), 1, arrivals);
      next_step_ += gap(assumed.step_every_ms);
    }
    walk_cohort(at, arrivals);
    std::uint32_t started = 0;
    for (const std::uint32_t minutes : {assumed.workflow_health_minutes, assumed.retry_failed_prepare_minutes,
                                        assumed.stuck_saga_minutes, assumed.agent_metrics_minutes})
      if (at % (minutes * 60) == 30) ++started;
    return {started, true};
  }

  /// What one sweep costs of each of N shards: as many requests as pages, and units.
  std::vector<Attempts> sweep(std::uint32_t shards) const {
    std::vector<std::uint64_t> bytes(shards);
    for (std::uint32_t shard = 0; shard < finest; ++shard)
      bytes[shard % shards] += bytes_[shard];
    std::vector<Attempts> cost;
    for (const std::uint64_t held : bytes) {
      const std::uint64_t pages = held / 1'048'576 + 1;
      cost.push_back({static_cast<double>(pages), evenkey::capacity::query_units(held)});
    }
    return cost;
  }

 private:
  struct Person {
    std::uint32_t shard;
    Attempts query;
  };
  struct OpenSaga {
    std::uint32_t person;
    double write_units;
  };
  struct Manager {
    std::vector<std::uint32_t> portfolio;
    std::vector<Attempts> list_page = std::vector<Attempts>(finest);
    std::uint64_t next_poll = 0, next_click = 0;
    bool works = false;
  };

  static std::uint32_t number_of(const Population& population, std::string_view person) {
    const auto found = std::find(population.persons.begin(), population.persons.end(), person);
    return static_cast<std::uint32_t>(found - population.persons.begin());
  }

  void add_manager() {
    Manager manager;
    for (std::uint32_t person = 0; person < assumed.persons; ++person)
      manager.portfolio.push_back(person);
    random_.shuffle(manager.portfolio);
    manager.portfolio.resize(random_.between(assumed.portfolio.least, assumed.portfolio.most));
    for (const std::uint32_t person : manager.portfolio)
      add(manager.list_page[persons_[person].shard], persons_[person].query);
    managers_.push_back(std::move(manager));
  }

  /// The part of the managers that have the page open, in percent; the lab's hour is the busiest. ADR-0085
  /// says "bursty, not constant", and no hours: these are assumed.
  static std::uint32_t busy_in(std::uint32_t hour) {
    constexpr std::array<std::uint32_t, 24> weekday{0,  0,  0,  0,  0,  0,  2,  10, 45, 85, 90, 80,
                                                    40, 65, 85, 80, 60, 30, 10, 5,  2,  0,  0,  0};
    constexpr std::uint32_t weekend = 3;
    const std::uint32_t of_day = hour % 24;
    if (hour / 24 % 7 >= 5) return of_day >= 9 && of_day < 18 ? weekend : 0;
    return weekday[of_day];
  }

  void begin_hour(std::uint32_t hour) {
    busy_ = settings_.hours == WeeksSettings::Hours::busy ? 100 : busy_in(hour);
    const std::uint64_t now = std::uint64_t{hour} * 3'600'000;
    for (Manager& manager : managers_) {
      manager.works = random_.below(100) < busy_;
      manager.next_poll = now + random_.below(assumed.poll_every_ms.most);
      manager.next_click = now + random_.below(assumed.detail_every_ms.most);
    }
    if (busy_ == 0) return;
    next_message_ = now + gap(assumed.message_every_ms);
    next_step_ = now + gap(assumed.step_every_ms);
  }
  /// Rarer where fewer work.
  std::uint32_t gap(Range every_ms) { return random_.between(every_ms.least, every_ms.most) * 100 / busy_; }

  void read(std::uint32_t person, Service reader, double times, Arrivals& arrivals) {
    const Person& asked = persons_[person];
    add(arrivals.reads[asked.shard * readers + reader_of(reader)], {times, times * asked.query.units});
  }
  void step(std::uint32_t saga, double times, Arrivals& arrivals) {
    const OpenSaga& taken = sagas_[saga];
    read(taken.person, Service::workflow, times, arrivals);
    add(arrivals.writes[persons_[taken.person].shard], {times, times * taken.write_units});
  }

  void add_pages(Manager& manager, std::uint64_t end_ms, Arrivals& arrivals) {
    for (; manager.next_poll < end_ms;
         manager.next_poll += random_.between(assumed.poll_every_ms.least, assumed.poll_every_ms.most)) {
      for (std::uint32_t shard = 0; shard < finest; ++shard)
        add(arrivals.reads[shard * readers + reader_of(Service::web)], manager.list_page[shard]);
    }
    for (; manager.next_click < end_ms;
         manager.next_click += random_.between(assumed.detail_every_ms.least, assumed.detail_every_ms.most))
      read(manager.portfolio[random_.below(static_cast<std::uint32_t>(manager.portfolio.size()))],
           Service::web, 1, arrivals);
  }

  /// All open sagas take some steps within two or three seconds: even over these.
  void walk_cohort(std::uint32_t at, Arrivals& arrivals) {
    const std::uint32_t into = at % (assumed.cohort_every_minutes * 60);
    if (into == 30) {
      cohort_ms_ = random_.below(100) < busy_
                       ? random_.between(assumed.cohort_lasts_ms.least, assumed.cohort_lasts_ms.most)
                       : 0;
      cohort_starts_ms_ =
          random_.between(assumed.job_starts_after_ms.least, assumed.job_starts_after_ms.most);
    }
    if (into < 30 || into > 34 || cohort_ms_ == 0) return;
    const std::uint32_t begin = (std::max)((into - 30) * 1'000, cohort_starts_ms_);
    const std::uint32_t end = (std::min)((into - 29) * 1'000, cohort_starts_ms_ + cohort_ms_);
    if (end <= begin) return;
    const double part = static_cast<double>(end - begin) / cohort_ms_ * assumed.steps_per_cohort;
    for (std::uint32_t saga = 0; saga < sagas_.size(); ++saga)
      step(saga, part, arrivals);
  }

  WeeksSettings settings_;
  Random random_;
  std::vector<Person> persons_;
  std::vector<OpenSaga> sagas_;
  std::vector<Manager> managers_;
  std::array<std::uint64_t, finest> bytes_{};
  std::uint32_t busy_ = 0;  // percent
  std::uint64_t next_message_ = 0, next_step_ = 0;
  std::uint32_t cohort_ms_ = 0, cohort_starts_ms_ = 0;
};

}  // namespace

std::vector<WeeksOfShards> simulate_weeks(const WeeksSettings& settings, const Population& population) {
  Callers traffic(settings, population);
  std::vector<ThrottledShards> sides;
  for (std::uint32_t shards = finest; shards != 0; shards /= 2)
    sides.emplace_back(shards, traffic.sweep(shards));
  Arrivals arrivals;
  for (std::uint32_t at = 0; at < settings.seconds; ++at) {
    arrivals.reads.resize(finest * readers);
    arrivals.writes.resize(finest);
    const auto [sweeps_started, any] = traffic.second(at, arrivals);
    if (!any &&
        std::all_of(sides.begin(), sides.end(), [](const ThrottledShards& side) { return side.idle(); }))
      continue;
    for (ThrottledShards& side : sides) {
      if (side.result().shards != finest) {
        fold(arrivals.reads);
        fold(arrivals.writes);
      }
      side.second(at, arrivals, sweeps_started);
    }
  }
  std::vector<WeeksOfShards> results;
  for (auto side = sides.rbegin(); side != sides.rend(); ++side)
    results.push_back(side->result());
  return results;
}

}  // namespace lab
