// SPDX-License-Identifier: BSL-1.0
#include <evenkey/coalesce.hpp>

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <latch>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace std::chrono_literals;
using evenkey::coalesce_error;
using evenkey::CoalesceFailure;
using Time = std::chrono::steady_clock::time_point;

// A clock that stands still until it is moved.
struct Clock {
  std::atomic<std::int64_t> nanoseconds{0};

  void advance(std::chrono::nanoseconds by) { nanoseconds += by.count(); }
};
struct ClockNow {
  const Clock* clock;
  Time operator()() const { return Time(std::chrono::nanoseconds(clock->nanoseconds)); }
};

template <class Key, class Value>
using TimedCoalescer = evenkey::Coalescer<Key, Value, ClockNow>;

// Waits until others have come so far; that they do is what the test is about.
template <class Condition>
void wait_for(const Condition& condition) {
  while (!condition())
    std::this_thread::yield();
}

// A load that is held until it is released, by a thread that leads it.
template <class Coalescer, class Key>
class HeldLoad {
 public:
  HeldLoad(Coalescer& coalescer, Key key, int value)
      : thread_([this, &coalescer, key = std::move(key), value] {
          answer_ = *coalescer.get(key, [&] {
            begun_.count_down();
            released_.wait();
            return value;
          });
        }) {
    begun_.wait();
  }
  int finish() {
    released_.count_down();
    thread_.join();
    return answer_;
  }

 private:
  std::latch begun_{1}, released_{1};
  int answer_ = 0;
  std::thread thread_;
};

struct MoveOnly {
  explicit MoveOnly(int number) : value(std::make_unique<int>(number)) {}
  std::unique_ptr<int> value;
};

// Keeps a shared exception until the threads have joined: libstdc++ counts its owners in code that the thread
// sanitizer does not see, and so takes its release by another thread for a race.
class KeptExceptions {
 public:
  void keep_current() {
    const std::lock_guard lock(mutex_);
    kept_.push_back(std::current_exception());
  }

 private:
  std::mutex mutex_;
  std::vector<std::exception_ptr> kept_;
};

std::optional<CoalesceFailure> failure_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const coalesce_error& e) {
    return e.failure();
  }
  return std::nullopt;
}

}  // namespace

