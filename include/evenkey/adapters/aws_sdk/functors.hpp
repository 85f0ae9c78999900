// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/adapters/aws_sdk/error.hpp>
#include <evenkey/adapters/aws_sdk/item.hpp>
#include <evenkey/migrate/restamp.hpp>
#include <evenkey/page.hpp>
#include <evenkey/read/hydrate/batch_get.hpp>

#include <algorithm>
#include <aws/core/utils/memory/stl/AWSVector.h>
#include <aws/dynamodb/DynamoDBClient.h>
#include <aws/dynamodb/model/BatchGetItemRequest.h>
#include <aws/dynamodb/model/GetItemRequest.h>
#include <aws/dynamodb/model/KeysAndAttributes.h>
#include <aws/dynamodb/model/QueryRequest.h>
#include <aws/dynamodb/model/ScanRequest.h>
#include <aws/dynamodb/model/UpdateItemRequest.h>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace evenkey::aws_sdk {

/// What a functor keeps: a client that was destroyed with work of it under way is a crash.
using Client = std::shared_ptr<const Aws::DynamoDB::DynamoDBClient>;

/// The attributes of the index's keys.
struct IndexKeyNames {
  std::string partition_key;  ///< attribute of the index partition key
  std::string sort_key = {};  ///< attribute of the index sort key
};

/// Placeholders of expressions and what they stand for. DynamoDB refuses those that no expression uses.
struct Placeholders {
  Aws::Map<Aws::String, Aws::String> names = {};  ///< placeholders for names, `#n`
  Item values = {};                               ///< placeholders for values, `:v`
};

/// A server-side filter and a projection beside the key condition. Their placeholders may not begin with
/// `#ek_` and `:ek_`. A projection must name what the definition's accessors look at.
struct ReadExpressions {
  std::string filter = {};         ///< a FilterExpression; empty: none
  std::string projection = {};     ///< a ProjectionExpression; empty: whole items
  Placeholders placeholders = {};  ///< that `filter` and `projection` use
};

namespace detail {

/// An answer without what it must have is as good as lost, and to be asked for again.
[[noreturn]] inline void refuse_answer(std::string_view why) {
  throw Error({.kind = ErrorKind::transient, .name = "InvalidResponse"}, why);
}

}  // namespace detail

/// A page of the SDK as one of evenkey's. Its items are copied: the SDK lets nobody move them out.
///
/// Errors: an answer that counts more items than it has → `Error`, `InvalidResponse`. One that has neither
/// items nor their count looks like an empty page: no version of the SDK tells which members an answer had.
template <class Result, class Decode>
auto page_of(const Result& result, const Decode& decode, Select select = Select::items) {
  using Row = std::remove_cvref_t<std::invoke_result_t<const Decode&, const Item&>>;
  evenkey::Page<Row, Item> page;
  const auto& items = result.GetItems();
  page.items.reserve(items.size());
  for (const Item& item : items)
    page.items.push_back(decode(item));
  // An absent key and an empty one look alike here, and both are the end.
  const auto& last_key = result.GetLastEvaluatedKey();
  if (!last_key.empty()) page.last_evaluated_key = last_key;
  page.scanned_count = static_cast<std::size_t>((std::max)(0, result.GetScannedCount()));
  page.consumed_read_units = result.GetConsumedCapacity().GetCapacityUnits();
  page.count = static_cast<std::size_t>((std::max)(0, result.GetCount()));
  if (select == Select::items && page.items.size() < page.count)
    detail::refuse_answer("the answer counts more items than it has");
  return page;
}

inline Placeholders placeholders_of(const evenkey::KeyConditionExpression& condition) {
  Placeholders placeholders;
  for (const auto& [placeholder, name] : condition.names)
    placeholders.names.emplace(to_sdk(placeholder), to_sdk(name));
  for (const auto& [placeholder, value] : condition.values)
    placeholders.values.emplace(to_sdk(placeholder), value.type == evenkey::KeyAttributeValue::Type::number
                                                         ? number_value(value.text)
                                                         : string_value(value.text));
  return placeholders;
}

