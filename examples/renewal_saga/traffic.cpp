// SPDX-License-Identifier: BSL-1.0
#include "traffic.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "assumptions.hpp"
#include "random.hpp"

namespace lab {
namespace {

class TrafficMaker {
 public:
  TrafficMaker(std::uint64_t seed, std::uint32_t seconds, const Population& population)
      : seed_(seed), end_ms_(seconds * 1'000), population_(population) {}

  Traffic make() {
    for (std::uint32_t manager = 0; manager < assumed.managers; ++manager)
      add_manager(manager);
    add_sweep(Caller::workflow_health_sweep, assumed.workflow_health_minutes);
    add_sweep(Caller::retry_failed_prepare, assumed.retry_failed_prepare_minutes);
    add_sweep(Caller::stuck_saga_sweep, assumed.stuck_saga_minutes);
    add_sweep(Caller::agent_metrics, assumed.agent_metrics_minutes);
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

  void add_sweep(Caller caller, std::uint32_t every_minutes) {
    Random random = stream();
    for (std::uint32_t at = first_full_minute_ms; at < end_ms_; at += every_minutes * 60'000)
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
  Traffic traffic_;
};

}  // namespace

Traffic make_traffic(std::uint64_t seed, std::uint32_t seconds, const Population& population) {
  return TrafficMaker(seed, seconds, population).make();
}

}  // namespace lab
