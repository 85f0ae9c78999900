// SPDX-License-Identifier: BSL-1.0
// What each verb costs, foretold by the documented rules, beside what the table in memory charges.
#include <evenkey/read.hpp>
#include <evenkey/testing/memory_table.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/predicted_cost.hpp"
#include "support/seed.hpp"

using evenkey::Direction;
using evenkey::Order;
using evenkey::SortKeyCondition;
using evenkey::testing::MemoryTable;
using support::Bill;
using support::CostPredictor;
using support::CostRow;

namespace {

struct ByPerson {
  static constexpr std::string_view name = "by-person";
  using PartitionKey = evenkey::DynamicShardedKey;
  using SortKey = evenkey::CompositeKey<evenkey::Text, evenkey::Text>;
  using Item = CostRow;
  using StartKey = std::string;
  static constexpr std::string_view separator = "#";

  evenkey::DynamicShardedKey keys;
  explicit ByPerson(std::uint32_t shards) : keys("P", shards) {}
  const evenkey::DynamicShardedKey& partition_keys() const { return keys; }
  static std::string_view sort_key(const CostRow& row) { return row.sort_key; }
  static std::string_view primary_key(const CostRow& row) { return row.primary_key; }
  static std::string_view shard_by(const CostRow& row) { return row.id; }
};

/// The sort key does not begin with the id: `find` reads the partition.
struct ByTime : ByPerson {
  using ByPerson::ByPerson;
  static constexpr std::string_view name = "by-time";
  using SortKey = evenkey::CompositeKey<evenkey::Text>;
  static constexpr std::string_view separator = "";
  static SortKeyCondition find_condition(std::string_view) { return {}; }
};

// The standard's distributions differ from library to library; a seed must mean the same rows everywhere.
struct Dice {
  std::mt19937_64 bits;
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(bits() % n); }
};

std::string padded(std::size_t number) {
  const std::string text = std::to_string(number);
  return std::string(8 - text.size(), '0') + text;
}

struct Shape {
  const char* name;
  std::uint32_t shards;
  std::size_t persons;
  std::size_t rows;
  std::size_t least_bytes;
  std::size_t most_bytes;
  std::size_t page_bytes;
};

