// SPDX-License-Identifier: BSL-1.0
// One table, three kinds of rows, three indexes: what a single-table design looks like to evenkey.
#include <evenkey/read.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using evenkey::Direction;
using evenkey::Order;
using Attributes = std::map<std::string, std::string>;
using Texts = std::vector<std::string>;

namespace {

struct Saga {
  std::string pk;
  std::string person_id;
  std::string gsi1sk;
};
struct Invoice {
  std::string pk;
  std::string tenant;
  std::int64_t cents;
};
struct Job {
  std::string pk;
};

/// ADR-0085's index: `{personId}#{openedAt}`.
struct SagasByPerson {
  static constexpr std::string_view name = "gsi1";
  using PartitionKey = evenkey::ShardedKey<"RenewalSaga", evenkey::ShardPolicy<4>>;
  using SortKey = evenkey::CompositeKey<evenkey::Text, evenkey::Timestamp>;
  using Item = Saga;
  using StartKey = Attributes;
  static std::string_view sort_key(const Saga& saga) { return saga.gsi1sk; }
  static std::string_view primary_key(const Saga& saga) { return saga.pk; }
  static std::string_view shard_by(const Saga& saga) { return saga.person_id; }
};
/// Another entity in the same index, under a prefix of its own.
struct InvoicesByAmount {
  static constexpr std::string_view name = "gsi2";
  using PartitionKey = evenkey::ShardedKey<"Invoice", evenkey::ShardPolicy<3>>;
  using SortKey = evenkey::NumberKey;
  using Item = Invoice;
  using StartKey = Attributes;
  static std::int64_t sort_key(const Invoice& invoice) { return invoice.cents; }
  static std::string_view primary_key(const Invoice& invoice) { return invoice.pk; }
  static std::string_view shard_by(const Invoice& invoice) { return invoice.tenant; }
};
/// A sparse index without a sort key, not sharded.
struct DueJobs {
  static constexpr std::string_view name = "gsi3";
  using PartitionKey = evenkey::UnshardedKey<"DUE">;
  using SortKey = evenkey::NoSortKey;
  using Item = Job;
  using StartKey = Attributes;
  static std::string_view primary_key(const Job& job) { return job.pk; }
  static std::string_view shard_by(const Job& job) { return job.pk; }
};

Saga read_item(const Attributes& row, const SagasByPerson&) {
  return {row.at("pk"), row.at("personId"), row.at("gsi1sk")};
}
Invoice read_item(const Attributes& row, const InvoicesByAmount&) {
  return {row.at("pk"), row.at("tenant"), std::stoll(row.at("gsi2sk"))};
}
Job read_item(const Attributes& row, const DueJobs&) { return {row.at("pk")}; }

/// The table: rows are maps of attributes; an index holds those that have its key attributes.
class Table {
 public:
  void put(Attributes row) { rows_.push_back(std::move(row)); }

  /// The query functor of one index.
  template <class Index>
  auto query(const Index& index) const {
    return [this, index](const evenkey::QueryRequest<Attributes>& request) {
      const std::string pk = std::string(index.name) + "pk";
      std::vector<const Attributes*> found;
      for (const Attributes& row : rows_) {
        const auto key = row.find(pk);
        if (key == row.end() || key->second != request.partition_key) continue;
        if constexpr (evenkey::index_with_order<Index>) {
          if (!request.sort_key.matches(index.sort_key(read_item(row, index)))) continue;
        }
        found.push_back(&row);
      }
      std::sort(found.begin(), found.end(), [&](const Attributes* a, const Attributes* b) {
        if constexpr (evenkey::index_with_order<Index>) {
          const auto left_item = read_item(*a, index);
          const auto right_item = read_item(*b, index);
          const auto left = index.sort_key(left_item);
          const auto right = index.sort_key(right_item);
          if (left != right) return left < right;
        }
        return std::hash<std::string>{}(a->at("pk")) < std::hash<std::string>{}(b->at("pk"));
      });
      if (request.direction == Direction::descending) std::reverse(found.begin(), found.end());
      evenkey::Page<typename Index::Item, Attributes> page;
      std::size_t at = 0;
      if (request.exclusive_start_key) {
        while (found[at]->at("pk") != request.exclusive_start_key->at("pk"))
          ++at;
        ++at;
      }
      const std::size_t size = std::min<std::size_t>(2, request.limit.value_or(2));
      for (; at < found.size() && page.items.size() < size; ++at)
        page.items.push_back(read_item(*found[at], index));
      if (at < found.size()) page.last_evaluated_key = Attributes{{"pk", found[at - 1]->at("pk")}};
      page.scanned_count = page.items.size();
      return page;
    };
  }

