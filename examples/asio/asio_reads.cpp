// SPDX-License-Identifier: BSL-1.0
//
// Reads on one thread with a standalone Asio io_context: 16 queries under way at once, no thread waits.
#include <evenkey/evenkey.hpp>

#include <algorithm>
#include <asio.hpp>
#include <chrono>
#include <cstddef>
#include <exception>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "asio_read.hpp"

namespace {

struct Order {
  std::string id, customer;
};

struct OrdersByCustomer {
  static constexpr std::string_view name = "orders-by-customer";
  using PartitionKey = evenkey::ShardedKey<"Order", evenkey::ShardPolicy<16>>;
  using SortKey = evenkey::CompositeKey<evenkey::Text, evenkey::Text>;  // {customer}#{id}
  using Item = Order;
  using StartKey = std::string;
  static std::string sort_key(const Order& order) { return SortKey::encode(order.customer, order.id); }
  static std::string_view primary_key(const Order& order) { return order.id; }
  static std::string_view shard_by(const Order& order) { return order.customer; }
};

/// Stands for a client that does not block: a request is answered 20 ms later, by the io_context.
class Store {
 public:
  using Request = evenkey::QueryRequest<std::string>;
  using Completion = evenkey::Completion<Order, std::string>;

  explicit Store(asio::io_context& io) : io_(io) {}
  void put(const Order& order) {
    partitions_[OrdersByCustomer::PartitionKey::of(order.customer)].emplace(OrdersByCustomer::sort_key(order),
                                                                            order);
  }

  /// The query functor: starts a request and returns. The request lives until it is answered; a client that
  /// fails completes with a `std::exception_ptr`.
  void operator()(const Request& request, Completion completion) {
    most_under_way_ = std::max(most_under_way_, ++under_way_);
    const auto timer = std::make_shared<asio::steady_timer>(io_, std::chrono::milliseconds(20));
    timer->async_wait([this, timer, &request, completion](const std::error_code&) {
      --under_way_;
      evenkey::Page<Order> page;
      if (const auto partition = partitions_.find(request.partition_key); partition != partitions_.end())
        for (const auto& [sort_key, order] : partition->second)
          if (request.sort_key.matches(sort_key)) page.items.push_back(order);
      completion(std::move(page));
    });
  }
  std::size_t most_under_way() const { return most_under_way_; }

 private:
  asio::io_context& io_;
  std::map<std::string_view, std::map<std::string, Order>> partitions_;
  std::size_t under_way_ = 0, most_under_way_ = 0;
};

void print(std::string_view what, const evenkey::ReadResult<Order>& result) {
  std::cout << what << ":";
  for (const Order& order : result.items)
    std::cout << " " << order.customer << "/" << order.id;
  std::cout << " (" << result.requests << " requests)\n";
}

template <class Query>
asio::awaitable<void> list_pages(Query query) {
  const OrdersByCustomer index;
  std::string token;
  do {
    // Two statements: g++ 12 destroys temporaries wrongly that are made within a co_await expression.
    auto read = evenkey::read_page_async(index, query, {.limit = 3}, token);
    const auto page = co_await async_read_items(std::move(read), asio::use_awaitable);
    std::cout << "co_await, a page:";
    for (const Order& order : page.items)
      std::cout << " " << order.customer << "/" << order.id;
    std::cout << "\n";
    token = page.next_token;
  } while (!token.empty());
}

}  // namespace

int main() {
  asio::io_context io;
  Store store(io);
  for (const Order& order : {Order{"o1", "bob"}, Order{"o2", "ann"}, Order{"o3", "cid"}, Order{"o4", "ann"}})
    store.put(order);
  const OrdersByCustomer index;
  // A read keeps a copy of its functor, so the functor holds the store by reference.
  const auto query = [&store](const Store::Request& request, Store::Completion completion) {
    store(request, std::move(completion));
  };

  evenkey::enumerate_async(index, query).then([](evenkey::AsyncResult<Order>&& outcome) {
    if (outcome.error) return void(std::cout << "failed\n");  // what a blocking read would have thrown
    print("callback", outcome.result);
  });
  io.run();
  std::cout << store.most_under_way() << " requests were under way at once, on one thread\n";

  io.restart();
  asio::co_spawn(io, list_pages(query), [](const std::exception_ptr& error) {
    if (error) std::rethrow_exception(error);
  });
  io.run();
}
