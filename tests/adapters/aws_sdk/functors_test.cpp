// SPDX-License-Identifier: BSL-1.0
#include <evenkey/adapters/aws_sdk/client.hpp>
#include <evenkey/adapters/aws_sdk/error.hpp>
#include <evenkey/adapters/aws_sdk/functors.hpp>
#include <evenkey/adapters/aws_sdk/item.hpp>
#include <evenkey/read/hydrate.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "fake_table.hpp"

using namespace sdk_tests;
using namespace std::chrono_literals;
using evenkey::ErrorKind;

namespace {

#ifdef SDK_DOUBLE_OWN_STRING
static_assert(!std::same_as<Aws::String, std::string>);
#else
static_assert(std::same_as<Aws::String, std::string>);
#endif

evenkey::QueryRequest<Item> request_for(std::string_view partition_key) {
  evenkey::QueryRequest<Item> request;
  request.index_name = "by-type";
  request.partition_key = partition_key;
  return request;
}

const evenkey::aws_sdk::IndexKeyNames index_keys{"gsi_pk", "gsi_sk"};

std::shared_ptr<FakeTable> table_of(int rows) {
  auto table = std::make_shared<FakeTable>();
  for (int i = 0; i < rows; ++i)
    table->rows.push_back(row("o" + std::to_string(i), "Saga#3", "s" + std::to_string(i)));
  return table;
}

/// What the SDK makes of answers without Items and without Responses: nothing tells that they were not there.
class WithoutItems : public FakeTable {
 public:
  mutable std::size_t left_over = 0;  // keys of a batch

  Model::QueryOutcome Query(const Model::QueryRequest&) const override {
    return counted<Model::QueryResult>();
  }
  Model::ScanOutcome Scan(const Model::ScanRequest&) const override { return counted<Model::ScanResult>(); }
  Model::BatchGetItemOutcome BatchGetItem(const Model::BatchGetItemRequest& request) const override {
    Model::KeysAndAttributes rest(request.GetRequestItems().at(to_sdk("sagas")));
    Aws::Vector<Item> keys = rest.GetKeys();
    keys.resize(left_over);
    rest.SetKeys(std::move(keys));
    Aws::Map<Aws::String, Model::KeysAndAttributes> left;
    if (left_over != 0) left.emplace(to_sdk("sagas"), std::move(rest));
    Model::BatchGetItemResult result;
    result.SetUnprocessedKeys(std::move(left));
    return result;
  }

 private:
  template <class Result>
  static Result counted() {
    Result result;
    result.SetCount(3);
    result.SetScannedCount(3);
    return result;
  }
};

/// The name of the error that a call ends in, and whether it is worth another try.
template <class Call>
std::string name_of_error(const Call& call) {
  try {
    call();
  } catch (const evenkey::aws_sdk::Error& error) {
    CHECK(error.kind() == ErrorKind::transient);
    return std::string(error.name());
  }
  return "none";
}

using Traits = evenkey::start_key_traits<Item>;

}  // namespace

