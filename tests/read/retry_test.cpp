// SPDX-License-Identifier: BSL-1.0
#include <evenkey/read/retry.hpp>
#include <evenkey/testing/memory_table/error.hpp>

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <latch>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;
using evenkey::ErrorKind;
using evenkey::RetryBudget;
using evenkey::RetryBudgetOptions;
using evenkey::RetryOptions;
using Reasons = std::vector<std::string_view>;
using TimePoint = std::chrono::steady_clock::time_point;

ErrorKind cancelled(const Reasons& reasons) {
  return evenkey::classify_error("TransactionCanceledException", reasons);
}

// A client's own exceptions, each with another set of members.
struct NamedOnly {
  std::string name() const { return "com.amazonaws.dynamodb.v20120810#ThrottlingException"; }
};
struct ErrorNamed : std::runtime_error {
  using std::runtime_error::runtime_error;
  int name() const { return 7; }  // not a text: must not be taken
  std::string_view error_name() const { return "ProvisionedThroughputExceededException"; }
  struct Reason {
    const char* reason;
    std::string resource;
  };
  std::vector<Reason> reasons() const {
    return {{"TableWriteProvisionedThroughputExceeded", "arn:table"},
            {"IndexReadKeyRangeThroughputExceeded", "arn:table/index/by-person"}};
  }
};
struct Cancelled {
  std::string name() const { return "TransactionCanceledException"; }
  std::vector<std::string> cancellation_reasons() const { return {"None", "ThrottlingError"}; }
};
struct StatusOnly {
  const char* error_name() const { return ""; }
  long http_status() const { return 503; }
};
struct Nameless {};
struct DerivedError : evenkey::store_error {
  using evenkey::store_error::store_error;
};

static_assert(evenkey::says_its_name<NamedOnly> && !evenkey::has_error_name<NamedOnly>);
static_assert(evenkey::says_its_name<ErrorNamed> && !evenkey::has_name<ErrorNamed>);
static_assert(evenkey::gives_throttling_reasons<ErrorNamed> && !evenkey::gives_throttling_reasons<NamedOnly>);
static_assert(evenkey::gives_cancellation_reasons<Cancelled>);
static_assert(evenkey::says_http_status<StatusOnly>);
static_assert(!evenkey::says_its_name<Nameless>);
static_assert(evenkey::says_its_name<evenkey::store_error>);
static_assert(evenkey::error_classifier<evenkey::ClassifyStoreErrors>);
static_assert(evenkey::error_classifier<evenkey::ClassifyAs<NamedOnly, ErrorNamed>>);
static_assert(!evenkey::error_classifier<int>);

template <class Exception>
std::exception_ptr thrown(Exception e) {
  return std::make_exception_ptr(std::move(e));
}

}  // namespace

