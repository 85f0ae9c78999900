// SPDX-License-Identifier: BSL-1.0
//
// A whole migration of a live table, there and back: writers create, change and delete rows and readers list
// them, each in the phase that its instance runs in, while the rows move.
#include <evenkey/migrate/advance.hpp>
#include <evenkey/migrate/backfill.hpp>
#include <evenkey/migrate/drift.hpp>
#include <evenkey/migrate/migration.hpp>
#include <evenkey/migrate/parity.hpp>
#include <evenkey/migrate/write_stamp.hpp>
#include <evenkey/read/enumerate.hpp>

#include <doctest/doctest.h>

#include <map>
#include <mutex>
#include <random>
#include <set>

#include "test_table.hpp"

using namespace servers;
using evenkey::Phase;
using Migration = evenkey::Migration<TextIndex, RuntimeKeys, RuntimeKeys>;

namespace {

/// Which rows must be seen: those that are committed, and not about to be deleted.
class Ledger {
 public:
  void created(const std::string& id) {
    const std::lock_guard lock(mutex_);
    live_.insert(id);
  }
  /// A live row to delete; it no longer has to be seen.
  std::optional<std::string> take(std::uint64_t random) {
    const std::lock_guard lock(mutex_);
    if (live_.size() < 50) return std::nullopt;
    const auto id = std::next(live_.begin(), static_cast<std::ptrdiff_t>(random % live_.size()));
    std::string taken = *id;
    live_.erase(id);
    return taken;
  }
  std::optional<std::string> any(std::uint64_t random) const {
    const std::lock_guard lock(mutex_);
    if (live_.empty()) return std::nullopt;
    return *std::next(live_.begin(), static_cast<std::ptrdiff_t>(random % live_.size()));
  }
  std::set<std::string> live() const {
    const std::lock_guard lock(mutex_);
    return live_;
  }

 private:
  mutable std::mutex mutex_;
  std::set<std::string> live_;
};

/// Writers and readers that run while the test moves the table from phase to phase.
class Traffic {
 public:
  Traffic(const TestTable& table, int writers, int readers)
      : table_(table), instances_(static_cast<std::size_t>(writers + readers)) {
    for (std::size_t i = 0; i < instances_.size(); ++i)
      instances_[i].thread = std::thread([this, i, writes = i < static_cast<std::size_t>(writers)] {
        try {
          std::mt19937_64 engine(i);
          while (!stop_.load()) {
            Instance& self = instances_[i];
            const std::uint64_t asked = self.asked.load();
            const auto [runs, phase] = self.of();
            if (writes) {
              write(runs, phase, engine);
            } else {
              read(runs, phase);
            }
            ++self.done;
            self.seen = asked;
          }
        } catch (const std::exception& error) {
          fault(std::string("an instance ended: ") + error.what());
          stop_ = true;
        }
      });
  }
  Traffic(const Traffic&) = delete;
  Traffic& operator=(const Traffic&) = delete;
  ~Traffic() { stop(); }

