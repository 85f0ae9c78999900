// SPDX-License-Identifier: BSL-1.0
#include <evenkey/migrate/backfill_shared.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "support/moved_table.hpp"

using evenkey::backfill_shared;
using evenkey::BackfillOptions;
using evenkey::MemoryLeaseStore;
using support::long_drained;
using support::Moved;
using support::MovedTable;
using support::to_shards;
using support::WaitedTime;
namespace detail = evenkey::detail;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

/// One true time, which a host's own clock shows with an offset of its own.
struct HostTime {
  using Time = std::chrono::steady_clock::time_point;
  WaitedTime* truth = nullptr;
  Time::duration offset{0};
  Time now() const { return truth->now() + offset; }
  bool wait_until(Time until, const std::stop_token& stop) { return truth->wait_until(until - offset, stop); }
};

const BackfillOptions real{.dry_run = false, .writers_drained_at = long_drained, .total_segments = 3};

/// The store, with a call of the test's before each call of its own.
struct WatchedStore {
  MemoryLeaseStore* leases = nullptr;
  std::function<void()> step;
  std::optional<std::string> load(std::uint32_t segment) {
    REQUIRE(segment < real.total_segments);
    if (step) step();
    return leases->load(segment);
  }
  bool replace(std::uint32_t segment, const std::optional<std::string>& expected, std::string_view text) {
    REQUIRE(segment < real.total_segments);
    if (step) step();
    return leases->replace(segment, expected, text);
  }
};

struct died {};

/// What host A has done when it comes to a step of a run, and what happens there.
struct Scene {
  MovedTable table{18};
  MemoryLeaseStore leases;
  WaitedTime truth;
  std::size_t steps = 0;
  std::function<void()> at_step;  // of host A
  std::size_t restamps_of_a = 0;

  evenkey::BackfillReport run_a() {
    HostTime clock{&truth, std::chrono::hours(1000)};
    WatchedStore store{&leases, [this] { step(); }};
    const auto scan = [this](const evenkey::ScanRequest<std::string>& request) {
      step();
      return table.scan(request);
    };
    const auto restamp = [this](const MovedTable::Request& request) {
      ++restamps_of_a;
      step();
      const auto result = table.restamp(request);
      step();
      return result;
    };
    return backfill_shared(to_shards, scan, restamp, store, {.host = "a"}, real, clock);
  }
  evenkey::BackfillReport run_b(const BackfillOptions& options = real) {
    HostTime clock{&truth, seconds(7)};
    return backfill_shared(to_shards, table.scan_functor(), table.restamp_functor(), leases, {.host = "b"},
                           options, clock);
  }

 private:
  void step() {
    ++steps;
    if (at_step) at_step();
  }
};

/// Where nothing happens to host A.
std::size_t steps_of_a_run() {
  Scene scene;
  (void)scene.run_a();
  return scene.steps;
}

}  // namespace