TEST_SUITE("read") {
  TEST_CASE("F26: what DynamoDB throttled or could not do just now is retried") {
    for (const std::string_view name :
         {"ProvisionedThroughputExceededException", "ProvisionedThroughputExceeded", "ThrottlingException",
          "ThrottlingError", "Throttling", "RequestLimitExceeded", "RequestLimitExceededException",
          "TooManyRequestsException",
          "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException",
          "com.amazon.coral.availability#ThrottlingException", "urn:x#y#ThrottlingException",
          "aws.json#ThrottlingException:http://internal/coral#docs", "#Throttling"}) {
      CAPTURE(name);
      CHECK(evenkey::classify_error(name) == ErrorKind::throttled);
    }
    for (const std::string_view name :
         {"InternalServerError", "InternalServerErrorException", "InternalFailure", "ServiceUnavailable",
          "ServiceUnavailableException", "RequestTimeout", "RequestTimeoutException", "TimeoutError",
          "TransactionConflictException", "x#InternalServerError"}) {
      CAPTURE(name);
      CHECK(evenkey::classify_error(name) == ErrorKind::transient);
    }
    for (const int status : {408, 500, 502, 503, 504}) {
      CAPTURE(status);
      CHECK(evenkey::classify_error("", {}, status) == ErrorKind::transient);
      CHECK(evenkey::classify_error("SomethingNew", {}, status) == ErrorKind::transient);
    }
    CHECK(evenkey::classify_error("", {}, 429) == ErrorKind::throttled);
  }

  TEST_CASE("F26: what cannot succeed is not retried") {
    for (const std::string_view name :
         {"ValidationException", "Validation", "ValidationError", "AccessDeniedException", "AccessDenied",
          "ResourceNotFoundException", "ResourceNotFound", "x#ValidationException", "",
          "UnrecognizedClientException", "ItemCollectionSizeLimitExceededException", "Error", "Exception",
          "throttlingexception", "NotThrottlingException", "ThrottlingExceptions", "#", "a#", ":"}) {
      CAPTURE(name);
      CHECK(evenkey::classify_error(name) == ErrorKind::fatal);
      CHECK(evenkey::classify_error(name, {}, 400) == ErrorKind::fatal);
    }
    for (const std::string_view name :
         {"ConditionalCheckFailedException", "ConditionalCheckFailed", "x#ConditionalCheckFailedException"}) {
      CAPTURE(name);
      CHECK(evenkey::classify_error(name) == ErrorKind::condition_failed);
    }
    // A name that is known decides, whatever a proxy made of the status.
    CHECK(evenkey::classify_error("ValidationException", {}, 500) == ErrorKind::fatal);
    CHECK(evenkey::classify_error("ConditionalCheckFailedException", {}, 503) == ErrorKind::condition_failed);
    CHECK(evenkey::classify_error("ThrottlingException", {}, 400) == ErrorKind::throttled);
    for (const int status : {0, -1, 200, 301, 400, 403, 404, 409, 413, 499, 501, 505, 600})
      CHECK(evenkey::classify_error("", {}, status) == ErrorKind::fatal);
  }

  TEST_CASE("F26: a cancelled transaction is what the worst of its reasons is") {
    CHECK(cancelled({"None", "ThrottlingError"}) == ErrorKind::throttled);
    CHECK(cancelled({"TransactionConflict", "ProvisionedThroughputExceeded"}) == ErrorKind::throttled);
    CHECK(cancelled({"ProvisionedThroughputExceeded", "TransactionConflict"}) == ErrorKind::throttled);
    CHECK(cancelled({"ConditionalCheckFailed", "None"}) == ErrorKind::condition_failed);
    CHECK(cancelled({"ValidationError", "TransactionConflict"}) == ErrorKind::fatal);
    CHECK(cancelled({"TransactionConflict", "None"}) == ErrorKind::transient);
    CHECK(cancelled({"ThrottlingError", "ConditionalCheckFailed"}) == ErrorKind::condition_failed);
    CHECK(cancelled({"ConditionalCheckFailed", "ValidationError"}) == ErrorKind::fatal);
    CHECK(cancelled({"ThrottlingError", "ItemCollectionSizeLimitExceeded"}) == ErrorKind::fatal);
    CHECK(cancelled({"ThrottlingError", "SomethingNew"}) == ErrorKind::fatal);
    CHECK(cancelled({"", "ThrottlingError"}) == ErrorKind::throttled);
    CHECK(cancelled({}) == ErrorKind::fatal);
    CHECK(cancelled({"None", "None"}) == ErrorKind::fatal);
    // The HTTP status of a cancelled transaction is 400 and says nothing.
    const Reasons conflict{"TransactionConflict"};
    CHECK(evenkey::classify_error("v1#TransactionCanceled", conflict, 400) == ErrorKind::transient);
    CHECK(evenkey::classify_error("", conflict) == ErrorKind::transient);
    // Reasons beside another name are not that error's.
    CHECK(evenkey::classify_error("ValidationException", conflict) == ErrorKind::fatal);
    static_assert(evenkey::classify_error("ThrottlingException") == ErrorKind::throttled);
  }

  TEST_CASE("a hot key is told from a table that lacks capacity") {
    for (const std::string resource : {"Table", "Index"}) {
      for (const std::string operation : {"Read", "Write"}) {
        CHECK(evenkey::is_hot_key(resource + operation + "KeyRangeThroughputExceeded"));
        for (const std::string other :
             {"ProvisionedThroughputExceeded", "AccountLimitExceeded", "MaxOnDemandThroughputExceeded"})
          CHECK_FALSE(evenkey::is_hot_key(resource + operation + other));
      }
    }
    CHECK_FALSE(evenkey::is_hot_key(""));
    using Throttling = std::vector<evenkey::ThrottlingReason>;
    CHECK_FALSE(evenkey::is_hot_key(Throttling{}));
    CHECK(evenkey::is_hot_key(Throttling{{"TableReadAccountLimitExceeded", "arn:table"},
                                         {"IndexReadKeyRangeThroughputExceeded", "arn:table/index/i"}}));
    CHECK(evenkey::is_hot_key(ErrorNamed("").reasons()));
  }

  TEST_CASE("a store error is classified by its name, its status or what it was told") {
    using evenkey::store_error;
    const auto hot = evenkey::classify(
        thrown(store_error("ProvisionedThroughputExceededException", "slow down",
                           {{"IndexReadKeyRangeThroughputExceeded", "arn:table/index/i"}}, 400)));
    CHECK(hot.kind == ErrorKind::throttled);
    CHECK(hot.name == "ProvisionedThroughputExceededException");
    CHECK(hot.http_status == 400);
    CHECK(evenkey::is_hot_key(hot));
    CHECK(evenkey::classify(thrown(store_error("", "bad gateway", {}, 502))).kind == ErrorKind::transient);
    CHECK(evenkey::classify(thrown(DerivedError("ThrottlingException", ""))).kind == ErrorKind::throttled);
    CHECK(evenkey::classify(
              thrown(store_error({.kind = ErrorKind::transient, .name = "MyTimeout"}, "no answer in 5 s")))
              .kind == ErrorKind::transient);
    CHECK(std::string(store_error("ThrottlingException", "Rate exceeded").what()) ==
          "ThrottlingException: Rate exceeded");
    static_assert(std::is_nothrow_copy_constructible_v<store_error>);
  }

  TEST_CASE("exceptions that say nothing are fatal, network failures are transient") {
    CHECK(evenkey::classify(nullptr).kind == ErrorKind::fatal);
    CHECK(evenkey::classify(thrown(std::runtime_error("ThrottlingException"))).kind == ErrorKind::fatal);
    CHECK(evenkey::classify(thrown(42)).kind == ErrorKind::fatal);
    CHECK(evenkey::classify(thrown(NamedOnly{})).kind == ErrorKind::fatal);  // nobody named the type
    const auto network = [](std::errc code) { return thrown(std::system_error(std::make_error_code(code))); };
    CHECK(evenkey::classify(network(std::errc::timed_out)).kind == ErrorKind::transient);
    CHECK(evenkey::classify(network(std::errc::connection_reset)).kind == ErrorKind::transient);
    CHECK(evenkey::classify(network(std::errc::permission_denied)).kind == ErrorKind::fatal);
    CHECK(evenkey::classify(network(std::errc::operation_canceled)).kind == ErrorKind::fatal);
    CHECK(evenkey::classify(thrown(std::system_error(ETIMEDOUT, std::system_category()))).kind ==
          ErrorKind::transient);
  }

  TEST_CASE("a client's own exceptions are classified by the members they have") {
    const evenkey::ClassifyAs<NamedOnly, ErrorNamed, Cancelled, StatusOnly> classifier;
    CHECK(evenkey::classify(thrown(NamedOnly{}), classifier).kind == ErrorKind::throttled);
    const auto named = evenkey::classify(thrown(ErrorNamed("")), classifier);
    CHECK(named.kind == ErrorKind::throttled);
    CHECK(named.name == "ProvisionedThroughputExceededException");
    REQUIRE(named.throttling_reasons.size() == 2);
    CHECK(named.throttling_reasons[1].resource == "arn:table/index/by-person");
    CHECK(evenkey::is_hot_key(named));
    CHECK(evenkey::classify(thrown(Cancelled{}), classifier).kind == ErrorKind::throttled);
    CHECK(evenkey::classify(thrown(StatusOnly{}), classifier).kind == ErrorKind::transient);
    CHECK(evenkey::classify(thrown(Nameless{}), classifier).kind == ErrorKind::fatal);
    CHECK(evenkey::classify(nullptr, classifier).kind == ErrorKind::fatal);
    // evenkey's own convention holds beside it.
    CHECK(evenkey::classify(thrown(evenkey::store_error("ThrottlingError", "")), classifier).kind ==
          ErrorKind::throttled);
  }

  TEST_CASE("the errors of the table in memory can be classified as a client's own") {
    using evenkey::testing::dynamodb_error;
    const evenkey::ClassifyAs<dynamodb_error> classifier;
    const auto request = evenkey::testing::RequestKind::query;
    const auto hot = evenkey::classify(
        thrown(dynamodb_error("ProvisionedThroughputExceededException", "slow down", request,
                              {{"IndexReadKeyRangeThroughputExceeded", "arn:table/index/i"}})),
        classifier);
    CHECK(hot.kind == ErrorKind::throttled);
    CHECK(evenkey::is_hot_key(hot));
    CHECK(evenkey::classify(thrown(dynamodb_error("RequestTimeout", "", request)), classifier).kind ==
          ErrorKind::transient);
    CHECK(evenkey::classify(thrown(dynamodb_error("ValidationException", "", request)), classifier).kind ==
          ErrorKind::fatal);
  }

  TEST_CASE("a classifier of the user's may answer with a kind alone") {
    const auto all_transient = [](const std::exception_ptr&) { return ErrorKind::transient; };
    CHECK(evenkey::classify(thrown(1), all_transient).kind == ErrorKind::transient);
    const auto detailed = [](const std::exception_ptr&) {
      return evenkey::ErrorDetails{.kind = ErrorKind::throttled, .name = "Busy"};
    };
    CHECK(evenkey::classify(thrown(1), detailed).name == "Busy");
  }

  TEST_CASE("retries are off by default, and options that no read could follow are refused") {
    const RetryOptions off;
    RetryBudget budget;
    CHECK_FALSE(evenkey::next_retry(off, budget, ErrorKind::throttled, 1, TimePoint(), std::nullopt, 0.5));
    CHECK(budget.tokens() == 500);
    CHECK_NOTHROW(evenkey::check_retry_options(off));
    CHECK_THROWS_AS(evenkey::check_retry_options({.max_attempts = 0}), std::invalid_argument);
    CHECK_THROWS_AS(evenkey::check_retry_options({.base_delay = -1ns}), std::invalid_argument);
    CHECK_THROWS_AS(evenkey::check_retry_options({.throttled_base_delay = -1ns}), std::invalid_argument);
    CHECK_THROWS_AS(evenkey::check_retry_options({.max_delay = -1ns}), std::invalid_argument);
    // To retry at once is allowed.
    CHECK_NOTHROW(evenkey::check_retry_options({.base_delay = 0ns}));
    CHECK_NOTHROW(evenkey::check_retry_options({.throttled_base_delay = 0ns}));
    CHECK_NOTHROW(evenkey::check_retry_options({.max_delay = 0ns}));
  }

  TEST_CASE("the delay doubles with each retry up to the cap, and jitter takes any part of it") {
    const RetryOptions options{.max_attempts = 4};
    CHECK(evenkey::retry_delay(options, ErrorKind::transient, 0, 1.0) == 25ms);
    CHECK(evenkey::retry_delay(options, ErrorKind::transient, 1, 1.0) == 50ms);
    CHECK(evenkey::retry_delay(options, ErrorKind::transient, 9, 1.0) == 12800ms);
    CHECK(evenkey::retry_delay(options, ErrorKind::transient, 10, 1.0) == 20s);
    CHECK(evenkey::retry_delay(options, ErrorKind::throttled, 0, 0.5) == 500ms);
    CHECK(evenkey::retry_delay(options, ErrorKind::throttled, 2, 0.25) == 1s);
    CHECK(evenkey::retry_delay(options, ErrorKind::throttled, 4, 1.0) == 16s);
    CHECK(evenkey::retry_delay(options, ErrorKind::throttled, 5, 1.0) == 20s);
    CHECK(evenkey::retry_delay(options, ErrorKind::throttled, 3, 0.0) == 0ns);
    // Doubled as long as that stays within the cap, not only where the cap is a double itself.
    const RetryOptions odd{.max_attempts = 4, .base_delay = 2ns, .max_delay = 5ns};
    CHECK(evenkey::retry_delay(odd, ErrorKind::transient, 1, 1.0) == 4ns);
    CHECK(evenkey::retry_delay(odd, ErrorKind::transient, 2, 1.0) == 5ns);
  }

  TEST_CASE("no number of retries, delay or random number overflows the delay") {
    constexpr auto longest = (std::chrono::nanoseconds::max)();
    const std::array<std::size_t, 12> retries{
        0, 1, 5, 20, 31, 32, 62, 63, 64, 65, 1000, (std::numeric_limits<std::size_t>::max)()};
    const std::array<std::chrono::nanoseconds, 7> delays{0ns, 1ns, 2ns, 25ms, 20s, longest - 1ns, longest};
    const std::array<double, 10> randoms{0.0,
                                         1e-300,
                                         0.5,
                                         1.0 - 1.2e-16,
                                         1.0,
                                         2.0,
                                         -1.0,
                                         std::numeric_limits<double>::infinity(),
                                         -std::numeric_limits<double>::infinity(),
                                         std::numeric_limits<double>::quiet_NaN()};
    for (const auto base : delays) {
      for (const auto cap : delays) {
        const RetryOptions options{.max_attempts = 4, .base_delay = base, .max_delay = cap};
        for (const std::size_t retry : retries) {
          for (const double random : randoms) {
            const auto delay = evenkey::retry_delay(options, ErrorKind::transient, retry, random);
            CHECK(delay >= 0ns);
            CHECK(delay <= cap);
          }
          // Longer with each retry, and at the cap in the end.
          CHECK(evenkey::retry_delay(options, ErrorKind::transient, retry, 1.0) >= (std::min)(base, cap));
        }
        if (base > 0ns) CHECK(evenkey::retry_delay(options, ErrorKind::transient, 64, 1.0) == cap);
      }
    }
  }

  TEST_CASE("F17: 64 callers at attempt 20 wait at least 32 different delays") {
    const RetryOptions options{.max_attempts = 100};
    RetryBudget budget({.tokens = 100'000});
    std::set<std::chrono::nanoseconds> delays;
    std::vector<std::chrono::nanoseconds> waits(64);
    std::vector<std::thread> callers;  // each with its own generator, as in life
    for (auto& wait : waits)
      callers.emplace_back([&] {
        wait = evenkey::next_retry(options, budget, ErrorKind::throttled, 20, TimePoint(), std::nullopt,
                                   evenkey::random_unit())
                   .value();
      });
    for (auto& caller : callers)
      caller.join();
    for (const auto wait : waits) {
      CHECK(wait < 20s);
      delays.insert(wait);
    }
    CHECK(delays.size() >= 32);
  }

  TEST_CASE("F17: a retry that would reach the deadline is not made, and costs nothing") {
    const RetryOptions options{.max_attempts = 4, .throttled_base_delay = 100ms};
    RetryBudget budget;
    const TimePoint start{}, deadline = start + 100ms, failed = start + 90ms;
    CHECK(evenkey::retry_delay(options, ErrorKind::throttled, 0, 0.8) == 80ms);
    CHECK_FALSE(evenkey::next_retry(options, budget, ErrorKind::throttled, 1, failed, deadline, 0.8));
    CHECK(budget.tokens() == 500);
    // Just in time is in time; at the deadline itself no request could be answered.
    CHECK_FALSE(evenkey::next_retry(options, budget, ErrorKind::throttled, 1, start + 20ms, deadline, 0.8));
    CHECK(evenkey::next_retry(options, budget, ErrorKind::throttled, 1, start + 20ms - 1ns, deadline, 0.8) ==
          80ms);
    CHECK(budget.tokens() == 495);
    // Past the deadline not even a delay of nothing is left.
    CHECK_FALSE(evenkey::next_retry(options, budget, ErrorKind::throttled, 1, deadline, deadline, 0.0));
    CHECK_FALSE(evenkey::next_retry(options, budget, ErrorKind::throttled, 1, deadline + 1s, deadline, 0.0));
    // A deadline of "never", and times before the clock's zero.
    CHECK(evenkey::next_retry(options, budget, ErrorKind::throttled, 1, (TimePoint::min)(),
                              (TimePoint::max)(), 0.8) == 80ms);
    CHECK_FALSE(evenkey::next_retry(options, budget, ErrorKind::throttled, 1, (TimePoint::max)(),
                                    (TimePoint::min)(), 0.8));
  }

  TEST_CASE("F17: 16 throttled shards of 4 attempts make 26 requests on a budget of 10 retries") {
    const auto shared = std::make_shared<RetryBudget>(RetryBudgetOptions::of_retries(10));
    const RetryOptions options{.max_attempts = 4, .budget = shared};
    int requests = 0;
    for (int shard = 0; shard < 16; ++shard) {
      for (std::size_t attempt = 1;; ++attempt) {
        ++requests;  // and it is throttled
        CHECK(attempt <= 4);
        if (!evenkey::next_retry(options, ErrorKind::throttled, attempt, TimePoint(), std::nullopt, 0.5))
          break;
      }
    }
    CHECK(requests == 26);
    shared->pay_back(ErrorKind::throttled);
    shared->pay_back();
    CHECK(shared->tokens() == 0);
  }

  TEST_CASE("what is not worth a retry gets none, however much is left") {
    const RetryOptions options{.max_attempts = 4};
    RetryBudget budget;
    for (const ErrorKind kind : {ErrorKind::fatal, ErrorKind::condition_failed}) {
      CHECK_FALSE(evenkey::next_retry(options, budget, kind, 1, TimePoint(), std::nullopt, 0.5));
      CHECK_FALSE(budget.try_spend(kind));
    }
    for (const ErrorKind kind : {ErrorKind::throttled, ErrorKind::transient}) {
      CHECK(evenkey::next_retry(options, budget, kind, 3, TimePoint(), std::nullopt, 0.5));
      CHECK_FALSE(evenkey::next_retry(options, budget, kind, 4, TimePoint(), std::nullopt, 0.5));
      CHECK_FALSE(evenkey::next_retry(options, budget, kind, 400, TimePoint(), std::nullopt, 0.5));
    }
    CHECK(budget.tokens() == 500 - 5 - 14);
  }

  TEST_CASE("retries are paid from the bucket until it is empty, and success pays back") {
    RetryBudget budget;
    for (int i = 0; i < 100; ++i)
      CHECK(budget.try_spend(ErrorKind::throttled));
    CHECK_FALSE(budget.try_spend(ErrorKind::throttled));
    CHECK(budget.tokens() == 0);
    budget.pay_back(ErrorKind::throttled);
    CHECK(budget.tokens() == 5);
    CHECK_FALSE(budget.try_spend(ErrorKind::transient));  // it costs 14, and nothing is taken
    CHECK(budget.tokens() == 5);
    budget.pay_back(ErrorKind::transient);
    CHECK(budget.tokens() == 19);
    budget.pay_back();
    CHECK(budget.tokens() == 20);
    budget.pay_back(ErrorKind::fatal);
    CHECK(budget.tokens() == 20);
    for (int i = 0; i < 1000; ++i)
      budget.pay_back(ErrorKind::transient);
    CHECK(budget.tokens() == 500);

    RetryBudget none({.tokens = 0});
    CHECK_FALSE(none.try_spend(ErrorKind::throttled));
    none.pay_back();
    CHECK(none.tokens() == 0);
    RetryBudget huge({.tokens = (std::numeric_limits<std::uint32_t>::max)(),
                      .throttled_cost = 1,
                      .success_pays = (std::numeric_limits<std::uint32_t>::max)()});
    CHECK(huge.try_spend(ErrorKind::throttled));
    huge.pay_back();
    CHECK(huge.tokens() == (std::numeric_limits<std::uint32_t>::max)());
  }

  TEST_CASE("a budget shared by many threads pays for all that it holds and no more, and loses nothing") {
    // So often, and all at once, that threads come between each other's reading and writing of the count.
    constexpr int threads = 8, times = 500'000;
    const auto in_each_thread = [](auto act) {
      std::latch start(threads);
      std::vector<std::jthread> actors;
      for (int thread = 0; thread < threads; ++thread)
        actors.emplace_back([&start, act, thread] {
          start.arrive_and_wait();
          act(thread);
        });
      actors.clear();  // all are joined before the latch goes
    };
    RetryBudget budget(RetryBudgetOptions::of_retries(threads * times / 2));
    std::array<int, threads> paid{};
    in_each_thread([&](int thread) {
      int count = 0;
      for (int i = 0; i < times; ++i)
        count += budget.try_spend(i % 2 == 0 ? ErrorKind::throttled : ErrorKind::transient) ? 1 : 0;
      paid[static_cast<std::size_t>(thread)] = count;
    });
    int total = 0;
    for (const int count : paid)
      total += count;
    CHECK(total == threads * times / 2);
    CHECK(budget.tokens() == 0);

    constexpr std::uint32_t all = threads * times * 3;
    RetryBudget filled({.tokens = all, .throttled_cost = all, .success_pays = 3});
    REQUIRE(filled.try_spend(ErrorKind::throttled));
    in_each_thread([&](int) {
      for (int i = 0; i < times; ++i)
        filled.pay_back();
    });
    CHECK(filled.tokens() == all);

    RetryBudget full({.tokens = 500, .success_pays = 3});
    while (full.try_spend(ErrorKind::throttled)) {
    }
    in_each_thread([&](int) {
      for (int i = 0; i < 100; ++i)
        full.pay_back();
    });
    CHECK(full.tokens() == 500);
  }

  TEST_CASE("reads that name no budget share the one of the process") {
    RetryBudget& budget = evenkey::default_retry_budget();
    const auto before = budget.tokens();
    const RetryOptions options{.max_attempts = 2};
    CHECK(evenkey::next_retry(options, ErrorKind::throttled, 1, TimePoint(), std::nullopt, 0.5) == 500ms);
    CHECK(budget.tokens() == before - 5);
    budget.pay_back(ErrorKind::throttled);
    CHECK(&budget == &evenkey::default_retry_budget());
  }

  TEST_CASE("random numbers for delays lie in [0, 1) and differ") {
    std::set<double> drawn;
    for (int i = 0; i < 1000; ++i) {
      const double random = evenkey::random_unit();
      CHECK(random >= 0.0);
      CHECK(random < 1.0);
      drawn.insert(random);
    }
    CHECK(drawn.size() > 990);
  }
}
