// SPDX-License-Identifier: BSL-1.0
#include <evenkey/read/hydrate.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "support/seed.hpp"

namespace {

using namespace std::chrono_literals;
using evenkey::Consistency;
using evenkey::HydrateOptions;
using evenkey::Hydration;
using evenkey::OnFailure;

struct Entry {
  std::string id;
  std::string sort_key;
};
struct Row {
  std::string id;
  std::string sort_key;
  std::string body;
};
using Request = evenkey::BatchGetRequest<std::string>;
using Answer = evenkey::BatchGetAnswer<Row, std::string>;

struct IdOf {
  std::string operator()(const Entry& entry) const { return entry.id; }
  std::string operator()(const Row& row) const { return row.id; }
};

constexpr auto answers_with_a_number = [](const Request&) { return 0; };
constexpr auto answers_with_rows = [](const Request&) { return std::vector<Row>{}; };
constexpr auto answers = [](const Request&) { return Answer{}; };
static_assert(evenkey::batch_get_functor<decltype(answers), std::string>);
static_assert(!evenkey::batch_get_functor<decltype(answers_with_a_number), std::string>);
static_assert(!evenkey::batch_get_functor<decltype(answers_with_rows), std::string>);
static_assert(!evenkey::batch_get_functor<decltype(answers), int>);

const auto same_sort_key =
    evenkey::unchanged_if([](const Entry& entry, const Row& row) { return entry.sort_key == row.sort_key; });

/// Time that passes only by being waited for.
struct WaitedClock {
  std::shared_ptr<std::vector<std::chrono::nanoseconds>> waits =
      std::make_shared<std::vector<std::chrono::nanoseconds>>();
  std::chrono::steady_clock::time_point time{};
  std::function<void()> during_wait = [] {};

  std::chrono::steady_clock::time_point now() const { return time; }
  bool wait_until(std::chrono::steady_clock::time_point until, const std::stop_token& stop) {
    CHECK(until >= time);
    during_wait();
    if (stop.stop_requested()) return false;
    waits->push_back(until - time);
    time = (std::max)(time, until);
    return true;
  }
};

/// A table that answers in an order of its own, and notes what it is asked.
struct Table {
  std::map<std::string, Row> rows;
  std::vector<std::vector<std::string>> asked;
  std::vector<Consistency> consistencies;
  /// What an answer has beside the rows, or instead of them.
  std::function<void(const Request&, Answer&)> fault = [](const Request&, Answer&) {};

  Answer operator()(const Request& request) {
    asked.emplace_back(request.keys.begin(), request.keys.end());
    consistencies.push_back(request.consistency);
    CHECK(request.keys.size() <= 100);
    CHECK(std::set(request.keys.begin(), request.keys.end()).size() == request.keys.size());
    Answer answer;
    for (auto key = request.keys.rbegin(); key != request.keys.rend(); ++key)
      if (const auto found = rows.find(*key); found != rows.end()) answer.items.push_back(found->second);
    answer.consumed_read_units = 0.5 * static_cast<double>(request.keys.size());
    fault(request, answer);
    return answer;
  }
};

std::string id_of(std::size_t number) { return "o" + std::to_string(number); }

Table table_of(std::size_t rows) {
  Table table;
  for (std::size_t i = 0; i < rows; ++i)
    table.rows[id_of(i)] = {id_of(i), "s" + std::to_string(i), "body of " + id_of(i)};
  return table;
}
std::vector<Entry> entries_of(std::size_t count) {
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < count; ++i)
    entries.push_back({id_of(i), "s" + std::to_string(i)});
  return entries;
}

/// Leaves over all but the first few of what it would answer.
void answer_only(std::size_t few, const Request&, Answer& answer) {
  while (answer.items.size() > few) {
    answer.unprocessed_keys.push_back(answer.items.back().id);
    answer.items.pop_back();
  }
}

}  // namespace

