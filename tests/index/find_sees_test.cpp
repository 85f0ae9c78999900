// SPDX-License-Identifier: BSL-1.0
#include <evenkey/index.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace {

struct Order {
  std::string id, customer, topic, stored_key;
  std::int64_t number = 0;
};

/// As far as the tests differ they replace a member.
struct ByCustomer {
  static constexpr std::string_view name = "by-customer";
  using PartitionKey = evenkey::ShardedKey<"Order", evenkey::ShardPolicy<16>>;
  using SortKey = evenkey::CompositeKey<evenkey::Text, evenkey::Text>;
  using Item = Order;
  using StartKey = std::string;
  static std::string sort_key(const Order& order) { return SortKey::encode(order.customer, order.id); }
  static std::string_view primary_key(const Order& order) { return order.id; }
  static std::string_view shard_by(const Order& order) { return order.customer; }
};

struct TopicFirst : ByCustomer {
  static std::string sort_key(const Order& order) { return SortKey::encode(order.topic, order.customer); }
};

struct TopicFirstAndSaysSo : TopicFirst {
  static evenkey::SortKeyCondition find_condition(std::string_view) { return {}; }
};

struct ByIdAlone : ByCustomer {
  using SortKey = evenkey::CompositeKey<evenkey::Text>;
  static std::string_view sort_key(const Order& order) { return order.id; }
};

struct ByNumber : ByCustomer {
  using SortKey = evenkey::NumberKey;
  static std::int64_t sort_key(const Order& order) { return order.number; }
};

struct Unsorted : ByCustomer {
  using SortKey = evenkey::NoSortKey;
};

struct ShowsItsKey : ByCustomer {
  static std::string_view partition_key(const Order& order) { return order.stored_key; }
};

const Order order{"o1", "ann", "invoices", std::string(ByCustomer::PartitionKey::of("ann")), 7};

}  // namespace

TEST_SUITE("index") {
  TEST_CASE("find sees a row whose sort key begins with the id") {
    CHECK(evenkey::find_sees(ByCustomer{}, order));
    CHECK(evenkey::find_sees(ByNumber{}, order));
    CHECK(evenkey::find_sees(Unsorted{}, order));
  }

  TEST_CASE("find does not see a row whose sort key begins with other text, unless the definition says so") {
    CHECK_FALSE(evenkey::find_sees(TopicFirst{}, order));
    CHECK(evenkey::find_sees(TopicFirstAndSaysSo{}, order));
    CHECK_FALSE(evenkey::find_sees(ByIdAlone{}, order));
  }

  TEST_CASE("find does not see a row that is stamped with another shard") {
    CHECK(evenkey::find_sees(ShowsItsKey{}, order));
    Order elsewhere = order;
    elsewhere.stored_key = "Order#g2#1";
    CHECK_FALSE(evenkey::find_sees(ShowsItsKey{}, elsewhere));
  }

  TEST_CASE("a row without an id is refused, as find refuses it") {
    Order nameless = order;
    nameless.customer.clear();
    CHECK_THROWS_AS((void)evenkey::find_sees(ByNumber{}, nameless), evenkey::key_error);
  }
}