TEST_SUITE("coalesce") {
  TEST_CASE("an answer is given again until its time is over, counted from when its load began") {
    Clock clock;
    TimedCoalescer<std::string, int> coalescer({.time_to_live = 3s}, {&clock});
    int loads = 0;
    const auto load = [&] {
      clock.advance(1s);  // a load takes time
      return ++loads;
    };
    const auto first = coalescer.get("open", load);
    CHECK(*first == 1);
    clock.advance(2s - 1ns);
    CHECK(coalescer.get("open", load) == first);  // the very same object
    clock.advance(1ns);
    CHECK(*coalescer.get("open", load) == 2);
    CHECK(*coalescer.get("closed", load) == 3);
    CHECK(*first == 1);
    const auto statistics = coalescer.statistics();
    CHECK(statistics.loads == 3);
    CHECK(statistics.hits == 1);
    CHECK(statistics.joined == 0);
    CHECK(coalescer.size() == 2);
  }

  TEST_CASE("callers who ask while a key is being loaded share that load") {
    constexpr std::uint64_t callers = 16;
    evenkey::Coalescer<std::string, int> coalescer;
    std::atomic<int> loads{0};
    std::vector<std::shared_ptr<const int>> answers(callers);
    {
      std::vector<std::jthread> threads;
      for (auto& answer : answers)
        threads.emplace_back([&] {
          answer = coalescer.get("open", [&] {
            wait_for([&] { return coalescer.statistics().joined == callers - 1; });
            return ++loads;
          });
        });
    }
    CHECK(loads == 1);
    for (const auto& answer : answers)
      CHECK(answer == answers.front());
    CHECK(coalescer.statistics().loads == 1);
    CHECK(coalescer.statistics().hits == 0);
  }

  TEST_CASE("a polled list page costs one read per interval, however many poll") {
    constexpr int pollers = 8, intervals = 50, polls = 4;
    Clock clock;
    TimedCoalescer<std::string, int> coalescer({.time_to_live = 3s}, {&clock});
    std::atomic<int> reads{0};
    std::atomic<int> wrong{0};
    std::barrier interval(pollers, [&]() noexcept { clock.advance(3s); });
    {
      std::vector<std::jthread> threads;
      for (int poller = 0; poller < pollers; ++poller)
        threads.emplace_back([&] {
          for (int round = 1; round <= intervals; ++round) {
            for (int poll = 0; poll < polls; ++poll) {
              const int read = *coalescer.get("open", [&] { return ++reads; });
              if (read != round) ++wrong;
            }
            interval.arrive_and_wait();
          }
        });
    }
    CHECK(reads == intervals);
    CHECK(wrong == 0);
    const auto statistics = coalescer.statistics();
    CHECK(statistics.loads == intervals);
    CHECK(statistics.hits + statistics.joined + statistics.loads == pollers * intervals * polls);
  }

  TEST_CASE("all who waited for a load that fails get its error, and nothing is kept") {
    constexpr std::uint64_t callers = 8;
    evenkey::Coalescer<int, int> coalescer;
    std::atomic<int> failures{0};
    KeptExceptions kept;
    {
      std::vector<std::jthread> threads;
      for (std::uint64_t caller = 0; caller < callers; ++caller)
        threads.emplace_back([&] {
          try {
            coalescer.get(7, [&]() -> int {
              wait_for([&] { return coalescer.statistics().joined == callers - 1; });
              throw 42;  // not even an exception of the library's
            });
          } catch (int thrown) {
            if (thrown == 42) ++failures;
            kept.keep_current();
          }
        });
    }
    CHECK(failures == callers);
    CHECK(coalescer.size() == 0);
    CHECK(coalescer.statistics().loads == 1);
    CHECK(coalescer.statistics().failed == 1);
    CHECK(*coalescer.get(7, [] { return 1; }) == 1);
    CHECK_THROWS_AS(coalescer.get(8, []() -> int { throw std::runtime_error("throttled"); }),
                    std::runtime_error);
  }

  TEST_CASE("an answer that was invalidated is loaded anew") {
    evenkey::Coalescer<std::string, int> coalescer;
    int loads = 0;
    const auto load = [&] { return ++loads; };
    coalescer.get("a", load);
    coalescer.get("b", load);
    coalescer.invalidate("a");
    coalescer.invalidate("unknown");
    CHECK(*coalescer.get("a", load) == 3);
    CHECK(*coalescer.get("b", load) == 2);
    coalescer.invalidate_all();
    CHECK(coalescer.size() == 0);
    CHECK(*coalescer.get("a", load) == 4);
    CHECK(*coalescer.get("b", load) == 5);
  }

  TEST_CASE("an invalidation during a load: those before it get the old answer, those after it a new one") {
    for (const bool all : {false, true}) {
      evenkey::Coalescer<std::string, int> coalescer({.time_to_live = 1h});
      HeldLoad old_load(coalescer, std::string("a"), 1);
      int joined = 0;
      std::thread waiter([&] { joined = *coalescer.get("a", [] { return -1; }); });
      wait_for([&] { return coalescer.statistics().joined == 1; });
      all ? coalescer.invalidate_all() : coalescer.invalidate("a");
      // This would hang if it joined the old load, which is released only after it.
      CHECK(*coalescer.get("a", [] { return 2; }) == 2);
      CHECK(old_load.finish() == 1);
      waiter.join();
      CHECK(joined == 1);
      CHECK(*coalescer.get("a", [] { return 3; }) == 2);  // the old one, which ended last, was not kept
      CHECK(coalescer.statistics().loads == 2);
    }
    evenkey::Coalescer<std::string, int> coalescer({.time_to_live = 1h});
    HeldLoad old_load(coalescer, std::string("a"), 1);
    coalescer.invalidate("a");
    CHECK(old_load.finish() == 1);
    CHECK(coalescer.size() == 0);
  }

  TEST_CASE("an old load that ends while a new one is under way changes nothing for the new one") {
    evenkey::Coalescer<std::string, int> coalescer({.time_to_live = 1h});
    HeldLoad old_load(coalescer, std::string("a"), 1);
    coalescer.invalidate("a");
    HeldLoad new_load(coalescer, std::string("a"), 2);
    CHECK(old_load.finish() == 1);
    CHECK(coalescer.size() == 0);
    int joined = 0;
    std::thread waiter([&] { joined = *coalescer.get("a", [] { return 3; }); });
    wait_for([&] { return coalescer.statistics().joined == 1; });
    CHECK(new_load.finish() == 2);
    waiter.join();
    CHECK(joined == 2);
    CHECK(coalescer.statistics().loads == 2);
    CHECK(coalescer.size() == 1);
  }

  TEST_CASE("a caller with a deadline or a stop token can leave, and the load goes on for others") {
    evenkey::Coalescer<std::string, int> coalescer({.time_to_live = 1h});
    HeldLoad load(coalescer, std::string("a"), 1);
    const auto not_called = []() -> int { throw std::logic_error("it was to wait"); };

    const auto soon = std::chrono::steady_clock::now() + 2ms;
    CHECK(failure_of([&] { coalescer.get("a", not_called, {.deadline = soon}); }) ==
          CoalesceFailure::deadline_passed);

    std::stop_source stop;
    std::optional<CoalesceFailure> failure;
    const auto joined = coalescer.statistics().joined;
    std::thread stopped(
        [&] { failure = failure_of([&] { coalescer.get("a", not_called, {.stop = stop.get_token()}); }); });
    wait_for([&] { return coalescer.statistics().joined == joined + 1; });
    stop.request_stop();
    stopped.join();
    CHECK(failure == CoalesceFailure::stop_requested);

    int patient = 0;
    std::thread waiter([&] {
      patient = *coalescer.get(
          "a", not_called, {.deadline = std::chrono::steady_clock::now() + 1h, .stop = std::stop_token()});
    });
    wait_for([&] { return coalescer.statistics().joined == joined + 2; });
    CHECK(load.finish() == 1);
    waiter.join();
    CHECK(patient == 1);
    CHECK(coalescer.statistics().left == coalescer.statistics().joined - 1);

    // A kept answer costs no time, so it is given all the same; a load is not begun.
    CHECK(*coalescer.get("a", not_called, {.deadline = Time()}) == 1);
    CHECK(failure_of([&] { coalescer.get("b", not_called, {.deadline = Time()}); }) ==
          CoalesceFailure::deadline_passed);
    CHECK(failure_of([&] { coalescer.get("b", not_called, {.stop = stop.get_token()}); }) ==
          CoalesceFailure::stop_requested);
    CHECK(coalescer.statistics().loads == 1);
  }

  TEST_CASE("a loader may ask for other keys") {
    evenkey::Coalescer<int, int> coalescer;
    const std::function<int(int)> sum_to = [&](int n) {
      return n == 0 ? 0 : n + *coalescer.get(n - 1, sum_to);
    };
    CHECK(*coalescer.get(100, sum_to) == 5050);
    CHECK(*coalescer.get(50, sum_to) == 1275);
    CHECK(coalescer.statistics().loads == 101);
  }

  TEST_CASE("a loader that asks for its own key gets an error, not a deadlock") {
    evenkey::Coalescer<int, int> coalescer;
    const auto own = [&] {
      CHECK(failure_of([&] { coalescer.get(1, [] { return 0; }); }) == CoalesceFailure::own_load);
      return 1;
    };
    CHECK(*coalescer.get(1, own) == 1);
    // By way of another key, and the error may travel.
    const auto circle = [&](int key) -> int {
      if (key == 2) return *coalescer.get(3, [&] { return *coalescer.get(2, [] { return 0; }); });
      return 0;
    };
    CHECK(failure_of([&] { coalescer.get(2, circle); }) == CoalesceFailure::own_load);
    CHECK(coalescer.size() == 1);
    // Having invalidated it does not make it a load that could end.
    const auto invalidating = [&]() -> int {
      coalescer.get(40, [] { return 0; });
      coalescer.invalidate(4);
      CHECK(failure_of([&] { coalescer.get(4, [] { return 0; }); }) == CoalesceFailure::own_load);
      return 4;
    };
    CHECK(*coalescer.get(4, invalidating) == 4);
    // The same key of another coalescer is another key.
    evenkey::Coalescer<int, int> other;
    CHECK(*coalescer.get(5, [&] { return *other.get(5, [] { return 50; }) + 5; }) == 55);
  }

  TEST_CASE("a circle by way of other threads and coalescers ends in an error, not a deadlock") {
    for (const bool two_coalescers : {false, true}) {
      evenkey::Coalescer<int, int> one, another;
      evenkey::Coalescer<int, int>& two = two_coalescers ? another : one;
      std::latch both_begun(2);
      std::atomic<int> circles{0};
      KeptExceptions kept;
      const auto lead = [&](evenkey::Coalescer<int, int>& own, int key, evenkey::Coalescer<int, int>& others,
                            int asked) {
        try {
          own.get(key, [&] {
            both_begun.arrive_and_wait();
            return *others.get(asked, [] { return 0; });
          });
        } catch (const coalesce_error& e) {
          if (e.failure() == CoalesceFailure::own_load) ++circles;
          kept.keep_current();
        }
      };
      std::thread first(lead, std::ref(one), 1, std::ref(two), 2);
      std::thread second(lead, std::ref(two), 2, std::ref(one), 1);
      first.join();
      second.join();
      CHECK(circles == 2);  // one found the circle, the other waited for it
    }
  }

  TEST_CASE("waiting in one direction is never taken for a circle") {
    constexpr int keys = 6;
    Clock clock;
    TimedCoalescer<int, int> coalescer({.time_to_live = 0s}, {&clock});
    std::atomic<int> wrong{0};
    const std::function<int(int)> climb = [&](int key) {
      return key == keys ? 0 : 1 + *coalescer.get(key + 1, climb);
    };
    {
      std::vector<std::jthread> threads;
      for (int thread = 0; thread < 4; ++thread)
        threads.emplace_back([&, thread] {
          std::minstd_rand random(static_cast<unsigned>(thread) + 1);
          for (int i = 0; i < 500; ++i) {
            const int key = static_cast<int>(random() % keys);
            const auto failure = failure_of([&] {
              if (*coalescer.get(key, climb) != keys - key) ++wrong;
            });
            if (failure) ++wrong;
          }
        });
    }
    CHECK(wrong == 0);
  }

  TEST_CASE("a thread that has not yet woken from its wait is not taken for one that waits") {
    std::atomic<int> circles{0};
    for (int round = 0; round < 2000; ++round) {
      evenkey::Coalescer<int, int> inner, outer;
      std::latch begun(1);
      std::thread waiter([&] {
        if (failure_of([&] {
              outer.get(1, [&] {
                begun.count_down();
                return *inner.get(1, [] { return 0; });
              });
            }))
          ++circles;
      });
      inner.get(1, [&] {
        begun.wait();
        if (round % 2 == 0) wait_for([&] { return inner.statistics().joined == 1; });
        return 1;
      });
      // The load that the other waited for has ended, so waiting for the other is no circle.
      if (failure_of([&] { outer.get(1, [] { return 0; }); })) ++circles;
      waiter.join();
    }
    CHECK(circles == 0);
  }

  TEST_CASE("answers are bounded in number, and the one not asked for the longest goes first") {
    Clock clock;
    TimedCoalescer<int, int> coalescer({.time_to_live = 10s, .max_entries = 3}, {&clock});
    int loads = 0;
    const auto load = [&](int key) {
      ++loads;
      return key;
    };
    for (const int key : {1, 2, 3, 1, 4})
      coalescer.get(key, load);
    CHECK(coalescer.size() == 3);
    CHECK(loads == 4);
    coalescer.get(1, load);
    coalescer.get(3, load);
    CHECK(loads == 4);
    coalescer.get(2, load);  // it was displaced by 4, and displaces 4
    CHECK(loads == 5);
    CHECK(coalescer.statistics().evicted == 2);
    for (int key = 0; key < 1000; ++key)
      coalescer.get(key, load);
    CHECK(coalescer.size() == 3);
    // What is past its time makes room of its own accord.
    const auto evicted = coalescer.statistics().evicted;
    clock.advance(10s);
    coalescer.get(5000, load);
    CHECK(coalescer.size() == 1);
    CHECK(coalescer.statistics().evicted == evicted);

    TimedCoalescer<int, int> single({.time_to_live = 10s, .max_entries = 1}, {&clock});
    CHECK(*single.get(1, load) == 1);
    CHECK(*single.get(2, load) == 2);
    CHECK(single.size() == 1);
  }

  TEST_CASE("a time to live of zero shares loads under way and keeps nothing") {
    evenkey::Coalescer<int, int> coalescer({.time_to_live = 0s});
    int loads = 0;
    coalescer.get(1, [&] { return ++loads; });
    coalescer.get(1, [&] { return ++loads; });
    CHECK(loads == 2);
    CHECK(coalescer.size() == 0);
    HeldLoad held(coalescer, 1, 9);
    int joined = 0;
    std::thread waiter([&] { joined = *coalescer.get(1, [] { return 0; }); });
    wait_for([&] { return coalescer.statistics().joined == 1; });
    CHECK(held.finish() == 9);
    waiter.join();
    CHECK(joined == 9);
  }

  TEST_CASE("a load that takes longer than its answer may live is shared but not kept") {
    Clock clock;
    TimedCoalescer<int, int> coalescer({.time_to_live = 3s}, {&clock});
    coalescer.get(1, [] { return 1; });
    CHECK(*coalescer.get(2, [&] {
      clock.advance(3s);
      return 2;
    }) == 2);
    CHECK(coalescer.size() == 1);
  }

  TEST_CASE("a time to live of for ever does not overflow") {
    Clock clock;
    clock.advance(24h * 365 * 100);
    TimedCoalescer<int, int> coalescer({.time_to_live = (std::chrono::nanoseconds::max)()}, {&clock});
    int loads = 0;
    coalescer.get(1, [&] { return ++loads; });
    clock.advance(24h * 365 * 100);
    coalescer.get(1, [&] { return ++loads; });
    CHECK(loads == 1);
  }

  TEST_CASE("options that make no sense are refused") {
    using Coalescer = evenkey::Coalescer<int, int>;
    CHECK_THROWS_AS(Coalescer({.time_to_live = -1ns}), std::invalid_argument);
    CHECK_THROWS_AS(Coalescer({.max_entries = 0}), std::invalid_argument);
  }

  TEST_CASE("values need not be copyable, and loaders take the key or not") {
    evenkey::Coalescer<std::string, MoveOnly> coalescer;
    CHECK(*coalescer.get("a", [] { return MoveOnly(1); })->value == 1);
    CHECK(
        *coalescer.get("bcd", [](const std::string& key) { return MoveOnly(static_cast<int>(key.size())); })
             ->value == 3);
    static_assert(evenkey::coalesced_loader<int (*)(), int, long>);
    static_assert(evenkey::coalesced_loader<int (*)(int), int, long>);
    static_assert(!evenkey::coalesced_loader<int (*)(std::string), int, long>);
    static_assert(!evenkey::coalesced_loader<std::string (*)(), int, long>);
    static_assert(!std::is_copy_constructible_v<evenkey::Coalescer<int, int>>);
  }

  TEST_CASE("the destructor of a dropped value may use the coalescer") {
    struct Curious {
      evenkey::Coalescer<int, Curious>* coalescer;
      std::uint64_t* seen;
      Curious(evenkey::Coalescer<int, Curious>* c, std::uint64_t* s) : coalescer(c), seen(s) {}
      Curious(Curious&& other) noexcept
          : coalescer(std::exchange(other.coalescer, nullptr)), seen(other.seen) {}
      ~Curious() {
        if (coalescer != nullptr) *seen += coalescer->size();
      }
    };
    std::uint64_t seen = 0;
    evenkey::Coalescer<int, Curious> coalescer({.max_entries = 2});
    const auto load = [&] { return Curious(&coalescer, &seen); };
    for (int key = 0; key < 3; ++key)
      coalescer.get(key, load);
    CHECK(seen == 2);  // displaced
    coalescer.invalidate(2);
    CHECK(seen == 3);
    coalescer.invalidate_all();
    CHECK(seen == 3);
  }

  TEST_CASE("whoever asks after an invalidation never sees what was before it") {
    constexpr std::size_t keys = 3;
    evenkey::Coalescer<std::size_t, int> coalescer({.time_to_live = 1h, .max_entries = 2});
    std::array<std::atomic<int>, keys> store{}, invalidated{};
    std::atomic<int> stale{0};
    const auto load = [&](std::size_t key) {
      const int version = store[key];
      std::this_thread::yield();
      return version;
    };
    {
      std::vector<std::jthread> threads;
      for (std::size_t key = 0; key < keys; ++key)
        threads.emplace_back([&, key] {
          for (int version = 1; version <= 300; ++version) {
            store[key] = version;
            version % 10 == 0 ? coalescer.invalidate_all() : coalescer.invalidate(key);
            invalidated[key] = version;
          }
        });
      for (unsigned reader = 0; reader < 3; ++reader)
        threads.emplace_back([&, reader] {
          std::minstd_rand random(reader + 1);
          for (int i = 0; i < 1000; ++i) {
            const std::size_t key = random() % keys;
            const int at_least = invalidated[key];
            if (*coalescer.get(key, load) < at_least) ++stale;
          }
        });
    }
    CHECK(stale == 0);
    CHECK(coalescer.size() <= 2);
  }
}
