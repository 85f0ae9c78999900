// SPDX-License-Identifier: BSL-1.0
#include <evenkey/evenkey.hpp>

#include <iostream>
#include <map>
#include <string>
#include <string_view>

struct Order {
  std::string id, customer, placed_at;
};

// What you write, 1: what the index is.
struct OrdersByCustomer {
  static constexpr std::string_view name = "orders-by-customer";
  using PartitionKey = evenkey::ShardedKey<"Order", evenkey::ShardPolicy<16>>;  // Order#0 to Order#15
  using SortKey = evenkey::CompositeKey<evenkey::Text, evenkey::Text>;          // {customer}#{placed_at}
  using Item = Order;
  using StartKey = std::string;
  static std::string sort_key(const Order& order) { return SortKey::encode(order.customer, order.placed_at); }
  static std::string_view primary_key(const Order& order) { return order.id; }
  static std::string_view shard_by(const Order& order) { return order.customer; }
};
static_assert(evenkey::index_by_id<OrdersByCustomer>);  // names what is missing

int main() {
  const OrdersByCustomer index;
  // Stands for DynamoDB, where rows of one partition may have the same sort key.
  std::map<std::string_view, std::multimap<std::string, Order>> store;
  for (const Order& order : {Order{"o1", "bob", "2026-07-01"}, Order{"o2", "ann", "2026-07-02"}})
    store[OrdersByCustomer::PartitionKey::of(order.customer)].emplace(index.sort_key(order), order);

  // What you write, 2: how to ask the store for one page.
  const auto query = [&store](const evenkey::QueryRequest<std::string>& request) {
    evenkey::Page<Order> page;
    if (const auto partition = store.find(request.partition_key); partition != store.end())
      for (const auto& [sort_key, order] : partition->second)
        if (request.sort_key.matches(sort_key)) page.items.push_back(order);
    return page;
  };

  std::cout << "ann's partition is " << OrdersByCustomer::PartitionKey::of("ann") << "\n";
  for (const Order& order : evenkey::find(index, query, "ann").items)  // one query
    std::cout << "ann has " << order.id << "\n";
  for (const Order& order : evenkey::enumerate(index, query).items)  // 16 queries, one order
    std::cout << index.sort_key(order) << "\n";
}
