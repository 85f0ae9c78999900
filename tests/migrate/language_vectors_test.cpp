// SPDX-License-Identifier: BSL-1.0
// What readers and writers in other languages are tested by, tests/golden/migration_vectors.json, is what this
// library does: made here, and compared. EVENKEY_UPDATE_GOLDEN=1 writes it anew.
// The format: docs/format/migration-vectors.md.
#include <evenkey/migrate/phase_record.hpp>
#include <evenkey/read/enumerate.hpp>
#include <evenkey/read/find.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../tools/evenkey/runtime_keys.hpp"

namespace {

using evenkey::Direction;
using evenkey::Phase;
using evenkey_cli::HashChoice;
using evenkey_cli::PlacementChoice;
using evenkey_cli::RuntimeKeys;
using std::chrono::milliseconds;
using Texts = std::vector<std::string>;

constexpr std::array<Phase, 4> phases{Phase::source, Phase::dual_read, Phase::destination_writes,
                                      Phase::destination};

// ---- JSON, as text: one form for one content, so that files can be compared

std::string quoted(std::string_view text) {
  std::string json = "\"";
  for (const char c : text) {
    if (c == '\n') {
      json += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') json += '\\';
    json += c;
  }
  return json + '"';
}

std::string joined(const Texts& parts, std::string_view between = ", ") {
  std::string text;
  for (const std::string& part : parts)
    text.append(text.empty() ? "" : between).append(part);
  return text;
}

std::string object(const std::vector<std::pair<std::string_view, std::string>>& members,
                   std::string_view between = ", ") {
  Texts parts;
  for (const auto& [name, value] : members)
    parts.push_back(quoted(name) + (value.front() == '\n' ? ":" : ": ") + value);
  return "{" + joined(parts, between) + "}";
}

std::string array(const Texts& parts, std::string_view between = ", ") {
  return "[" + joined(parts, between) + "]";
}

std::string texts(const Texts& values) {
  Texts parts;
  for (const std::string& value : values)
    parts.push_back(quoted(value));
  return array(parts);
}

// ---- What moves

struct Row {
  std::string primary_key, person, sort_key, note, stored = {};
};

struct Index {
  static constexpr std::string_view name = "renewal-saga-person-index";
  using PartitionKey = RuntimeKeys;
  using SortKey = evenkey::CompositeKey<evenkey::Text>;
  using Item = Row;
  using StartKey = std::string;

  RuntimeKeys keys;

  const RuntimeKeys& partition_keys() const { return keys; }
  static std::string_view sort_key(const Row& row) { return row.sort_key; }
  static std::string_view primary_key(const Row& row) { return row.primary_key; }
  static std::string_view shard_by(const Row& row) { return row.person; }
  static std::string_view partition_key(const Row& row) { return row.stored; }
  static evenkey::SortKeyCondition find_condition(std::string_view) { return {}; }
};
using Move = evenkey::Migration<Index, RuntimeKeys, RuntimeKeys>;

/// One side of a migration: a constant key, or a prefix with shards.
struct Side {
  std::string prefix;
  std::uint32_t shards = 0;  // 0: a constant key
  evenkey::KeyFormat format = {};
  HashChoice hash = HashChoice::xxh3_64;
  PlacementChoice placement = PlacementChoice::modulo;

  RuntimeKeys keys() const {
    return shards == 0 ? RuntimeKeys::constant(prefix)
                       : RuntimeKeys::sharded(prefix, shards, format, hash, placement);
  }
  std::string json() const {
    if (shards == 0) return object({{"key", quoted(prefix)}});
    return object({{"prefix", quoted(prefix)},
                   {"shards", std::to_string(shards)},
                   {"hash", hash == HashChoice::xxh64 ? "\"xxh64\"" : "\"xxh3_64\""},
                   {"placement", placement == PlacementChoice::jump ? "\"jump\"" : "\"mod\""},
                   {"separator", quoted(std::string(1, format.separator))},
                   {"width", std::to_string(format.width)},
                   {"generation", std::to_string(format.generation)}});
  }
};

struct Named {
  std::string name;
  Side from, to;
  int lag;  // milliseconds; 0: insert_visible_first

  Move way(bool reversed) const {
    evenkey::Visibility visibility = evenkey::insert_visible_first;
    if (lag != 0) visibility = evenkey::visible_within(milliseconds(lag));
    const Move there(Index{to.keys()}, from.keys(), to.keys(), visibility);
    return reversed ? there.reversed() : there;
  }
};

const std::vector<Named>& migrations() {
  static const std::vector<Named> all{
      {"one key to 16 shards", {"RenewalSaga"}, {"RenewalSaga", 16}, 500},
      {"16 shards to 24 of generation 2", {"RenewalSaga", 16}, {"RenewalSaga", 24, {.generation = 2}}, 0},
      {"4 shards to 8 in place", {"Saga", 4}, {"Saga", 8}, 50},
      {"3 shards to 5 in place, by jump hash of XXH64, with zeros in front",
       {"Saga", 3, {'.', 3}, HashChoice::xxh64, PlacementChoice::jump},
       {"Saga", 5, {'.', 3}, HashChoice::xxh64, PlacementChoice::jump},
       0},
      {"S to 2 shards, insert visible first", {"S"}, {"D", 2}, 0},
      {"S to 2 shards, visible within 40 ms", {"S"}, {"D", 2}, 40},
      {"2 shards to 3 of generation 2", {"A", 2}, {"A", 3, {.generation = 2}}, 0},
      {"2 shards to 4 in place", {"A", 2}, {"A", 4}, 0}};
  return all;
}

const Named& migration_named(std::string_view name) {
  return *std::find_if(migrations().begin(), migrations().end(),
                       [&](const Named& each) { return each.name == name; });
}

// ---- Which keys are stamped, and which partitions are read

std::string groups_json(const evenkey::ReadPlan& plan) {
  Texts groups;
  for (const evenkey::PlannedGroup& group : plan.groups) {
    Texts keys;
    for (const evenkey::PlannedPartition& partition : group.partitions)
      keys.emplace_back(partition.partition_key);
    groups.push_back(texts(keys));
  }
  return array(groups);
}

std::string plan_json(const evenkey::ReadPlan& plan) {
  return object({{"groups", groups_json(plan)}, {"wait_ms", std::to_string(plan.visibility_wait.count())}});
}

std::string phase_json(const Move& move, Phase phase) {
  Texts ids;
  const auto index = move.at(phase);
  for (const std::string_view id : {"person-42", "person-1", "p10", "é", "tenant#7"})
    ids.push_back(object({{"id", quoted(id)},
                          {"stamp", quoted(move.partition_key(phase, id))},
                          {"find", plan_json(evenkey::read_plan(index, id))}}));
  return object({{"phase", quoted(evenkey::phase_name(phase))},
                 {"mirrored", quoted(evenkey::phase_name(Move::mirrored(phase)))},
                 {"list", plan_json(evenkey::read_plan(index))},
                 {"ids", array(ids, ",\n           ")}});
}

std::string migration_json(const Named& named) {
  Texts ways;
  for (const bool reversed : {false, true}) {
    const Move move = named.way(reversed);
    Texts in_phases;
    for (const Phase phase : phases)
      in_phases.push_back(phase_json(move, phase));
    ways.push_back(object({{"reversed", reversed ? "true" : "false"},
                           {"id", quoted(move.id())},
                           {"phases", "\n        " + array(in_phases, ",\n         ")}}));
  }
  return object({{"name", quoted(named.name)},
                 {"index", quoted(Index::name)},
                 {"source", named.from.json()},
                 {"destination", named.to.json()},
                 {"visible_within_ms", std::to_string(named.lag)},
                 {"ways", "\n      " + array(ways, ",\n       ")}},
                ",\n     ");
}

// ---- Who may run under which record

struct OneRecord {
  std::optional<std::string> load() const { return text; }
  bool replace(const std::optional<std::string>&, std::string_view) { return false; }
  std::optional<std::string> text;
};

std::string instance_json(const std::optional<std::string>& record, bool reversed) {
  const Named& named = migrations().front();
  const Move move = named.way(reversed);
  OneRecord store{record};
  Texts may_run;
  for (const Phase phase : phases) {
    try {
      evenkey::check_phase(move, store, phase);
      may_run.emplace_back(evenkey::phase_name(phase));
    } catch (const evenkey::phase_error&) {
      // not this one
    }
  }
  std::string means = record ? "null" : "\"source\"";
  if (const auto parsed = record ? evenkey::parse_phase_record(*record) : std::nullopt)
    if (const auto phase = evenkey::recorded_phase(move, *parsed))
      means = quoted(evenkey::phase_name(*phase));
  return object({{"migration", quoted(named.name)},
                 {"reversed", reversed ? "true" : "false"},
                 {"record", record ? quoted(*record) : "null"},
                 {"means", means},
                 {"may_run", texts(may_run)}});
}

Texts instances_json() {
  Texts all;
  const auto both_ways = [&](const std::optional<std::string>& record) {
    for (const bool reversed : {false, true})
      all.push_back(instance_json(record, reversed));
  };
  const evenkey::PhaseRecord first{7, migrations()[0].way(false).id(), Phase::dual_read,
                                   std::chrono::sys_days(std::chrono::year(2026) / 7 / 8),
                                   "deploy 42, é 100%"};
  both_ways(std::nullopt);
  for (const bool reversed : {false, true}) {
    for (const Phase phase : phases) {
      evenkey::PhaseRecord record = first;
      record.migration = migrations()[0].way(reversed).id();
      record.phase = phase;
      both_ways(evenkey::encode_phase_record(record));
    }
  }
  evenkey::PhaseRecord other = first;
  other.migration = migrations()[1].way(false).id();
  both_ways(evenkey::encode_phase_record(other));
  // Of migrations that have ended at one of its sides; of one that has not; of another index; and one whose key
  // has an arrow in it.
  const std::string id = first.migration;
  const std::string index = id.substr(0, id.find(": "));
  for (const bool reversed : {false, true}) {
    const std::string way = migrations()[0].way(reversed).id();
    const std::string side = way.substr(index.size() + 2, way.find(" -> ") - index.size() - 2);
    for (const Phase phase : {Phase::destination, Phase::destination_writes}) {
      other.phase = phase;
      other.migration = index + ": Before#0 (xxh3_64/mod/3 #n) -> " + side;
      both_ways(evenkey::encode_phase_record(other));
    }
    other.phase = Phase::destination;
    other.migration = index + "2: Before#0 (xxh3_64/mod/3 #n) -> " + side;
    both_ways(evenkey::encode_phase_record(other));
    other.migration = index + ": Before#0 (xxh3_64/mod/3 #n) -> x -> " + side;
    both_ways(evenkey::encode_phase_record(other));
  }
  const std::string text = evenkey::encode_phase_record(first);
  for (std::string damaged : {text.substr(0, text.size() - 1), text + "\n"})
    both_ways(damaged);
  std::string damaged = text;
  damaged[text.find("version: 7") + 9] = '8';  // the checksum tells
  both_ways(damaged);
  return all;
}

// ---- Reads of rows that move

/// After so many pages of a partition were answered, and then some time.
struct When {
  std::string partition;
  std::size_t answers;
  int ms = 0;
};

struct Entry {
  std::string partition;
  Row row;
  std::optional<When> appears = {};
  std::optional<When> vanishes = {};
};

struct Reading {
  std::string name;
  std::string migration;
  std::vector<Phase> in_phases;
  std::size_t page_rows;
  std::vector<Entry> entries;
  std::optional<std::string> id = {};
  bool reversed = false;
};

/// The index as the format page tells it: a store for a test, and the time with it.
class Store {
 public:
  using Time = std::chrono::steady_clock::time_point;

  Store(const std::vector<Entry>& entries, std::size_t page_rows) : entries_(entries), page_rows_(page_rows) {
    std::stable_sort(entries_.begin(), entries_.end(),
                     [](const Entry& a, const Entry& b) { return a.row.sort_key < b.row.sort_key; });
  }

  Time now() const noexcept { return now_; }
  bool wait_until(Time time, const std::stop_token&) {
    now_ = (std::max)(now_, time);
    return true;
  }

  evenkey::Page<Row> query(const evenkey::QueryRequest<std::string>& request) {
    const bool ascending = request.direction == Direction::ascending;
    evenkey::Page<Row> page;
    const auto count = static_cast<int>(entries_.size());
    int place = ascending ? 0 : count - 1;
    if (request.exclusive_start_key) place = std::stoi(*request.exclusive_start_key) + (ascending ? 1 : -1);
    for (; place >= 0 && place < count; place += ascending ? 1 : -1) {
      const Entry& entry = entries_[static_cast<std::size_t>(place)];
      if (entry.partition != request.partition_key || !request.sort_key.matches(entry.row.sort_key) ||
          !(has_come(entry.appears, true) && !has_come(entry.vanishes, false)))
        continue;
      page.items.push_back(entry.row);
      page.items.back().stored = entry.partition;
      if (page.items.size() < page_rows_) continue;
      page.last_evaluated_key =
          std::to_string(place);  // also where nothing follows, as DynamoDB's limit does
      break;
    }
    answered_[std::string(request.partition_key)].push_back(now_);
    return page;
  }

 private:
  bool has_come(const std::optional<When>& when, bool otherwise) const {
    if (!when) return otherwise;
    const auto answered = answered_.find(when->partition);
    if (answered == answered_.end() || answered->second.size() < when->answers) return false;
    return answered->second[when->answers - 1] + milliseconds(when->ms) <= now_;
  }

  std::vector<Entry> entries_;
  std::size_t page_rows_;
  std::map<std::string, std::vector<Time>, std::less<>> answered_;
  Time now_{};
};

std::string when_json(const std::optional<When>& when) {
  if (!when) return "null";
  return object({{"partition", quoted(when->partition)},
                 {"answers", std::to_string(when->answers)},
                 {"ms", std::to_string(when->ms)}});
}

std::string row_json(const Entry& entry) {
  return object({{"partition", quoted(entry.partition)},
                 {"primary_key", quoted(entry.row.primary_key)},
                 {"id", quoted(entry.row.person)},
                 {"sort_key", quoted(entry.row.sort_key)},
                 {"note", quoted(entry.row.note)},
                 {"appears", when_json(entry.appears)},
                 {"vanishes", when_json(entry.vanishes)}});
}

std::string reading_json(const Reading& reading, Phase phase, Direction direction) {
  Store store(reading.entries, reading.page_rows);
  const auto query = [&](const evenkey::QueryRequest<std::string>& request) { return store.query(request); };
  const auto index = migration_named(reading.migration).way(reading.reversed).at(phase);
  const auto rows =
      reading.id
          ? evenkey::find(index, query, *reading.id, {.direction = direction}, store).items
          : evenkey::enumerate(index, query, {.direction = direction, .max_concurrency = 1}, store).items;
  Texts expected;
  for (const Row& row : rows)
    expected.push_back(texts({row.sort_key, row.primary_key, row.note}));
  Texts entries;
  for (const Entry& entry : reading.entries)
    entries.push_back(row_json(entry));
  return object({{"name", quoted(reading.name)},
                 {"migration", quoted(reading.migration)},
                 {"reversed", reading.reversed ? "true" : "false"},
                 {"phase", quoted(evenkey::phase_name(phase))},
                 {"find", reading.id ? quoted(*reading.id) : "null"},
                 {"descending", direction == Direction::ascending ? "false" : "true"},
                 {"page_rows", std::to_string(reading.page_rows)},
                 {"entries", "\n       " + array(entries, ",\n        ")},
                 {"rows", array(expected)}},
                ",\n     ");
}

/// Ids by the shard that they have among N.
std::string id_on(std::uint32_t shard, std::uint32_t shards) {
  const RuntimeKeys keys = RuntimeKeys::sharded("x", shards);
  for (int i = 0;; ++i) {
    std::string id = "p" + std::to_string(i);
    if (keys.shard_of(id).value == shard) return id;
  }
}

std::vector<Reading> readings() {
  const std::string first = "S to 2 shards, insert visible first";
  const std::string within = "S to 2 shards, visible within 40 ms";
  const std::string p0 = id_on(0, 2);
  const std::string p1 = id_on(1, 2);
  const std::vector<Phase> both{Phase::dual_read, Phase::destination_writes};
  const std::vector<Phase> all(phases.begin(), phases.end());
  std::vector<Reading> readings;

  readings.push_back({"nothing is there", first, all, 2, {}});
  readings.push_back({"rows on both sides that do not move, ties among them",
                      first,
                      all,
                      2,
                      {{"S", {"r1", p0, "a", "source"}},
                       {"S", {"r9", p1, "b", "source"}},
                       {"S", {"r2", p1, "b", "source"}},
                       {"S", {"r5", p0, "b", "source"}},
                       {"S", {"r3", p0, "d", "source"}},
                       {"D#0", {"r4", p0, "b", "destination"}},
                       {"D#0", {"r6", p0, "c", "destination"}},
                       {"D#1", {"r7", p1, "b", "destination"}},
                       {"D#1", {"r8", p1, "e", "destination"}}}});
  readings.push_back({"bytes decide the order, not characters or locales",
                      first,
                      {Phase::dual_read},
                      2,
                      {{"S", {"r1", p0, "Z", ""}},
                       {"S", {"r2", p0, "é", ""}},
                       {"S", {"r3", p0, "\xEF\xBF\xBC", ""}},      // U+FFFC
                       {"S", {"r4", p0, "\xF0\x9F\x98\x80", ""}},  // beyond U+FFFF: UTF-16 puts it first
                       {"D#0", {"r5", p0, "a", ""}},
                       {"D#0", {"r6", p0, "f", ""}},
                       {"D#1", {"\xEF\xBF\xBC", p1, "a", ""}},
                       {"D#1", {"\xF0\x9F\x98\x80", p1, "a", ""}}}});
  readings.push_back({"of a row that both sides show, the destination's copy counts",
                      first,
                      both,
                      2,
                      {{"S", {"r1", p0, "a", "old"}},
                       {"S", {"r2", p1, "a", "old"}},
                       {"S", {"r3", p0, "b", "old"}},
                       {"D#0", {"r1", p0, "a", "new"}},
                       {"D#1", {"r2", p1, "a", "new"}},
                       {"D#0", {"r3", p0, "b", "new"}},
                       {"D#0", {"r4", p0, "b", "new"}}}});
  readings.push_back({"equal sort keys over several pages of the source, some moved already",
                      first,
                      both,
                      2,
                      {{"S", {"r9", p0, "b", "old"}},
                       {"S", {"r2", p0, "b", "old"}},
                       {"S", {"r7", p1, "b", "old"}},
                       {"S", {"r3", p1, "b", "old"}},
                       {"S", {"r5", p0, "b", "old"}},
                       {"S", {"r1", p0, "a", "old"}},
                       {"S", {"r8", p0, "c", "old"}},
                       {"D#0", {"r5", p0, "b", "new"}},
                       {"D#0", {"r9", p0, "b", "new"}},
                       {"D#1", {"r3", p1, "b", "new"}}}});
  const auto moves = [](Reading& reading, const std::string& id, const std::string& to, Row row,
                        When vanishes, When appears) {
    row.person = id;
    reading.entries.push_back({"S", row, {}, std::move(vanishes)});
    reading.entries.push_back({to, std::move(row), std::move(appears), {}});
  };
  {
    Reading reading{
        "rows of later pages move after the source's first page was answered", first, both, 1, {}};
    for (const char* key : {"a", "b", "c", "d", "e"})
      moves(reading, key[0] % 2 == 0 ? p0 : p1, key[0] % 2 == 0 ? "D#0" : "D#1", {key, "", key, ""}, {"S", 1},
            {"S", 1});
    readings.push_back(reading);
    reading.name = "a row moves with every page that the source answers";
    reading.entries.clear();
    std::size_t page = 0;
    for (const char* key : {"a", "b", "c", "d", "e"})
      moves(reading, p0, "D#0", {key, "", key, ""}, {"S", (page + 1) / 2 + 1}, {"S", (page + 1) / 2 + 1}),
          ++page;
    readings.push_back(reading);
    reading.name = "every row moves as soon as the destination was asked";
    reading.entries.clear();
    for (const char* key : {"a", "b", "c", "d", "e"})
      moves(reading, p0, "D#0", {key, "", key, ""}, {"D#0", 1}, {"D#0", 1});
    readings.push_back(reading);
  }
  {
    Reading reading{
        "the old entry vanishes at once, and the new one appears 40 ms later", within, both, 2, {}};
    for (const char* key : {"a", "b", "c", "d", "e"})
      moves(reading, p1, "D#1", {key, "", key, ""}, {"S", 1}, {"S", 1, 40});
    readings.push_back(reading);
    reading.id = p1;
    reading.name = "one id's rows: the old entry vanishes at once, and the new one appears 40 ms later";
    reading.entries.push_back({"S", {"x1", p0, "c", ""}});
    reading.entries.push_back({"D#1", {"x2", id_on(1, 2) + "9", "c", ""}});
    readings.push_back(reading);
  }
  readings.push_back({"one id's rows, some on each side",
                      first,
                      all,
                      2,
                      {{"S", {"r1", p0, "a", "old"}},
                       {"S", {"r2", p1, "a", "old"}},
                       {"S", {"r3", p0, "b", "old"}},
                       {"S", {"r4", p1, "c", "old"}},
                       {"D#0", {"r3", p0, "b", "new"}},
                       {"D#0", {"r5", p0, "a", "new"}},
                       {"D#1", {"r6", p1, "d", "new"}}},
                      p0});
  const std::string three = "2 shards to 3 of generation 2";
  {
    // The source's partitions end their first pages at different keys: the least of them bounds the window.
    Reading reading{"two partitions of the source, one of which is far ahead", three, both, 2, {}};
    const std::string ids[] = {id_on(0, 2), id_on(1, 2)};
    const RuntimeKeys to = migration_named(three).to.keys();
    const std::vector<std::pair<std::string, std::size_t>> rows{{"a", 0}, {"b", 1}, {"c", 1}, {"d", 1},
                                                                {"e", 1}, {"y", 0}, {"z", 0}};
    for (const auto& [key, side] : rows) {
      const std::string from = "A#" + std::to_string(side);
      reading.entries.push_back({from, {key, ids[side], key, ""}, {}, When{from, 2}});
      reading.entries.push_back(
          {std::string(to.of(ids[side])), {key, ids[side], key, ""}, When{from, 2}, {}});
    }
    readings.push_back(reading);
  }
  for (const bool reversed : {false, true}) {
    // Doubled: rows of ids that move go from A#0 to A#2 and from A#1 to A#3; on the way back to A#0 and A#1.
    Reading reading{"shards doubled in place: names that both sides have are asked once",
                    "2 shards to 4 in place",
                    both,
                    2,
                    {},
                    {},
                    reversed};
    int row = 0;
    for (const std::uint32_t shard : {0U, 1U, 2U, 3U}) {
      const std::string id = id_on(shard, 4);
      const std::string halved = "A#" + std::to_string(shard % 2);
      const std::string doubled = "A#" + std::to_string(shard);
      for (int times = 0; times < 3; ++times) {
        Row content{"r" + std::to_string(row), id, "t" + std::to_string(row / 2), ""};
        ++row;
        const std::string& from = reversed ? doubled : halved;
        const std::string& to = reversed ? halved : doubled;
        if (from == to) {
          reading.entries.push_back({from, content});
        } else {
          reading.entries.push_back({from, content, {}, When{from, 1}});
          reading.entries.push_back({to, content, When{from, 1}, {}});
        }
      }
    }
    if (reversed) reading.name += "; the way back";
    readings.push_back(reading);
  }
  return readings;
}

std::string vectors_json() {
  Texts of_migrations, reads;
  for (const Named& named : migrations())
    of_migrations.push_back(migration_json(named));
  for (const Reading& reading : readings())
    for (const Phase phase : reading.in_phases)
      for (const Direction direction : {Direction::ascending, Direction::descending})
        reads.push_back(reading_json(reading, phase, direction));
  return object({{"format", quoted("evenkey-migration-vectors/1")},
                 {"migrations", "\n    " + array(of_migrations, ",\n    ")},
                 {"instances", "\n    " + array(instances_json(), ",\n    ")},
                 {"reads", "\n    " + array(reads, ",\n    ")}},
                ",\n  ") +
         "\n";
}

}  // namespace

TEST_SUITE("migrate") {
  TEST_CASE("what other languages are tested by is what the library does") {
    const std::string made = vectors_json();
    const std::string place = EVENKEY_TEST_DATA_DIR "/migration_vectors.json";
    if (std::getenv("EVENKEY_UPDATE_GOLDEN") != nullptr) {
      std::ofstream(place, std::ios::binary) << made;
      MESSAGE("written: " << place);
    }
    std::ifstream file(place, std::ios::binary);
    const std::string stored{std::istreambuf_iterator<char>(file), {}};
    const auto differ = std::mismatch(made.begin(), made.end(), stored.begin(), stored.end());
    const auto at = static_cast<std::size_t>(differ.first - made.begin());
    INFO("the library now: " << made.substr(at < 60 ? 0 : at - 60, 160));
    CHECK((made == stored));
  }

  TEST_CASE("a row that a vector expects is one that it lists, once") {
    for (const Reading& reading : readings()) {
      CAPTURE(reading.name);
      for (const Phase phase : reading.in_phases) {
        if (phase == Phase::source || phase == Phase::destination) continue;
        const std::string json = reading_json(reading, phase, Direction::ascending);
        const std::string rows = json.substr(json.rfind("\"rows\": "));
        for (const Entry& entry : reading.entries) {
          if (reading.id && entry.row.person != *reading.id) continue;
          const std::string wanted = quoted(entry.row.sort_key) + ", " + quoted(entry.row.primary_key) + ",";
          const std::size_t found = rows.find(wanted);
          CHECK_MESSAGE(found != std::string::npos, wanted);
          CHECK_MESSAGE(rows.find(wanted, found + 1) == std::string::npos, wanted);
        }
      }
    }
  }
}
