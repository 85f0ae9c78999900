// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <ranges>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace evenkey {

/// The number that a job's place in its period is made from.
///
/// FNV-1a of 64 bits over the bytes of the name, then two rounds of "xor with itself shifted right, multiply
/// by an odd constant", so that names that differ in their last letter differ in all bits. It is the same on
/// every platform and in every version of evenkey, so that all processes of a fleet agree.
constexpr std::uint64_t stagger_hash(std::string_view name) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char letter : name) {
    hash ^= static_cast<unsigned char>(letter);
    hash *= 0x00000100000001b3;
  }
  hash = (hash ^ (hash >> 32)) * 0xd6e8feb86659fd93;
  hash = (hash ^ (hash >> 32)) * 0xd6e8feb86659fd93;
  return hash ^ (hash >> 32);
}

namespace detail {

constexpr void check_period(std::chrono::nanoseconds period) {
  if (period <= std::chrono::nanoseconds(0))
    throw std::invalid_argument("evenkey: a job's period must be longer than zero");
}

template <class Range>
concept range_of_text = std::ranges::input_range<const Range> &&
    std::convertible_to<std::ranges::range_reference_t<const Range>, std::string_view>;

}  // namespace detail

/// When within its period a job starts, worked out from its name alone.
///
/// Use it where the jobs of one store are not all known in one place: sweeps that would all start on the full
/// minute start at times of their own, the same in every process and after every restart. Two jobs can still
/// come to lie close together, as two birthdays can; where the jobs are known, see `stagger_offsets`.
/// Shape: at least 0, less than the period.
/// Errors: `std::invalid_argument` for a period that is not longer than zero.
constexpr std::chrono::nanoseconds stagger_offset(std::string_view name, std::chrono::nanoseconds period) {
  detail::check_period(period);
  const auto ticks = static_cast<std::uint64_t>(period.count());
  return std::chrono::nanoseconds(static_cast<std::int64_t>(stagger_hash(name) % ticks));
}

/// When within their common period the jobs of a known list start, evenly spread: no two closer together than
/// the period divided by their number (also across its end).
///
/// Use it where one place knows all jobs of that period. The order of the list has no say, so that processes
/// which load it differently agree. A job added or removed moves the others too, by less than a period:
/// change the list everywhere at once.
/// Shape: one offset per name, in the order given; each at least 0 and less than the period.
/// Cost: O(n log n).
/// Errors: `std::invalid_argument` for a period that is not longer than zero or has fewer nanoseconds than
/// there are jobs, and for a name that occurs twice.
/// @param names a range of text
template <detail::range_of_text Names = std::initializer_list<std::string_view>>
std::vector<std::chrono::nanoseconds> stagger_offsets(const Names& names, std::chrono::nanoseconds period) {
  struct Job {
    std::uint64_t hash;
    std::string name;
    std::size_t place;  // in the list given
    bool operator<(const Job& other) const {
      return hash != other.hash ? hash < other.hash : name < other.name;
    }
  };
  detail::check_period(period);
  std::vector<Job> jobs;
  for (auto&& name : names) {
    std::string text(static_cast<std::string_view>(name));
    jobs.push_back({stagger_hash(text), std::move(text), jobs.size()});
  }
  if (jobs.empty()) return {};
  std::sort(jobs.begin(), jobs.end());
  for (std::size_t i = 1; i < jobs.size(); ++i) {
    if (jobs[i - 1].name == jobs[i].name)
      throw std::invalid_argument("evenkey: two jobs have the name '" + jobs[i].name +
                                  "', so they could not be told apart");
  }
  const auto count = static_cast<std::int64_t>(jobs.size());
  const std::int64_t gap = period.count() / count, rest = period.count() % count;
  if (gap == 0) throw std::invalid_argument("evenkey: a period has no place for more jobs than nanoseconds");
  // Lists of different services do not all have a job at the period's very start.
  const auto first = static_cast<std::int64_t>(jobs.front().hash % static_cast<std::uint64_t>(gap));
  std::vector<std::chrono::nanoseconds> offsets(jobs.size());
  for (std::int64_t slot = 0; slot < count; ++slot)
    offsets[jobs[static_cast<std::size_t>(slot)].place] =
        std::chrono::nanoseconds(first + slot * gap + (std::min)(slot, rest));
  return offsets;
}

/// The first start of a job that is later than `now`: the next time that is `offset` past a whole number of
/// periods since the clock's zero.
///
/// Use `std::chrono::system_clock` for jobs of several processes or machines: its zero is the same for all.
/// Being later than `now`, it can be asked for again when the job has started, and is never the same start.
/// Errors: `std::invalid_argument` for a period that is not longer than zero; `std::overflow_error` where the
/// clock cannot count as far.
/// @param now any time, before the clock's zero too, within the 292 years that nanoseconds can count
/// @param offset such as `stagger_offset(name, period)`; one outside of the period is taken modulo the period
template <class Clock, class Duration>
constexpr std::chrono::time_point<Clock, std::common_type_t<Duration, std::chrono::nanoseconds>> next_start(
    std::chrono::time_point<Clock, Duration> now, std::chrono::nanoseconds period,
    std::chrono::nanoseconds offset) {
  detail::check_period(period);
  using Ticks = std::common_type_t<Duration, std::chrono::nanoseconds>;
  const auto modulo = [period](std::chrono::nanoseconds time) {
    const auto rest = time % period;
    return rest < std::chrono::nanoseconds(0) ? rest + period : rest;
  };
  const std::chrono::nanoseconds time(now.time_since_epoch());
  const auto wait_at_zero = modulo(offset), since_whole = modulo(time);
  const auto wait =
      wait_at_zero > since_whole ? wait_at_zero - since_whole : period - (since_whole - wait_at_zero);
  if (time > (std::chrono::nanoseconds::max)() - wait)
    throw std::overflow_error("evenkey: the next start is later than the clock can count");
  return std::chrono::time_point<Clock, Ticks>(Ticks(time + wait));
}

}  // namespace evenkey
