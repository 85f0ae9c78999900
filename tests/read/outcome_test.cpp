// SPDX-License-Identifier: BSL-1.0
#include <evenkey/read/outcome.hpp>

#include <doctest/doctest.h>

#include <exception>
#include <future>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

struct Item {};
using Page = evenkey::Page<Item>;
using Request = evenkey::QueryRequest<std::string>;

/// As `std::expected` looks.
template <class Error>
struct Expected {
  Page page;
  Error failure;
  bool ok = true;
  explicit operator bool() const { return ok; }
  Page& operator*() & { return page; }
  Page&& operator*() && { return std::move(page); }
  const Error& error() const { return failure; }
};

template <class Answer>
using Returns = Answer (*)(const Request&);

template <class Query>
constexpr bool is_functor = evenkey::query_functor<Query, Item, std::string>;

static_assert(is_functor<Returns<Page>>);
static_assert(is_functor<Returns<const Page&>>);
static_assert(is_functor<Returns<std::future<Page>>>);
static_assert(is_functor<Returns<Expected<std::string>>>);
static_assert(is_functor<Returns<Expected<std::string>&>>);
static_assert(is_functor<Returns<std::future<Expected<std::string>>>>);
static_assert(!is_functor<Returns<std::vector<Item>>>);
static_assert(!is_functor<Returns<evenkey::Page<Item, int>>>);
static_assert(!evenkey::query_functor<Returns<Page>, int, std::string>);
static_assert(evenkey::answers_query_request<Returns<std::vector<Item>>, std::string> &&
              !evenkey::answers_with_page<Returns<std::vector<Item>>, Item, std::string>);

template <class Answer>
Page page_of(Answer answer) {
  return evenkey::detail::page_of<Item, std::string>(std::move(answer));
}

}  // namespace

TEST_SUITE("read") {
  TEST_CASE("an outcome that holds a page is that page") {
    CHECK(page_of(Expected<std::string>{Page{{Item{}, Item{}}, {}}, "no"}).items.size() == 2);
  }

  TEST_CASE("an outcome that holds an exception throws it as it is") {
    CHECK_THROWS_AS(page_of(Expected<std::out_of_range>{{}, std::out_of_range("no"), false}),
                    std::out_of_range);
  }

  TEST_CASE("an outcome whose exception is null is an error all the same") {
    CHECK_THROWS_WITH_AS(page_of(Expected<std::exception_ptr>{{}, nullptr, false}),
                         doctest::Contains("an error that is null"), std::runtime_error);
  }

  TEST_CASE("an outcome's text is the message of what is thrown") {
    CHECK_THROWS_WITH_AS(page_of(Expected<std::string>{{}, "slow down", false}), "slow down",
                         evenkey::outcome_error<std::string>);
  }

  TEST_CASE("an outcome's error of another type can be had back") {
    try {
      page_of(Expected<int>{{}, 400, false});
      FAIL("nothing was thrown");
    } catch (const evenkey::outcome_error<int>& error) {
      CHECK(error.error() == 400);
    }
  }

  TEST_CASE("an outcome answered by reference stays the functor's, page and all") {
    Expected<std::string> kept{Page{{Item{}, Item{}}, "next", 7, 1.5}, "no"};
    const auto answer = [&kept]() -> Expected<std::string>& { return kept; };
    for (int time = 0; time < 2; ++time) {
      const Page page = evenkey::detail::page_of<Item, std::string>(answer());
      CHECK(page.items.size() == 2);
      CHECK(page.last_evaluated_key == "next");
    }
    CHECK(kept.page.items.size() == 2);
    CHECK(kept.page.last_evaluated_key == "next");
    const Expected<std::string>& constant = kept;
    CHECK(evenkey::detail::page_of<Item, std::string>(constant).items.size() == 2);
    kept.ok = false;
    CHECK_THROWS_WITH((evenkey::detail::page_of<Item, std::string>(answer())), "no");
    CHECK(kept.failure == "no");
  }

  TEST_CASE("a future of an outcome is waited for and looked into") {
    std::promise<Expected<int>> promise;
    promise.set_value({{}, 400, false});
    CHECK_THROWS_AS(page_of(promise.get_future()), evenkey::outcome_error<int>);
  }
}
