// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/read/clock.hpp>
#include <evenkey/read/extras.hpp>
#include <evenkey/read/retry.hpp>

#include <chrono>
#include <concepts>
#include <type_traits>

namespace evenkey {

/// What may follow the options of a check, in any order, at most one of each: a clock to wait by, an error
/// classifier.
///
/// A clock may also say the time of day, `clock.system_now()`, by which reports are dated: for tests and
/// simulations. Else it is the system's.
template <class Extra>
concept walk_extra = read_clock<std::remove_cvref_t<Extra>> || error_classifier<std::remove_cvref_t<Extra>>;

namespace detail {

template <class Clock>
std::chrono::system_clock::time_point wall_time(Clock& clock) {
  if constexpr (requires {
                  { clock.system_now() } -> std::same_as<std::chrono::system_clock::time_point>;
                }) {
    return clock.system_now();
  } else {
    return std::chrono::system_clock::now();
  }
}

}  // namespace detail
}  // namespace evenkey
