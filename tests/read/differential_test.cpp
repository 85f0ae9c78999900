// SPDX-License-Identifier: BSL-1.0
// Every verb against one sorted vector, over random small stores that force ties, empty pages and failures.
#include <evenkey/read.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/rows.hpp"
#include "support/seed.hpp"
#include "support/sorted_store.hpp"

using evenkey::Direction;
using evenkey::OnFailure;
using evenkey::Order;
using support::Row;
using support::SortedStore;
using Names = std::vector<std::string>;

namespace {

// The standard's distributions differ from library to library; a seed must mean the same store everywhere.
struct Dice {
  std::mt19937_64 bits;
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(bits() % n); }
  bool one_in(std::size_t n) { return below(n) == 0; }
};

/// One type for all functors: each verb is compiled once for an index.
using Query = std::function<evenkey::Page<Row>(const evenkey::QueryRequest<std::string>&)>;

void require_same(const std::vector<Row>& given, const Names& expected) {
  REQUIRE(support::primary_keys(given) == expected);
}
void require(bool holds, const char* that) {
  INFO(that);
  REQUIRE(holds);
}

template <class Result>
void require_answer(const Result& result, const Names& expected) {
  require_same(result.items, expected);
  require(result.complete(), "the answer is complete");
}

constexpr Direction both_directions[] = {Direction::ascending, Direction::descending};

template <class Index>
struct RandomStore : SortedStore<Index> {
  std::vector<Row> all;
  Query query = [this](const auto& request) { return (*this)(request); };

  static support::StoreSettings settings(Dice& dice) {
    support::StoreSettings settings;
    settings.page_size = 1 + dice.below(5);
    settings.varies_page_size = dice.one_in(2);
    settings.honours_limit = !dice.one_in(3);
    settings.empty_pages_in_ten = static_cast<unsigned>(dice.below(6));
    settings.key_after_the_last = dice.one_in(3);
    settings.empty_key_at_the_end = dice.one_in(4);
    settings.seed = dice.bits();
    return settings;
  }

  explicit RandomStore(Dice& dice) : RandomStore(dice, static_cast<std::uint32_t>(1 + dice.below(5))) {}
  RandomStore(Dice& dice, std::uint32_t shards) : SortedStore<Index>(Index(shards), settings(dice)) {
    const std::size_t count = dice.below(25);
    const std::size_t alphabet = 1 + dice.below(4);
    for (std::size_t i = 0; i < count; ++i) {
      Row row;
      row.id = std::string(1, static_cast<char>('a' + dice.below(6)));
      row.time = std::string(1, static_cast<char>('0' + dice.below(alphabet)));
      row.number = static_cast<std::int64_t>(dice.below(alphabet)) - 1;
      // All different, of different lengths, some with high bytes: (7 i mod 25) goes once through 0..24.
      row.primary = (i % 3 == 0 ? "\xC3\xA9" : i % 3 == 1 ? "k" : "") + std::to_string(i * 7 % 25);
      this->put(row);
      all.push_back(row);
    }
  }

  auto sort_key_of(const Row& row) const { return this->index().sort_key(row); }

  std::vector<Row> ordered(std::vector<Row> rows, Direction direction) const {
    if constexpr (!std::is_same_v<typename Index::SortKey, evenkey::NoSortKey>) {
      std::sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
        const auto left = sort_key_of(a);
        const auto right = sort_key_of(b);
        if (left != right) return left < right;
        return a.primary < b.primary;
      });
      if (direction == Direction::descending) std::reverse(rows.begin(), rows.end());
    }
    return rows;
  }

  std::vector<Row> rows_of_id(std::string_view id) const {
    std::vector<Row> rows;
    for (const Row& row : all)
      if (row.id == id) rows.push_back(row);
    return rows;
  }
};

Names first(const std::vector<Row>& rows, std::size_t limit) {
  Names names = support::primary_keys(rows);
  if (limit != 0 && names.size() > limit) names.resize(limit);
  return names;
}

