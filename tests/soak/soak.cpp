// SPDX-License-Identifier: BSL-1.0
//
// An application lives on a table in memory while its index is migrated from one layout to another, again and again:
// with faults, an index that is behind, movers that are killed and started again, and turns back. All that is read is
// compared with a reference: nothing lost, nothing doubled. The memory that is held must not grow.
// usage: soak [--seed N] [--minutes N | --operations N]
#include <evenkey/migrate/backfill.hpp>
#include <evenkey/migrate/backfill_shared.hpp>
#include <evenkey/migrate/drift.hpp>
#include <evenkey/migrate/parity.hpp>
#include <evenkey/migrate/phase_record.hpp>

#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "soak/application.hpp"
#include "soak/live_bytes.hpp"

namespace {

using namespace soak;

struct Killed {};

/// A checkpoint that outlives movers, who may be killed before it is saved, and before they know that it was.
struct Notebook : evenkey::CheckpointStore {
  std::optional<std::string> text;
  std::function<void()> before;
  std::optional<std::string> load() override { return text; }
  void save(std::string_view checkpoint) override {
    before();
    text = std::string(checkpoint);
    before();
  }
};

/// The same of leases, that several hosts share.
struct Leases {
  evenkey::MemoryLeaseStore stored;
  std::function<void()> before;
  std::optional<std::string> load(std::uint32_t segment) { return stored.load(segment); }
  bool replace(std::uint32_t segment, const std::optional<std::string>& expected, std::string_view text) {
    before();
    const bool done = stored.replace(segment, expected, text);
    before();
    return done;
  }
};

class Soak {
 public:
  Soak(std::uint64_t seed, Figures& figures)
      : figures_(figures), app_(seed, figures), keys_(new_keys(generation_)) {}

  Application& application() { return app_; }

  /// One migration from the keys that rows have to others, sometimes turned back on the way.
  void migrate() {
    const std::uint32_t generation = generation_ % generations + 1;
    const evenkey::DynamicShardedKey to = new_keys(generation);
    set_lag();
    const Migration there(Rows{to}, keys_, to, visibility());
    evenkey::MemoryRecordStore record;
    app_.migration = there;
    app_.phase = Phase::source;
    live(20);
    enter(record, there, Phase::dual_read, {});
    if (app_.dice.one_in(8)) {
      // Nothing was stamped and nothing moved: readers go back to the source.
      app_.phase = Phase::source;
      live(10);
      ++figures_.turned_back;
      return;
    }
    enter(record, there, Phase::destination_writes, {});
    if (app_.dice.one_in(4)) {
      if (app_.dice.one_in(2)) move(there, 1 + app_.dice.below(40));  // killed for good
      turn_back(record, there);
      return;
    }
    arrive(record, there);
    keys_ = to;
    generation_ = generation;
  }

 private:
  // Few names, used again and again: a table's counters remember every name that there ever was.
  static constexpr std::uint32_t generations = 3;

  evenkey::DynamicShardedKey new_keys(std::uint32_t generation) {
    constexpr std::uint32_t counts[] = {1, 2, 4, 7};
    return {"S", counts[app_.dice.below(4)], {.generation = generation}};
  }

  void set_lag() {
    using evenkey::testing::VisibilityLag;
    constexpr milliseconds most{50};
    insert_first_ = app_.dice.one_in(2);
    app_.lag = insert_first_ ? most : most + milliseconds(1);
    if (insert_first_) {
      app_.table().set_lag<Rows>(VisibilityLag::insert_first(most));
    } else {
      app_.table().set_lag<Rows>(VisibilityLag::random(app_.dice.number(), milliseconds(0), most));
    }
  }
  evenkey::Visibility visibility() const {
    if (insert_first_) return evenkey::insert_visible_first;
    return evenkey::visible_within(app_.lag);
  }

  void live(std::size_t steps) {
    for (; steps != 0; --steps)
      app_.step();
  }

  /// A step of the record, then a rollout, at whose end only instances of the new phase live.
  void enter(evenkey::MemoryRecordStore& record, const Migration& migration, Phase to,
             const evenkey::Evidence& evidence) {
    const auto from = static_cast<Phase>(static_cast<int>(to) - 1);
    const evenkey::Advance answer =
        evenkey::advance_phase(record, migration, from, to, evidence, "soak", app_.time());
    require(answer.allowed(), "the step is allowed: " + (answer.allowed() ? "" : answer.reasons().front()));
    app_.phase = to;
    app_.rolling = true;
    live(20);
    app_.rolling = false;
    live(10);
  }

