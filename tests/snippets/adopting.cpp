// SPDX-License-Identifier: BSL-1.0
//
// What the page's reader has around its snippets. AWS's SDK is the tests' double of it.
// flags: -isystem tests/adapters/aws_sdk/double -I examples
#include <evenkey/adapters/aws_sdk.hpp>
#include <evenkey/read.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dynamodb/client.hpp"
#include "dynamodb/functors.hpp"

// The reader's own client.
namespace my {
using Item = std::map<std::string, std::string>;
struct Value {
  std::string text;
};
Value text_value(std::string text);
std::string_view text_of(const Item& item, std::string_view attribute);
struct QueryInput {
  std::string table, index, key_condition;
  std::map<std::string, std::string> names;
  std::map<std::string, Value> values;
  std::optional<Item> start_key;
  std::optional<std::size_t> limit;
  bool forward = true;
};
struct QueryOutput {
  std::vector<Item> items;
  Item last_evaluated_key;
  std::size_t scanned_count = 0;
  double consumed_units = 0;
};
struct Client {
  QueryOutput query(const QueryInput& input) const;
};
}  // namespace my

auto with_their_own(const my::Client& client) {
  // snippet 1
  return query;
}

// snippet 3

void with_the_wire_client(const dynamodb::Client& client) {
  // snippet 4
}

void with_the_sdk() {
  // snippet 5
}

struct KeysOnly {
  static constexpr std::string_view name = "by-type";
  using PartitionKey = evenkey::ShardedKey<"Saga", evenkey::ShardPolicy<16>>;
  using SortKey = evenkey::CompositeKey<evenkey::Text, evenkey::Text>;
  using Item = dynamodb::Item;
  using StartKey = dynamodb::Item;
  static std::string sort_key(const Item& item) { return std::string(dynamodb::text_of(item, "gsi_sk")); }
  static std::string primary_key(const Item& item) { return std::string(dynamodb::text_of(item, "id")); }
  static std::string shard_by(const Item& item) { return std::string(dynamodb::text_of(item, "person")); }
};

void complete(const dynamodb::Client& client) {
  const KeysOnly index;
  auto query = dynamodb::query_functor(client, "sagas", {"gsi_pk", "gsi_sk"});
  // snippet 6
}

namespace theirs {
// snippet 2
}  // namespace theirs
void read_theirs(const my::Client& client) {
  (void)evenkey::enumerate(theirs::Sagas{}, with_their_own(client));
}
void move_theirs(const my::Client& client) {
  constexpr evenkey::Migration<theirs::Sagas, evenkey::UnshardedKey<"RenewalSaga">> move{
      evenkey::insert_visible_first};
  (void)evenkey::find(move.at(evenkey::Phase::dual_read), with_their_own(client), "ann");
}