const Shape shapes[] = {
    {"no rows", 3, 1, 0, 300, 300, 1 << 20},
    {"one shard", 1, 7, 60, 300, 300, 1 << 20},
    {"few rows over many shards", 16, 9, 12, 300, 300, 1 << 20},
    {"rows of 300 bytes", 16, 200, 400, 300, 300, 1 << 20},
    {"rows of 1.5 KB", 5, 30, 300, 1500, 1500, 1 << 20},
    {"rows of all sizes, pages of 10 KB", 4, 20, 250, 40, 9000, 10'240},
    {"small pages", 3, 10, 120, 100, 400, 1000},
    {"one person has nearly all", 4, 2, 150, 200, 2000, 1 << 16},
};

template <class Index>
class Arena {
 public:
  using Table = MemoryTable<CostRow, Index>;
  using Query = std::function<evenkey::Page<CostRow>(const evenkey::QueryRequest<std::string>&)>;

  Arena(const Shape& shape, std::uint64_t seed)
      : index_(shape.shards),
        table_(index_, {.page_bytes = shape.page_bytes, .seed = seed},
               {.size_of = [](const CostRow& row) { return row.bytes; }}) {
    Dice dice{std::mt19937_64(seed)};
    for (std::size_t i = 0; i < shape.rows; ++i) {
      CostRow row;
      row.id = "p" + std::to_string(dice.below(shape.persons));
      row.primary_key = "k" + std::to_string(i * 7919 % 10'007);
      // Ties are within a person, so within a shard.
      row.sort_key = Index::separator.empty() ? padded(dice.below(100'000) * 1000 + i)
                                              : row.id + "#" + padded(dice.below(shape.rows));
      row.bytes = shape.least_bytes + dice.below(shape.most_bytes - shape.least_bytes + 1);
      ids.push_back(row.id);
      keys.push_back(row.sort_key);
      table_.put(std::move(row));
    }
    ids.push_back("nobody");
    keys.push_back("p1#00000007");
  }

  const Index& index() const { return index_; }
  Query query() {
    return [this](const auto& request) { return table_.template query<Index>(request); };
  }

  CostPredictor predictor(std::size_t page_bytes) {
    CostPredictor::Shards shards;
    for (std::uint32_t shard = 0; shard < index_.keys.size(); ++shard) {
      evenkey::QueryRequest<std::string> request;
      const std::string partition(index_.keys.at(evenkey::ShardId{shard}));
      request.partition_key = partition;
      shards.emplace_back();
      do {
        auto page = table_.template query<Index>(request);
        shards.back().insert(shards.back().end(), page.items.begin(), page.items.end());
        request.exclusive_start_key = page.last_evaluated_key;
      } while (request.exclusive_start_key);
    }
    return CostPredictor(
        std::move(shards), [this](std::string_view id) { return index_.keys.shard_of(id).value; },
        std::string(Index::separator), page_bytes);
  }

  /// What the table charges for what happens in `read`.
  Bill bill(const std::function<void()>& read) {
    const auto before = table_.template counters<Index>();
    read();
    const auto after = table_.template counters<Index>();
    return {static_cast<std::size_t>(after.reads - before.reads), after.read_units - before.read_units};
  }

  std::vector<std::string> ids;   // of the rows; the last has none
  std::vector<std::string> keys;  // sort keys to build ranges from

 private:
  Index index_;
  Table table_;
};

/// Every form of a range, its values being keys that rows have.
template <class Index>
std::vector<SortKeyCondition> ranges_of(const Arena<Index>& arena, Dice& dice) {
  const auto key = [&] { return arena.keys[dice.below(arena.keys.size())]; };
  std::string lower = key();
  std::string upper = key();
  if (upper < lower) std::swap(lower, upper);
  return {{},
          SortKeyCondition::equal(key()),
          SortKeyCondition::less(key()),
          SortKeyCondition::less_equal(key()),
          SortKeyCondition::greater(key()),
          SortKeyCondition::greater_equal(key()),
          SortKeyCondition::between(lower, upper),
          SortKeyCondition::begins_with(key().substr(0, 2))};
}

constexpr Direction both_directions[] = {Direction::ascending, Direction::descending};
constexpr Order both_orders[] = {Order::by_sort_key, Order::by_shard};
constexpr double budgets[] = {0, 0, 1.5, 12};
constexpr std::size_t limits[] = {1, 7, 25, 100};

const char* word(Direction direction) {
  return direction == Direction::ascending ? "ascending" : "descending";
}
const char* word(Order order) { return order == Order::by_sort_key ? "by sort key" : "by shard"; }

/// Runs `check(arena, predictor, dice)` over all shapes.
template <class Index, class Check>
void over_all_shapes(Check check) {
  std::uint64_t seed = support::seed();
  MESSAGE("EVENKEY_TEST_SEED=" << seed);
  for (const Shape& shape : shapes) {
    INFO(shape.name << ", EVENKEY_TEST_SEED=" << support::seed());
    Arena<Index> arena(shape, ++seed);
    const CostPredictor predictor = arena.predictor(shape.page_bytes);
    Dice dice{std::mt19937_64(seed)};
    check(arena, predictor, dice);
  }
}

}  // namespace

TEST_SUITE("read") {
  TEST_CASE_TEMPLATE("a whole listing, a stream and a count cost what is foretold", Index, ByPerson, ByTime) {
    over_all_shapes<Index>([](Arena<Index>& arena, const CostPredictor& predictor, Dice& dice) {
      for (const SortKeyCondition& range : ranges_of(arena, dice)) {
        for (const Direction direction : both_directions) {
          for (const Order order : both_orders) {
            INFO("form " << static_cast<int>(range.form()) << ", " << word(direction) << ", " << word(order));
            const evenkey::EnumerateOptions options{.order = order, .direction = direction, .range = range};
            evenkey::ReadCost said;
            const Bill bill =
                arena.bill([&] { said = evenkey::enumerate(arena.index(), arena.query(), options); });
            CHECK(bill == predictor.enumerate(options));
            CHECK(bill == Bill{said.requests, said.consumed_read_units});

            const evenkey::PageOptions paged{.order = order, .direction = direction, .range = range};
            const Bill streamed = arena.bill([&] {
              auto stream = evenkey::stream(arena.index(), arena.query(), paged);
              for (auto it = stream.begin(); it != stream.end(); ++it) {
              }
            });
            CHECK(streamed == predictor.stream(paged));
          }
        }
        const evenkey::CountOptions options{.range = range};
        const Bill counted = arena.bill([&] { (void)evenkey::count(arena.index(), arena.query(), options); });
        CHECK(counted == predictor.count(options));
      }
    });
  }

  TEST_CASE_TEMPLATE("a limited listing costs what is foretold", Index, ByPerson, ByTime) {
    over_all_shapes<Index>([](Arena<Index>& arena, const CostPredictor& predictor, Dice& dice) {
      for (const SortKeyCondition& range : ranges_of(arena, dice)) {
        for (const std::size_t limit : limits) {
          for (const Direction direction : both_directions) {
            for (const Order order : both_orders) {
              INFO("form " << static_cast<int>(range.form()) << ", limit " << limit << ", " << word(direction)
                           << ", " << word(order));
              const evenkey::EnumerateOptions options{.limit = limit,
                                                      .order = order,
                                                      .direction = direction,
                                                      .max_concurrency = 1,
                                                      .range = range};
              const Bill bill =
                  arena.bill([&] { (void)evenkey::enumerate(arena.index(), arena.query(), options); });
              CHECK(bill == predictor.enumerate(options));
            }
          }
        }
      }
    });
  }

  TEST_CASE_TEMPLATE("page after page costs what is foretold", Index, ByPerson, ByTime) {
    over_all_shapes<Index>([](Arena<Index>& arena, const CostPredictor& predictor, Dice& dice) {
      for (const SortKeyCondition& range : ranges_of(arena, dice)) {
        for (const std::size_t limit : {std::size_t{0}, 3 + dice.below(5), std::size_t{40}}) {
          for (const Order order : both_orders) {
            const Direction direction = both_directions[dice.below(2)];
            INFO("form " << static_cast<int>(range.form()) << ", limit " << limit << ", " << word(direction)
                         << ", " << word(order));
            const evenkey::PageOptions options{.limit = limit,
                                               .order = order,
                                               .direction = direction,
                                               .max_concurrency = 1,
                                               .max_read_units = budgets[dice.below(4)],
                                               .range = range};
            INFO("budget " << options.max_read_units);
            const Bill bill = arena.bill([&] {
              std::string token;
              do
                token = evenkey::read_page(arena.index(), arena.query(), options, token).next_token;
              while (!token.empty());
            });
            CHECK(bill == predictor.pages(options));
          }
        }
      }
    });
  }

  TEST_CASE_TEMPLATE("one id's rows cost what is foretold, whole and in pages", Index, ByPerson, ByTime) {
    over_all_shapes<Index>([](Arena<Index>& arena, const CostPredictor& predictor, Dice& dice) {
      for (int round = 0; round < 5; ++round) {
        const std::string id = round == 0 ? arena.ids.back() : arena.ids[dice.below(arena.ids.size())];
        for (const SortKeyCondition& range : ranges_of(arena, dice)) {
          for (const std::size_t limit : {0U, 1U, 5U, 60U}) {
            const Direction direction = both_directions[dice.below(2)];
            INFO(id << ", form " << static_cast<int>(range.form()) << ", limit " << limit << ", "
                    << word(direction));
            const evenkey::FindOptions options{.limit = limit, .direction = direction, .range = range};
            const Bill found =
                arena.bill([&] { (void)evenkey::find(arena.index(), arena.query(), id, options); });
            CHECK(found == predictor.find(id, options));

            const evenkey::PageOptions paged{.limit = limit,
                                             .direction = direction,
                                             .max_read_units = budgets[dice.below(4)],
                                             .range = range};
            const Bill pages = arena.bill([&] {
              std::string token;
              do
                token = evenkey::find_page(arena.index(), arena.query(), id, paged, token).next_token;
              while (!token.empty());
            });
            CHECK(pages == predictor.find_pages(id, paged));
          }
        }
      }
    });
  }

  TEST_CASE_TEMPLATE("many ids cost what is foretold, asked one by one or by whole shards", Index, ByPerson,
                     ByTime) {
    over_all_shapes<Index>([](Arena<Index>& arena, const CostPredictor& predictor, Dice& dice) {
      for (const std::size_t expected_rows_of_shard : {0U, 1U, 8U, 40U, 4000U}) {
        for (const Direction direction : both_directions) {
          std::vector<std::string> ids;
          for (std::size_t i = dice.below(20); i > 0; --i)
            ids.push_back(arena.ids[dice.below(arena.ids.size())]);
          INFO(expected_rows_of_shard << " rows expected in a shard, " << word(direction));
          const evenkey::FindManyOptions options{.direction = direction,
                                                 .expected_rows_per_id = 1 + dice.below(9),
                                                 .expected_rows_per_shard = expected_rows_of_shard};
          const Bill bill =
              arena.bill([&] { (void)evenkey::find_many(arena.index(), arena.query(), ids, options); });
          CHECK(bill == predictor.find_many(ids, options));
        }
      }
    });
  }

  // The predictor follows the rules, whatever they are; these say what the rules are good for.

  TEST_CASE("few rows among many of others, and a run of ties beyond the limit, are sought by doubling") {
    const auto bill_of = [](auto index, const std::vector<CostRow>& rows, std::string_view id) {
      using Index = decltype(index);
      MemoryTable<CostRow, Index> table(index, {}, {.size_of = [](const CostRow& row) { return row.bytes; }});
      for (const CostRow& row : rows)
        table.put(row);
      const auto query = table.template query_functor<Index>();
      const auto found = evenkey::find(index, query, id, {.limit = 5});
      CHECK(found.items.size() == 5);
      return Bill{found.requests, found.consumed_read_units};
    };
    std::vector<CostRow> others;
    std::vector<CostRow> ties;
    for (std::size_t i = 0; i < 1000; ++i) {
      const std::string key = "k" + padded(i);
      others.push_back({i < 990 ? "other" : "me", padded(i), key, 400});
      ties.push_back({"me", "me#tie", key, 400});
    }
    const double everything = 1000 * 400 / 4096.0 / 2;
    const Bill among_others = bill_of(ByTime(1), others, "me");
    CHECK(among_others.requests <= 10);
    CHECK(among_others.read_units <= everything + 5);
    const Bill among_ties = bill_of(ByPerson(1), ties, "me");
    CHECK(among_ties.requests <= 10);
    CHECK(among_ties.read_units <= everything + 5);
  }

  TEST_CASE("each page of one id's rows takes one request") {
    const ByPerson index(4);
    MemoryTable<CostRow, ByPerson> table(index);
    for (std::size_t i = 0; i < 95; ++i)
      table.put({"me", "me#" + padded(i), "k" + padded(i), 300});
    std::size_t pages = 0;
    std::size_t requests = 0;
    std::string token;
    do {
      const auto page =
          evenkey::find_page(index, table.query_functor<ByPerson>(), "me", {.limit = 10}, token);
      requests += page.requests;
      token = page.next_token;
      ++pages;
    } while (!token.empty());
    CHECK(pages == 10);
    CHECK(requests == pages);
  }
}