  /// A mover that may be killed, and its next life goes on from the checkpoint; or one of three hosts goes on from
  /// the leases. Now and then a writer turns out to have lived longer than the lives before were told.
  /// @param steps the calls after which it is killed for good; 0: it is started again until it is done
  void move(const Migration& migration, std::size_t steps) {
    app_.table().clock().advance(app_.lag + milliseconds(1));
    auto drained = app_.time().system_now();
    const bool shared = app_.dice.one_in(2);
    Notebook notebook;
    Leases leases;
    for (std::size_t lives = 0;; ++lives) {
      std::size_t calls = steps != 0                          ? steps
                          : app_.dice.one_in(3) || lives > 50 ? 0
                                                              : 2 + app_.dice.below(120);
      bool dead = false;
      const auto call = [&] {
        if (dead) throw Killed{};
        if (app_.dice.one_in(2)) app_.step();
        if (calls != 0 && --calls == 0) {
          dead = true;
          throw Killed{};
        }
      };
      notebook.before = leases.before = call;
      const auto scan_table = app_.table().scan_functor<Rows>();
      const auto scan = [&](const evenkey::ScanRequest<std::string>& request) {
        call();
        return scan_table(request);
      };
      const auto restamp = [&](const evenkey::Restamp<Row>& request) {
        call();
        const auto result = app_.table().update(
            request.item.id, [&](const Row& stored) { return stored.key == request.from; },
            [&](Row& stored) { stored.key = request.to; });
        call();  // dead after the move, before it is known
        if (result.applied) return evenkey::RestampResult::moved();
        if (!result.previous) return evenkey::RestampResult::gone();
        return evenkey::RestampResult::found(result.previous->key);
      };
      evenkey::BackfillOptions options;
      options.dry_run = false;
      options.writers_drained_at = drained;
      if (!shared) options.checkpoint = &notebook;
      options.page_limit = static_cast<std::uint32_t>(1 + app_.dice.below(10));
      options.total_segments = 2;
      try {
        const evenkey::LeaseOptions host{.host = "mover-" + std::to_string(app_.dice.below(3))};
        const auto report =
            shared ? evenkey::backfill_shared(migration, scan, restamp, leases, host, options, app_.time())
                   : evenkey::backfill(migration, scan, restamp, options, app_.time());
        figures_.moved += report.moved;
        if (dead) {
          ++figures_.kills;
        } else if (report.finished) {
          return;
        }
      } catch (const Killed&) {
        ++figures_.kills;
      } catch (const evenkey::store_error&) {
        // The scan failed for longer than it was tried: the next life goes on.
      }
      if (steps != 0) return;
      require(lives < 1'000, "a mover comes to an end");
      live(app_.dice.below(10));
      if (!app_.dice.one_in(4)) continue;
      app_.create_late();
      drained = app_.time().system_now();
    }
  }

  /// From `destination_writes` to the end.
  void arrive(evenkey::MemoryRecordStore& record, const Migration& migration) {
    move(migration, 0);
    app_.table().clock().advance(app_.lag + milliseconds(1));
    const auto drained = app_.time().system_now() - app_.lag;
    app_.table().clear_faults();
    evenkey::Evidence evidence;
    evidence.writers_drained_at = drained;
    const auto scan = app_.table().scan_functor<Rows>();
    evidence.drift = evenkey::check_drift(migration, scan, {.max_concurrency = 1}, app_.time());
    evidence.parity =
        evenkey::check_parity(migration.at(Phase::destination), scan, app_.table().query_functor<Rows>(),
                              {.max_concurrency = 1, .buckets = 64}, app_.time());
    enter(record, migration, Phase::destination, evidence);
    ++figures_.migrations;
    app_.settle(rows_at_rest);
    for (const auto& [id, entry] : app_.reference().rows)
      require(app_.table().get(id)->key == migration.destination().of(entry.row.person),
              "row " + id + " is where its id hashes to");
  }

  /// The way back, entered where readers and writers use the same partitions.
  void turn_back(evenkey::MemoryRecordStore& record, const Migration& there) {
    ++figures_.turned_back;
    app_.table().clock().advance(app_.lag + milliseconds(1));
    const Migration back = there.reversed();
    app_.finish_paging();
    app_.migration = back;
    app_.phase = Migration::mirrored(Phase::destination_writes);
    const evenkey::Advance answer =
        evenkey::advance_phase(record, back, app_.phase, Phase::destination_writes, {}, "soak", app_.time());
    require(answer.allowed(),
            "the way back is allowed: " + (answer.allowed() ? "" : answer.reasons().front()));
    app_.phase = Phase::destination_writes;
    app_.rolling = true;
    live(20);
    app_.rolling = false;
    live(10);
    arrive(record, back);
  }

 public:
  static constexpr std::size_t rows_at_rest = 100;

 private:
  Figures& figures_;
  std::uint32_t generation_ = 1;  // of the keys that rows have
  bool insert_first_ = true;
  Application app_;
  evenkey::DynamicShardedKey keys_;
};

/// The memory that is held each time that the table is at rest, in little memory itself: when there are many, every
/// second one is left out, and of those to come too.
class MemorySamples {
 public:
  MemorySamples() { samples_.reserve(most); }

