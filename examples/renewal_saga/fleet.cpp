// SPDX-License-Identifier: BSL-1.0
#include "fleet.hpp"

#include <evenkey/read/failure.hpp>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "numbers.hpp"

namespace lab {
namespace {

constexpr std::size_t most_losses_told = 3;

double seconds_of(Duration time) { return std::chrono::duration<double>(time).count(); }
std::string at(Time time) { return fixed(seconds_of(time.time_since_epoch()), 2) + " s"; }

}  // namespace

Fleet::Fleet(const MigrationSettings& settings, Stage& stage, MovingTable& table, const MovingIndex& index,
             const Population& population, const Traffic& traffic)
    : settings_(settings),
      stage_(stage),
      table_(table),
      index_(index),
      population_(population),
      traffic_(traffic),
      random_(settings.seed, 50) {
  for (std::uint32_t instance = 0; instance < size; ++instance)
    instances_.push_back({{}, SdkClient(Random(settings.seed, 60 + instance))});
}

void Fleet::start() { play_from(0); }

void Fleet::play_from(std::size_t number) {
  // Who keeps the list page open is known by number: the first of them do.
  const auto is_played = [this](const Call& call) {
    return call.at >= Time(traffic_begins) &&
           (call.kind != Call::Kind::find_portfolio || call.subject < settings_.managers);
  };
  while (number < traffic_.calls.size() && !is_played(traffic_.calls[number]))
    ++number;
  if (number >= traffic_.calls.size()) return;
  stage_.at(traffic_.calls[number].at - traffic_begins, [this, number] {
    if (stopped_) return;
    play_from(number + 1);
    make(traffic_.calls[number]);
  });
}

void Fleet::restart(std::uint32_t instance, Standing standing) {
  index_.check_phase(standing);
  instances_[instance].standing = standing;
}

void Fleet::make(const Call& call) {
  Instance& instance = any_instance();
  try {
    switch (call.kind) {
      case Call::Kind::find_portfolio:
        find_portfolio(call, instance, instance.standing);
        break;
      case Call::Kind::find_person:
        find(call, instance, instance.standing);
        break;
      case Call::Kind::enumerate:
        enumerate(instance, instance.standing);
        break;
      default:
        write(call, &instance);
    }
  } catch (const evenkey::fan_out_error&) {
    ++figures_->failed_calls;
  }
}

template <class Ask>
auto Fleet::patiently(SdkClient& client, Ask ask) {
  for (std::uint32_t attempts = 1;; ++attempts) {
    try {
      auto answer = ask();
      client.succeeded(attempts);
      return answer;
    } catch (const throttled_error&) {
      const auto wait = client.wait_after_throttling(attempts);
      if (!wait || !stage_.wait_until(stage_.now() + *wait)) throw;
    }
  }
}

Query Fleet::patient_query(SdkClient& client) {
  return [this, &client](const evenkey::QueryRequest<std::string>& request) {
    return patiently(client, [&] { return table_.query(request); });
  };
}

void Fleet::find(const Call& call, Instance& instance, Standing standing) {
  const Time began = stage_.now();
  const auto rows = index_.find(standing, population_.persons[call.subject], patient_query(instance.client));
  judge(table_.reference().check(rows.items, {call.subject}, began), began);
}

void Fleet::enumerate(Instance& instance, Standing standing) {
  const Time began = stage_.now();
  const auto rows = index_.enumerate(standing, patient_query(instance.client));
  judge(table_.reference().check_all(rows.items, began), began);
}

/// All persons at once: one that is throttled does not hold up the others, so it is asked for again later.
void Fleet::find_portfolio(const Call& call, Instance& instance, Standing standing) {
  const Time began = stage_.now();
  const std::vector<std::uint32_t>& portfolio = traffic_.portfolios[call.subject];
  std::vector<std::string_view> persons;
  for (const std::uint32_t person : portfolio)
    persons.emplace_back(population_.persons[person]);
  std::vector<Saga> rows;
  for (std::uint32_t attempts = 1; !persons.empty(); ++attempts) {
    auto found = index_.find_many(
        standing, persons,
        [this](const evenkey::QueryRequest<std::string>& request) { return table_.query(request); });
    // Of a person one of whose partitions failed, the others' rows are no answer: they come again.
    std::copy_if(std::make_move_iterator(found.items.begin()), std::make_move_iterator(found.items.end()),
                 std::back_inserter(rows), [&](const Saga& saga) {
                   return std::none_of(
                       found.failures.begin(), found.failures.end(),
                       [&](const evenkey::Failure& failure) { return failure.id == saga.person_id; });
                 });
    if (found.complete()) {
      instance.client.succeeded(attempts);
      break;
    }
    std::erase_if(persons, [&](std::string_view person) {
      return std::none_of(found.failures.begin(), found.failures.end(),
                          [&](const evenkey::Failure& failure) { return failure.id == person; });
    });
    std::optional<Duration> longest = Duration(0);
    for (std::size_t failed = persons.size(); failed > 0 && longest; --failed) {
      const auto wait = instance.client.wait_after_throttling(attempts);
      longest = wait ? std::optional((std::max)(*longest, *wait)) : std::nullopt;
    }
    if (!longest || !stage_.wait_until(stage_.now() + *longest)) {
      ++figures_->failed_calls;
      return;
    }
  }
  judge(table_.reference().check(rows, portfolio, began), began);
}

void Fleet::write(const Call& call, Instance* instance) {
  const Saga& saga = (call.kind == Call::Kind::open ? traffic_.opened : population_.sagas)[call.subject];
  for (std::uint32_t tries = 0;; ++tries) {
    try {
      // The key is made now and lives as long as the client's attempts; an activity that is tried anew makes
      // it anew, in the phase of whoever takes it up.
      const std::string key = index_.created_key(instance->standing, saga.person_id);
      patiently(instance->client, [&] {
        call.kind == Call::Kind::open ? table_.create(saga, key) : table_.take_step(saga.id);
        return true;
      });
      return;
    } catch (const throttled_error&) {
      ++figures_->failed_calls;
      if (!stage_.wait_until(stage_.now() + std::chrono::seconds(1U << (std::min)(tries, 6U)))) return;
      instance = &any_instance();
    }
  }
}

void Fleet::judge(const Reference::Findings& findings, Time began) {
  ++figures_->reads;
  figures_->lost += findings.lost.size();
  figures_->doubled += findings.doubled + findings.unknown;
  for (const std::uint32_t row : findings.lost)
    if (losses_.size() < most_losses_told && told_.insert(row).second)
      losses_.push_back(story_of(row, began));
}

std::string Fleet::story_of(std::uint32_t number, Time began) const {
  const Reference::Row& row = table_.reference().row(number);
  std::string story = row.id + ": not in an answer to a read from " + at(began) + " to " + at(stage_.now());
  if (row.moved_at == Time()) return story + "; it was never moved";
  return story + "; moved at " + at(row.moved_at) + ", seen to go at " + at(row.gone_at) +
         ", seen to come at " + at(row.shown_at) + ", " + fixed(seconds_of(row.shown_at - row.moved_at), 2) +
         " s after the move";
}

}  // namespace lab
