// SPDX-License-Identifier: BSL-1.0
// Changing N where the names stay: which moves can be followed by one order of reading.
#include <evenkey/index.hpp>
#include <evenkey/key.hpp>
#include <evenkey/migrate/in_place.hpp>
#include <evenkey/migrate/phase_index.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace std::chrono_literals;
using Mod = evenkey::BasicDynamicShardedKey<evenkey::Xxh3_64, evenkey::Modulo>;
using Jump = evenkey::BasicDynamicShardedKey<evenkey::Xxh3_64, evenkey::Jump>;
using Name = std::string;

struct Row {
  std::string id;
};

template <class Keys>
struct Rows {
  static constexpr std::string_view name = "rows";
  using PartitionKey = Keys;
  using SortKey = evenkey::CompositeKey<evenkey::Text>;
  using Item = Row;
  using StartKey = std::string;
  Keys keys;
  const Keys& partition_keys() const { return keys; }
  static std::string_view sort_key(const Row& row) { return row.id; }
  static std::string_view primary_key(const Row& row) { return row.id; }
  static std::string_view shard_by(const Row& row) { return row.id; }
};

/// From where to where rows go, of enough ids that every move is among them.
template <class Keys>
std::set<std::pair<Name, Name>> moves(const Keys& from, const Keys& to) {
  std::set<std::pair<Name, Name>> all;
  for (int i = 0; i < 2000; ++i) {
    const std::string id = "person-" + std::to_string(i);
    if (from.of(id) != to.of(id)) all.emplace(from.of(id), to.of(id));
  }
  return all;
}

/// No order of the names puts every move's beginning before its end.
bool go_in_cycles(std::set<std::pair<Name, Name>> moves) {
  for (;;) {
    std::set<Name> entered;
    for (const auto& [from, to] : moves)
      entered.insert(to);
    const std::size_t before = moves.size();
    std::erase_if(moves, [&](const auto& move) { return !entered.contains(move.first); });
    if (moves.empty()) return false;
    if (moves.size() == before) return true;
  }
}

/// Every name is asked once, and every move goes from the group that is asked first to the one after it.
template <class Keys>
bool reading_follows(const Keys& from, const Keys& to) {
  const evenkey::PhaseIndex<Rows<Keys>, Keys, Keys> index(Rows<Keys>{to}, from, to, evenkey::Phase::dual_read,
                                                          0ms);
  const evenkey::ReadPlan plan = index.read_plan();
  std::map<Name, std::size_t> group_of;
  std::size_t asked = 0;
  for (std::size_t group = 0; group < plan.groups.size(); ++group)
    for (const auto& partition : plan.groups[group].partitions) {
      group_of.emplace(partition.partition_key, group);
      ++asked;
    }
  if (asked != group_of.size()) return false;
  for (const auto& [start, end] : moves(from, to))
    if (!group_of.contains(start) || !group_of.contains(end) || group_of[start] != 0 || group_of[end] != 1)
      return false;
  return true;
}

template <class Keys>
std::size_t allowed_of_all(std::size_t most) {
  std::size_t allowed = 0;
  for (std::size_t n = 1; n <= most; ++n) {
    for (std::size_t m = 1; m <= most; ++m) {
      if (n == m) continue;
      CAPTURE(n);
      CAPTURE(m);
      const Keys from("P", n);
      const Keys to("P", m);
      const bool cycles = go_in_cycles(moves(from, to));
      if (evenkey::detail::can_migrate(from, to)) {
        ++allowed;
        CHECK_FALSE(cycles);
        CHECK(reading_follows(from, to));
      } else {
        CHECK(cycles);
      }
    }
  }
  return allowed;
}

}  // namespace

TEST_SUITE("protocol") {
  TEST_CASE("in place, hash % N is allowed where one order of reading follows every move, and only there") {
    // Of the 132 pairs up to 12, those in which one N is a multiple of the other.
    CHECK(allowed_of_all<Mod>(12) == 46);
  }

  TEST_CASE("in place, jump hash is allowed from any N to any M, and reading follows every move") {
    CHECK(allowed_of_all<Jump>(12) == 132);
  }

  TEST_CASE("4 to 6, 3 to 4 and 10 to 12 go in cycles") {
    CHECK(go_in_cycles(moves(Mod("P", 4), Mod("P", 6))));
    CHECK(go_in_cycles(moves(Mod("P", 3), Mod("P", 4))));
    CHECK(go_in_cycles(moves(Mod("P", 10), Mod("P", 12))));
    CHECK_FALSE(go_in_cycles(moves(Mod("P", 6), Mod("P", 12))));
  }
}