 private:
  std::vector<Attributes> rows_;
};

template <class Item>
Texts keys_of(const std::vector<Item>& items) {
  Texts keys;
  for (const Item& item : items)
    keys.push_back(item.pk);
  return keys;
}

struct Fixture {
  Table table;

  Fixture() {
    using namespace std::chrono;
    for (int person = 0; person < 10; ++person) {
      for (int i = 0; i < 3; ++i) {
        const std::string id = "person-" + std::to_string(person);
        const sys_time<milliseconds> opened{days(20000 - i)};
        table.put({{"pk", "RSAGA#" + std::to_string(person) + std::to_string(i)},
                   {"personId", id},
                   {"gsi1pk", std::string(SagasByPerson::PartitionKey::of(id))},
                   {"gsi1sk", SagasByPerson::SortKey::encode(id, opened)}});
      }
    }
    for (int i = 0; i < 25; ++i) {
      const std::string tenant = "tenant-" + std::to_string(i % 4);
      Attributes row{{"pk", "INV#" + std::to_string(100 + i)},
                     {"tenant", tenant},
                     {"gsi2pk", std::string(InvoicesByAmount::PartitionKey::of(tenant))},
                     {"gsi2sk", std::to_string(i % 5 * 100 - 200)}};
      if (i % 5 == 0) row["gsi3pk"] = "DUE";
      table.put(row);
    }
    table.put({{"pk", "JOB#1"}, {"gsi3pk", "DUE"}});
  }
};

}  // namespace

TEST_SUITE("read") {
  TEST_CASE_FIXTURE(Fixture, "one table, text sort key: a person's sagas by time, everybody's in one order") {
    const SagasByPerson index;
    const auto query = table.query(index);
    CHECK(keys_of(evenkey::find(index, query, "person-7").items) ==
          Texts{"RSAGA#72", "RSAGA#71", "RSAGA#70"});
    const auto newest =
        evenkey::find(index, query, "person-7", {.limit = 1, .direction = Direction::descending});
    CHECK(keys_of(newest.items) == Texts{"RSAGA#70"});
    const auto all = evenkey::enumerate(index, query);
    CHECK(all.items.size() == 30);
    CHECK(std::is_sorted(all.items.begin(), all.items.end(),
                         [](const Saga& a, const Saga& b) { return a.gsi1sk < b.gsi1sk; }));
  }

  TEST_CASE_FIXTURE(Fixture, "one table, number sort key: the highest amounts, ties by primary key") {
    const InvoicesByAmount index;
    const auto query = table.query(index);
    const auto highest = evenkey::enumerate(index, query, {.limit = 7, .direction = Direction::descending});
    CHECK(keys_of(highest.items) ==
          Texts{"INV#124", "INV#119", "INV#114", "INV#109", "INV#104", "INV#123", "INV#118"});
    const auto mine = evenkey::find(index, query, "tenant-1");
    CHECK(mine.items.size() == 6);
    for (const Invoice& invoice : mine.items)
      CHECK(invoice.tenant == "tenant-1");
    const auto some = evenkey::find_many(index, query, Texts{"tenant-3", "tenant-0"});
    CHECK(some.items.size() == 6 + 7);
    CHECK(some.items.front().tenant == "tenant-3");
    CHECK(some.items.back().tenant == "tenant-0");
  }

  TEST_CASE_FIXTURE(Fixture, "one table, sparse index without a sort key: only the rows that are in it") {
    const DueJobs index;
    const auto query = table.query(index);
    const auto due = evenkey::enumerate(index, query, {.order = Order::by_shard});
    Texts keys = keys_of(due.items);
    std::sort(keys.begin(), keys.end());
    CHECK(keys == Texts{"INV#100", "INV#105", "INV#110", "INV#115", "INV#120", "JOB#1"});
    CHECK(keys_of(evenkey::find(index, query, "JOB#1").items) == Texts{"JOB#1"});
  }
}