  /// Deploys a phase, one instance after the other, and waits until each has done something in it: only then
  /// is the last that ran in the phase before gone.
  void deploy(const Migration& migration, Phase phase) {
    for (Instance& instance : instances_) {
      const std::uint64_t asked = instance.enter(migration, phase);
      while (instance.seen.load() < asked && !stop_.load())
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  void stop() {
    stop_ = true;
    for (Instance& instance : instances_)
      if (instance.thread.joinable()) instance.thread.join();
  }

  std::vector<std::string> faults() const {
    const std::lock_guard lock(mutex_);
    return faults_;
  }
  std::uint64_t reads() const { return reads_.load(); }
  std::uint64_t writes() const { return writes_.load(); }
  const Ledger& ledger() const { return ledger_; }

 private:
  struct Instance {
    std::thread thread;
    std::atomic<std::uint64_t> asked = 0, seen = 0, done = 0;
    mutable std::mutex mutex;
    std::optional<std::pair<Migration, Phase>> runs_in;

    std::uint64_t enter(const Migration& migration, Phase phase) {
      const std::lock_guard lock(mutex);
      runs_in.emplace(migration, phase);
      return ++asked;
    }
    std::pair<Migration, Phase> of() const {
      for (;;) {
        {
          const std::lock_guard lock(mutex);
          if (runs_in) return *runs_in;
        }
        std::this_thread::yield();
      }
    }
  };

  void write(const Migration& migration, Phase phase, std::mt19937_64& engine) {
    ++writes_;
    const std::uint64_t what = engine() % 10;
    if (what < 5) {
      const std::string id = "row-" + std::to_string(made_++);
      const std::string person = "person-" + std::to_string(engine() % 50);
      const auto stamp =
          evenkey::created_stamp(migration, phase, person, "t" + std::to_string(engine() % 20));
      table_.client().put(
          {.table = table_.name(), .item = row(id, person, stamp.partition_key, stamp.sort_key)});
      ledger_.created(id);
    } else if (what < 8) {
      const auto id = ledger_.any(engine());
      if (!id) return;
      try {
        table_.client().update({.table = table_.name(),
                                .item = {{"id", *id}},
                                .update = "SET visits = :v",
                                .condition = "attribute_exists(id)",
                                .placeholders = {{}, {{":v", dynamodb::number(engine() % 1000)}}}});
      } catch (const dynamodb::Error& error) {
        if (error.kind() != evenkey::ErrorKind::condition_failed) throw;  // deleted by another
      }
    } else if (const auto id = ledger_.take(engine())) {
      table_.client().remove({.table = table_.name(), .item = {{"id", *id}}});
    }
  }

  void read(const Migration& migration, Phase phase) {
    const std::set<std::string> before = ledger_.live();
    const auto listed = evenkey::enumerate(migration.at(phase), table_.query(), {.max_concurrency = 2});
    const std::set<std::string> after = ledger_.live();
    ++reads_;
    std::multiset<std::string> seen;
    for (std::string& id : ids_of(listed.items))
      seen.insert(std::move(id));
    for (const std::string& id : before)
      if (after.contains(id) && seen.count(id) != 1)
        fault(id + " was seen " + std::to_string(seen.count(id)) + " times in phase " +
              std::string(evenkey::phase_name(phase)) + " of " + migration.id());
    for (auto id = seen.begin(); id != seen.end(); id = seen.upper_bound(*id))
      if (seen.count(*id) > 1) fault(*id + " was seen twice");
  }

  void fault(std::string text) {
    const std::lock_guard lock(mutex_);
    if (faults_.size() < 20) faults_.push_back(std::move(text));
  }

  const TestTable& table_;
  Ledger ledger_;
  std::vector<Instance> instances_;
  std::atomic<bool> stop_ = false;
  std::atomic<std::uint64_t> made_ = 0, reads_ = 0, writes_ = 0;
  mutable std::mutex mutex_;
  std::vector<std::string> faults_;
};

/// Everything from `source` to `destination`, as the runbook has it.
void migrate(const TestTable& table, const Migration& migration, Traffic& traffic) {
  traffic.deploy(migration, Phase::dual_read);
  traffic.deploy(migration, Phase::destination_writes);
  const auto drained = std::chrono::system_clock::now();

  const auto counted = evenkey::backfill(migration, table.scan(), table.restamp());
  CHECK(counted.to_move > 0);
  CHECK(counted.moved == 0);
  evenkey::BackfillOptions options{.dry_run = false, .writers_drained_at = drained};
  options.max_concurrency = 2;
  options.total_segments = 3;
  options.page_limit = 40;
  options.index_partition_write_units = options.table_write_units = options.table_read_units =
      evenkey::unlimited_rate;
  const auto report = evenkey::backfill(migration, table.scan(), table.restamp(), options);
  CHECK(report.finished);
  CHECK(report.moved > 0);
  CHECK(report.failed == 0);
  CHECK(report.changed == 0);
  MESSAGE(table.name() << ": moved " << report.moved << ", deleted meanwhile " << report.deleted);

  std::this_thread::sleep_for(migration.visibility().lag());  // reports must begin after it
  evenkey::Evidence evidence;
  evidence.writers_drained_at = drained;
  CHECK_FALSE(migration.advance(Phase::destination_writes, Phase::destination, evidence).allowed());
  evidence.drift = evenkey::check_drift(migration, table.scan(), {.total_segments = 2, .max_concurrency = 2});
  evidence.parity = evenkey::check_parity(migration.at(Phase::destination), table.scan(), table.query());
  CHECK(evidence.drift->clean());
  CHECK(evidence.drift->scanned > 100);
  CHECK(evidence.parity->identical());
  const auto answer = migration.advance(Phase::destination_writes, Phase::destination, evidence);
  for (const std::string& reason : answer.reasons())
    MESSAGE(reason);
  REQUIRE(answer.allowed());
  traffic.deploy(migration, Phase::destination);
}

}  // namespace

TEST_SUITE_BEGIN("migration");

TEST_CASE("a live table moves from one key to 4 shards and back, and no reader misses or doubles a row") {
  const TestTable table;
  const TextIndex index(table.names(), RuntimeKeys::sharded("Saga", 4));
  const Migration forward(index, RuntimeKeys::constant("Saga"),
                          evenkey::visible_within(std::chrono::milliseconds(30)));
  Traffic traffic(table, 2, 2);
  traffic.deploy(forward, Phase::source);
  while (traffic.ledger().live().size() < 150 && traffic.faults().empty())
    std::this_thread::sleep_for(std::chrono::milliseconds(5));

  migrate(table, forward, traffic);
  const auto there = traffic.reads();
  const auto back = forward.reversed();
  REQUIRE(Migration::mirrored(Phase::destination) == Phase::source);
  traffic.deploy(back, Phase::source);
  migrate(table, back, traffic);
  traffic.stop();
  for (const std::string& fault : traffic.faults())
    FAIL_CHECK(fault);
  CHECK(there > 5);
  MESSAGE(traffic.reads() << " reads, " << traffic.writes() << " writes");
}

TEST_SUITE_END();
