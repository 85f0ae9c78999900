// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <vector>

#include "callers.hpp"
#include "clock.hpp"
#include "population.hpp"
#include "remedies.hpp"

namespace lab {

/// One call that somebody makes, whatever became of the calls before it: both sides of the lab get the same
/// ones.
struct Call {
  enum class Kind : std::uint8_t {
    find_portfolio,  ///< the rows of each person of portfolio `subject`: N calls of getSagasByPerson at once
    find_person,     ///< getSagasByPerson of person `subject`
    enumerate,       ///< getAllOpenSagas
    step,            ///< a workflow's state transition of saga `subject`
    open             ///< the cohort walker's new saga, number `subject` of `Traffic::opened`
  };
  Time at;
  Caller caller;
  Kind kind;
  std::uint32_t subject = 0;
};

struct Traffic {
  std::vector<Call> calls;                             ///< by time
  std::vector<std::vector<std::uint32_t>> portfolios;  ///< of each list page: persons by number
  std::vector<Saga> opened;
};

/// When each sweep starts after the full minute, in the order of the callers: a quarter of a minute apart.
struct SweepOffset {
  Caller caller;
  std::uint32_t ms;
};
std::vector<SweepOffset> sweep_offsets(Sweeps sweeps);

/// Follows from the seed and from when sweeps start; a longer run begins as a shorter one does.
Traffic make_traffic(std::uint64_t seed, std::uint32_t seconds, const Population& population,
                     Sweeps sweeps = Sweeps::on_the_minute);

}  // namespace lab