TEST_SUITE("read") {
  TEST_CASE("rows come in the order of their entries, a hundred a request") {
    for (const std::size_t count : std::array<std::size_t, 6>{0, 1, 99, 100, 101, 250}) {
      CAPTURE(count);
      Table table = table_of(300);
      const auto result = evenkey::hydrate(entries_of(count), table, IdOf{});
      CHECK(result.complete());
      CHECK(result.requests == (count + 99) / 100);
      CHECK(table.asked.size() == result.requests);
      CHECK(result.consumed_read_units == 0.5 * static_cast<double>(count));
      REQUIRE(result.items.size() == count);
      CHECK(result.count(Hydration::found) == count);
      for (std::size_t i = 0; i < count; ++i) {
        CHECK(result.items[i].entry.id == id_of(i));
        REQUIRE(result.items[i].row);
        CHECK(result.items[i].row->body == "body of " + id_of(i));
      }
    }
  }

  TEST_CASE("a key is asked once, and each of its entries gets the row") {
    Table table = table_of(200);
    std::vector<Entry> entries = entries_of(150);
    entries.insert(entries.begin(), {"o149", "s149"});  // in the first batch, and so not in the second
    entries.push_back({"o3", "s3"});
    entries.push_back({"o3", "an older entry"});
    const auto result = evenkey::hydrate(entries, table, IdOf{}, {}, same_sort_key);
    REQUIRE(table.asked.size() == 2);
    CHECK(table.asked[0].size() + table.asked[1].size() == 150);
    CHECK(result.count(Hydration::found) == 152);
    CHECK(result.items.front().row->id == "o149");
    CHECK(result.items[151].row->body == "body of o3");
    CHECK(result.items[152].state == Hydration::changed);
    CHECK(result.items[152].row->body == "body of o3");
    CHECK(result.items[4].row->body == "body of o3");
  }

  TEST_CASE("rows that are gone are told, not left out") {
    Table table = table_of(5);
    table.rows.erase("o1");
    table.rows.erase("o4");
    const auto result = evenkey::hydrate(entries_of(5), table, IdOf{});
    CHECK(result.complete());
    REQUIRE(result.items.size() == 5);
    CHECK(result.items[1].state == Hydration::missing);
    CHECK(result.items[1].entry.sort_key == "s1");
    CHECK_FALSE(result.items[1].row);
    CHECK(result.items[4].state == Hydration::missing);
    CHECK(result.count(Hydration::found) == 3);
  }

  TEST_CASE("rows that changed since are told, with the row as it is now") {
    Table table = table_of(3);
    table.rows["o1"].sort_key = "";
    const HydrateOptions strong{.consistency = Consistency::strong};
    const auto result = evenkey::hydrate(entries_of(3), table, IdOf{}, strong, same_sort_key);
    CHECK(table.consistencies == std::vector{Consistency::strong});
    CHECK(result.items[1].state == Hydration::changed);
    CHECK(result.items[1].row->body == "body of o1");
    CHECK(result.count(Hydration::found) == 2);
    CHECK(evenkey::hydrate(entries_of(3), table, IdOf{}).count(Hydration::found) == 3);
    CHECK(table.consistencies.back() == Consistency::eventual);
  }

  TEST_CASE("what is left unprocessed is asked again, and only that") {
    Table table = table_of(100);
    table.fault = [](const Request& request, Answer& answer) { answer_only(40, request, answer); };
    WaitedClock clock;
    const auto result = evenkey::hydrate(entries_of(100), table, IdOf{}, {}, clock);
    CHECK(result.count(Hydration::found) == 100);
    REQUIRE(table.asked.size() == 3);
    CHECK(table.asked[1].size() == 60);
    CHECK(table.asked[2].size() == 20);
    CHECK(clock.waits->size() == 2);
    for (const auto wait : *clock.waits)  // an answer that was full is no throttling
      CHECK(wait <= 25ms);
  }

  TEST_CASE("progress by one row at a time is progress") {
    Table table = table_of(30);
    table.fault = [](const Request& request, Answer& answer) { answer_only(1, request, answer); };
    WaitedClock clock;
    const auto result =
        evenkey::hydrate(entries_of(30), table, IdOf{}, HydrateOptions{.max_idle_rounds = 1}, clock);
    CHECK(result.count(Hydration::found) == 30);
    CHECK(result.requests == 30);
    for (const auto wait : *clock.waits)
      CHECK(wait <= 25ms);
  }

  TEST_CASE("a missing row beside unprocessed keys is answered") {
    Table table = table_of(10);
    table.rows.erase("o0");
    table.fault = [](const Request& request, Answer& answer) { answer_only(5, request, answer); };
    WaitedClock clock;
    const auto result = evenkey::hydrate(entries_of(10), table, IdOf{}, {}, clock);
    CHECK(result.items[0].state == Hydration::missing);
    CHECK(result.count(Hydration::found) == 9);
    CHECK(table.asked.back().size() == 4);
  }

  TEST_CASE("a store that leaves all unprocessed for ever is given up, with longer and longer waits") {
    Table table = table_of(120);
    table.fault = [](const Request& request, Answer& answer) { answer_only(0, request, answer); };
    WaitedClock clock;
    const auto budget = std::make_shared<evenkey::RetryBudget>();
    const HydrateOptions options{
        .on_failure = OnFailure::collect, .max_idle_rounds = 4, .retry = {.budget = budget}};
    const auto result = evenkey::hydrate(entries_of(120), table, IdOf{}, options, clock);
    CHECK_FALSE(result.complete());
    CHECK(result.requests == 8);
    CHECK(clock.waits->size() == 6);
    for (std::size_t i = 0; i < 3; ++i)
      CHECK((*clock.waits)[i] <= 1s * (1 << i));
    CHECK(budget->tokens() == 500);  // it is for what the functor throws
    REQUIRE(result.failures.size() == 2);
    CHECK(result.failures[0].keys == 100);
    CHECK(result.failures[1].keys == 20);
    CHECK(result.failures[0].message.find("100 keys of a batch unprocessed, 4 times in a row") !=
          std::string::npos);
    CHECK(evenkey::classify(result.failures[0].error).kind == evenkey::ErrorKind::throttled);
    CHECK(result.count(Hydration::failed) == 120);
    CHECK_THROWS_AS(
        evenkey::hydrate(entries_of(120), table, IdOf{},
                         HydrateOptions{.max_idle_rounds = 4, .retry = {.budget = budget}}, clock),
        evenkey::hydrate_error);
  }

  TEST_CASE(
      "rounds without an answer take nothing from the caller's budget, whether it allows retries or not") {
    for (const std::size_t attempts : std::array<std::size_t, 2>{1, 4}) {
      for (const std::uint32_t tokens : std::array<std::uint32_t, 2>{0, 20}) {
        CAPTURE(attempts);
        CAPTURE(tokens);
        Table table = table_of(2);
        table.fault = [&](const Request& request, Answer& answer) {
          if (table.asked.size() < 5) answer_only(0, request, answer);
        };
        WaitedClock clock;
        const auto budget = std::make_shared<evenkey::RetryBudget>(
            evenkey::RetryBudgetOptions{.tokens = tokens, .success_pays = 0});
        const std::uint32_t of_process = evenkey::default_retry_budget().tokens();
        const HydrateOptions options{.retry = {.max_attempts = attempts, .budget = budget}};
        const auto result = evenkey::hydrate(entries_of(2), table, IdOf{}, options, clock);
        CHECK(result.requests == 5);
        CHECK(result.count(Hydration::found) == 2);
        CHECK(budget->tokens() == tokens);
        CHECK(evenkey::default_retry_budget().tokens() == of_process);
      }
    }
  }

  TEST_CASE("the caller's budget pays for what is thrown, and an answer pays it back") {
    Table table = table_of(2);
    std::size_t throws = 3;
    table.fault = [&](const Request&, Answer&) {
      if (table.asked.size() <= throws) throw evenkey::store_error("ThrottlingException", "later");
    };
    WaitedClock clock;
    const auto budget = std::make_shared<evenkey::RetryBudget>(evenkey::RetryBudgetOptions{.tokens = 15});
    const HydrateOptions options{.on_failure = OnFailure::collect,
                                 .retry = {.max_attempts = 9, .budget = budget}};
    CHECK(evenkey::hydrate(entries_of(2), table, IdOf{}, options, clock).complete());
    CHECK(budget->tokens() == 15 - 3 * 5 + 5);
    table.asked.clear();
    throws = 9;
    const auto result = evenkey::hydrate(entries_of(2), table, IdOf{}, options, clock);
    CHECK(result.requests == 2);
    CHECK(result.count(Hydration::failed) == 2);
    CHECK(budget->tokens() == 0);
  }

  TEST_CASE("many batches of which nothing is answered are not each asked for to the end") {
    Table table = table_of(3000);
    table.fault = [](const Request& request, Answer& answer) { answer_only(0, request, answer); };
    WaitedClock clock;
    const HydrateOptions collect{.on_failure = OnFailure::collect};
    const auto result = evenkey::hydrate(entries_of(3000), table, IdOf{}, collect, clock);
    CHECK(result.failures.size() == 30);
    CHECK(result.requests == 30 + 100);  // a hundred rounds more, over all of them
    CHECK(result.count(Hydration::failed) == 3000);
  }

  TEST_CASE("an answer pays back what the rounds before it cost") {
    Table table = table_of(12'000);
    table.fault = [&](const Request& request, Answer& answer) {
      if (table.asked.size() % 2 == 1) answer_only(0, request, answer);
    };
    WaitedClock clock;
    const auto result = evenkey::hydrate(entries_of(12'000), table, IdOf{}, {}, clock);
    CHECK(result.requests == 240);
    CHECK(result.count(Hydration::found) == 12'000);
  }

  TEST_CASE("an answer pays back one round, however many its batch took") {
    Table table = table_of(12'000);
    std::map<std::string, int> rounds_of_batch;
    table.fault = [&](const Request& request, Answer& answer) {
      if (++rounds_of_batch[request.keys.front()] <= 2) answer_only(0, request, answer);
    };
    WaitedClock clock;
    const HydrateOptions collect{.on_failure = OnFailure::collect};
    const auto result = evenkey::hydrate(entries_of(12'000), table, IdOf{}, collect, clock);
    CHECK(result.failures.size() == 21);  // the hundred rounds that are allowed ran out in the 100th of 120
    CHECK(result.requests == 99 * 3 + 2 + 20);
    CHECK(result.count(Hydration::found) == 9900);
  }

  TEST_CASE("a batch is asked for as often as the options say, however often that is") {
    Table table = table_of(1);
    table.fault = [](const Request& request, Answer& answer) { answer_only(0, request, answer); };
    WaitedClock clock;
    const HydrateOptions options{.on_failure = OnFailure::collect, .max_idle_rounds = 150};
    CHECK(evenkey::hydrate(entries_of(1), table, IdOf{}, options, clock).requests == 150);
    HydrateOptions endless{.max_idle_rounds = (std::numeric_limits<std::size_t>::max)()};
    endless.deadline = clock.time + 1h;
    CHECK_THROWS_AS(evenkey::hydrate(entries_of(1), table, IdOf{}, endless, clock), evenkey::hydrate_error);
    CHECK(clock.time < *endless.deadline);
  }

  TEST_CASE("a batch that fails is named, and the others are answered") {
    Table table = table_of(250);
    table.fault = [&](const Request&, Answer&) {
      if (table.asked.size() == 2) throw std::runtime_error("the second batch");
      if (table.asked.size() == 3) throw 42;
    };
    const HydrateOptions collect{.on_failure = OnFailure::collect};
    const auto result = evenkey::hydrate(entries_of(250), table, IdOf{}, collect);
    REQUIRE(result.failures.size() == 2);
    CHECK(result.failures[0].keys == 100);
    CHECK(result.failures[0].message == "the second batch");
    CHECK(result.failures[1].keys == 50);
    CHECK(result.count(Hydration::found) == 100);
    CHECK(result.count(Hydration::failed) == 150);
    CHECK(result.items[100].state == Hydration::failed);
    CHECK(result.items[100].entry.id == "o100");
    CHECK_FALSE(result.items[100].row);
    table.asked.clear();
    try {
      (void)evenkey::hydrate(entries_of(250), table, IdOf{});
      FAIL("nothing was thrown");
    } catch (const evenkey::hydrate_error& error) {
      CHECK(error.failure().keys == 100);
      CHECK(error.failure().message == "the second batch");
    }
    table.asked.clear();
    CHECK_THROWS_WITH_AS(evenkey::hydrate(entries_of(250), table, IdOf{}),
                         "evenkey: 100 keys could not be read from the base table, nothing was returned: the "
                         "second batch",
                         evenkey::hydrate_error);
    CHECK(table.asked.size() == 2);
  }

  TEST_CASE("what is thrown is retried only where the options say so, and only what can succeed") {
    Table table = table_of(3);
    std::string name = "ThrottlingException";
    table.fault = [&](const Request&, Answer&) {
      if (table.asked.size() < 3) throw evenkey::store_error(name, "later");
    };
    WaitedClock clock;
    CHECK_THROWS_AS(evenkey::hydrate(entries_of(3), table, IdOf{}, {}, clock), evenkey::hydrate_error);
    CHECK(table.asked.size() == 1);
    table.asked.clear();
    HydrateOptions options;
    options.retry.max_attempts = 3;
    CHECK(evenkey::hydrate(entries_of(3), table, IdOf{}, options, clock).count(Hydration::found) == 3);
    CHECK(table.asked.size() == 3);
    table.asked.clear();
    name = "ValidationException";
    CHECK_THROWS_AS(evenkey::hydrate(entries_of(3), table, IdOf{}, options, clock), evenkey::hydrate_error);
    CHECK(table.asked.size() == 1);
  }

  TEST_CASE("an answer that was not asked for is a failure, not a row of somebody else") {
    Table table = table_of(3);
    const HydrateOptions collect{.on_failure = OnFailure::collect};
    SUBCASE("a row") {
      table.fault = [](const Request&, Answer& answer) { answer.items.push_back({"stranger", "", ""}); };
    }
    SUBCASE("a key that is left over") {
      table.fault = [](const Request&, Answer& answer) { answer.unprocessed_keys.emplace_back("stranger"); };
    }
    SUBCASE("rows that were answered before") {
      table.fault = [](const Request& request, Answer& answer) {
        if (request.keys.size() == 3) return answer_only(2, request, answer);
        answer.items.push_back({"o0", "", ""});
        answer.items.push_back({"o2", "", ""});
      };
    }
    WaitedClock clock;
    const auto result = evenkey::hydrate(entries_of(3), table, IdOf{}, collect, clock);
    REQUIRE(result.failures.size() == 1);
    CHECK(result.failures[0].message.find("was not asked for") != std::string::npos);
    CHECK(result.count(Hydration::missing) == 0);
    CHECK_THROWS_AS(evenkey::hydrate(entries_of(3), table, IdOf{}, {}, clock), evenkey::hydrate_error);
  }

  TEST_CASE("a row that comes twice, or is left over too, is one row") {
    Table table = table_of(3);
    table.fault = [](const Request&, Answer& answer) {
      answer.items.push_back(answer.items.front());
      answer.unprocessed_keys.push_back(answer.items.front().id);
    };
    const auto result = evenkey::hydrate(entries_of(3), table, IdOf{});
    CHECK(result.requests == 1);
    CHECK(result.count(Hydration::found) == 3);
  }

  TEST_CASE("no request starts after the deadline or a stop, and what was not asked is failed") {
    Table table = table_of(250);
    WaitedClock clock;
    std::stop_source stop;
    HydrateOptions options{
        .on_failure = OnFailure::collect, .deadline = clock.time + 10s, .stop = stop.get_token()};
    SUBCASE("the deadline passes while a batch is read") {
      table.fault = [&](const Request& request, Answer&) {
        CHECK(request.deadline == options.deadline);
        clock.time += 11s;
      };
    }
    SUBCASE("the deadline is reached while a batch is read") {
      table.fault = [&](const Request&, Answer&) { clock.time += 10s; };
    }
    SUBCASE("a stop is requested while a batch is read") {
      table.fault = [&](const Request& request, Answer&) {
        stop.request_stop();
        CHECK(request.stop.stop_requested());
      };
    }
    SUBCASE("a stop is requested while unprocessed keys wait") {
      clock.during_wait = [&] { stop.request_stop(); };
      table.fault = [](const Request& request, Answer& answer) {
        if (request.keys.size() == 100) answer_only(99, request, answer);
      };
      const auto result = evenkey::hydrate(entries_of(100), table, IdOf{}, options, clock);
      CHECK(result.requests == 1);
      CHECK(result.count(Hydration::failed) == 1);
      return;
    }
    const auto result = evenkey::hydrate(entries_of(250), table, IdOf{}, options, clock);
    CHECK(result.requests == 1);
    CHECK(result.count(Hydration::found) == 100);
    CHECK(result.count(Hydration::failed) == 150);
    REQUIRE(result.failures.size() == 1);
    CHECK(result.failures[0].keys == 150);
  }

  TEST_CASE("whatever a store leaves over or throws, each entry is answered by its own row") {
    const std::uint64_t seed = support::seed();
    INFO("EVENKEY_TEST_SEED=", seed);
    std::mt19937_64 random(seed);
    const auto below = [&](std::size_t most) { return static_cast<std::size_t>(random() % most); };
    for (int run = 0; run < 60; ++run) {
      CAPTURE(run);
      Table table = table_of(below(300));
      std::vector<Entry> entries;
      for (std::size_t i = below(400); i != 0; --i) {
        const std::size_t number = below(table.rows.size() + 20);
        entries.push_back({id_of(number), below(10) == 0 ? "old" : "s" + std::to_string(number)});
      }
      table.fault = [&](const Request& request, Answer& answer) {
        if (below(4) == 0) throw evenkey::store_error("ThrottlingException", "later");
        if (below(2) == 0) answer_only(below(101), request, answer);
      };
      WaitedClock clock;
      HydrateOptions options{.on_failure = OnFailure::collect, .max_idle_rounds = 3};
      options.retry = {.max_attempts = 2, .budget = std::make_shared<evenkey::RetryBudget>()};
      const auto result = evenkey::hydrate(entries, table, IdOf{}, options, same_sort_key, clock);
      REQUIRE(result.items.size() == entries.size());
      CHECK(result.complete() == (result.count(Hydration::failed) == 0));
      for (std::size_t i = 0; i < entries.size(); ++i) {
        const auto& item = result.items[i];
        CHECK(item.entry.id == entries[i].id);
        if (item.state == Hydration::failed) {
          CHECK_FALSE(item.row);
          continue;
        }
        const auto stored = table.rows.find(entries[i].id);
        CHECK(item.row.has_value() == (stored != table.rows.end()));
        if (!item.row) {
          CHECK(item.state == Hydration::missing);
          continue;
        }
        CHECK(item.row->body == stored->second.body);
        CHECK((item.state == Hydration::found) == (entries[i].sort_key == stored->second.sort_key));
      }
    }
  }

  TEST_CASE("options out of range are refused before any request") {
    Table table = table_of(3);
    CHECK_THROWS_AS(evenkey::hydrate(entries_of(3), table, IdOf{}, HydrateOptions{.max_idle_rounds = 0}),
                    std::invalid_argument);
    HydrateOptions options;
    options.retry.max_attempts = 0;
    CHECK_THROWS_AS(evenkey::hydrate(entries_of(3), table, IdOf{}, options), std::invalid_argument);
    CHECK(table.asked.empty());
  }

  TEST_CASE("what key_of or the comparison throws comes out as it is") {
    Table table = table_of(3);
    const auto throwing = evenkey::unchanged_if([](const Entry&, const Row&) -> bool { throw 7; });
    CHECK_THROWS_AS(evenkey::hydrate(entries_of(3), table, IdOf{}, {}, throwing), int);
  }

  TEST_CASE("keys of several attributes are told apart by their start_key_traits") {
    using Key = std::map<std::string, std::string>;
    struct KeyOf {
      Key operator()(const Row& row) const { return {{"id", row.id}, {"sort", row.sort_key}}; }
    };
    const auto batch_get = [](const evenkey::BatchGetRequest<Key>& request) {
      evenkey::BatchGetAnswer<Row, Key> answer;
      for (const Key& key : request.keys)
        answer.items.push_back({key.at("id"), key.at("sort"), "body of " + key.at("sort")});
      return answer;
    };
    std::vector<Row> entries{{"a", "1", ""}, {"a", "2", ""}, {"a", "1", ""}};
    const auto result = evenkey::hydrate(std::move(entries), batch_get, KeyOf{});
    CHECK(result.items[0].row->body == "body of 1");
    CHECK(result.items[1].row->body == "body of 2");
    CHECK(result.items[2].row->body == "body of 1");
  }

  TEST_CASE("a row is copied only for entries that share it, and never assigned") {
    struct CountedRow {
      std::string id;
      std::size_t* copies;
      CountedRow(std::string of, std::size_t* count) : id(std::move(of)), copies(count) {}
      CountedRow(const CountedRow& other) : id(other.id), copies(other.copies) { ++*copies; }
      CountedRow(CountedRow&&) noexcept = default;
      CountedRow& operator=(const CountedRow&) = delete;
      CountedRow& operator=(CountedRow&&) = delete;
      ~CountedRow() = default;
    };
    struct KeyOf {
      std::string operator()(const Entry& entry) const { return entry.id; }
      std::string operator()(const CountedRow& row) const { return row.id; }
    };
    std::size_t copies = 0;
    const auto batch_get = [&](const Request& request) {
      evenkey::BatchGetAnswer<CountedRow, std::string> answer;
      for (const std::string& key : request.keys)
        answer.items.emplace_back(key, &copies);
      return answer;
    };
    CHECK(evenkey::hydrate(entries_of(100), batch_get, KeyOf{}).count(Hydration::found) == 100);
    CHECK(copies == 0);
    std::vector<Entry> entries = entries_of(2);
    entries.insert(entries.end(), 3, {"o1", "s1"});
    CHECK(evenkey::hydrate(entries, batch_get, KeyOf{}).count(Hydration::found) == 5);
    CHECK(copies == 3);
  }

  TEST_CASE("entries need not be copyable") {
    struct Only {
      std::unique_ptr<std::string> id;
    };
    struct KeyOf {
      std::string operator()(const Only& only) const { return *only.id; }
      std::string operator()(const Row& row) const { return row.id; }
    };
    Table table = table_of(2);
    std::vector<Only> entries;
    entries.push_back({std::make_unique<std::string>("o1")});
    const auto result = evenkey::hydrate(std::move(entries), table, KeyOf{});
    CHECK(result.items[0].row->body == "body of o1");
  }
}
