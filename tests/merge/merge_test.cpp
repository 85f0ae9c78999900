// SPDX-License-Identifier: BSL-1.0
#include <evenkey/merge.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <iterator>
#include <limits>
#include <list>
#include <memory>
#include <random>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/counting_new.hpp"
#include "support/merge_reference.hpp"
#include "support/seed.hpp"

namespace {

using evenkey::Direction;
using evenkey::merge_sorted;
using support::MergeItem;
using support::MergeSources;
using namespace std::string_literals;

constexpr std::array directions{Direction::ascending, Direction::descending};

template <class Sources, class... Options>
auto merged(Sources&& sources, Options... options) {
  using Source = std::ranges::range_value_t<Sources>;
  std::vector<std::remove_const_t<std::ranges::range_value_t<Source>>> out;
  merge_sorted(std::forward<Sources>(sources), std::back_inserter(out), options...);
  return out;
}

/// A pair of iterators, as old code has them: a range that owns nothing and does not say so.
template <class Iterator>
struct Between {
  Iterator first, last;
  Iterator begin() const { return first; }
  Iterator end() const { return last; }
};
template <class Iterator>
Between(Iterator, Iterator) -> Between<Iterator>;

/// What `make` gives for 0, 1, … below `size`, made when it is asked for.
template <class Make>
struct Made {
  struct Iterator {
    using value_type = std::invoke_result_t<const Make&, int>;
    using difference_type = std::ptrdiff_t;
    const Make* make = nullptr;
    int number = 0;
    value_type operator*() const { return (*make)(number); }
    Iterator& operator++() {
      ++number;
      return *this;
    }
    Iterator operator++(int) { return {make, number++}; }
    bool operator==(const Iterator&) const = default;
  };
  int size;
  Make make;
  Iterator begin() const { return {&make, 0}; }
  Iterator end() const { return {&make, size}; }
};
template <class Make>
Made(int, Make) -> Made<Make>;

/// Merges by every kind of head, in both directions; each must give the one sorted list.
void check_against_one_sorted_list(const std::vector<std::vector<std::string>>& keys) {
  for (const Direction direction : directions) {
    const MergeSources sources = support::merge_sources_of(keys, direction);
    const std::vector<MergeItem> expected = support::one_sorted_list(sources, direction);
    REQUIRE(merged(sources, &MergeItem::key, direction) == expected);
    const auto compare = [direction](std::string_view a, std::string_view b) {
      return support::goes_before(direction, a, b);
    };
    REQUIRE(merged(sources, &MergeItem::key, compare) == expected);
  }
}

std::size_t levels(std::size_t sources) { return static_cast<std::size_t>(std::bit_width(sources - 1)); }

struct Words {
  std::size_t sources;
  std::size_t longest_source;
  std::size_t prefix;
  std::size_t longest;
  std::string_view alphabet;
};

std::vector<std::vector<std::string>> random_words(const Words& words, std::mt19937_64& random) {
  const auto below = [&random](std::size_t end) { return static_cast<std::size_t>(random() % end); };
  std::vector<std::vector<std::string>> keys(words.sources);
  for (auto& source : keys) {
    source.resize(below(words.longest_source + 1));
    for (std::string& key : source) {
      key.assign(words.prefix, 'p');
      // Some leave the common prefix early.
      if (words.prefix > 0 && below(8) == 0) key.resize(below(words.prefix));
      for (std::size_t length = below(words.longest + 1); length > 0; --length)
        key += words.alphabet[below(words.alphabet.size())];
    }
  }
  return keys;
}

}  // namespace

