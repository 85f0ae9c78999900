// SPDX-License-Identifier: BSL-1.0
//
// One listing of four shards, of which one is throttled, seen by three observers. Copy the header you want.
#include <evenkey/evenkey.hpp>
#include <evenkey/testing/memory_table.hpp>

#include <chrono>
#include <cstdint>
#include <iostream>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "emf_metrics.hpp"
#include "prometheus_metrics.hpp"
#include "shard_lines.hpp"

namespace {

using evenkey::testing::Fault;
using evenkey::testing::MemoryTable;
using evenkey::testing::VirtualClock;

struct Order {
  std::string id, customer;
};

struct OrdersByCustomer {
  static constexpr std::string_view name = "orders-by-customer";
  using PartitionKey = evenkey::ShardedKey<"Order", evenkey::ShardPolicy<4>>;
  using SortKey = evenkey::CompositeKey<evenkey::Text, evenkey::Text>;  // {customer}#{id}
  using Item = Order;
  using StartKey = std::string;
  static std::string sort_key(const Order& order) { return SortKey::encode(order.customer, order.id); }
  static std::string_view primary_key(const Order& order) { return order.id; }
  static std::string_view shard_by(const Order& order) { return order.customer; }
};

/// The table's own time, so that each run prints the same: an application leaves it out.
struct TableTime {
  VirtualClock& clock;
  std::chrono::steady_clock::time_point now() const {
    return std::chrono::steady_clock::time_point(clock.now().time_since_epoch());
  }
  bool wait_until(std::chrono::steady_clock::time_point time, const std::stop_token&) const {
    clock.advance_to(VirtualClock::time_point(time.time_since_epoch()));
    return true;
  }
};

}  // namespace

int main() {
  const OrdersByCustomer index;
  const auto clock = std::make_shared<VirtualClock>();
  MemoryTable<Order, OrdersByCustomer> table(
      index, {.clock = clock, .wait = [clock](VirtualClock::duration took) { clock->advance(took); }});
  int number = 100;
  for (const char* customer : {"ann", "bob", "cid", "dan", "fay", "gus", "ned", "roy"})
    for (int i = 0; i < 3; ++i)
      table.put({"o" + std::to_string(number++), customer});
  // Shard 1 is slow; each read's first request to shard 2 is refused.
  table.inject(Fault::delay(std::chrono::milliseconds(4)));
  table.inject(Fault::delay(std::chrono::milliseconds(26)), {.partition_key = "Order#1"});
  table.inject_script({Fault::throttle(), Fault::none()}, {.partition_key = "Order#2", .times = 6});
  const auto query = table.query_functor<OrdersByCustomer>();

  // One request at a time, and no random waits before retries: so that each run prints the same.
  const evenkey::EnumerateOptions options{
      .max_concurrency = 1,
      .retry = {.max_attempts = 3, .throttled_base_delay = std::chrono::nanoseconds(0)}};
  TableTime time{*clock};

  ShardLines lines(std::cout);
  PrometheusMetrics prometheus;
  EmfMetrics emf(std::cout, EmfMetrics::PerShard::yes, [] { return std::int64_t{1'767'225'600'000}; });
  std::cout << "-- lines\n";
  (void)evenkey::enumerate(index, query, options, lines, time);
  std::cout << "-- embedded metric format\n";
  (void)evenkey::enumerate(index, query, options, emf, time);
  std::cout << "-- Prometheus\n";
  (void)evenkey::enumerate(index, query, options, prometheus, time);
  (void)evenkey::find(index, query, "ann", {}, prometheus, time);
  std::cout << prometheus.text();
}
