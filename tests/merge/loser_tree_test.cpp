// SPDX-License-Identifier: BSL-1.0
#include <evenkey/merge/heads_for.hpp>
#include <evenkey/merge/loser_tree.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/seed.hpp"

namespace {

using evenkey::Direction;
using evenkey::detail::head_of;
using evenkey::detail::heads_for;
using evenkey::detail::LoserTree;
using evenkey::detail::TextHeads;

template <class Key, class Compare>
auto tree_of(std::size_t leaves, Compare compare) {
  auto heads = heads_for<Key>(leaves, compare);
  return LoserTree<decltype(heads)>(leaves, std::move(heads));
}

/// Sources of which each gives its keys in order, and may be without one for a while, as behind a page.
template <class Key>
struct PagedSource {
  std::vector<Key> keys;
  std::size_t next = 0;
  std::optional<Key> head;
};

/// Plays a tree and the simplest model of one against each other: heads come, go and wait in any order.
template <class Key, class Compare, class MakeKey>
void check_random_play(std::size_t leaves, Compare compare, std::mt19937_64& random, MakeKey make_key) {
  const auto below = [&random](std::size_t end) { return static_cast<std::size_t>(random() % end); };
  const auto before = [&compare](const Key& a, const Key& b) {
    if constexpr (std::same_as<Compare, Direction>) {
      return compare == Direction::ascending ? std::less<>()(a, b) : std::less<>()(b, a);
    } else {
      return compare(a, b);
    }
  };
  std::vector<PagedSource<Key>> sources(leaves);
  for (auto& source : sources) {
    for (std::size_t i = below(12); i > 0; --i)
      source.keys.push_back(make_key());
    std::sort(source.keys.begin(), source.keys.end(), before);
  }
  auto tree = tree_of<Key>(leaves, compare);
  using Heads = std::remove_cvref_t<decltype(tree.heads())>;

  for (int step = 0; step < 400; ++step) {
    std::optional<std::size_t> expected;
    bool tied = false;
    for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
      const auto& head = sources[leaf].head;
      if (!head) continue;
      if (!expected || before(*head, *sources[*expected].head)) {
        expected = leaf;
        tied = false;
      } else if (!before(*sources[*expected].head, *head)) {
        tied = true;
      }
    }
    REQUIRE(tree.has_top() == expected.has_value());
    if (expected) {
      REQUIRE(tree.top() == *expected);
      REQUIRE(tree.top_is_tied() == tied);
    }

    const std::size_t leaf = expected && below(4) != 0 ? *expected : below(leaves);
    auto& source = sources[leaf];
    const bool more = source.next < source.keys.size();
    if (source.head && expected == leaf && more && below(6) != 0) {
      source.head = source.keys[source.next++];
      tree.replace_top(head_of<Heads>(*source.head));
    } else if (source.head && expected == leaf && below(2) == 0) {
      source.head.reset();
      tree.remove_top();
      // Its page comes at once, or another's before it, before anybody asks for the top.
      const std::size_t other = below(2) == 0 ? leaf : below(leaves);
      auto& arriving = sources[other];
      if (!arriving.head && arriving.next < arriving.keys.size()) {
        arriving.head = arriving.keys[arriving.next++];
        tree.insert(other, head_of<Heads>(*arriving.head));
      }
    } else if (source.head || below(8) == 0) {
      source.head.reset();
      tree.remove(leaf);
    } else if (more) {
      source.head = source.keys[source.next++];
      tree.insert(leaf, head_of<Heads>(*source.head));
    }
  }
}

std::size_t levels(std::size_t leaves) { return static_cast<std::size_t>(std::bit_width(leaves - 1)); }

/// Merges by the tree itself; gives the number of full comparisons.
std::size_t merge_in_full_comparisons(const std::vector<std::vector<std::string>>& sources) {
  LoserTree<TextHeads> tree(sources.size(), TextHeads(sources.size(), Direction::ascending));
  std::vector<std::size_t> next(sources.size(), 1);
  for (std::size_t leaf = 0; leaf < sources.size(); ++leaf)
    tree.insert(leaf, sources[leaf][0]);
  std::string last;
  while (tree.has_top()) {
    const std::size_t leaf = tree.top();
    REQUIRE(last <= sources[leaf][next[leaf] - 1]);
    last = sources[leaf][next[leaf] - 1];
    if (next[leaf] == sources[leaf].size()) {
      tree.remove_top();
    } else {
      tree.replace_top(sources[leaf][next[leaf]++]);
    }
  }
  return tree.heads().full_comparisons();
}

}  // namespace