/// What is asked must be of use: no request when the rows that came so far prove the limit met.
///
/// It follows the answers as the engine sees them. A row is settled when its sort key lies before the last
/// one that every partition gave that has not ended; the limit is met by as many settled rows.
template <class Index>
class UsefulnessCheck {
 public:
  UsefulnessCheck(RandomStore<Index>& store, std::size_t limit, Direction direction)
      : store_(store), limit_(limit), direction_(direction) {
    for (const std::string& partition : store.partition_keys())
      lanes_[partition];
  }

  auto operator()(const evenkey::QueryRequest<std::string>& request) {
    if (settled() >= limit_) useless_ = true;
    auto page = store_(request);
    Seen& lane = lanes_[std::string(request.partition_key)];
    for (const Row& row : page.items)
      lane.rows.push_back(row);
    lane.ended = !page.last_evaluated_key || page.last_evaluated_key->empty();
    return page;
  }
  bool useless() const { return useless_; }

 private:
  struct Seen {
    std::vector<Row> rows;
    bool ended = false;
  };

  std::size_t settled() const {
    std::size_t count = 0;
    for (const auto& [partition, lane] : lanes_)
      for (const Row& row : lane.rows)
        if (is_settled(row)) ++count;
    return count;
  }
  bool is_settled(const Row& row) const {
    return std::all_of(lanes_.begin(), lanes_.end(), [&](const auto& entry) {
      const Seen& lane = entry.second;
      if (lane.ended) return true;
      if (lane.rows.empty()) return false;
      const auto key = store_.sort_key_of(row);
      const auto last = store_.sort_key_of(lane.rows.back());
      return direction_ == Direction::ascending ? key < last : last < key;
    });
  }

  RandomStore<Index>& store_;
  std::size_t limit_;
  Direction direction_;
  std::map<std::string, Seen> lanes_;
  bool useless_ = false;
};

/// All of them for short answers, else those near the ends and some between.
std::vector<std::size_t> limits_for(std::size_t rows) {
  std::vector<std::size_t> limits;
  for (std::size_t limit = 0; limit <= rows + 1; ++limit)
    if (limit < 6 || limit % 5 == 0 || limit + 2 > rows) limits.push_back(limit);
  return limits;
}

template <class Index>
void check_enumerate(RandomStore<Index>& store, std::size_t at_once) {
  for (const Direction direction : both_directions) {
    const std::vector<Row> ordered = store.ordered(store.all, direction);
    for (const std::size_t limit : limits_for(ordered.size())) {
      const auto result = evenkey::enumerate(
          store.index(), store.query, {.limit = limit, .direction = direction, .max_concurrency = at_once});
      CAPTURE(limit);
      require_answer(result, first(ordered, limit));
      require(result.duplicates_dropped == 0, "no row is there twice");
      if (limit == 0) require(result.scanned_count == ordered.size(), "each row is scanned once");
      if (limit == 0) continue;
      UsefulnessCheck<Index> useful(store, limit, direction);
      const auto again = evenkey::enumerate(store.index(), Query(std::ref(useful)),
                                            {.limit = limit, .direction = direction, .max_concurrency = 1});
      require_same(again.items, first(ordered, limit));
      require(!useful.useless(), "no page is asked once the limit is provably met");
    }
  }
}

template <class Index>
void check_by_shard(RandomStore<Index>& store) {
  for (const Direction direction : both_directions) {
    std::vector<Row> listed;
    for (const std::string& partition : store.partition_keys())
      for (const Row& row : store.rows(partition, direction))
        listed.push_back(row);
    for (const std::size_t limit : limits_for(listed.size())) {
      const auto result = evenkey::enumerate(
          store.index(), store.query, {.limit = limit, .order = Order::by_shard, .direction = direction});
      CAPTURE(limit);
      require_answer(result, first(listed, limit));
    }
  }
}

template <class Index>
void check_find(RandomStore<Index>& store) {
  constexpr bool sorted = !std::is_same_v<typename Index::SortKey, evenkey::NoSortKey>;
  for (const Direction direction : both_directions) {
    for (const char* id : {"a", "b", "c", "d", "e", "f", "stranger"}) {
      std::vector<Row> expected = store.ordered(store.rows_of_id(id), direction);
      if (!sorted) {
        expected.clear();
        for (const Row& row : store.rows(store.index().keys.of(id), direction))
          if (row.id == id) expected.push_back(row);
      }
      for (std::size_t limit = 0; limit <= expected.size() + 1; ++limit) {
        const auto result =
            evenkey::find(store.index(), store.query, id, {.limit = limit, .direction = direction});
        CAPTURE(limit);
        CAPTURE(id);
        require_answer(result, first(expected, limit));
      }
    }
  }
}

