// SPDX-License-Identifier: BSL-1.0
#include <evenkey/stagger.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <deque>
#include <limits>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using SysTime = std::chrono::sys_time<nanoseconds>;

// The four of ADR-0085 that each read every saga.
const std::vector<std::string> sweeps{"workflow-health-sweep", "retry-failed-prepare", "stuck-saga-sweep",
                                      "agent-metrics-snapshot"};

// The distances of neighbours on the circle of the period.
std::vector<nanoseconds> gaps(std::vector<nanoseconds> offsets, nanoseconds period) {
  std::sort(offsets.begin(), offsets.end());
  std::vector<nanoseconds> distances{period - offsets.back() + offsets.front()};
  for (std::size_t i = 1; i < offsets.size(); ++i)
    distances.push_back(offsets[i] - offsets[i - 1]);
  return distances;
}

nanoseconds least_gap(const std::vector<nanoseconds>& offsets, nanoseconds period) {
  const auto distances = gaps(offsets, period);
  return *std::min_element(distances.begin(), distances.end());
}

std::vector<std::string> numbered(std::string_view prefix, int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i)
    names.push_back(std::string(prefix) + std::to_string(i));
  return names;
}

// How uneven counts are: about the number of buckets when they are drawn evenly.
double chi_square(const std::vector<int>& buckets, int count) {
  const double expected = static_cast<double>(count) / static_cast<double>(buckets.size());
  double sum = 0;
  for (const int bucket : buckets)
    sum += (bucket - expected) * (bucket - expected) / expected;
  return sum;
}

}  // namespace

