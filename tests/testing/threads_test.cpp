// SPDX-License-Identifier: BSL-1.0
#include <doctest/doctest.h>

#include <atomic>
#include <barrier>
#include <chrono>
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

#include "fixture.hpp"

using namespace fixture;
using namespace std::chrono_literals;

namespace {

template <class Body>
void in_threads(int count, Body body) {
  std::vector<std::jthread> threads;
  threads.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i)
    threads.emplace_back([i, &body] { body(i); });
}

}  // namespace

TEST_SUITE("testing") {
  TEST_CASE("threads may write, read, scan, inject and look at one table at once") {
    constexpr int writers = 4;
    constexpr int rounds = 300;
    MemoryTable<Row, ByText, ByNumber> table(
        {.caps = ThroughputCaps{1e9, 1e9},
         .lag = VisibilityLag::random(5, 0ms, 3ms),
         .log_capacity = 64,
         .wait = [](VirtualClock::duration) { std::this_thread::yield(); }});
    std::atomic<int> refused{0};
    in_threads(writers + 3, [&](int me) {
      const CallerScope scope(me < writers ? "writer" : "reader");
      for (int round = 0; round < rounds; ++round) {
        const std::string id = std::to_string(me) + "-" + std::to_string(round % 20);
        if (me < writers) {
          table.put({id, round % 2 == 0 ? "P" : "Q", "s", round});
          if (round % 7 == 0) table.erase(id);
          const auto moved = table.update(
              "shared", [](const Row& row) { return row.pk == "P"; }, [](Row& row) { ++row.number; });
          refused += moved.applied ? 0 : 1;
          table.upsert("shared", always, [](Row& row) {
            row.id = "shared";
            row.pk = "P";
          });
        } else {
          (void)all_pages<ByText>(table, request<ByText>(round % 2 == 0 ? "P" : "Q", 5));
          (void)table.scan(evenkey::ScanRequest<std::string>{});
          table.clock().advance(1ms);
          if (round % 50 == 0) table.inject(Fault::delay(1ms), {.caller = "nobody"});
          (void)table.pending();
          (void)table.counters<ByText>();
          (void)table.log();
          if (round % 30 == 0) table.deliver_all();
        }
      }
    });
    table.deliver_all();
    // No update was lost: each applied one raised the number by one.
    CHECK(table.get("shared")->number == writers * rounds - refused);
    const auto scanned = table.scan(evenkey::ScanRequest<std::string>{}).items;
    const auto p = all_pages<ByText>(table, request<ByText>("P")).first;
    const auto q = all_pages<ByText>(table, request<ByText>("Q")).first;
    CHECK(p.size() + q.size() == scanned.size());
    CHECK(table.counters().writes == static_cast<std::uint64_t>(writers * (3 * rounds + (rounds + 6) / 7)));
    CHECK(table.in_flight() == 0);
  }

  TEST_CASE("the peak in flight is the number of requests that were there at once") {
    std::barrier gate(3);
    MemoryTable<Row, ByText> table({.before = [&gate](const RequestInfo&) { gate.arrive_and_wait(); }});
    in_threads(3, [&](int) { (void)table.query<ByText>(request<ByText>("P")); });
    CHECK(table.peak_in_flight() == 3);
    CHECK(table.in_flight() == 0);
    CHECK(table.requests() == 3);
  }
}