  void take() {
    if (++seen_ % stride_ != 0) return;
    if (samples_.size() == most) {
      for (std::size_t i = 0; i < most / 2; ++i)
        samples_[i] = samples_[2 * i + 1];
      samples_.resize(most / 2);
      stride_ *= 2;
    }
    samples_.push_back(live_bytes);
  }

  /// Of the last third no more than of the first, within a bound.
  void check() const {
    const auto third = static_cast<std::ptrdiff_t>(samples_.size() / 3);
    if (third == 0) return;
    const std::size_t first = *std::max_element(samples_.begin(), samples_.begin() + third);
    const std::size_t last = *std::max_element(samples_.end() - third, samples_.end());
    std::printf("memory held at rest, at most: %zu bytes in the first third, %zu in the last\n", first, last);
    require(last <= first + first / 4 + 16'384, "the memory that is held does not grow");
  }

 private:
  static constexpr std::size_t most = 600;
  std::vector<std::size_t> samples_;
  std::size_t seen_ = 0;
  std::size_t stride_ = 1;
};

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t seed = 85;
  std::uint64_t operations = 10'000;
  double minutes = 0;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view option = argv[i];
    if (i + 1 == argc || (option != "--seed" && option != "--operations" && option != "--minutes")) {
      std::fprintf(stderr, "usage: soak [--seed N] [--minutes N | --operations N]\n");
      return 2;
    }
    if (option == "--seed") seed = std::strtoull(argv[i + 1], nullptr, 10);
    if (option == "--operations") operations = std::strtoull(argv[i + 1], nullptr, 10);
    if (option == "--minutes") minutes = std::strtod(argv[i + 1], nullptr);
  }
  std::printf("seed %" PRIu64 "\n", seed);
  std::fflush(stdout);

  using Wall = std::chrono::steady_clock;
  const auto end =
      Wall::now() + std::chrono::duration_cast<Wall::duration>(std::chrono::duration<double>(minutes * 60));
  Figures figures;
  int status = 0;
  try {
    Soak soak(seed, figures);
    MemorySamples samples;
    while (minutes > 0 ? Wall::now() < end : figures.operations < operations) {
      const std::uint64_t arrived = figures.migrations;
      soak.migrate();
      if (figures.migrations != arrived) samples.take();
    }
    samples.check();
    std::printf("virtual time: %.1f hours\n", std::chrono::duration<double, std::ratio<3600>>(
                                                  soak.application().table().clock().now().time_since_epoch())
                                                  .count());
  } catch (const std::exception& error) {
    std::printf("after %" PRIu64 " operations: %s\n", figures.operations, error.what());
    status = 1;
  }
  std::printf("%" PRIu64 " operations, %" PRIu64 " writes, %" PRIu64 " reads and %" PRIu64
              " pages with %" PRIu64 " rows, %" PRIu64 " reads failed openly; %" PRIu64
              " scripts of faults; %" PRIu64 " migrations, %" PRIu64 " turned back, %" PRIu64
              " rows moved, %" PRIu64 " movers killed\n",
              figures.operations, figures.writes, figures.reads, figures.pages, figures.rows_read,
              figures.reads_failed, figures.faults, figures.migrations, figures.turned_back, figures.moved,
              figures.kills);
  return status;
}