TEST_SUITE("stagger") {
  TEST_CASE("the hash of a name is the same on every platform, at compile time and at run time") {
    static_assert(evenkey::stagger_hash("") == 0x2180a92350d49cce);
    static_assert(evenkey::stagger_hash("a") == 0x55e22b8ccbb1816f);
    static_assert(evenkey::stagger_hash("workflow-health-sweep") == 0xc0f5247418c7c36b);
    CHECK(evenkey::stagger_hash(sweeps[1]) == 0xa443ceea2a959f97);
    CHECK(evenkey::stagger_hash(sweeps[2]) == 0x2685bd109a14027d);
    CHECK(evenkey::stagger_hash(sweeps[3]) == 0x0df11575d1f17f11);
    CHECK(evenkey::stagger_hash("\xe4\xb8\xad") == 0x8c7fd6dcea0eedd1);  // bytes above 0x7f
    CHECK(evenkey::stagger_hash("caf\xc3\xa9") == 0x27ccabe922cec0d9);
    CHECK(evenkey::stagger_hash(std::string_view("a\0b", 3)) != evenkey::stagger_hash("ab"));
  }

  TEST_CASE("a job's offset follows from its name, and lies within the period") {
    static_assert(evenkey::stagger_offset("workflow-health-sweep", 5min) == 5'626'825'579ns);
    CHECK(evenkey::stagger_offset(sweeps[1], 5min) == 250'791'913'367ns);
    CHECK(evenkey::stagger_offset(sweeps[1], 300'000ms) == evenkey::stagger_offset(sweeps[1], 5min));
    for (const nanoseconds period :
         {nanoseconds(1), nanoseconds(2), nanoseconds(1s), nanoseconds(24h), (nanoseconds::max)()}) {
      for (const std::string& name : numbered("job", 100)) {
        const nanoseconds offset = evenkey::stagger_offset(name, period);
        CHECK(offset >= 0ns);
        CHECK(offset < period);
      }
    }
    CHECK(evenkey::stagger_offset("anything", 1ns) == 0ns);
  }

  TEST_CASE("a period that is not longer than zero is refused") {
    const std::vector<std::string> none;
    for (const nanoseconds period : {0ns, -1ns, (nanoseconds::min)()}) {
      CHECK_THROWS_AS(evenkey::stagger_offset("job", period), std::invalid_argument);
      CHECK_THROWS_AS(evenkey::stagger_offsets(sweeps, period), std::invalid_argument);
      CHECK_THROWS_AS(evenkey::stagger_offsets(none, period), std::invalid_argument);
      CHECK_THROWS_AS(evenkey::next_start(SysTime(), period, 0ns), std::invalid_argument);
    }
  }

  TEST_CASE("offsets by name spread over the period, however alike the names are") {
    constexpr int count = 10'000;
    constexpr std::size_t bucket_count = 100;
    for (const std::string_view prefix :
         {"", "sweep-", "a-very-long-common-prefix-of-all-jobs-of-a-service/"}) {
      for (const nanoseconds period :
           {nanoseconds(1s), nanoseconds(5min), nanoseconds(24h), nanoseconds(std::int64_t{1} << 40)}) {
        std::vector<int> buckets(bucket_count);
        std::set<nanoseconds> distinct;
        for (const std::string& name : numbered(prefix, count)) {
          const nanoseconds offset = evenkey::stagger_offset(name, period);
          ++buckets[static_cast<std::size_t>(offset / (period / static_cast<int>(bucket_count) + 1ns))];
          distinct.insert(offset);
        }
        CAPTURE(prefix);
        CAPTURE(period.count());
        // 99 degrees of freedom: 99 on average, above 160 once in ten thousand draws.
        CHECK(chi_square(buckets, count) < 160);
        CHECK(distinct.size() >= count - 100);
      }
    }
  }

  TEST_CASE("one changed bit of a name changes half of the hash") {
    double flipped = 0;
    int pairs = 0;
    for (const std::string& name : numbered("job", 100)) {
      for (std::size_t byte = 0; byte < name.size(); ++byte) {
        for (unsigned bit = 0; bit < 8; ++bit, ++pairs) {
          std::string other = name;
          other[byte] = static_cast<char>(static_cast<unsigned char>(other[byte]) ^ (1U << bit));
          std::uint64_t difference = evenkey::stagger_hash(name) ^ evenkey::stagger_hash(other);
          for (; difference != 0; difference &= difference - 1)
            ++flipped;
        }
      }
    }
    CHECK(flipped / pairs == doctest::Approx(32).epsilon(0.02));
  }

  TEST_CASE("the sweeps of ADR-0085 never start together") {
    const nanoseconds period = 5min;
    const auto offsets = evenkey::stagger_offsets(sweeps, period);
    REQUIRE(offsets.size() == 4);
    CHECK(least_gap(offsets, period) == 75s);
    std::vector<nanoseconds> by_name;
    for (const std::string& name : sweeps)
      by_name.push_back(evenkey::stagger_offset(name, period));
    CHECK(least_gap(by_name, period) > 50s);  // luck, which the list does not need
  }

  TEST_CASE("a known list of jobs is spread evenly, whatever their number and the period") {
    for (const int count : {1, 2, 3, 7, 10, 64, 1000}) {
      for (const nanoseconds period : {nanoseconds(1000), nanoseconds(1001), nanoseconds(1999),
                                       nanoseconds(1min), nanoseconds(24h), (nanoseconds::max)()}) {
        const auto offsets = evenkey::stagger_offsets(numbered("job", count), period);
        REQUIRE(offsets.size() == static_cast<std::size_t>(count));
        CHECK(*std::min_element(offsets.begin(), offsets.end()) >= 0ns);
        CHECK(*std::max_element(offsets.begin(), offsets.end()) < period);
        for (const nanoseconds gap : gaps(offsets, period)) {
          CHECK(gap >= period / count);
          CHECK(gap - period / count <= 1ns);
        }
      }
    }
  }

  TEST_CASE("the order of the list has no say, and neither has the kind of range") {
    std::vector<std::string> names = numbered("job", 20);
    const auto offsets = evenkey::stagger_offsets(names, 1h);
    std::vector<std::size_t> order(names.size());
    for (std::size_t i = 0; i < order.size(); ++i)
      order[i] = i;
    std::mt19937 random(85);
    for (int round = 0; round < 20; ++round) {
      std::shuffle(order.begin(), order.end(), random);
      std::deque<std::string_view> shuffled;
      for (const std::size_t i : order)
        shuffled.push_back(names[i]);
      const auto again = evenkey::stagger_offsets(shuffled, 1h);
      for (std::size_t i = 0; i < order.size(); ++i)
        CHECK(again[i] == offsets[order[i]]);
    }
    CHECK(evenkey::stagger_offsets({"b", "a"}, 1h).size() == 2);
    CHECK(evenkey::stagger_offsets(std::array<const char*, 2>{"b", "a"}, 1h) ==
          evenkey::stagger_offsets({"b", "a"}, 1h));
    CHECK(evenkey::stagger_offsets(std::vector<std::string>{}, 1h).empty());
  }

  TEST_CASE("lists of different services do not all start a job with the period") {
    std::set<nanoseconds> firsts;
    for (int service = 0; service < 50; ++service) {
      const auto offsets =
          evenkey::stagger_offsets(numbered("service" + std::to_string(service) + "/", 4), 1h);
      firsts.insert(*std::min_element(offsets.begin(), offsets.end()));
    }
    CHECK(firsts.size() == 50);
  }

  TEST_CASE("jobs that could not be told apart, or have no place, are refused") {
    CHECK_THROWS_AS(evenkey::stagger_offsets({"a", "b", "a"}, 1h), std::invalid_argument);
    CHECK_THROWS_AS(evenkey::stagger_offsets({"a", "b", "c"}, 2ns), std::invalid_argument);
    CHECK_NOTHROW(evenkey::stagger_offsets({"a", "b", "c"}, 3ns));
  }

  TEST_CASE("the next start is later than now, by a period at most, and at the offset") {
    for (const std::int64_t period : {1, 2, 3, 7, 10}) {
      for (std::int64_t offset = -12; offset <= 12; ++offset) {
        for (std::int64_t now = -25; now <= 25; ++now) {
          const auto next =
              evenkey::next_start(SysTime(nanoseconds(now)), nanoseconds(period), nanoseconds(offset))
                  .time_since_epoch()
                  .count();
          CHECK(next > now);
          CHECK(next <= now + period);
          CHECK((next - offset) % period == 0);
        }
      }
    }
  }

  TEST_CASE("asking again at each start visits every period once") {
    SysTime now = SysTime(-1h) + 1ns;
    const SysTime end = SysTime(1h);
    const nanoseconds offset = evenkey::stagger_offset("stuck-saga-sweep", 5min);
    int starts = 0;
    for (now = evenkey::next_start(now, 5min, offset); now <= end;
         now = evenkey::next_start(now, 5min, offset))
      ++starts;
    CHECK(starts == 24);
  }

  TEST_CASE("clocks of other units, and the ends of time") {
    const std::chrono::sys_time<std::chrono::milliseconds> coarse(1500ms);
    CHECK(evenkey::next_start(coarse, 1s, 250us) == SysTime(2s + 250us));
    CHECK(evenkey::next_start(std::chrono::sys_days{}, 1s, 0ns) == SysTime(1s));
    const std::chrono::steady_clock::time_point steady(10s);
    CHECK(evenkey::next_start(steady, 3s, 1s) == std::chrono::steady_clock::time_point(13s));
    CHECK(evenkey::next_start((SysTime::min)(), 1s, 0ns) > (SysTime::min)());
    CHECK(evenkey::next_start((SysTime::min)(), (nanoseconds::max)(), (nanoseconds::max)() - 1ns) >
          (SysTime::min)());
    CHECK(evenkey::next_start(SysTime(1s), 1s, (nanoseconds::min)()) > SysTime(1s));
    CHECK_THROWS_AS(evenkey::next_start((SysTime::max)(), 1s, 0ns), std::overflow_error);
    static_assert(evenkey::next_start(SysTime(1s), 1s, 0ns) == SysTime(2s));
  }
}