namespace detail {

inline Client checked(Client client) {
  if (!client) throw std::invalid_argument("evenkey: the DynamoDB client is null");
  return client;
}

/// Ends the request where the caller no longer wants it, as far as the SDK's HTTP client asks.
template <class SdkRequest>
void set_end(SdkRequest& sdk, const std::optional<Deadline>& deadline, const std::stop_token& stop) {
  if (!deadline && !stop.stop_possible()) return;
  sdk.SetContinueRequestHandler([deadline, stop](const auto*) {
    return !stop.stop_requested() && !(deadline && std::chrono::steady_clock::now() >= *deadline);
  });
}

/// What queries and scans have in common.
template <class SdkRequest, class Request>
void set_page(SdkRequest& sdk, const std::string& table, const Request& request) {
  sdk.SetTableName(to_sdk(table));
  sdk.SetReturnConsumedCapacity(Aws::DynamoDB::Model::ReturnConsumedCapacity::TOTAL);
  // An empty start key that is set is sent, and refused.
  if (request.exclusive_start_key && !request.exclusive_start_key->empty())
    sdk.SetExclusiveStartKey(*request.exclusive_start_key);
  if (request.limit) {
    constexpr std::uint32_t most = (std::numeric_limits<std::int32_t>::max)();
    sdk.SetLimit(static_cast<int>((std::min)(*request.limit, most)));
  }
  set_end(sdk, request.deadline, request.stop);
}

}  // namespace detail

/// The query functor of an index. Shape: keeps the client.
template <class Decode = AsItem>
auto query_functor(Client client, std::string table, IndexKeyNames keys, Decode decode = {},
                   ReadExpressions extra = {}) {
  return [client = detail::checked(std::move(client)), table = std::move(table), keys = std::move(keys),
          decode = std::move(decode), extra = std::move(extra)](const evenkey::QueryRequest<Item>& request) {
    namespace Model = Aws::DynamoDB::Model;
    const evenkey::KeyConditionExpression condition = evenkey::key_condition_expression(
        {keys.partition_key, keys.sort_key}, request.partition_key, request.sort_key);
    Placeholders placeholders = placeholders_of(condition);
    placeholders.names.insert(extra.placeholders.names.begin(), extra.placeholders.names.end());
    placeholders.values.insert(extra.placeholders.values.begin(), extra.placeholders.values.end());
    Model::QueryRequest sdk;
    detail::set_page(sdk, table, request);
    sdk.SetIndexName(to_sdk(request.index_name));
    sdk.SetKeyConditionExpression(to_sdk(condition.text));
    sdk.SetExpressionAttributeNames(std::move(placeholders.names));
    sdk.SetExpressionAttributeValues(std::move(placeholders.values));
    if (!extra.filter.empty()) sdk.SetFilterExpression(to_sdk(extra.filter));
    if (request.direction == evenkey::Direction::descending) sdk.SetScanIndexForward(false);
    if (request.select == evenkey::Select::count) {
      sdk.SetSelect(Model::Select::COUNT);  // which may not stand beside a projection
    } else if (!extra.projection.empty()) {
      sdk.SetProjectionExpression(to_sdk(extra.projection));
    }
    const auto outcome = client->Query(sdk);
    return page_of(result_of(outcome), decode, request.select);
  };
}

/// The scan functor of a base table, strongly consistent, as backfill and checks want it.
template <class Decode = AsItem>
auto scan_functor(Client client, std::string table, Decode decode = {}) {
  return [client = detail::checked(std::move(client)), table = std::move(table),
          decode = std::move(decode)](const evenkey::ScanRequest<Item>& request) {
    Aws::DynamoDB::Model::ScanRequest sdk;
    detail::set_page(sdk, table, request);
    sdk.SetConsistentRead(true);
    if (request.total_segments > 1) {
      sdk.SetSegment(static_cast<int>(request.segment));
      sdk.SetTotalSegments(static_cast<int>(request.total_segments));
    }
    const auto outcome = client->Scan(sdk);
    return page_of(result_of(outcome), decode);
  };
}