TEST_SUITE("merge") {
  TEST_CASE("heads may come, go and wait in any order: the top is the first of those that are there") {
    const std::uint64_t seed = support::seed();
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const auto byte = [&random] { return std::string_view("\0aa\xFF", 4)[random() % 4]; };
    const auto text = [&] {
      std::string key(random() % 4 == 0 ? random() % 14 : 14, 'p');
      for (std::size_t length = random() % 12; length > 0; --length)
        key += byte();
      return key;
    };
    const auto number = [&random] { return static_cast<std::int64_t>(random() % 6) - 3; };
    const std::array extremes{-1e308, -1.0, -0.0, 0.0, 0.5, 1e308};
    const auto real = [&] { return extremes[random() % extremes.size()]; };
    for (std::size_t leaves = 1; leaves <= 18; ++leaves) {
      CAPTURE(leaves);
      for (int round = 0; round < 6; ++round) {
        for (const Direction direction : {Direction::ascending, Direction::descending}) {
          check_random_play<std::string>(leaves, direction, random, text);
          check_random_play<std::int64_t>(leaves, direction, random, number);
          check_random_play<double>(leaves, direction, random, real);
        }
        check_random_play<std::string>(
            leaves, [](const std::string& a, const std::string& b) { return a.size() < b.size(); }, random,
            text);
      }
    }
  }

  TEST_CASE("a tree without leaves, or of leaves without heads, has no top") {
    CHECK(!tree_of<std::string>(0, Direction::ascending).has_top());
    CHECK(!tree_of<int>(0, Direction::ascending).has_top());
    CHECK(!tree_of<std::string>(5, Direction::descending).has_top());
  }

  TEST_CASE("a number that looks like no head is a head all the same") {
    auto tree = tree_of<std::uint64_t>(3, Direction::ascending);
    tree.insert(2, ~std::uint64_t{0});
    REQUIRE(tree.has_top());
    CHECK(tree.top() == 2);
    CHECK(!tree.top_is_tied());
    tree.insert(1, ~std::uint64_t{0});
    REQUIRE(tree.has_top());
    CHECK(tree.top() == 1);
    CHECK(tree.top_is_tied());
    tree.remove_top();
    REQUIRE(tree.has_top());
    CHECK(!tree.top_is_tied());
    tree.remove_top();
    CHECK(!tree.has_top());
  }

  TEST_CASE("a text is not read again once its leaf has another head") {
    auto tree = tree_of<std::string>(2, Direction::ascending);
    auto first = std::make_unique<std::string>(30, 'x');
    const std::string second = std::string(30, 'x') + "b";
    const std::string third = std::string(30, 'x') + "c";
    const std::string fourth = "y";
    tree.insert(0, *first);
    tree.insert(1, second);
    REQUIRE(tree.has_top());
    CHECK(tree.top() == 0);
    first.reset();  // the prefix that both shared must live on
    tree.replace_top(third);
    CHECK(tree.top() == 1);
    tree.replace_top(fourth);
    CHECK(tree.top() == 0);
  }

  TEST_CASE("texts are compared in full at most ceil(log2 k) times for each item, equal ones too") {
    for (const std::size_t leaves : {3u, 5u, 8u, 16u, 17u, 31u}) {
      for (const std::size_t length : {0u, 7u, 36u, 2000u}) {
        const std::size_t items = 30;
        const std::vector sources(leaves, std::vector<std::string>(items, std::string(length, 'e')));
        CHECK(merge_in_full_comparisons(sources) <= leaves * items * levels(leaves));
      }
    }
  }

  TEST_CASE("texts that differ within a few bytes of what all share are hardly ever compared in full") {
    std::mt19937_64 random(9);
    for (const bool time_first : {false, true}) {
      std::vector<std::vector<std::string>> sources(16);
      for (auto& source : sources) {
        for (int i = 0; i < 500; ++i) {
          std::string id, time = "2026-07-";
          for (int digit = 0; digit < 36; ++digit)
            id += "0123456789abcdef"[random() % 16];
          for (const unsigned end : {3u, 10u, 2u, 10u, 6u, 10u, 6u, 10u})
            time += static_cast<char>('0' + random() % end);
          source.push_back(time_first ? time + id : id + time);
        }
        std::sort(source.begin(), source.end());
      }
      CHECK(merge_in_full_comparisons(sources) < 16 * 500 / 4);
    }
  }

  TEST_CASE("numbers have codes in their own order") {
    using evenkey::detail::ordered_code;
    static_assert(ordered_code(-1) < ordered_code(0) && ordered_code(0) < ordered_code(1));
    static_assert(ordered_code(-2.5) < ordered_code(-0.5) && ordered_code(-0.5) < ordered_code(0.25));
    static_assert(ordered_code(-0.0) == ordered_code(0.0) && ordered_code(1.0F) == ordered_code(1.0));
    static_assert(ordered_code(std::uint64_t{1} << 63) > ordered_code(std::uint64_t{1}));
    static_assert(ordered_code(false) < ordered_code(true));
    CHECK(ordered_code(std::int8_t{-128}) < ordered_code(std::int8_t{127}));
  }
}
