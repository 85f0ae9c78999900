// SPDX-License-Identifier: BSL-1.0
#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "fixture.hpp"

using namespace fixture;
using evenkey::Direction;
using evenkey::SortKeyCondition;

TEST_SUITE("testing") {
  TEST_CASE("a query pages through a partition in sort-key order, both ways") {
    MemoryTable<Row, ByText> table;
    for (const char* sk : {"c", "a", "e", "b", "d"})
      table.put({std::string("id-") + sk, "P", sk});
    table.put({"elsewhere", "Q", "a"});
    const Ids forward{"id-a", "id-b", "id-c", "id-d", "id-e"};
    const Ids backward(forward.rbegin(), forward.rend());
    for (const std::uint32_t limit : {1u, 2u, 3u, 5u, 6u}) {
      CAPTURE(limit);
      CHECK(all_pages<ByText>(table, request<ByText>("P", limit)).first == forward);
      CHECK(all_pages<ByText>(table, request<ByText>("P", limit, Direction::descending)).first == backward);
    }
  }

  TEST_CASE("a limit that is reached exactly gives a last evaluated key although nothing follows") {
    MemoryTable<Row, ByText> table;
    table.put({"1", "P", "a"});
    table.put({"2", "P", "b"});
    const auto full = table.query<ByText>(request<ByText>("P", 2));
    CHECK(full.items.size() == 2);
    REQUIRE(full.last_evaluated_key);
    CHECK(*full.last_evaluated_key == MemoryStartKey{"P", std::string("b"), "2"});
    auto next = request<ByText>("P", 2);
    next.exclusive_start_key = full.last_evaluated_key;
    const auto end = table.query<ByText>(next);
    CHECK(end.items.empty());
    CHECK_FALSE(end.last_evaluated_key);
    CHECK_FALSE(table.query<ByText>(request<ByText>("P", 3)).last_evaluated_key);
  }

  TEST_CASE("limit counts what is evaluated before the filter, so that a page can be empty with a key") {
    MemoryTable<Row, ByText> table;
    for (int i = 0; i < 6; ++i)
      table.put({std::to_string(i), "P", "s" + std::to_string(i), i});
    const auto odd = [](const Row& row) { return row.number == 3; };
    const auto page = table.query<ByText>(request<ByText>("P", 2), {}, odd);
    CHECK(page.items.empty());
    CHECK(page.scanned_count == 2);
    CHECK(page.last_evaluated_key);
    auto next = request<ByText>("P", 2);
    next.exclusive_start_key = page.last_evaluated_key;
    CHECK(ids(table.query<ByText>(next, {}, odd).items) == Ids{"3"});
  }

  TEST_CASE("a page is cut by bytes before or after the item that crosses") {
    for (const PageCut cut : {PageCut::after_crossing, PageCut::before_crossing}) {
      CAPTURE(static_cast<int>(cut));
      MemoryTable<Row, ByText> table({.item_bytes = 400, .page_bytes = 1000, .page_cut = cut});
      for (int i = 0; i < 7; ++i)
        table.put({std::to_string(i), "P", "s" + std::to_string(i)});
      for (const Direction direction : {Direction::ascending, Direction::descending}) {
        const auto page = table.query<ByText>(request<ByText>("P", std::nullopt, direction));
        CHECK(page.items.size() == (cut == PageCut::after_crossing ? 3 : 2));
        CHECK(page.last_evaluated_key);
        const auto [all, pages] = all_pages<ByText>(table, request<ByText>("P", std::nullopt, direction));
        CHECK(all.size() == 7);
        CHECK(pages == (cut == PageCut::after_crossing ? 3 : 4));
        Ids expected{"0", "1", "2", "3", "4", "5", "6"};
        if (direction == Direction::descending) std::reverse(expected.begin(), expected.end());
        CHECK(all == expected);
      }
    }
  }

  TEST_CASE("an item larger than a page is a page of its own, wherever the cut is") {
    for (const PageCut cut : {PageCut::after_crossing, PageCut::before_crossing}) {
      MemoryTable<Row, ByText> table({.item_bytes = 5000, .page_bytes = 1000, .page_cut = cut});
      for (int i = 0; i < 3; ++i)
        table.put({std::to_string(i), "P", "s" + std::to_string(i)});
      CHECK(table.query<ByText>(request<ByText>("P")).items.size() == 1);
      CHECK(all_pages<ByText>(table, request<ByText>("P")).first.size() == 3);
    }
  }

  TEST_CASE("text sorts by unsigned bytes (F30)") {
    MemoryTable<Row, ByText> table({.key_text = KeyText::binary});
    const std::vector<std::string> keys{"\xFF", "z", "a#t", "\xC3\xA9", "a!#t", "a", "\x7F", "\x80"};
    for (const std::string& key : keys)
      table.put({"id" + key, "P", key});
    std::vector<std::string> got;
    for (const Row& row : table.query<ByText>(request<ByText>("P")).items)
      got.push_back(row.sk);
    CHECK(got == std::vector<std::string>{"a", "a!#t", "a#t", "z", "\x7F", "\x80", "\xC3\xA9", "\xFF"});
  }

  TEST_CASE("numbers sort by value") {
    MemoryTable<Row, ByNumber, ByReal> table;
    for (const std::int64_t number : {900, -10, 0, 2800, -2, 9})
      table.put({std::to_string(number), "P", "s", number});
    const Ids by_value{"-10", "-2", "0", "9", "900", "2800"};
    CHECK(ids(table.query<ByNumber>(request<ByNumber>("P")).items) == by_value);
    CHECK(ids(table.query<ByReal>(request<ByReal>("P")).items) == by_value);
    auto some = request<ByNumber>("P");
    some.sort_key = SortKeyCondition::between(-2, 9.5);
    CHECK(ids(table.query<ByNumber>(some).items) == Ids{"-2", "0", "9"});
    auto real = request<ByReal>("P");
    real.sort_key = SortKeyCondition::greater(std::int64_t{0});
    CHECK(ids(table.query<ByReal>(real).items) == Ids{"9", "900", "2800"});
  }

  TEST_CASE("equal sort keys come in an order that is not the primary key's, and is stable while paging") {
    MemoryTable<Row, ByText> table;
    Ids by_id;
    for (int i = 10; i < 60; ++i) {
      by_id.push_back(std::to_string(i));
      table.put({by_id.back(), "P", "same"});
    }
    const Ids whole = ids(table.query<ByText>(request<ByText>("P")).items);
    CHECK(whole != by_id);
    CHECK(std::set<std::string>(whole.begin(), whole.end()).size() == 50);
    for (const std::uint32_t limit : {1u, 3u, 7u})
      CHECK(all_pages<ByText>(table, request<ByText>("P", limit)).first == whole);
    const Ids reversed(whole.rbegin(), whole.rend());
    CHECK(all_pages<ByText>(table, request<ByText>("P", 4, Direction::descending)).first == reversed);

    MemoryTable<Row, ByText> other({.seed = 2});
    for (const std::string& id : by_id)
      other.put({id, "P", "same"});
    CHECK(ids(other.query<ByText>(request<ByText>("P")).items) != whole);
  }

  TEST_CASE("a start key whose item is gone still works by its position") {
    MemoryTable<Row, ByText> table;
    for (const char* sk : {"a", "b", "c", "d"})
      table.put({sk, "P", sk});
    auto asked = request<ByText>("P", 2);
    asked.exclusive_start_key = table.query<ByText>(asked).last_evaluated_key;
    table.erase("b");
    CHECK(ids(table.query<ByText>(asked).items) == Ids{"c", "d"});
    asked.direction = Direction::descending;
    CHECK(ids(table.query<ByText>(asked).items) == Ids{"a"});
  }

  TEST_CASE("a start key outside the query's bounds or partition is refused") {
    MemoryTable<Row, ByText> table;
    for (const char* sk : {"a", "b", "c"})
      table.put({sk, "P", sk});
    const auto from = [&](MemoryStartKey key, SortKeyCondition condition = {}) {
      auto asked = request<ByText>("P");
      asked.exclusive_start_key = std::move(key);
      asked.sort_key = std::move(condition);
      return error_of([&] { return table.query<ByText>(asked); });
    };
    CHECK(from({"P", std::string("a"), "a"}).empty());
    CHECK(from({"Q", std::string("a"), "a"}) == validation);
    CHECK(from({"P", std::int64_t{1}, "a"}) == validation);
    CHECK(from({"P", {}, "a"}) == validation);
    CHECK(from({"P", std::string("a"), "a"}, SortKeyCondition::greater("a")) == validation);
    CHECK(from({"P", std::string("a"), "a"}, SortKeyCondition::greater_equal("a")).empty());
    CHECK(from({"P", std::string("z"), "z"}, SortKeyCondition::begins_with("b")) == validation);
  }

  TEST_CASE("start keys may be MemoryStartKey, text, a map, or a type of the definition's own") {
    MemoryTable<Row, ByText, ByNumber, Unsorted> table;
    for (int i = 0; i < 5; ++i)
      table.put({std::to_string(i), "P", "s" + std::to_string(i), -i});
    CHECK(all_pages<ByText>(table, request<ByText>("P", 2)).first == Ids{"0", "1", "2", "3", "4"});
    CHECK(all_pages<ByNumber>(table, request<ByNumber>("P", 2)).first == Ids{"4", "3", "2", "1", "0"});
    CHECK(all_pages<Unsorted>(table, request<Unsorted>("P", 2)).first.size() == 5);
    auto text = request<ByNumber>("P");
    text.exclusive_start_key = "no key of ours";
    CHECK(error_of([&] { return table.query<ByNumber>(text); }) == validation);
    text.exclusive_start_key = "";
    CHECK(error_of([&] { return table.query<ByNumber>(text); }) == validation);
    auto map = request<Unsorted>("P");
    map.exclusive_start_key.emplace();
    CHECK(error_of([&] { return table.query<Unsorted>(map); }) == validation);
  }

  struct OpaqueKey {
    int handle = 0;
  };
  struct ByHandle : ByText {
    static constexpr std::string_view name = "by-handle";
    using StartKey = OpaqueKey;
    std::vector<MemoryStartKey>* keys = nullptr;
    OpaqueKey start_key(const MemoryStartKey& key) const {
      keys->push_back(key);
      return {static_cast<int>(keys->size()) - 1};
    }
    MemoryStartKey memory_start_key(const OpaqueKey& key) const {
      return keys->at(static_cast<std::size_t>(key.handle));
    }
  };

  TEST_CASE("a definition may make start keys of its own type, also for scans") {
    std::vector<MemoryStartKey> keys;
    MemoryTable<Row, ByHandle> table(ByHandle{{}, &keys});
    for (int i = 0; i < 5; ++i)
      table.put({std::to_string(i), "P", "s" + std::to_string(i)});
    CHECK(all_pages<ByHandle>(table, request<ByHandle>("P", 2)).first == Ids{"0", "1", "2", "3", "4"});
    CHECK(keys.size() == 2);
    evenkey::ScanRequest<OpaqueKey> scan;
    scan.limit = 3;
    auto page = table.scan(scan);
    CHECK(page.items.size() == 3);
    scan.exclusive_start_key = page.last_evaluated_key;
    CHECK(table.scan(scan).items.size() == 2);
  }

  TEST_CASE("a query by name reaches the index, and an unknown name is refused") {
    MemoryTable<Row, ByText, ByNumber> table;
    table.put({"1", "P", "a", 7});
    const auto query = table.query_functor();
    CHECK(query(request<ByText>("P")).items.size() == 1);
    CHECK(query(request<ByNumber>("P")).items.size() == 1);
    auto unknown = request<ByText>("P");
    unknown.index_name = "by-nothing";
    CHECK(error_of([&] { return query(unknown); }) == validation);
    CHECK(error_of([&] { return table.query<ByText>(unknown); }) == validation);
    unknown.index_name = "";
    CHECK(table.query<ByText>(unknown).items.size() == 1);  // the type says which
  }

  TEST_CASE("several definitions may read one index, each with start keys of its own") {
    struct OrdersOfOne : ByText {  // the same index as ByText, as one of several entities sees it
      using StartKey = std::string;
    };
    MemoryTable<Row, ByText> table;
    for (int i = 0; i < 5; ++i)
      table.put({std::to_string(i), "P", "order#" + std::to_string(i)});
    table.put({"9", "P", "note#1"});
    auto asked = request<OrdersOfOne>("P", 2);
    asked.sort_key = SortKeyCondition::begins_with("order#");
    Ids found;
    const auto query = table.query_functor();
    do {
      const auto page = query(asked);
      for (const Row& row : page.items)
        found.push_back(row.id);
      asked.exclusive_start_key = page.last_evaluated_key;
    } while (asked.exclusive_start_key);
    CHECK(found == Ids{"0", "1", "2", "3", "4"});
  }

  TEST_CASE("query functors are what evenkey's reads take") {
    MemoryTable<Row, ByText> table;
    auto query = table.query_functor<ByText>();
    static_assert(evenkey::query_functor<decltype(query), Row, MemoryStartKey>);
    for (int i = 0; i < 40; ++i) {
      const std::string id = "id" + std::to_string(i);
      table.put({id, std::string(ByText::PartitionKey::of(id)), id});
    }
    CHECK(evenkey::enumerate(ByText{}, query).items.size() == 40);
    CHECK(ids(evenkey::find(ByText{}, query, "id7").items) == Ids{"id7"});
  }

  TEST_CASE("pages by shard carry the table's start keys in their tokens") {
    MemoryTable<Row, ByText> table;
    for (int i = 0; i < 40; ++i) {
      const std::string id = "id" + std::to_string(i);
      table.put({id, std::string(ByText::PartitionKey::of(id)), id});
    }
    std::string token;
    std::set<std::string> found;
    do {
      const auto page = evenkey::read_page(ByText{}, table.query_functor<ByText>(),
                                           {.limit = 7, .order = evenkey::Order::by_shard}, token);
      for (const Row& row : page.items)
        found.insert(row.id);
      token = page.next_token;
    } while (!token.empty());
    CHECK(found.size() == 40);
  }

  TEST_CASE("what DynamoDB refuses in a query is refused here") {
    MemoryTable<Row, ByText, ByNumber, Unsorted> table;
    const auto text = [&](auto change, CallOptions call = {}) {
      auto asked = request<ByText>("P");
      change(asked);
      return error_of([&] { return table.query<ByText>(asked, call); });
    };
    const auto with = [&](SortKeyCondition condition) {
      return text([&](auto& asked) { asked.sort_key = condition; });
    };
    CHECK(text([](auto&) {}).empty());
    CHECK(text([](auto& asked) { asked.limit = 0; }) == validation);
    CHECK(text([](auto&) {}, {.consistency = Consistency::strong}) == validation);
    CHECK(text([](auto& asked) { asked.partition_key = ""; }) == validation);
    const std::string long_key(2049, 'p');
    CHECK(text([&](auto& asked) { asked.partition_key = long_key; }) == validation);
    CHECK(text([&](auto& asked) { asked.partition_key = std::string_view(long_key).substr(1); }).empty());
    CHECK(with(SortKeyCondition::equal(1)) == validation);
    CHECK(with(SortKeyCondition::equal("")) == validation);
    CHECK(with(SortKeyCondition::begins_with("")) == validation);
    CHECK(with(SortKeyCondition::less(std::string(1024, 's'))).empty());
    CHECK(with(SortKeyCondition::less(std::string(1025, 's'))) == validation);
    CHECK(with(SortKeyCondition::between("a", std::string(1025, 's'))) == validation);
    CHECK(with(SortKeyCondition::less("\xC3")) == validation);  // half a character
    CHECK(with(SortKeyCondition::less("eight bytes \xC3\xA9")).empty());
    auto number = request<ByNumber>("P");
    number.sort_key = SortKeyCondition::begins_with("1");
    CHECK(error_of([&] { return table.query<ByNumber>(number); }) == validation);
    number.sort_key = SortKeyCondition::less(std::numeric_limits<double>::infinity());
    CHECK(error_of([&] { return table.query<ByNumber>(number); }) == validation);
    auto none = request<Unsorted>("P");
    none.sort_key = SortKeyCondition::equal("1");
    CHECK(error_of([&] { return table.query<Unsorted>(none); }) == validation);
  }

  TEST_CASE("an absent partition costs half a unit and is not an error") {
    MemoryTable<Row, ByText> table;
    const auto page = table.query<ByText>(request<ByText>("nobody"));
    CHECK(page.items.empty());
    CHECK_FALSE(page.last_evaluated_key);
    CHECK(page.consumed_read_units == 0.5);
  }

  TEST_CASE("an index with a prefix known at run time is given as an object") {
    struct Outbox : ByText {
      using PartitionKey = evenkey::ShardedKeyFamily<evenkey::ShardPolicy<3>, evenkey::Literal<"OUTBOX">,
                                                     evenkey::Text>::Bound;
      PartitionKey key;
      const PartitionKey& partition_keys() const { return key; }
    };
    using Family =
        evenkey::ShardedKeyFamily<evenkey::ShardPolicy<3>, evenkey::Literal<"OUTBOX">, evenkey::Text>;
    const Outbox invoices{{}, Family::bind("invoices")};
    MemoryTable<Row, Outbox> table(invoices, {.log_capacity = 10});
    table.put({"1", std::string(invoices.key.of("1")), "a"});
    CHECK(evenkey::enumerate(invoices, table.query_functor<Outbox>()).items.size() == 1);
    CHECK(table.log().size() == 4);
  }
}
