// SPDX-License-Identifier: BSL-1.0
#include <evenkey/page.hpp>
#include <evenkey/page/error_kind.hpp>

#include <doctest/doctest.h>

#include <map>
#include <optional>
#include <string>
#include <utility>

namespace {

struct Item {};
struct Client;  // only declared: a functor's types need not be complete where they are named

using Page = evenkey::Page<Item>;
using Request = evenkey::QueryRequest<std::string>;

using Function = Page (*)(const Request&);
struct ByValue {
  Page operator()(Request request);
};
struct Mutable {
  Page operator()(const Request& request);
};
struct Generic {
  template <class T>
  Page operator()(const T& request) const;
};
struct NeedsMutableRequest {
  Page operator()(Request& request) const;
};
using OfClient = Page (*)(const Request&, Client&);

static_assert(evenkey::answers_query_request<Function, std::string>);
static_assert(evenkey::answers_query_request<ByValue, std::string>);
static_assert(evenkey::answers_query_request<Mutable, std::string>);
static_assert(evenkey::answers_query_request<Mutable&, std::string>);
static_assert(!evenkey::answers_query_request<const Mutable&, std::string>);
static_assert(evenkey::answers_query_request<Generic, std::string>);
static_assert(!evenkey::answers_query_request<NeedsMutableRequest, std::string>);
static_assert(!evenkey::answers_query_request<OfClient, std::string>);
static_assert(!evenkey::answers_query_request<int, std::string>);

}  // namespace

TEST_SUITE("page") {
  TEST_CASE("a new page is the end, and has cost nothing") {
    const Page page;
    CHECK(page.items.empty());
    CHECK_FALSE(page.last_evaluated_key.has_value());
    CHECK(page.scanned_count == 0);
    CHECK(page.consumed_read_units == 0);
  }

  TEST_CASE("a new request asks for a whole partition, upward, with no limit in any respect") {
    const Request request{};
    CHECK(request.sort_key == evenkey::SortKeyCondition{});
    CHECK(request.direction == evenkey::Direction::ascending);
    CHECK_FALSE(request.limit.has_value());
    CHECK_FALSE(request.exclusive_start_key.has_value());
    CHECK_FALSE(request.deadline.has_value());
    CHECK_FALSE(request.stop.stop_possible());
    const evenkey::ScanRequest<std::string> scan{};
    CHECK(scan.total_segments == 1);
    CHECK(scan.segment == 0);
  }

  TEST_CASE("each kind of error has a name for a log") {
    using evenkey::ErrorKind;
    CHECK(evenkey::to_string(ErrorKind::throttled) == "throttled");
    CHECK(evenkey::to_string(ErrorKind::transient) == "transient");
    CHECK(evenkey::to_string(ErrorKind::condition_failed) == "condition_failed");
    CHECK(evenkey::to_string(ErrorKind::fatal) == "fatal");
    CHECK(evenkey::to_string(static_cast<ErrorKind>(200)) == "?");
  }

  TEST_CASE("F07: a start key leads on when it is there and not empty") {
    using evenkey::detail::leads_on;
    using Map = std::map<std::string, std::string>;
    CHECK_FALSE(leads_on(std::optional<std::string>()));
    CHECK_FALSE(leads_on(std::optional<std::string>("")));
    CHECK(leads_on(std::optional<std::string>("k")));
    CHECK_FALSE(leads_on(std::optional<Map>()));
    CHECK_FALSE(leads_on(std::optional<Map>(Map{})));
    CHECK(leads_on(std::optional<Map>(Map{{"pk", ""}})));
    CHECK(leads_on(std::optional<int>(0)));  // a type that cannot be empty
    CHECK_FALSE(leads_on(std::optional<int>()));
  }
}