TEST_SUITE("merge") {
  TEST_CASE("a merge gives the same list as one stable sort, whatever the keys") {
    const std::uint64_t seed = support::seed();
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    using namespace std::string_view_literals;
    const std::array alphabets{
        "a"sv, "ab"sv, "a\0"sv, "\xFF\x7F"sv, "\0\xFF"sv, "z\xC3\xA9#"sv, "0123456789abcdef"sv};
    for (const std::string_view alphabet : alphabets) {
      for (const std::size_t prefix : {0u, 1u, 7u, 8u, 9u, 17u}) {
        for (const std::size_t longest : {0u, 2u, 9u, 20u}) {
          const std::size_t sources = random() % 20;
          CAPTURE(prefix);
          CAPTURE(longest);
          CAPTURE(sources);
          check_against_one_sorted_list(random_words({sources, 12, prefix, longest, alphabet}, random));
        }
      }
    }
  }

  TEST_CASE("the number of sources need not be a power of two, and sources may be empty") {
    std::mt19937_64 random(1);
    for (std::size_t sources = 0; sources <= 40; ++sources)
      for (const std::size_t longest_source : {0u, 1u, 7u})
        check_against_one_sorted_list(random_words({sources, longest_source, 3, 3, "ab"}, random));
  }

  TEST_CASE("all texts of up to three bytes of a hostile alphabet are put in order, ties by source") {
    std::vector<std::string> all{""};
    for (std::size_t i = 0; i < all.size() && all[i].size() < 3; ++i)
      for (const char byte : {'\0', 'a', '\x7F', '\x80', '\xFF'})
        all.push_back(all[i] + byte);
    std::vector<std::vector<std::string>> keys(7);
    for (std::size_t i = 0; i < all.size(); ++i) {
      keys[i % 7].push_back(all[i]);
      keys[(i * 3 + 1) % 7].push_back(all[i]);
    }
    check_against_one_sorted_list(keys);
  }

  TEST_CASE("a key comes before what it is a prefix of, zero bytes included") {
    check_against_one_sorted_list(
        {{"a\0"s, "a\0\0\0\0\0\0\0\0"s}, {"a", "a\0\0"s}, {"a\0\0\0\0\0\0\0"s, "ab"}});
    CHECK(merged(std::vector<std::vector<std::string>>{{"a\0"s}, {"a"}, {"a\0\0"s}}) ==
          std::vector{"a"s, "a\0"s, "a\0\0"s});
  }

  TEST_CASE("bytes are unsigned: z before é, a!#t before a#t (F30)") {
    CHECK(merged(std::vector<std::vector<std::string>>{{"\xC3\xA9"}, {"z"}}) ==
          std::vector{"z"s, "\xC3\xA9"s});
    CHECK(merged(std::vector<std::vector<std::string>>{{"a#t"}, {"a!#t"}}) == std::vector{"a!#t"s, "a#t"s});
  }

  TEST_CASE("heads that differ behind the eighth byte, or in the last bits of it, are told apart") {
    std::vector<std::vector<std::string>> keys;
    for (std::size_t at = 0; at < 40; ++at) {
      std::string low(40, 'm');
      std::string high = low;
      high[at] = 'n';  // one bit
      keys.push_back({low, high});
      keys.push_back({high, low});
      keys.push_back({low.substr(0, at)});
    }
    check_against_one_sorted_list(keys);
  }

  TEST_CASE("sources that leave the common prefix at different times stay in order") {
    // The prefix grows and shrinks many times; each source crosses each border on its own.
    std::vector<std::vector<std::string>> keys(9);
    for (int number = 0; number < 4000; ++number) {
      std::string text = std::to_string(number * 7);
      keys[static_cast<std::size_t>(number * number % 9)].push_back("2026-07-" +
                                                                    std::string(7 - text.size(), '0') + text);
    }
    check_against_one_sorted_list(keys);
  }

  TEST_CASE("prefixes longer than any sort key of the store are merged too") {
    std::mt19937_64 random(3);
    for (const std::size_t prefix : {1015u, 1016u, 1023u, 1024u, 1025u, 5000u})
      check_against_one_sorted_list(random_words({6, 8, prefix, 4, "ab"}, random));
  }

  TEST_CASE("equal keys come by source, then by place") {
    check_against_one_sorted_list(std::vector(5, std::vector<std::string>(9, "same")));
    check_against_one_sorted_list(std::vector(16, std::vector<std::string>(40, "")));
  }

  TEST_CASE("no source and empty sources give nothing") {
    CHECK(merged(std::vector<std::vector<std::string>>{}).empty());
    CHECK(merged(std::vector<std::vector<std::string>>(3)).empty());
    CHECK(merged(std::vector<std::vector<int>>(3)).empty());
  }

  TEST_CASE("numbers of all kinds are put in order, their extremes too") {
    const auto check = [](auto low, auto high) {
      using T = decltype(low);
      const T middle = static_cast<T>(1);
      const std::vector<std::vector<T>> up{{low, middle, high}, {high}, {}, {low, low}, {middle}};
      CHECK(merged(up) == std::vector<T>{low, low, low, middle, middle, high, high});
      const std::vector<std::vector<T>> down{{high, middle, low}, {high}, {}, {low, low}, {middle}};
      CHECK(merged(down, std::identity(), std::greater<>()) ==
            std::vector<T>{high, high, middle, middle, low, low, low});
      CHECK(merged(down, std::identity(), Direction::descending) ==
            merged(down, std::identity(), std::ranges::greater()));
    };
    const auto check_all_of = [&check](auto number) {
      using Limits = std::numeric_limits<decltype(number)>;
      check((Limits::lowest)(), (Limits::max)());
    };
    check_all_of(std::int8_t{});
    check_all_of(std::uint8_t{});
    check_all_of(char{});
    check_all_of(std::int32_t{});
    check_all_of(std::int64_t{});
    check_all_of(std::uint64_t{});
    check_all_of(float{});
    check_all_of(double{});
    check_all_of(static_cast<long double>(0));
    check(-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity());
  }

  TEST_CASE("the two zeros are equal: the lower source goes first") {
    const std::vector<std::vector<double>> sources{{0.0}, {-0.0}, {0.0}, {-1e-300}};
    const std::vector<double> all = merged(sources);
    CHECK(std::signbit(all[0]));
    CHECK(!std::signbit(all[1]));
    CHECK(std::signbit(all[2]));
  }

  TEST_CASE("keys that are neither text nor number go by the comparison given") {
    using Pair = std::pair<int, std::string>;
    const std::vector<std::vector<Pair>> sources{{{1, "b"}, {2, "a"}}, {{1, "a"}, {2, "b"}}};
    CHECK(merged(sources) == std::vector<Pair>{{1, "a"}, {1, "b"}, {2, "a"}, {2, "b"}});
    CHECK(merged(sources, &Pair::first) == std::vector<Pair>{{1, "b"}, {1, "a"}, {2, "a"}, {2, "b"}});
    const std::vector<std::vector<Pair>> falling{{{2, "a"}}, {{2, "b"}, {1, "a"}}};
    CHECK(merged(falling, std::identity(), Direction::descending) ==
          std::vector<Pair>{{2, "b"}, {2, "a"}, {1, "a"}});
    // std::less of another type converts: it is not the order of the keys.
    CHECK(merged(std::vector<std::vector<double>>{{1.9}, {1.1}}, std::identity(), std::less<int>()) ==
          std::vector{1.9, 1.1});
  }

  TEST_CASE("a comparison is called at most ceil(log2 k) times for each item") {
    std::mt19937_64 random(5);
    for (std::size_t sources = 2; sources <= 40; ++sources) {
      std::vector<std::vector<int>> numbers(sources);
      std::size_t items = 0;
      for (auto& source : numbers) {
        source.resize(1 + random() % 30);
        for (int& number : source)
          number = static_cast<int>(random() % 10);
        std::sort(source.begin(), source.end());
        items += source.size();
      }
      std::size_t calls = 0;
      merged(numbers, std::identity(), [&calls](int a, int b) {
        ++calls;
        return a < b;
      });
      CHECK(calls <= items * levels(sources));
      CHECK(calls > 0);
    }
  }

  TEST_CASE("no item costs an allocation: the number of them does not grow with the items") {
    const auto allocations = [](std::size_t items, auto key, auto compare) {
      const std::vector<std::vector<std::string_view>> sources(16, std::vector<std::string_view>(items, "k"));
      std::vector<std::string_view> out(16 * items);
      return support::allocations_in([&] { merge_sorted(sources, out.begin(), key, compare); });
    };
    const auto length = [](std::string_view text) { return text.size(); };
    const auto shorter = [](std::string_view a, std::string_view b) { return a.size() < b.size(); };
    CHECK(allocations(1000, std::identity(), std::ranges::less()) ==
          allocations(1, std::identity(), std::ranges::less()));
    CHECK(allocations(1000, length, std::ranges::less()) == allocations(1, length, std::ranges::less()));
    CHECK(allocations(1000, std::identity(), shorter) == allocations(1, std::identity(), shorter));
    CHECK(allocations(1000, std::identity(), std::ranges::less()) <= 5);
  }

  TEST_CASE("a growing common prefix costs no allocation either") {
    const auto allocations = [](std::size_t items) {
      std::vector<std::vector<std::string>> sources(4);
      for (auto& source : sources)
        for (std::size_t i = 0; i < items; ++i)
          source.push_back(std::string(20 * i, 'x'));
      std::vector<std::string_view> out(4 * items);
      return support::allocations_in([&] { merge_sorted(sources, out.begin()); });
    };
    CHECK(allocations(100) == allocations(1));
  }

  TEST_CASE("items of containers that are given away are moved, all others are copied") {
    using Owned = std::unique_ptr<std::string>;
    const auto key = [](const Owned& item) -> const std::string& { return *item; };
    std::vector<std::vector<Owned>> pages(2);
    pages[0].push_back(std::make_unique<std::string>("b"));
    pages[1].push_back(std::make_unique<std::string>("a"));
    pages[1].push_back(std::make_unique<std::string>("c"));
    std::vector<Owned> out;
    merge_sorted(std::move(pages), std::back_inserter(out), key);
    REQUIRE(out.size() == 3);
    CHECK(*out[0] + *out[1] + *out[2] == "abc");

    const std::string text(40, 't');
    std::vector<std::vector<std::string>> kept{{text + "1"}, {text + "0"}};
    merged(kept);
    merged(std::span(kept));
    merged(std::vector<std::span<std::string>>{kept[0], kept[1]});
    merged(std::vector{Between{kept[0].begin(), kept[0].end()}, Between{kept[1].begin(), kept[1].end()}});
    CHECK(kept == std::vector<std::vector<std::string>>{{text + "1"}, {text + "0"}});
  }

  TEST_CASE("a moved item is not looked at again, though it was the head") {
    std::vector<std::vector<std::string>> sources(3);
    std::vector<std::string> expected(300);
    for (std::size_t number = 0; number < expected.size(); ++number) {
      expected[number] = std::string(30, 'k') + std::to_string(1000 + number);
      sources[number % 3].push_back(expected[number]);
    }
    CHECK(merged(std::move(sources)) == expected);
  }

  TEST_CASE("move iterators move") {
    std::vector<std::string> first{std::string(40, 'a'), std::string(40, 'c')};
    std::vector<std::string> second{std::string(40, 'b')};
    const auto moving = [](std::vector<std::string>& source) {
      return Between{std::move_iterator(source.begin()), std::move_iterator(source.end())};
    };
    std::vector<std::string> out;
    merge_sorted(std::vector{moving(first), moving(second)}, std::back_inserter(out));
    CHECK(out == std::vector{std::string(40, 'a'), std::string(40, 'b'), std::string(40, 'c')});
    CHECK(first[0].empty());
    CHECK(second[0].empty());
  }

  TEST_CASE("a projection may give a view, a reference or a text of its own") {
    const std::vector<std::vector<MergeItem>> sources{{{"b", 0, 0}, {"d", 0, 1}}, {{"a", 1, 0}, {"c", 1, 1}}};
    const std::vector<MergeItem> expected = support::one_sorted_list(sources, Direction::ascending);
    CHECK(merged(sources, [](const MergeItem& item) -> std::string_view { return item.key; }) == expected);
    CHECK(merged(sources, [](const MergeItem& item) { return item.key; }) == expected);
    CHECK(merged(sources, [](const MergeItem& item) { return item.key.c_str(); }) == expected);
    CHECK(merged(sources, [](const MergeItem& item) { return item.key[0]; }) == expected);
    CHECK(merged(sources, [](const MergeItem& item) { return std::pair(item.key, 0); }) == expected);
  }

  TEST_CASE("sources may be lists, and items may be made on the way") {
    CHECK(merged(std::array<std::forward_list<std::string>, 2>{{{"a", "c"}, {"b"}}}) ==
          std::vector{"a"s, "b"s, "c"s});
    CHECK(merged(std::list<std::list<int>>{{1, 3}, {2}}) == std::vector{1, 2, 3});
    const auto text_of = [](int number) { return std::string(20, 'n') + std::to_string(number); };
    CHECK(merged(std::vector{Made{3, text_of}, Made{3, text_of}})[5] == std::string(20, 'n') + "2");
    const auto half_of = [](int number) { return number / 2; };
    CHECK(merged(std::vector{Made{3, half_of}, Made{2, half_of}}) == std::vector{0, 0, 0, 0, 1});
    // A range that makes views of its sources.
    const std::vector<std::vector<int>> rows{{2}, {1}};
    std::vector<int> out;
    merge_sorted(Made{2, [&rows](int row) { return std::span(rows[static_cast<std::size_t>(row)]); }},
                 std::back_inserter(out));
    CHECK(out == std::vector{1, 2});
  }

  TEST_CASE("the output iterator comes back behind the last item") {
    std::array<int, 5> out{};
    const auto end = merge_sorted(std::vector<std::vector<int>>{{1, 4}, {2}}, out.begin());
    CHECK(end - out.begin() == 3);
    CHECK(merge_sorted(std::vector<std::vector<int>>{{9}}, end) == out.begin() + 4);
  }

  TEST_CASE("sources that are not sorted give all their items, whatever the order") {
    std::mt19937_64 random(7);
    for (int round = 0; round < 200; ++round) {
      const auto keys = random_words({1 + random() % 9, 12, 9, 12, "a\xFF"}, random);
      std::vector<std::string> all;
      for (const auto& source : keys)
        all.insert(all.end(), source.begin(), source.end());
      std::vector<std::string> out = merged(keys);
      std::sort(all.begin(), all.end());
      std::sort(out.begin(), out.end());
      REQUIRE(out == all);
    }
  }

  TEST_CASE("what a comparison throws comes out") {
    const std::vector<std::vector<int>> sources{{1, 2}, {1, 2}, {3}};
    for (int calls = 0; calls < 5; ++calls) {
      int left = calls;
      std::vector<int> out;
      CHECK_THROWS_AS(merge_sorted(sources, std::back_inserter(out), std::identity(),
                                   [&left](int a, int b) { return left-- > 0 ? a < b : throw 42; }),
                      int);
    }
  }
}
