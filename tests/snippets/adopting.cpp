// SPDX-License-Identifier: BSL-1.0
//
// What the page's reader has around its snippets. AWS's SDK is the tests' double of it.
// flags: -isystem tests/adapters/aws_sdk/double -I examples
#include <evenkey/adapters/aws_sdk.hpp>
#include <evenkey/read.hpp>

#include <memory>
#include <string>
#include <utility>

#include "dynamodb/client.hpp"
#include "dynamodb/functors.hpp"

void with_the_wire_client() {
  // snippet 1
}

void with_the_sdk() {
  // snippet 2
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
  // snippet 3
}
