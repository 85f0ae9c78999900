// SPDX-License-Identifier: BSL-1.0
#include "traffic.hpp"

#include <evenkey/stagger.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <utility>

#include "assumptions.hpp"
#include "random.hpp"

namespace lab {
namespace {

class TrafficMaker {
 public:
  TrafficMaker(std::uint64_t seed, std::uint32_t seconds, const Population& population, Sweeps sweeps)
      : seed_(seed), end_ms_(seconds * 1'000), population_(population), sweeps_(sweeps) {}

  Traffic make() {
    for (std::uint32_t manager = 0; manager < assumed.managers; ++manager)
      add_manager(manager);
    for (const SweepOffset& sweep : sweep_offsets(sweeps_))
      add_sweep(sweep.caller, minutes_between(sweep.caller), sweep.ms);
    add_messages();
    add_steps();
    add_cohort_walker();
    // Calls of one moment stay as they were made, so that the order is the same with every library.
    std::stable_sort(traffic_.calls.begin(), traffic_.calls.end(),
                     [](const Call& a, const Call& b) { return a.at < b.at; });
    return std::move(traffic_);
  }

 private:
  /// Draws of one source of traffic do not move those of another.
  Random stream() { return Random(seed_, ++streams_); }
  static std::uint32_t draw(Random& random, Range range) { return random.between(range.least, range.most); }
  std::uint32_t any_person(Random& random) const { return random.below(assumed.persons); }
  std::uint32_t any_open_saga(Random& random) const {
    return population_.open[random.below(static_cast<std::uint32_t>(population_.open.size()))];
  }

  void add(std::uint32_t at_ms, Caller caller, Call::Kind kind, std::uint32_t subject) {
    if (at_ms < end_ms_) traffic_.calls.push_back({Time(milliseconds(at_ms)), caller, kind, subject});
  }

  void add_manager(std::uint32_t manager) {
    Random random = stream();
    std::vector<std::uint32_t> portfolio(assumed.persons);
    for (std::uint32_t person = 0; person < assumed.persons; ++person)
      portfolio[person] = person;
    random.shuffle(portfolio);
    portfolio.resize(draw(random, assumed.portfolio));
    for (std::uint32_t at = random.below(assumed.poll_every_ms.most); at < end_ms_;
         at += draw(random, assumed.poll_every_ms))
      add(at, Caller::list_page, Call::Kind::find_portfolio, manager);
    Random clicks = stream();
    for (std::uint32_t at = clicks.below(assumed.detail_every_ms.most); at < end_ms_;
         at += draw(clicks, assumed.detail_every_ms))
      add(at, Caller::detail_page, Call::Kind::find_person,
          portfolio[clicks.below(static_cast<std::uint32_t>(portfolio.size()))]);
    traffic_.portfolios.push_back(std::move(portfolio));
  }

  static std::uint32_t minutes_between(Caller sweep) {
    switch (sweep) {
      case Caller::stuck_saga_sweep:
        return assumed.stuck_saga_minutes;
      case Caller::agent_metrics:
        return assumed.agent_metrics_minutes;
      case Caller::retry_failed_prepare:
        return assumed.retry_failed_prepare_minutes;
      default:
        return assumed.workflow_health_minutes;
    }
  }

  void add_sweep(Caller caller, std::uint32_t every_minutes, std::uint32_t offset_ms) {
    Random random = stream();
    const std::uint32_t period = every_minutes * 60'000;
    for (std::uint32_t at = (first_full_minute_ms + offset_ms) % period; at < end_ms_; at += period)
      add(at + draw(random, assumed.job_starts_after_ms), caller, Call::Kind::enumerate, 0);
  }

  void add_messages() {
    Random random = stream();
    for (std::uint32_t at = draw(random, assumed.message_every_ms); at < end_ms_;
         at += draw(random, assumed.message_every_ms))
      add(at, Caller::inbound_messages, Call::Kind::find_person, any_person(random));
  }

  /// A workflow's step reads its saga by the index and writes it a moment later.
  void add_step(std::uint32_t at_ms, std::uint32_t saga) {
    // Open sagas are dealt to the persons in turn, so a saga's number tells its person.
    add(at_ms, Caller::workflow_reads, Call::Kind::find_person, saga % assumed.persons);
    add(at_ms + assumed.write_follows_after_ms, Caller::workflow_writes, Call::Kind::step, saga);
  }

  void add_steps() {
    Random random = stream();
    for (std::uint32_t at = draw(random, assumed.step_every_ms); at < end_ms_;
         at += draw(random, assumed.step_every_ms))
      add_step(at, any_open_saga(random));
  }

  /// The cohort walker is a job of the full minute too: it opens some sagas and takes all open ones some
  /// steps on.
  void add_cohort_walker() {
    Random random = stream();
    for (std::uint32_t minute = first_full_minute_ms; minute < end_ms_;
         minute += assumed.cohort_every_minutes * 60'000) {
      const std::uint32_t at = minute + draw(random, assumed.job_starts_after_ms);
      const std::uint32_t lasts = draw(random, assumed.cohort_lasts_ms);
      for (const std::uint32_t saga : population_.open)
        for (std::uint32_t i = 0; i < assumed.steps_per_cohort; ++i)
          add_step(at + random.below(lasts), saga);
      for (std::uint32_t i = 0; i < assumed.opened_per_cohort; ++i)
        open_saga(at + random.below(lasts), random);
    }
  }

  void open_saga(std::uint32_t at_ms, Random& random) {
    if (at_ms >= end_ms_) return;
    const auto number = static_cast<std::uint32_t>(traffic_.opened.size());
    const std::string& person = population_.persons[any_person(random)];
    traffic_.opened.push_back(make_saga("RSAGA#opened-" + std::to_string(number), person,
                                        lab_starts_at + at_ms, Status::open,
                                        draw(random, assumed.row_bytes)));
    add(at_ms, Caller::workflow_writes, Call::Kind::open, number);
  }

  std::uint64_t seed_;
  std::uint64_t streams_ = 100;  // below are the population's and the clients'
  std::uint32_t end_ms_;
  const Population& population_;
  Sweeps sweeps_;
  Traffic traffic_;
};

}  // namespace

std::vector<SweepOffset> sweep_offsets(Sweeps sweeps) {
  std::vector<SweepOffset> offsets;
  std::vector<std::string_view> names;
  for (const CallerInfo& caller : callers) {
    if (caller.service != Service::sweeps) continue;
    offsets.push_back({caller.caller, 0});
    names.push_back(caller.name);
  }
  if (sweeps == Sweeps::on_the_minute) return offsets;
  // Their periods differ, but all are whole minutes: within a minute no two of them meet, ever.
  const auto times = evenkey::stagger_offsets(names, std::chrono::minutes(1));
  for (std::size_t sweep = 0; sweep < offsets.size(); ++sweep)
    offsets[sweep].ms = static_cast<std::uint32_t>(
        std::chrono::duration_cast<std::chrono::milliseconds>(times[sweep]).count());
  return offsets;
}

Traffic make_traffic(std::uint64_t seed, std::uint32_t seconds, const Population& population, Sweeps sweeps) {
  return TrafficMaker(seed, seconds, population, sweeps).make();
}

}  // namespace lab