template <class Index>
void check_find_many(RandomStore<Index>& store, Dice& dice, std::size_t at_once) {
  for (const Direction direction : both_directions) {
    Names ids;
    Names expected;
    for (std::size_t i = dice.below(8); i-- > 0;) {
      std::string id(1, static_cast<char>('a' + dice.below(7)));
      if (std::find(ids.begin(), ids.end(), id) == ids.end())
        for (const Row& row : store.ordered(store.rows_of_id(id), direction))
          expected.push_back(row.primary);
      ids.push_back(std::move(id));
    }
    const auto result = evenkey::find_many(store.index(), store.query, ids,
                                           {.direction = direction, .max_concurrency = at_once});
    require_answer(result, expected);
  }
}

/// Some partitions fail at some page: named exactly, and what is given is right and in order.
template <class Index>
void check_failures(RandomStore<Index>& store, Dice& dice, std::size_t at_once) {
  const Names partitions = store.partition_keys();
  for (const Direction direction : both_directions) {
    for (const Order order : {Order::by_sort_key, Order::by_shard}) {
      store.heal();
      store.log().clear();
      (void)evenkey::enumerate(store.index(), store.query, {.order = order, .direction = direction});
      Names expected;
      for (const std::string& partition : partitions) {
        if (!dice.one_in(3)) continue;
        store.fail(partition, dice.below(store.log().of(partition)));
        expected.push_back(partition);
      }
      const auto result = evenkey::enumerate(store.index(), store.query,
                                             {.order = order,
                                              .direction = direction,
                                              .on_failure = OnFailure::collect,
                                              .max_concurrency = at_once});
      Names failed;
      for (const evenkey::Failure& failure : result.failures)
        failed.push_back(failure.partition_key);
      require(failed == expected, "the partitions that failed are named, and no others");
      const Names given = support::primary_keys(result.items);
      for (const std::string& partition : partitions) {
        if (std::find(failed.begin(), failed.end(), partition) != failed.end()) continue;
        for (const Row& row : store.rows(partition, direction))
          require(std::count(given.begin(), given.end(), row.primary) == 1, "the others are there whole");
      }
      if (order == Order::by_sort_key)
        require(given == support::primary_keys(store.ordered(result.items, direction)),
                "what is given is in order");
    }
  }
  store.heal();
}

template <class Check>
void for_random_stores(std::size_t stores, Check check) {
  const std::uint64_t seed = support::seed();
  MESSAGE("EVENKEY_TEST_SEED=" << seed);
  for (std::uint64_t i = 0; i < stores; ++i) {
    CAPTURE(seed + i);
    Dice dice{std::mt19937_64(seed + i)};
    check(dice);
  }
}

}  // namespace

TEST_SUITE("read") {
  TEST_CASE_TEMPLATE("over random stores every verb gives what one sorted vector gives", Index,
                     support::ByPerson, support::ByTime, support::ByNumber) {
    for_random_stores(25, [](Dice& dice) {
      RandomStore<Index> store(dice);
      const std::size_t at_once = dice.one_in(4) ? 1 + dice.below(4) : 1;
      check_enumerate(store, at_once);
      check_by_shard(store);
      check_find(store);
      check_find_many(store, dice, at_once);
      check_failures(store, dice, at_once);
      require(store.log().every_limit_is_positive(), "no request asks for nothing");
      require(store.log().in_flight() == 0, "every request has ended");
    });
  }

  TEST_CASE("over random stores without a sort key every verb gives the store's order") {
    for_random_stores(25, [](Dice& dice) {
      RandomStore<support::Unsorted> store(dice);
      check_by_shard(store);
      check_find(store);
      require(store.log().every_limit_is_positive(), "no request asks for nothing");
    });
  }
}
