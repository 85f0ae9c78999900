// SPDX-License-Identifier: BSL-1.0
// A mover and readers on threads of their own, over one table.
#include <evenkey/composite_key.hpp>
#include <evenkey/migrate/migration.hpp>
#include <evenkey/read/enumerate.hpp>
#include <evenkey/read/find.hpp>
#include <evenkey/testing/memory_table.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "support/seed.hpp"

namespace {

using namespace std::chrono_literals;
using evenkey::testing::VirtualClock;
using evenkey::testing::VisibilityLag;
using evenkey::testing::VisibilityOrder;
using Names = std::vector<std::string>;

struct Row {
  std::string id;
  std::string person;
  std::string stored;
  std::string sort_key;
};

struct People {
  static constexpr std::string_view name = "people";
  using PartitionKey = evenkey::ShardedKey<"P", evenkey::ShardPolicy<3>>;
  using SortKey = evenkey::CompositeKey<evenkey::Text, evenkey::Text>;
  using Item = Row;
  using StartKey = std::string;
  static std::string_view sort_key(const Row& row) { return row.sort_key; }
  static std::string_view primary_key(const Row& row) { return row.id; }
  static std::string_view shard_by(const Row& row) { return row.person; }
  static std::string_view partition_key(const Row& row) { return row.stored; }
};
using Cutover = evenkey::Migration<People, evenkey::UnshardedKey<"P">>;
using Table = evenkey::testing::MemoryTable<Row, People>;

/// The table's virtual time as what reads wait by: a wait passes it.
struct TableClock {
  VirtualClock& clock;

  std::chrono::steady_clock::time_point now() const {
    return std::chrono::steady_clock::time_point(clock.now().time_since_epoch());
  }
  bool wait_until(std::chrono::steady_clock::time_point time, const std::stop_token& stop) const {
    clock.advance_to(VirtualClock::time_point(time.time_since_epoch()));
    return !stop.stop_requested();
  }
};

/// Counts the readers' requests. The mover moves a row for every few of them, so that rows move during reads
/// whatever the machine does, and none of the threads sleeps.
class Pace {
 public:
  void request_made() {
    made_.fetch_add(1, std::memory_order_relaxed);
    made_.notify_all();
  }
  void wait_for_some() {
    const std::uint64_t enough = made_.load() + 3;
    for (std::uint64_t made = made_.load(); made < enough && !broken_; made = made_.load())
      made_.wait(made);
  }
  void mover_is_done() { done_ = true; }
  bool done() const { return done_; }
  void broke(const std::string& what) {
    const std::lock_guard lock(mutex_);
    if (!broken_.exchange(true)) what_ = what;
    request_made();
  }
  std::string what() const {
    const std::lock_guard lock(mutex_);
    return what_;
  }

 private:
  std::atomic<std::uint64_t> made_{0};
  std::atomic<bool> done_{false};
  std::atomic<bool> broken_{false};
  mutable std::mutex mutex_;
  std::string what_;
};

Names names_of(const std::vector<Row>& rows) {
  Names names;
  for (const Row& row : rows)
    names.push_back(row.id);
  return names;
}

std::string difference(const Names& got, const Names& wanted) {
  std::string text = "got";
  for (const std::string& name : got)
    text += " " + name;
  text += "; wanted";
  for (const std::string& name : wanted)
    text += " " + name;
  return text;
}

constexpr std::size_t people = 5;
constexpr std::size_t rows_of_each = 8;

Names all_rows() {
  Names names;
  for (std::size_t person = 0; person < people; ++person)
    for (std::size_t i = 0; i < rows_of_each; ++i)
      names.push_back("row-" + std::to_string(person) + std::to_string(i));
  return names;
}

/// @return what a reader saw that was wrong
std::string round(const Cutover& cutover, VisibilityLag lag) {
  // Five rows a page, so that a listing goes in windows.
  Table table({.item_bytes = 300, .page_bytes = 1500});
  for (const std::string& id : all_rows()) {
    const std::string person = "p" + id.substr(4, 1);
    // Pairs of rows have equal sort keys.
    const std::string time = std::to_string((id[5] - '0') / 2);
    table.put({id, person, std::string(Cutover::Source::value()), People::SortKey::encode(person, time)});
  }
  table.set_lag<People>(std::move(lag));
  const auto index = cutover.at(evenkey::Phase::destination_writes);

  Pace pace;
  const auto query = [&](const evenkey::QueryRequest<std::string>& request) {
    pace.request_made();
    return table.query<People>(request);
  };
  // Reads until the mover is done, and once more.
  const auto reader = [&](auto read_once) {
    return [&pace, read_once] {
      try {
        for (bool last = false; !last && pace.what().empty();) {
          last = pace.done();
          const std::string wrong = read_once();
          if (!wrong.empty()) pace.broke(wrong);
        }
      } catch (const std::exception& error) {
        pace.broke(error.what());
      }
    };
  };
  const auto list = [&](evenkey::Direction direction) {
    return [&, direction] {
      const auto result = evenkey::enumerate(index, query, {.direction = direction, .max_concurrency = 3},
                                             TableClock{table.clock()});
      Names wanted = all_rows();
      if (direction == evenkey::Direction::descending) wanted = Names(wanted.rbegin(), wanted.rend());
      const Names got = names_of(result.items);
      return got == wanted ? std::string() : difference(got, wanted);
    };
  };
  const auto find = [&] {
    Names wanted = all_rows();
    wanted.erase(wanted.begin() + rows_of_each, wanted.end());
    const Names got = names_of(evenkey::find(index, query, "p0", {}, TableClock{table.clock()}).items);
    return got == wanted ? std::string() : difference(got, wanted);
  };
  {
    const std::jthread ascending(reader(list(evenkey::Direction::ascending)));
    const std::jthread descending(reader(list(evenkey::Direction::descending)));
    const std::jthread finding(reader(find));
    const std::jthread mover([&] {
      // Every seventh row after the other, so that all pages change at all times.
      const Names names = all_rows();
      for (std::size_t i = 0; i < names.size(); ++i) {
        const std::string& id = names[i * 7 % names.size()];
        table.update(
            id, [](const Row& row) { return row.stored == Cutover::Source::value(); },
            [](Row& row) { row.stored = std::string(Cutover::Destination::of(row.person)); });
        table.clock().advance(500us);
        pace.wait_for_some();
      }
      pace.mover_is_done();
    });
  }
  return pace.what();
}

}  // namespace

TEST_SUITE("protocol") {
  TEST_CASE("while a thread moves rows, readers on others see each once where inserts show first") {
    INFO("EVENKEY_TEST_SEED=" << support::seed());
    for (std::uint64_t i = 0; i < 4; ++i)
      CHECK(round(Cutover(evenkey::insert_visible_first),
                  VisibilityLag::random(support::seed() + i, 0ms, 3ms, VisibilityOrder::insert_first)) == "");
  }

  TEST_CASE("while a thread moves rows, readers on others see each once where both show within the lag") {
    INFO("EVENKEY_TEST_SEED=" << support::seed());
    for (std::uint64_t i = 0; i < 4; ++i)
      CHECK(round(Cutover(evenkey::visible_within(3ms)),
                  VisibilityLag::random(support::seed() + i, 0ms, 3ms, VisibilityOrder::any)) == "");
  }
}
