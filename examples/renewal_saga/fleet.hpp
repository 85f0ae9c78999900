// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "migrate.hpp"
#include "moving_index.hpp"
#include "moving_table.hpp"
#include "population.hpp"
#include "random.hpp"
#include "sdk_client.hpp"
#include "stage.hpp"
#include "traffic.hpp"

namespace lab {

/// The migration begins when the traffic has gone on for so long, shortly before a burst of writes.
inline constexpr Duration traffic_begins = std::chrono::seconds(92);

/// The application: some instances, each in its own phase, that share the traffic between them.
class Fleet {
 public:
  static constexpr std::uint32_t size = 6;

  Fleet(const MigrationSettings& settings, Stage& stage, MovingTable& table, const MovingIndex& index,
        const Population& population, const Traffic& traffic);

  /// Makes the calls from now on, until `stop`.
  void start();
  void stop() { stopped_ = true; }
  /// One instance is stopped, and started again in another phase; what it has under way goes on as it was.
  /// Errors: `evenkey::phase_error` where the shared record does not allow it.
  void restart(std::uint32_t instance, Standing standing);

  void count_in(StepFigures& figures) { figures_ = &figures; }
  const std::vector<std::string>& losses() const noexcept { return losses_; }

 private:
  struct Instance {
    Standing standing;
    SdkClient client;
  };

  void play_from(std::size_t number);
  void make(const Call& call);
  void find(const Call& call, Instance& instance, Standing standing);
  void find_portfolio(const Call& call, Instance& instance, Standing standing);
  void enumerate(Instance& instance, Standing standing);
  void write(const Call& call, Instance* instance);
  void judge(const Reference::Findings& findings, Time began);
  std::string story_of(std::uint32_t row, Time began) const;
  /// The client's attempts at one request, with the waits between them. Errors: `throttled_error`.
  template <class Ask>
  auto patiently(SdkClient& client, Ask ask);
  Query patient_query(SdkClient& client);
  Instance& any_instance() { return instances_[random_.below(size)]; }

  const MigrationSettings& settings_;
  Stage& stage_;
  MovingTable& table_;
  const MovingIndex& index_;
  const Population& population_;
  const Traffic& traffic_;
  Random random_;
  std::vector<Instance> instances_;
  bool stopped_ = false;
  StepFigures* figures_ = nullptr;
  std::vector<std::string> losses_;
  std::set<std::uint32_t> told_;  // the rows that they are about
};

}  // namespace lab