/// The restamp functor of an index's mover.
///
/// @param key_of gives an item's key in the base table, as an `Item`
/// @param partition_key the attribute of the index's partition key
template <class Row, class KeyOf>
auto restamp_functor(Client client, std::string table, std::string partition_key, KeyOf key_of) {
  return [client = detail::checked(std::move(client)), table = std::move(table),
          partition_key = std::move(partition_key),
          key_of = std::move(key_of)](const evenkey::Restamp<Row>& restamp) {
    namespace Model = Aws::DynamoDB::Model;
    const Item key = key_of(restamp.item);
    std::string condition = evenkey::restamp_condition_expression();
    Placeholders placeholders;
    placeholders.names.emplace(to_sdk("#pk"), to_sdk(partition_key));
    placeholders.values.emplace(to_sdk(":to"), string_value(restamp.to));
    if (restamp.from.empty()) {
      if (key.empty()) throw std::invalid_argument("evenkey: key_of gives a row's key without any attribute");
      condition = evenkey::first_stamp_condition_expression();
      placeholders.names.emplace(to_sdk("#id"), key.begin()->first);
    } else {
      placeholders.values.emplace(to_sdk(":from"), string_value(restamp.from));
    }
    Model::UpdateItemRequest sdk;
    sdk.SetTableName(to_sdk(table));
    sdk.SetKey(key);
    sdk.SetUpdateExpression(to_sdk(evenkey::restamp_update_expression()));
    sdk.SetConditionExpression(to_sdk(condition));
    sdk.SetExpressionAttributeNames(std::move(placeholders.names));
    sdk.SetExpressionAttributeValues(std::move(placeholders.values));
    sdk.SetReturnValuesOnConditionCheckFailure(Model::ReturnValuesOnConditionCheckFailure::ALL_OLD);
    const auto outcome = client->UpdateItem(sdk);
    if (outcome.IsSuccess()) return evenkey::RestampResult::moved();
    const Error error = error_of(outcome.GetError());
    if (error.kind() != evenkey::ErrorKind::condition_failed) throw error;
    if (error.stored()) return evenkey::RestampResult::found(text_of(*error.stored(), partition_key));
    // It was deleted, or the server does not say what is stored.
    Model::GetItemRequest get;
    get.SetTableName(to_sdk(table));
    get.SetKey(key);
    get.SetConsistentRead(true);
    const auto stored = client->GetItem(get);
    const auto& got = result_of(stored);
    const auto& item = got.GetItem();
    if (item.empty()) return evenkey::RestampResult::gone();
    return evenkey::RestampResult::found(text_of(item, partition_key));
  };
}

/// The functor with which `evenkey::hydrate` completes items of an index from the base table.
///
/// Errors: an answer that says nothing of the table, though it leaves fewer keys over than were asked for →
/// `Error`, `InvalidResponse`: its rows would look missing.
inline auto batch_get_functor(Client client, std::string table) {
  return [client = detail::checked(std::move(client)),
          table = std::move(table)](const evenkey::BatchGetRequest<Item>& request) {
    namespace Model = Aws::DynamoDB::Model;
    Model::KeysAndAttributes keys;
    keys.SetKeys(Aws::Vector<Item>(request.keys.begin(), request.keys.end()));
    if (request.consistency == evenkey::Consistency::strong) keys.SetConsistentRead(true);
    Aws::Map<Aws::String, Model::KeysAndAttributes> tables;
    tables.emplace(to_sdk(table), std::move(keys));
    Model::BatchGetItemRequest sdk;
    sdk.SetRequestItems(std::move(tables));
    sdk.SetReturnConsumedCapacity(Model::ReturnConsumedCapacity::TOTAL);
    detail::set_end(sdk, request.deadline, request.stop);
    const auto outcome = client->BatchGetItem(sdk);
    const auto& result = result_of(outcome);
    evenkey::BatchGetAnswer<Item, Item> answer;
    const auto& responses = result.GetResponses();
    const auto rows = responses.find(to_sdk(table));
    if (rows != responses.end()) answer.items.assign(rows->second.begin(), rows->second.end());
    const auto& left = result.GetUnprocessedKeys();
    if (const auto found = left.find(to_sdk(table)); found != left.end()) {
      const auto& left_keys = found->second.GetKeys();
      answer.unprocessed_keys.assign(left_keys.begin(), left_keys.end());
    }
    if (rows == responses.end() && answer.unprocessed_keys.size() < request.keys.size())
      detail::refuse_answer("the answer has no responses of the table");
    for (const auto& capacity : result.GetConsumedCapacity())
      answer.consumed_read_units += capacity.GetCapacityUnits();
    return answer;
  };
}

}  // namespace evenkey::aws_sdk
