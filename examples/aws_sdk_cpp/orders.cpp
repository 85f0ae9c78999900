// SPDX-License-Identifier: BSL-1.0
//
// A sharded index read through AWS's SDK for C++: a page in order, one customer's rows, and rows of the base
// table for an index that projects keys alone.
// usage: aws_sdk_orders TABLE [CUSTOMER]
#include <evenkey/adapters/aws_sdk.hpp>
#include <evenkey/evenkey.hpp>

#include <aws/core/Aws.h>
#include <aws/dynamodb/DynamoDBClient.h>
#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace sdk = evenkey::aws_sdk;

// What the index is. Accessors return copies, as the SDK's getters do.
struct OrdersByCustomer {
  static constexpr std::string_view name = "orders-by-customer";
  using PartitionKey = evenkey::ShardedKey<"Order", evenkey::ShardPolicy<16>>;
  using SortKey = evenkey::CompositeKey<evenkey::Text, evenkey::Text>;
  using Item = sdk::Item;
  using StartKey = sdk::Item;
  static std::string sort_key(const Item& item) { return sdk::text_of(item, "gsi_sk"); }
  static std::string primary_key(const Item& item) { return sdk::text_of(item, "id"); }
  static std::string shard_by(const Item& item) { return sdk::text_of(item, "customer"); }
};

void show(const std::vector<sdk::Item>& items) {
  for (const sdk::Item& item : items)
    std::cout << "  " << sdk::text_of(item, "gsi_sk") << "  " << sdk::text_of(item, "id") << '\n';
}

int run(const std::string& table, const std::string& customer) {
  const OrdersByCustomer index;
  evenkey::PageOptions options;
  options.limit = 25;

  Aws::DynamoDB::DynamoDBClientConfiguration configuration;
  sdk::prepare(configuration, options.max_concurrency);
  if (const auto note = sdk::concurrency_note(configuration, options.max_concurrency); !note.empty())
    std::cerr << note << '\n';
  const auto client = std::make_shared<Aws::DynamoDB::DynamoDBClient>(configuration);

  const auto query = sdk::query_functor(client, table, {"gsi_pk", "gsi_sk"});
  const auto page = evenkey::read_page(index, query, options);
  std::cout << "the first 25 orders of all customers, " << page.requests << " requests\n";
  show(page.items);

  if (!customer.empty()) {
    std::cout << "orders of " << customer << ", from " << OrdersByCustomer::PartitionKey::of(customer)
              << '\n';
    show(evenkey::find(index, query, customer).items);
  }

  const auto rows = evenkey::hydrate(page.items, sdk::batch_get_functor(client, table), sdk::TableKey({"id"}),
                                     {.consistency = evenkey::Consistency::strong},
                                     evenkey::unchanged_if(sdk::SameAttributes({"gsi_pk", "gsi_sk"})));
  std::cout << "of their rows in the table " << rows.count(evenkey::Hydration::found) << " found, "
            << rows.count(evenkey::Hydration::changed) << " changed, "
            << rows.count(evenkey::Hydration::missing) << " missing\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::cerr << "usage: aws_sdk_orders TABLE [CUSTOMER]\n";
    return 2;
  }
  const Aws::SDKOptions options;
  Aws::InitAPI(options);
  int status = 1;
  try {
    status = run(argv[1], argc == 3 ? argv[2] : "");  // no client outlives it
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
  }
  Aws::ShutdownAPI(options);
  return status;
}