TEST_SUITE("aws_sdk") {
  TEST_CASE("start keys are the JSON that the wire client writes") {
    Item key = row("o1", "Saga#3", "a \"quoted\"\n\\text ä");
    key.emplace(to_sdk("version"), number_value("12345678901234567890123456789012345678"));
    const std::string bytes = Traits::encode(key);
    CHECK(bytes == R"({"gsi_pk":{"S":"Saga#3"},"gsi_sk":{"S":"a \"quoted\"\n\\text ä"},"id":{"S":"o1"},)"
                   R"("version":{"N":"12345678901234567890123456789012345678"}})");
    CHECK(Traits::decode(bytes) == key);
    CHECK(Traits::decode("{}") == Item());
  }

  TEST_CASE("what is no key is refused as a start key") {
    for (const char* bytes :
         {"", "{", "[]", "7", R"({"id":"o1"})", R"({"id":{"S":7}})", R"({"id":{"BOOL":true}})",
          R"({"id":{}})", R"({"id":{"S":"a","N":"1"}})", R"({"id":{"M":{}}})", R"({"id":{"SS":["a"]}})"}) {
      CAPTURE(bytes);
      CHECK_FALSE(Traits::decode(bytes));
    }
  }

  TEST_CASE("text of attributes is a copy, and empty where there is none") {
    Item item = row("o1", "Saga#3", "s");
    item.emplace(to_sdk("count"), number_value("42"));
    item.emplace(to_sdk("of an unknown type"), evenkey::aws_sdk::AttributeValue());
    static_assert(std::same_as<decltype(text_of(item, "id")), std::string>);
    CHECK(text_of(item, "id") == "o1");
    CHECK(text_of(item, "count") == "42");
    CHECK(text_of(item, "other").empty());
    CHECK(text_of(item, "of an unknown type").empty());
    CHECK_THROWS_AS(string_value(std::string_view("a\0b", 3)), std::invalid_argument);
  }

  TEST_CASE("errors are classified by their type, whatever ShouldThrottle says") {
    struct Case {
      DynamoDBErrors type;
      const char* name;
      int status;
      ErrorKind kind;
      const char* shown;
    };
    using E = DynamoDBErrors;
    for (const Case& each : {
             Case{E::PROVISIONED_THROUGHPUT_EXCEEDED, "ProvisionedThroughputExceededException", 400,
                  ErrorKind::throttled, "ProvisionedThroughputExceededException"},
             Case{E::REQUEST_LIMIT_EXCEEDED, "RequestLimitExceeded", 400, ErrorKind::throttled,
                  "RequestLimitExceeded"},
             Case{E::THROTTLING, "ThrottlingException", 400, ErrorKind::throttled, "ThrottlingException"},
             Case{E::INTERNAL_FAILURE, "InternalServerError", 500, ErrorKind::transient,
                  "InternalServerError"},
             Case{E::SERVICE_UNAVAILABLE, "", 503, ErrorKind::transient, "HTTP 503"},
             Case{E::NETWORK_CONNECTION, "", -1, ErrorKind::transient, "NetworkConnection"},
             Case{E::REQUEST_TIMEOUT, "", -1, ErrorKind::transient, "RequestTimeout"},
             Case{E::CONDITIONAL_CHECK_FAILED, "ConditionalCheckFailedException", 400,
                  ErrorKind::condition_failed, "ConditionalCheckFailedException"},
             Case{E::VALIDATION, "ValidationException", 400, ErrorKind::fatal, "ValidationException"},
             Case{E::RESOURCE_NOT_FOUND, "ResourceNotFoundException", 400, ErrorKind::fatal,
                  "ResourceNotFoundException"},
             // What the SDK does not know is told by its name, or else by its status.
             Case{E::UNKNOWN, "ReplicatedWriteConflictException", 400, ErrorKind::transient,
                  "ReplicatedWriteConflictException"},
             Case{E::UNKNOWN, "", 500, ErrorKind::transient, "HTTP 500"},
             Case{E::UNKNOWN, "", 400, ErrorKind::fatal, "HTTP 400"},
             Case{E::UNKNOWN, "", -1, ErrorKind::fatal, "SdkError 100"},
             Case{static_cast<E>(102), "", -1, ErrorKind::fatal, "Stopped"},
         }) {
      CAPTURE(each.shown);
      const DynamoDBError error(each.type, each.name, "why", each.status);
      CHECK_FALSE(error.ShouldThrottle());
      const evenkey::aws_sdk::Error known = evenkey::aws_sdk::error_of(error);
      CHECK(known.kind() == each.kind);
      CHECK(known.name() == each.shown);
      CHECK(known.http_status() == (each.status > 0 ? each.status : 0));
      CHECK(known.what() == std::string(each.shown) + ": why");
    }
  }

  TEST_CASE("an error keeps its request id, what was stored, and why it was throttled") {
    DynamoDBError failed(DynamoDBErrors::CONDITIONAL_CHECK_FAILED, "ConditionalCheckFailedException", "",
                         400);
    CHECK_FALSE(evenkey::aws_sdk::error_of(failed).stored());
    Model::ConditionalCheckFailedException modeled;
    modeled.SetItem(row("o1", "Saga", "s"));
    const auto known = evenkey::aws_sdk::error_of(failed.with(modeled).with_request_id("R7"));
    CHECK(known.request_id() == "R7");
    CHECK(known.stored() == row("o1", "Saga", "s"));

    DynamoDBError throttled(DynamoDBErrors::PROVISIONED_THROUGHPUT_EXCEEDED,
                            "ProvisionedThroughputExceededException", "slower", 400);
#if __has_include(<aws/dynamodb/model/ProvisionedThroughputExceededException.h>)
    Model::ThrottlingReason reason;
    reason.SetReason(to_sdk("IndexReadKeyRangeThroughputExceeded"));
    reason.SetResource(to_sdk("arn:index"));
    Model::ProvisionedThroughputExceededException why;
    why.SetThrottlingReasons(Aws::Vector<Model::ThrottlingReason>{reason});
    const auto told = evenkey::aws_sdk::error_of(throttled.with(why));
    CHECK(evenkey::is_hot_key(told.details()));
    CHECK(std::string(told.what()).find("slower (IndexReadKeyRangeThroughputExceeded of arn:index)") !=
          std::string::npos);
    // So it is called where the table is on demand.
    Model::ThrottlingException on_demand;
    on_demand.SetThrottlingReasons(Aws::Vector<Model::ThrottlingReason>{reason});
    DynamoDBError other(DynamoDBErrors::THROTTLING, "ThrottlingException", "slower", 400);
    CHECK(evenkey::is_hot_key(evenkey::aws_sdk::error_of(other.with(on_demand)).details()));
#endif
    CHECK(evenkey::classify(std::make_exception_ptr(evenkey::aws_sdk::error_of(throttled))).kind ==
          ErrorKind::throttled);
  }

  TEST_CASE("a query asks for what the request says, and sets nothing that is empty") {
    const auto table = table_of(3);
    const auto query = evenkey::aws_sdk::query_functor(table, "sagas", index_keys);
    auto request = request_for("Saga#3");
    request.exclusive_start_key = Item();
    auto page = query(request);
    CHECK(page.items.size() == 3);
    CHECK(page.scanned_count == 4);
    CHECK(page.count == 3);
    CHECK(page.consumed_read_units == 0.5);
    CHECK_FALSE(page.last_evaluated_key);
    const Model::QueryRequest& plain = table->queries.back();
    CHECK(from_sdk(plain.GetTableName()) == "sagas");
    CHECK(from_sdk(plain.GetIndexName()) == "by-type");
    CHECK(from_sdk(plain.GetKeyConditionExpression()) == "#ek_partition = :ek_partition");
    CHECK(plain.GetReturnConsumedCapacity() == Model::ReturnConsumedCapacity::TOTAL);
    CHECK_FALSE(plain.ExclusiveStartKeyHasBeenSet());
    CHECK_FALSE(plain.LimitHasBeenSet());
    CHECK_FALSE(plain.ScanIndexForwardHasBeenSet());
    CHECK_FALSE(plain.SelectHasBeenSet());
    CHECK_FALSE(plain.FilterExpressionHasBeenSet());
    CHECK_FALSE(plain.ProjectionExpressionHasBeenSet());
    CHECK_FALSE(plain.GetContinueRequestHandler());

    request.sort_key = evenkey::SortKeyCondition::begins_with("s");
    request.limit = 2;
    request.direction = evenkey::Direction::descending;
    page = query(request);
    CHECK(page.items == std::vector{table->rows[2], table->rows[1]});
    REQUIRE(page.last_evaluated_key);
    CHECK(table->queries.back().GetLimit() == 2);
    CHECK(from_sdk(table->queries.back().GetExpressionAttributeNames().at(to_sdk("#ek_sort"))) == "gsi_sk");
    request.exclusive_start_key = page.last_evaluated_key;
    page = query(request);
    CHECK(page.items == std::vector{table->rows[0]});
    CHECK(table->queries.back().GetExclusiveStartKey() == table->rows[1]);
    request.limit = 4'000'000'000U;
    query(request);
    CHECK(table->queries.back().GetLimit() == 2'147'483'647);
  }

  TEST_CASE("a query with expressions of its own, and one that counts") {
    const auto table = table_of(2);
    evenkey::aws_sdk::ReadExpressions extra;
    extra.filter = "#state = :open";
    extra.projection = "id, gsi_sk";
    extra.placeholders.names.emplace(to_sdk("#state"), to_sdk("state"));
    extra.placeholders.values.emplace(to_sdk(":open"), string_value("open"));
    const auto query = evenkey::aws_sdk::query_functor(
        table, "sagas", index_keys, [](const Item& item) { return text_of(item, "id"); }, extra);
    auto request = request_for("Saga#3");
    const evenkey::Page<std::string, Item> page = query(request);
    CHECK(page.items == std::vector<std::string>{"o0", "o1"});
    CHECK(from_sdk(table->queries[0].GetFilterExpression()) == "#state = :open");
    CHECK(from_sdk(table->queries[0].GetProjectionExpression()) == "id, gsi_sk");
    CHECK(table->queries[0].GetExpressionAttributeNames().size() == 2);
    CHECK(text_of(table->queries[0].GetExpressionAttributeValues(), ":open") == "open");
    request.select = evenkey::Select::count;
    CHECK(query(request).count == 2);
    CHECK(table->queries[1].GetSelect() == Model::Select::COUNT);
    CHECK_FALSE(table->queries[1].ProjectionExpressionHasBeenSet());
  }

  TEST_CASE("a query that fails throws what evenkey understands") {
    const auto table = table_of(2);
    table->error.emplace(DynamoDBErrors::THROTTLING, "ThrottlingException", "slower", 400);
    const auto query = evenkey::aws_sdk::query_functor(table, "sagas", index_keys);
    CHECK_THROWS_AS(query(request_for("Saga#3")), evenkey::store_error);
    CHECK_THROWS_AS(evenkey::aws_sdk::scan_functor(table, "sagas")(evenkey::ScanRequest<Item>()),
                    evenkey::aws_sdk::Error);
    CHECK_THROWS_AS(evenkey::aws_sdk::query_functor(nullptr, "sagas", index_keys), std::invalid_argument);
  }

  TEST_CASE("a page that counts items which it does not have is no empty page") {
    const auto table = std::make_shared<WithoutItems>();
    const auto query = evenkey::aws_sdk::query_functor(table, "sagas", index_keys);
    auto request = request_for("Saga#3");
    CHECK(name_of_error([&] { query(request); }) == "InvalidResponse");
    const auto scan = evenkey::aws_sdk::scan_functor(table, "sagas");
    CHECK(name_of_error([&] { scan(evenkey::ScanRequest<Item>()); }) == "InvalidResponse");
    request.select = evenkey::Select::count;
    CHECK(query(request).count == 3);
  }

  TEST_CASE("rows that a batch says nothing of are not missing") {
    const auto table = std::make_shared<WithoutItems>();
    const auto batch_get = evenkey::aws_sdk::batch_get_functor(table, "sagas");
    const std::vector<Item> keys{key_of_id("o1"), key_of_id("o2")};
    CHECK(name_of_error([&] { batch_get({.keys = keys}); }) == "InvalidResponse");
    table->left_over = 1;
    CHECK(name_of_error([&] { batch_get({.keys = keys}); }) == "InvalidResponse");
    table->left_over = 2;
    CHECK(batch_get({.keys = keys}).unprocessed_keys == keys);
  }

  TEST_CASE("a deadline and a stop end the request where the SDK asks") {
    const auto table = table_of(1);
    const auto query = evenkey::aws_sdk::query_functor(table, "sagas", index_keys);
    auto request = request_for("Saga#3");
    std::stop_source stop;
    request.stop = stop.get_token();
    query(request);
    CHECK(table->queries.back().GetContinueRequestHandler()(nullptr));
    stop.request_stop();
    CHECK_FALSE(table->queries.back().GetContinueRequestHandler()(nullptr));
    request.stop = {};
    request.deadline = std::chrono::steady_clock::now() + 1h;
    query(request);
    CHECK(table->queries.back().GetContinueRequestHandler()(nullptr));
    request.deadline = std::chrono::steady_clock::now() - 1h;
    query(request);
    CHECK_FALSE(table->queries.back().GetContinueRequestHandler()(nullptr));
  }

  TEST_CASE("a scan is strongly consistent and names its segment") {
    const auto table = table_of(3);
    const auto scan = evenkey::aws_sdk::scan_functor(table, "sagas");
    evenkey::ScanRequest<Item> request;
    CHECK(scan(request).items == table->rows);
    CHECK(table->scans.back().GetConsistentRead());
    CHECK_FALSE(table->scans.back().TotalSegmentsHasBeenSet());
    CHECK_FALSE(table->scans.back().ExclusiveStartKeyHasBeenSet());
    request.segment = 3;
    request.total_segments = 8;
    request.exclusive_start_key = key_of_id("o1");
    scan(request);
    CHECK(table->scans.back().GetSegment() == 3);
    CHECK(table->scans.back().GetTotalSegments() == 8);
    CHECK(table->scans.back().GetExclusiveStartKey() == key_of_id("o1"));
  }

  TEST_CASE("a restamp moves a row once, and tells what it finds") {
    const auto table = table_of(1);
    const Item item = table->rows[0];
    const auto restamp =
        evenkey::aws_sdk::restamp_functor<Item>(table, "sagas", "gsi_pk", evenkey::aws_sdk::TableKey({"id"}));
    static_assert(evenkey::restamp_functor<decltype(restamp), Item>);
    CHECK(restamp({item, "Saga#3", "Saga#7"}).is_moved());
    CHECK(text_of(table->rows[0], "gsi_pk") == "Saga#7");
    const Model::UpdateItemRequest& update = table->updates.back();
    CHECK(update.GetKey() == key_of_id("o0"));
    CHECK(from_sdk(update.GetUpdateExpression()) == "SET #pk = :to");
    CHECK(from_sdk(update.GetConditionExpression()) == "#pk = :from");
    CHECK(update.GetReturnValuesOnConditionCheckFailure() ==
          Model::ReturnValuesOnConditionCheckFailure::ALL_OLD);

    CHECK(restamp({item, "Saga#3", "Saga#7"}).stored_key() == "Saga#7");
    CHECK(table->gets.empty());
    table->says_stored = false;
    CHECK(restamp({item, "Saga#3", "Saga#7"}).stored_key() == "Saga#7");
    CHECK(table->gets.back().GetConsistentRead());
    table->rows.clear();
    CHECK(restamp({item, "Saga#3", "Saga#7"}).is_gone());
    table->error.emplace(DynamoDBErrors::PROVISIONED_THROUGHPUT_EXCEEDED, "", "", 400);
    CHECK_THROWS_AS(restamp({item, "Saga#3", "Saga#7"}), evenkey::store_error);
  }

  TEST_CASE("a row without a key is stamped on the condition that it exists") {
    const auto table = table_of(1);
    table->rows[0].erase(to_sdk("gsi_pk"));
    const Item item = table->rows[0];
    const auto restamp =
        evenkey::aws_sdk::restamp_functor<Item>(table, "sagas", "gsi_pk", evenkey::aws_sdk::TableKey({"id"}));
    CHECK(restamp({item, "", "Saga#7"}).is_moved());
    CHECK(from_sdk(table->updates.back().GetConditionExpression()) ==
          "attribute_exists(#id) AND attribute_not_exists(#pk)");
    CHECK(from_sdk(table->updates.back().GetExpressionAttributeNames().at(to_sdk("#id"))) == "id");
    CHECK(table->updates.back().GetExpressionAttributeValues().size() == 1);
    CHECK(restamp({item, "", "Saga#8"}).stored_key() == "Saga#7");
  }

  TEST_CASE("entries are hydrated from the base table") {
    const auto table = table_of(150);
    table->most_keys_answered = 60;
    const std::vector<Item> entries = table->rows;
    table->rows[1] = row("o1", "Saga#3", "moved");
    table->rows.erase(table->rows.begin() + 7);
    evenkey::HydrateOptions options{.consistency = evenkey::Consistency::strong};
    options.retry.base_delay = 0ns;
    const auto result = evenkey::hydrate(
        entries, evenkey::aws_sdk::batch_get_functor(table, "sagas"), evenkey::aws_sdk::TableKey({"id"}),
        options, evenkey::unchanged_if(evenkey::aws_sdk::SameAttributes({"gsi_pk", "gsi_sk"})));
    CHECK(result.requests == 3);
    CHECK(result.consumed_read_units == 4.5);
    CHECK(result.count(evenkey::Hydration::found) == 148);
    CHECK(result.items[1].state == evenkey::Hydration::changed);
    CHECK(result.items[7].state == evenkey::Hydration::missing);
    CHECK(result.items[149].row == entries[149]);
    CHECK(table->batches[0].GetRequestItems().at(to_sdk("sagas")).GetConsistentRead());
    CHECK(evenkey::hydrate(entries, evenkey::aws_sdk::batch_get_functor(table, "sagas"),
                           evenkey::aws_sdk::TableKey({"id"}), {.retry = {.base_delay = 0ns}})
              .complete());
    CHECK_FALSE(table->batches.back().GetRequestItems().at(to_sdk("sagas")).ConsistentReadHasBeenSet());
  }

  TEST_CASE("a client is prepared for as many requests as a read makes at once") {
    Aws::DynamoDB::DynamoDBClientConfiguration configuration;
    CHECK(evenkey::aws_sdk::concurrency_note(configuration, 25).empty());
    CHECK(evenkey::aws_sdk::concurrency_note(configuration, 64) ==
          "evenkey: max_concurrency is 64, but only 25 requests can be under way: maxConnections of the "
          "client is 25");
    CHECK(evenkey::aws_sdk::concurrency_note(configuration, 16, 8) ==
          "evenkey: max_concurrency is 16, but only 8 requests can be under way: the threads of the executor "
          "are 8");
    evenkey::aws_sdk::prepare(configuration);
    CHECK(configuration.maxConnections == 25);
    CHECK(configuration.retryStrategy->GetMaxAttempts() == 4);
    CHECK(configuration.enableEndpointDiscovery.has_value());
    CHECK_FALSE(configuration.enableEndpointDiscovery.value());
    evenkey::aws_sdk::prepare(configuration, 64, 1);
    CHECK(configuration.maxConnections == 64);
    CHECK(configuration.retryStrategy->GetMaxAttempts() == 1);
    CHECK(evenkey::aws_sdk::concurrency_note(configuration, 64).empty());
  }
}
