// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/page.hpp>

#include <concepts>
#include <exception>
#include <future>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace evenkey {

/// An answer that carries an error instead of throwing it: what was not an exception is wrapped in this one.
template <class Error>
class outcome_error : public std::runtime_error {
 public:
  /// @param error as the outcome had it
  outcome_error(const std::string& message, Error error)
      : std::runtime_error(message), error_(std::move(error)) {}
  /// What the functor's outcome held.
  const Error& error() const noexcept { return error_; }

 private:
  Error error_;
};

/// How a query functor's own answer type becomes a page. Specialise it for an SDK's outcome:
///
/// Shape: `static bool succeeded(const Outcome&)`, `static Page<…> page(Outcome&&)`,
/// `static std::exception_ptr error(const Outcome&)`.
template <class Outcome>
struct outcome_traits;

/// `std::expected`, `tl::expected` and what looks like them: converts to bool, `*outcome` is a page,
/// `error()` is not.
template <class Outcome>
concept expected_like = requires(Outcome& outcome) {
  static_cast<bool>(outcome);
  *std::move(outcome);
  std::as_const(outcome).error();
};

/// Outcomes that are bool, with `value()` or `*`, and `error()`: `std::expected` and its like.
template <expected_like Outcome>
struct outcome_traits<Outcome> {
  /// Whether there is a page.
  static bool succeeded(const Outcome& outcome) { return static_cast<bool>(outcome); }
  /// The page. @pre it succeeded
  static auto page(Outcome&& outcome) {
    return std::remove_cvref_t<decltype(*std::move(outcome))>(*std::move(outcome));
  }
  /// The error, as an exception. @pre it failed
  static std::exception_ptr error(const Outcome& outcome) {
    using Error = std::remove_cvref_t<decltype(outcome.error())>;
    if constexpr (std::same_as<Error, std::exception_ptr>) {
      return outcome.error();
    } else if constexpr (std::derived_from<Error, std::exception>) {
      return std::make_exception_ptr(outcome.error());
    } else if constexpr (std::convertible_to<const Error&, std::string>) {
      return std::make_exception_ptr(outcome_error<Error>(outcome.error(), outcome.error()));
    } else {
      return std::make_exception_ptr(
          outcome_error<Error>("evenkey: the query functor answered with an error", outcome.error()));
    }
  }
};

namespace detail {

template <class Outcome>
concept has_outcome_traits = requires(Outcome outcome) {
  { outcome_traits<Outcome>::succeeded(std::as_const(outcome)) } -> std::convertible_to<bool>;
  outcome_traits<Outcome>::page(std::move(outcome));
  { outcome_traits<Outcome>::error(std::as_const(outcome)) } -> std::convertible_to<std::exception_ptr>;
};

template <class T>
constexpr bool is_future = false;
template <class T>
constexpr bool is_future<std::future<T>> = true;

/// An answer as a page; throws the error that it holds instead.
template <class Item, class StartKey, class Answer>
Page<Item, StartKey> page_of(Answer&& answer) {
  if constexpr (std::same_as<std::remove_cvref_t<Answer>, Page<Item, StartKey>>) {
    return std::forward<Answer>(answer);
  } else if constexpr (is_future<std::remove_cvref_t<Answer>>) {
    return page_of<Item, StartKey>(answer.get());
  } else {
    using Traits = outcome_traits<std::remove_cvref_t<Answer>>;
    if (!Traits::succeeded(answer)) {
      if (const std::exception_ptr error = Traits::error(answer)) std::rethrow_exception(error);
      throw std::runtime_error("evenkey: the query functor answered with an error that is null");
    }
    // A functor may answer by a reference to an outcome that it keeps: that one is copied, not emptied.
    return Traits::page(std::remove_cvref_t<Answer>(std::forward<Answer>(answer)));
  }
}

template <class Answer, class Item, class StartKey>
constexpr bool is_page_answer = std::same_as<Answer, Page<Item, StartKey>>;
template <has_outcome_traits Outcome, class Item, class StartKey>
constexpr bool is_page_answer<Outcome, Item, StartKey> =
    std::same_as<std::remove_cvref_t<decltype(outcome_traits<Outcome>::page(std::declval<Outcome>()))>,
                 Page<Item, StartKey>>;
template <class Later, class Item, class StartKey>
constexpr bool is_page_answer<std::future<Later>, Item, StartKey> = is_page_answer<Later, Item, StartKey>;

template <class Query, class StartKey>
using AnswerOf = std::remove_cvref_t<std::invoke_result_t<Query&, const QueryRequest<StartKey>&>>;

}  // namespace detail

/// A query functor's answer is a page of the index's items, or an outcome that holds one.
template <class Query, class Item, class StartKey>
concept answers_with_page = detail::is_page_answer<detail::AnswerOf<Query, StartKey>, Item, StartKey>;

/// The user's functor: given a request, it asks the store once and returns one page, an outcome that holds a
/// page or an error (`std::expected`, an SDK's type by `outcome_traits`), or a `std::future` of either.
///
/// Errors: it may throw anything.
/// Threads: called from at most `max_concurrency` threads at once.
template <class Query, class Item, class StartKey>
concept query_functor = answers_query_request<Query, StartKey> && answers_with_page<Query, Item, StartKey>;

/// A query functor for an index; the read keeps a copy of it.
template <class Query, class Index>
concept query_of = (query_functor<std::decay_t<Query>, typename Index::Item, typename Index::StartKey>);

}  // namespace evenkey