TEST_SUITE("migrate") {
  TEST_CASE("one host alone takes every segment, and a second finds nothing left") {
    Scene scene;
    const auto report = scene.run_a();
    CHECK(report.finished);
    CHECK(report.end == evenkey::BackfillEnd::finished);
    CHECK(report.whole());
    CHECK(report.moved == 18);
    CHECK(report.scanned == 18);
    CHECK(report.overall.moved == 18);
    CHECK(report.table_write_units == 18);
    CHECK(report.index_write_units == 36);
    CHECK(report.time_at_allowed_rate.count() > 0);
    CHECK(scene.table.in_place() == 18);
    for (std::uint32_t segment = 0; segment < real.total_segments; ++segment)
      CHECK(detail::read_lease(*scene.leases.load(segment)).owner.empty());
    const auto second = scene.run_b();
    CHECK(second.finished);
    CHECK(second.scanned == 0);
    CHECK(second.overall.scanned == 18);
  }

  TEST_CASE("a host that dies at any step is gone on from by another, and every row is moved once") {
    const std::size_t all = steps_of_a_run();
    for (std::size_t last = 1; last <= all; ++last) {
      CAPTURE(last);
      Scene scene;
      scene.at_step = [&] {
        if (scene.steps >= last) throw died{};  // nothing goes through any more, the release neither
      };
      try {
        (void)scene.run_a();
      } catch (const died&) {
      }
      const auto report = scene.run_b();
      REQUIRE(report.finished);
      REQUIRE(scene.table.in_place() == 18);
      REQUIRE(scene.table.most_moves_of_a_row() == 1);
      REQUIRE(report.overall.scanned == 18);
    }
    MESSAGE("died at each of ", all, " steps");
  }

  TEST_CASE(
      "a host that stands still at any step, while another does all the work, leaves the segment alone") {
    const std::size_t all = steps_of_a_run();
    for (std::size_t stop_at = 1; stop_at <= all; ++stop_at) {
      CAPTURE(stop_at);
      Scene scene;
      std::size_t restamps_before = 0;
      scene.at_step = [&] {
        if (scene.steps != stop_at) return;
        restamps_before = scene.restamps_of_a;
        const auto report = scene.run_b();  // waits until A's lease is over
        REQUIRE(report.finished);
      };
      const auto report = scene.run_a();
      REQUIRE(scene.table.in_place() == 18);
      REQUIRE(scene.table.most_moves_of_a_row() == 1);
      REQUIRE(report.finished);
      // At most the one that was on its way: then A finds out before its next row.
      REQUIRE(scene.restamps_of_a <= restamps_before + 1);
    }
  }

  TEST_CASE(
      "a host that stands still at any step, while another takes its segments and dies, ends the work") {
    using Taker = detail::LeaseTaker<MemoryLeaseStore, HostTime>;
    const std::size_t all = steps_of_a_run();
    for (std::size_t stop_at = 1; stop_at <= all; ++stop_at) {
      CAPTURE(stop_at);
      Scene scene;
      scene.at_step = [&] {
        if (scene.steps != stop_at) return;
        HostTime clock{&scene.truth, seconds(7)};
        const evenkey::LeaseOptions b{.host = "b"};
        Taker taker(scene.leases, clock, b);
        std::optional<Taker::Lease> lease;
        for (const int look : {1, 2}) {  // what A holds is seen, and then it is over
          for (std::uint32_t segment = 0; segment < real.total_segments; ++segment)
            (void)taker.take(segment, lease);
          if (look == 1) scene.truth.time += seconds(34);
        }
      };
      const auto report = scene.run_a();
      REQUIRE(report.end == evenkey::BackfillEnd::finished);
      REQUIRE(report.finished);
      REQUIRE(report.failed == 0);
      REQUIRE(scene.table.in_place() == 18);
      REQUIRE(scene.table.most_moves_of_a_row() == 1);
    }
  }

  TEST_CASE("a host that did something meanwhile looks at the others' leases again without a wait") {
    struct CountedTime : WaitedTime {
      std::size_t waits = 0;
      bool wait_until(Time until, const std::stop_token& stop) {
        ++waits;
        return WaitedTime::wait_until(until, stop);
      }
    };
    using Taker = detail::LeaseTaker<MemoryLeaseStore, CountedTime>;
    MovedTable table(18);
    MemoryLeaseStore leases;
    CountedTime time;
    const evenkey::LeaseOptions b{.host = "b"};
    Taker of_dead(leases, time, b);
    std::optional<Taker::Lease> lease;
    // The segment that A begins with, so that it is seen before any work.
    const auto first = static_cast<std::uint32_t>(evenkey::Xxh3_64{}("a") % real.total_segments);
    REQUIRE(of_dead.take(first, lease) == Taker::Answer::taken);
    const auto scan = [&](const evenkey::ScanRequest<std::string>& request) {
      time.time += seconds(20);  // of the 33 that B's lease is waited for
      return table.scan(request);
    };
    BackfillOptions options = real;
    options.index_partition_write_units = options.table_write_units = evenkey::unlimited_rate;
    const auto report =
        backfill_shared(to_shards, scan, table.restamp_functor(), leases, {.host = "a"}, options, time);
    CHECK(report.finished);
    CHECK(report.moved == 18);
    CHECK(time.waits == 0);
  }

  TEST_CASE("a host whose rows take longer than its lease is good renews it, and keeps the segment") {
    Scene scene;
    scene.at_step = [&] { scene.truth.time += seconds(20); };  // of the 30 that a lease is good
    const auto report = scene.run_a();
    CHECK(report.finished);
    CHECK(report.moved == 18);
  }

  TEST_CASE("hosts at work at the same time share the segments") {
    MovedTable table(300);
    MemoryLeaseStore leases;
    std::array<evenkey::BackfillReport, 3> reports;
    std::vector<std::thread> hosts;
    for (std::size_t host = 0; host < reports.size(); ++host)
      hosts.emplace_back([&, host] {
        BackfillOptions options = real;
        options.total_segments = 8;
        options.index_partition_write_units = options.table_write_units = evenkey::unlimited_rate;
        reports[host] = backfill_shared(
            to_shards, table.scan_functor(), table.restamp_functor(), leases,
            {.host = "host " + std::to_string(host), .duration = seconds(600), .poll = milliseconds(1)},
            options);
      });
    for (std::thread& host : hosts)
      host.join();
    std::uint64_t moved = 0;
    for (const auto& report : reports) {
      CHECK(report.finished);
      moved += report.moved;
    }
    CHECK(moved == 300);
    CHECK(table.in_place() == 300);
    CHECK(table.most_moves_of_a_row() == 1);
    CHECK(table.restamps == 300);
  }

  TEST_CASE("a segment whose rows fail is tried once by every host, and is left for another run") {
    Scene scene;
    scene.table.before = [](const MovedTable::Request& request) {
      if (request.item.id == MovedTable::id_of(5)) throw std::runtime_error("poison");
    };
    const auto a = scene.run_a();
    CHECK(!a.finished);
    CHECK(a.end == evenkey::BackfillEnd::rows_failed);
    CHECK(a.failed == 1);
    CHECK(a.moved == 17);
    REQUIRE(a.samples.size() == 1);
    CHECK(a.samples[0].primary_key == MovedTable::id_of(5));
    CHECK(scene.run_b().failed == 1);
    scene.table.before = nullptr;
    const auto again = scene.run_a();
    CHECK(again.finished);
    CHECK(again.moved == 1);
    CHECK(again.overall.moved == 18);
  }

  TEST_CASE("leases of another plan are refused, and so is what makes no sense") {
    Scene scene;
    (void)scene.run_a();
    BackfillOptions other = real;
    other.table = "another";
    WaitedTime clock;
    const auto shared = [&](const evenkey::LeaseOptions& leases, const BackfillOptions& options) {
      MemoryLeaseStore none;
      return backfill_shared(to_shards, scene.table.scan_functor(), scene.table.restamp_functor(), none,
                             leases, options, clock);
    };
    CHECK_THROWS_AS(
        (void)backfill_shared(to_shards, scene.table.scan_functor(), scene.table.restamp_functor(),
                              scene.leases, {.host = "a"}, other, clock),
        evenkey::checkpoint_error);
    CHECK_THROWS_AS((void)shared({.host = "a"}, {}), std::invalid_argument);  // a dry run
    support::Notebook notebook;
    BackfillOptions with_checkpoint = real;
    with_checkpoint.checkpoint = &notebook;
    CHECK_THROWS_WITH_AS((void)shared({.host = "a"}, with_checkpoint),
                         doctest::Contains("keeps its checkpoints in the leases"), std::invalid_argument);
    CHECK_THROWS_AS((void)shared({}, real), std::invalid_argument);
    CHECK_THROWS_AS((void)shared({.host = "a", .duration = milliseconds(0)}, real), std::invalid_argument);
    CHECK_THROWS_AS((void)shared({.host = "a", .duration = std::chrono::hours(100'000)}, real),
                    std::invalid_argument);
  }

  TEST_CASE(
      "hosts begin anew with a later drained time, and refuse leases of another plan before any request") {
    MovedTable table(9);
    MemoryLeaseStore leases;
    WaitedTime clock;
    const auto shared = [&](const BackfillOptions& options) {
      return backfill_shared(to_shards, table.scan_functor(), table.restamp_functor(), leases, {.host = "a"},
                             options, clock);
    };
    CHECK(shared(real).finished);
    table.put({"a", "p", "S"});
    CHECK(shared(real).moved == 0);  // done is done
    BackfillOptions later = real;
    later.writers_drained_at = long_drained + std::chrono::hours(1);
    CHECK(shared(later).moved == 1);
    CHECK(table.in_place() == 10);
    table.put({"b", "p", "S"});
    BackfillOptions other = later;
    other.table = "another";
    CHECK_THROWS_AS((void)shared(other), evenkey::checkpoint_error);
    CHECK(table.in_place() == 10);
  }

  TEST_CASE("what another host had begun with an earlier drained time is looked at again, every row of it") {
    const std::size_t all = steps_of_a_run();
    for (std::size_t last = 1; last <= all; ++last) {
      CAPTURE(last);
      Scene scene;
      scene.at_step = [&] {
        if (scene.steps >= last) throw died{};
      };
      try {
        (void)scene.run_a();
      } catch (const died&) {
      }
      scene.table.put({"late", "p", "S"});  // by a writer that lived longer than A was told
      BackfillOptions later = real;
      later.writers_drained_at = long_drained + std::chrono::hours(1);
      const auto report = scene.run_b(later);
      REQUIRE(report.end == evenkey::BackfillEnd::finished);
      REQUIRE(report.finished);
      REQUIRE(scene.table.in_place() == 19);
      for (std::uint32_t segment = 0; segment < real.total_segments; ++segment) {
        const auto lease = detail::read_lease(*scene.leases.load(segment));
        REQUIRE(detail::read_checkpoint(lease.checkpoint).drained_ms ==
                detail::to_ms(*later.writers_drained_at));
      }
    }
  }

  TEST_CASE("a host does not end before what another has begun anew and left is done") {
    const std::size_t all = steps_of_a_run();
    std::size_t begun = 0;
    for (std::size_t at = 1; at <= all; ++at) {
      CAPTURE(at);
      Scene scene;
      scene.at_step = [&] {
        if (scene.steps != at) return;
        // B, told of a later time, begins anew what A has finished, and is stopped after its first page.
        std::stop_source stop;
        BackfillOptions later = real;
        later.writers_drained_at = long_drained + std::chrono::hours(1);
        later.page_limit = 1;
        later.stop = stop.get_token();
        HostTime clock{&scene.truth, seconds(7)};
        const auto scan = [&](const evenkey::ScanRequest<std::string>& request) {
          stop.request_stop();
          return scene.table.scan(request);
        };
        const auto report = backfill_shared(to_shards, scan, scene.table.restamp_functor(), scene.leases,
                                            {.host = "b"}, later, clock);
        begun += report.finished ? 0U : 1U;
      };
      const auto report = scene.run_a();
      REQUIRE(report.end == evenkey::BackfillEnd::finished);
      REQUIRE(report.finished);
      REQUIRE(report.failed == 0);
      REQUIRE(report.whole());
      REQUIRE(report.overall.scanned == 18);  // of all hosts, added up once
      REQUIRE(scene.table.in_place() == 18);
    }
    CHECK(begun > 0);
  }

  TEST_CASE("a host that ends by an error gives its segment back, and another takes it at once") {
    Scene scene;
    const auto scan = [&](const evenkey::ScanRequest<std::string>&) -> evenkey::Page<Moved> {
      throw std::logic_error("of the scan");
    };
    HostTime clock{&scene.truth, {}};
    CHECK_THROWS_AS((void)backfill_shared(to_shards, scan, scene.table.restamp_functor(), scene.leases,
                                          {.host = "a"}, real, clock),
                    std::logic_error);
    std::size_t begun = 0;
    for (std::uint32_t segment = 0; segment < real.total_segments; ++segment)
      if (const auto text = scene.leases.load(segment)) {
        ++begun;
        CHECK(detail::read_lease(*text).owner.empty());
        CHECK(detail::read_lease(*text).state == detail::LeaseRecord::State::open);
      }
    CHECK(begun == 1);
    const auto before = scene.truth.time;
    CHECK(scene.run_b().finished);
    CHECK(scene.truth.time - before < seconds(30));  // no lease was waited for
  }

  TEST_CASE("leases of another plan are refused before any is written, whichever of them it is") {
    MovedTable table(9);
    for (std::uint32_t of_another = 0; of_another < real.total_segments; ++of_another) {
      Scene other;
      (void)other.run_a();
      MemoryLeaseStore leases;
      detail::LeaseRecord record = detail::read_lease(*other.leases.load(of_another));
      detail::Checkpoint checkpoint = detail::read_checkpoint(record.checkpoint);
      checkpoint.plan.table = "another";
      record.checkpoint = detail::write_checkpoint(checkpoint);
      REQUIRE(leases.replace(of_another, std::nullopt, detail::write_lease(record)));
      WaitedTime clock;
      CHECK_THROWS_AS((void)backfill_shared(to_shards, table.scan_functor(), table.restamp_functor(), leases,
                                            {.host = "a"}, real, clock),
                      evenkey::checkpoint_error);
      CHECK(table.scans == 0);
      for (std::uint32_t segment = 0; segment < real.total_segments; ++segment)
        CHECK(leases.load(segment).has_value() == (segment == of_another));
    }
  }

  TEST_CASE("a lease asks for nothing in its first half, and is lost when its own renewal took all of it") {
    using Lease = detail::SegmentLease<WatchedStore, HostTime>;
    using Taker = detail::LeaseTaker<WatchedStore, HostTime>;
    WaitedTime truth;
    HostTime clock{&truth, {}};
    MemoryLeaseStore leases;
    std::size_t requests = 0;
    WaitedTime::Time::duration each{0};
    WatchedStore store{&leases, [&] {
                         ++requests;
                         truth.time += each;
                       }};
    const evenkey::LeaseOptions options{"a", seconds(10), seconds(1)};
    Taker taker(store, clock, options);
    std::optional<Lease> lease;
    REQUIRE(taker.take(0, lease) == Taker::Answer::taken);
    requests = 0;
    truth.time += milliseconds(4999);
    lease->check();
    CHECK(requests == 0);
    truth.time += milliseconds(1);
    lease->check();
    CHECK(requests == 1);
    truth.time += seconds(5);
    each = milliseconds(9999);
    lease->check();
    truth.time = truth.time + seconds(5);
    each = seconds(10);
    CHECK_THROWS_AS(lease->check(), detail::LeaseLost);
  }

  TEST_CASE("a segment that is begun anew is open while it is held") {
    using Taker = detail::LeaseTaker<MemoryLeaseStore, HostTime>;
    Scene scene;
    (void)scene.run_a();
    HostTime clock{&scene.truth, {}};
    const evenkey::LeaseOptions options{.host = "b"};
    Taker taker(scene.leases, clock, options);
    std::optional<Taker::Lease> lease;
    const auto anew = [](const detail::LeaseRecord&) { return true; };
    REQUIRE(taker.take(0, lease, anew) == Taker::Answer::taken);
    CHECK(detail::read_lease(*scene.leases.load(0)).state == detail::LeaseRecord::State::open);
  }

  TEST_CASE("no lease is good after a later one was, whatever two hosts do in whatever order") {
    using Lease = detail::SegmentLease<MemoryLeaseStore, HostTime>;
    using Taker = detail::LeaseTaker<MemoryLeaseStore, HostTime>;
    constexpr std::size_t depth = 7;
    constexpr std::size_t actions = 6;
    std::size_t sequences = 1;
    for (std::size_t i = 0; i < depth; ++i)
      sequences *= actions;
    std::size_t takes_from_another = 0;
    for (std::size_t number = 0; number < sequences; ++number) {
      WaitedTime truth;
      MemoryLeaseStore store;
      const std::array<evenkey::LeaseOptions, 2> options{evenkey::LeaseOptions{"a", seconds(10), seconds(1)},
                                                         evenkey::LeaseOptions{"b", seconds(10), seconds(1)}};
      std::array<HostTime, 2> clocks{HostTime{&truth, seconds(99)}, HostTime{&truth, seconds(-5000)}};
      Taker a(store, clocks[0], options[0]);
      Taker b(store, clocks[1], options[1]);
      const std::array<Taker*, 2> takers{&a, &b};
      std::array<std::optional<Lease>, 2> leases;
      (void)a.take(0, leases[0]);
      std::uint64_t newest = 0;
      std::size_t owner_of_newest = 2;
      std::size_t rest = number;
      for (std::size_t i = 0; i < depth; ++i, rest /= actions) {
        const std::size_t action = rest % actions;
        const std::size_t host = action % 2;
        if (action < 2) {
          if (!leases[host]) (void)takers[host]->take(0, leases[host]);
        } else if (action < 4) {
          if (!leases[host]) continue;
          try {
            leases[host]->check();
            REQUIRE(leases[host]->token() >= newest);
            if (newest != 0 && host != owner_of_newest) ++takes_from_another;
            newest = leases[host]->token();
            owner_of_newest = host;
          } catch (const detail::LeaseLost&) {
            leases[host].reset();
          }
        } else {
          truth.time += action == 4 ? milliseconds(5500) : milliseconds(11100);
        }
      }
    }
    CHECK(takes_from_another > 0);
    MESSAGE(sequences, " orders, ", takes_from_another, " segments taken from another host");
  }

  TEST_CASE(
      "a host that died keeps its segment for 1.1 times the lease after another saw it last, and no longer") {
    using Lease = detail::SegmentLease<MemoryLeaseStore, HostTime>;
    using Taker = detail::LeaseTaker<MemoryLeaseStore, HostTime>;
    WaitedTime truth;
    HostTime clock{&truth, {}};
    MemoryLeaseStore store;
    const evenkey::LeaseOptions a{"a", seconds(10), seconds(1)};
    const evenkey::LeaseOptions b{"b", seconds(99), seconds(1)};  // the holder's time counts
    Taker first(store, clock, a);
    Taker second(store, clock, b);
    std::optional<Lease> dead;
    std::optional<Lease> taken;
    CHECK(first.take(0, dead) == Taker::Answer::taken);
    CHECK(second.take(0, taken) == Taker::Answer::held_by_another);
    truth.time += seconds(9);
    dead->check();  // renews
    CHECK(second.take(0, taken) == Taker::Answer::held_by_another);
    truth.time += seconds(11);
    CHECK(second.take(0, taken) == Taker::Answer::held_by_another);
    truth.time += milliseconds(1);
    CHECK(second.take(0, taken) == Taker::Answer::taken);
    CHECK(taken->token() == 2);
    CHECK_THROWS_AS(dead->check(), detail::LeaseLost);
    CHECK_THROWS_AS(dead->save("late"), detail::LeaseLost);
    CHECK(taken->checkpoint().empty());
    CHECK(!dead->release(detail::LeaseRecord::State::finished));
    CHECK(taken->release(detail::LeaseRecord::State::finished));
    CHECK(first.take(0, dead) == Taker::Answer::finished);
  }

  TEST_CASE("a record is replaced only where it still is as expected") {
    MemoryLeaseStore store;
    CHECK(!store.replace(0, "expected", "new"));
    CHECK(!store.load(0));
    CHECK(store.replace(0, std::nullopt, "first"));
    CHECK(!store.replace(0, std::nullopt, "new"));
    CHECK(!store.replace(0, "expected", "new"));
    CHECK(store.replace(0, "first", "second"));
    CHECK(store.load(0) == "second");
  }

  TEST_CASE("a lease is the text that docs/format/lease.md says, and no other text is one") {
    detail::LeaseRecord record;
    record.token = 3;
    record.beat = 12;
    record.owner = "host-7";
    record.duration = seconds(30);
    const std::string text = detail::write_lease(record);
    CHECK(
        text ==
        "evenkey-lease/1\ntoken: 3\nbeat: 12\nowner: host-7\nduration_ms: 30000\nstate: open\ncheckpoint: \n"
        "checksum: 959e2c09edf3dbe3\n");
    CHECK(detail::read_lease(text).owner == "host-7");
    for (std::size_t i = 0; i < text.size(); ++i) {
      CHECK_THROWS_AS((void)detail::read_lease(text.substr(0, i)), evenkey::checkpoint_error);
      std::string flipped = text;
      flipped[i] = static_cast<char>(flipped[i] ^ 1);
      CHECK_THROWS_AS((void)detail::read_lease(flipped), evenkey::checkpoint_error);
    }
  }

  TEST_CASE("a lease's numbers are decimal digits, and any other text is refused whatever its checksum") {
    const auto lease = [](std::array<std::string_view, 3> numbers) {
      return detail::RecordWriter(detail::lease_kind)
          .line("token", numbers[0])
          .line("beat", numbers[1])
          .line("owner", "host-7")
          .line("duration_ms", numbers[2])
          .line("state", "open")
          .line("checkpoint", "")
          .finish();
    };
    CHECK(detail::read_lease(lease({"18446744073709551615", "0", "1"})).token == 18446744073709551615U);
    for (std::size_t i = 0; i < 3; ++i)
      for (const std::string_view bad :
           {"", " ", "x", "01", "+1", "-0", "1 ", " 1", "1x", "1.0", "1e3", "18446744073709551616"}) {
        CAPTURE(i);
        CAPTURE(bad);
        std::array<std::string_view, 3> numbers{"1", "1", "1"};
        numbers[i] = bad;
        CHECK_THROWS_AS((void)detail::read_lease(lease(numbers)), evenkey::checkpoint_error);
      }
  }

  TEST_CASE("a lease of a duration that no time can be added to is refused") {
    using std::chrono::milliseconds;
    detail::LeaseRecord record;
    record.owner = "host-7";
    CHECK(detail::most_lease_duration == std::chrono::days(365));
    for (const milliseconds good : {milliseconds(0), milliseconds(1), detail::most_lease_duration}) {
      record.duration = good;
      CHECK(detail::read_lease(detail::write_lease(record)).duration == good);
    }
    for (const milliseconds bad : {milliseconds(-1), detail::most_lease_duration + milliseconds(1),
                                   (milliseconds::max)(), (milliseconds::min)()}) {
      record.duration = bad;
      CHECK_THROWS_AS((void)detail::read_lease(detail::write_lease(record)), evenkey::checkpoint_error);
    }
  }
}
