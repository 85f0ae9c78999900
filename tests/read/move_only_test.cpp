// SPDX-License-Identifier: BSL-1.0
#include <evenkey/read.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

using evenkey::Order;
using evenkey::Page;
using evenkey::QueryRequest;
using Texts = std::vector<std::string>;

namespace {

/// An item that cannot be copied; its sort key is a view into it, which a move of a short string moves.
struct Ticket {
  std::string key;
  std::unique_ptr<std::string> primary;
};
template <class Keys>
struct Tickets {
  static constexpr std::string_view name = "tickets";
  using PartitionKey = Keys;
  using SortKey = evenkey::CompositeKey<evenkey::Text>;
  using Item = Ticket;
  using StartKey = std::string;
  static std::string_view sort_key(const Ticket& ticket) { return ticket.key; }
  static std::string_view primary_key(const Ticket& ticket) { return *ticket.primary; }
  static std::string_view shard_by(const Ticket& ticket) { return *ticket.primary; }
};

Ticket ticket(std::string key, std::string primary) {
  return {std::move(key), std::make_unique<std::string>(std::move(primary))};
}

}  // namespace

TEST_SUITE("read") {
  TEST_CASE("an item that can only be moved comes through every verb, ties and all") {
    using Index = Tickets<evenkey::ShardedKey<"T", evenkey::ShardPolicy<2>>>;
    const auto query = [](const QueryRequest<std::string>& request) {
      Page<Ticket> page;
      if (!request.exclusive_start_key) {
        page.items.push_back(ticket("a", request.shard->value == 0 ? "2" : "1"));
        page.items.push_back(ticket("b", request.shard->value == 0 ? "4" : "3"));
        page.last_evaluated_key = "next";
      } else {
        page.items.push_back(ticket("b", request.shard->value == 0 ? "0" : "9"));
      }
      return page;
    };
    const auto primaries = [](const auto& result) {
      Texts keys;
      for (const Ticket& one : result.items)
        keys.push_back(*one.primary);
      return keys;
    };
    CHECK(primaries(evenkey::enumerate(Index{}, query)) == Texts{"1", "2", "0", "3", "4", "9"});
    CHECK(primaries(evenkey::enumerate(Index{}, query, {.order = Order::by_shard})) ==
          Texts{"2", "4", "0", "1", "3", "9"});
    const auto one = [](const QueryRequest<std::string>& request) {
      Page<Ticket> page;
      const std::string& id = std::get<std::string>(request.sort_key.value());
      page.items.push_back(ticket(id, id));
      return page;
    };
    CHECK(evenkey::find(Index{}, one, "a").items.size() == 1);
    CHECK(evenkey::find_many(Index{}, one, Texts{"a", "b"}).items.size() == 2);
  }
}
