// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/read/clock.hpp>
#include <evenkey/read/executor.hpp>
#include <evenkey/read/observer.hpp>
#include <evenkey/read/retry.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>

namespace evenkey {

/// A condition of the caller's on items, in the program: see `where`.
template <class Predicate>
struct Where {
  Predicate predicate;  ///< from an item to bool
};

/// Keeps the items that satisfy a predicate, as a trailing argument of a read.
///
/// It is applied after copies of a row are settled, so that a stale copy cannot pass it; `limit` counts what
/// it keeps.
/// Cost: capacity is spent on every item that is looked at. Where few items are wanted, a sparse index is
/// cheaper: give only those items the index's partition key.
/// Errors: what the predicate throws leaves the read as it is.
/// Threads: called by one thread at a time, while the read is locked: it must not use the stream that it
/// filters.
template <class Predicate>
Where<std::decay_t<Predicate>> where(Predicate&& predicate) {
  return {std::forward<Predicate>(predicate)};
}

namespace detail {

template <class T>
constexpr bool is_where = false;
template <class Predicate>
constexpr bool is_where<Where<Predicate>> = true;

}  // namespace detail

/// A `where(…)`: what may follow the options of an asynchronous read.
template <class Extra>
concept where_clause = detail::is_where<std::remove_cvref_t<Extra>>;

/// What may follow the options of a read, in any order, at most one of each: a `where(…)`, an observer, an
/// executor (such as a `ThreadPool`), an error classifier (such as `ClassifyAs<…>{}`), and a clock to wait
/// by.
template <class Extra>
concept read_extra = where_clause<Extra> || read_observer<std::remove_cvref_t<Extra>> ||
    read_executor<std::remove_cvref_t<Extra>> || error_classifier<std::remove_cvref_t<Extra>> ||
    read_clock<std::remove_cvref_t<Extra>>;

namespace detail {

template <class... Extras>
constexpr bool at_most_one_each = (std::size_t{0} + ... + (is_where<Extras> ? 1U : 0U)) <= 1 &&
                                  (std::size_t{0} + ... + (read_observer<Extras> ? 1U : 0U)) <= 1 &&
                                  (std::size_t{0} + ... + (read_executor<Extras> ? 1U : 0U)) <= 1 &&
                                  (std::size_t{0} + ... + (error_classifier<Extras> ? 1U : 0U)) <= 1 &&
                                  (std::size_t{0} + ... + (read_clock<Extras> ? 1U : 0U)) <= 1;

struct KeepAll {
  template <class Item>
  constexpr bool operator()(const Item&) const noexcept {
    return true;
  }
};

// The trailing arguments, told apart by what they are; where there is none of a kind, what costs nothing
// takes its place.
template <class... Extras>
constexpr auto predicate_of(const Extras&...) {
  return KeepAll{};
}
template <class First, class... Rest>
constexpr auto predicate_of(const First& first, const Rest&... rest) {
  if constexpr (is_where<First>) {
    return [predicate = first.predicate](const auto& item) -> bool { return std::invoke(predicate, item); };
  } else {
    return predicate_of(rest...);
  }
}

template <class... Extras>
auto& observer_of(Extras&...) {
  static constexpr NoObserver none{};
  return none;
}
template <class First, class... Rest>
auto& observer_of(First& first, Rest&... rest) {
  if constexpr (read_observer<std::remove_cvref_t<First>>) {
    return first;
  } else {
    return observer_of(rest...);
  }
}

/// The executor among the arguments, or null.
template <class... Extras>
constexpr std::nullptr_t executor_of(Extras&...) {
  return nullptr;
}
template <class First, class... Rest>
constexpr auto executor_of(First& first, Rest&... rest) {
  if constexpr (read_executor<std::remove_cvref_t<First>>) {
    return &first;
  } else {
    return executor_of(rest...);
  }
}

template <class... Extras>
auto& clock_of(Extras&...) {
  static constexpr SteadyClock steady{};
  return steady;
}
template <class First, class... Rest>
auto& clock_of(First& first, Rest&... rest) {
  if constexpr (read_clock<std::remove_cvref_t<First>>) {
    return first;
  } else {
    return clock_of(rest...);
  }
}

template <class... Extras>
constexpr ClassifyStoreErrors classifier_of(const Extras&...) {
  return {};
}
template <class First, class... Rest>
constexpr auto classifier_of(const First& first, const Rest&... rest) {
  if constexpr (error_classifier<First>) {
    return first;
  } else {
    return classifier_of(rest...);
  }
}

}  // namespace detail
}  // namespace evenkey
