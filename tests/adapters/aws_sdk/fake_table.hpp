// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/adapters/aws_sdk/functors.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sdk_tests {

namespace Model = Aws::DynamoDB::Model;
using Aws::DynamoDB::DynamoDBError;
using Aws::DynamoDB::DynamoDBErrors;
using evenkey::aws_sdk::from_sdk;
using evenkey::aws_sdk::Item;
using evenkey::aws_sdk::number_value;
using evenkey::aws_sdk::string_value;
using evenkey::aws_sdk::text_of;
using evenkey::aws_sdk::to_sdk;

inline Item row(std::string_view id, std::string_view partition_key, std::string_view sort_key) {
  Item item;
  item.emplace(to_sdk("id"), string_value(id));
  item.emplace(to_sdk("gsi_pk"), string_value(partition_key));
  item.emplace(to_sdk("gsi_sk"), string_value(sort_key));
  return item;
}

inline Item key_of_id(std::string_view id) {
  Item key;
  key.emplace(to_sdk("id"), string_value(id));
  return key;
}

/// A client whose answers are made here: by a table of a few rows, unless a test says otherwise. It keeps the
/// requests as they came.
class FakeTable : public Aws::DynamoDB::DynamoDBClient {
 public:
  mutable std::vector<Item> rows;
  mutable std::vector<Model::QueryRequest> queries;
  mutable std::vector<Model::ScanRequest> scans;
  mutable std::vector<Model::UpdateItemRequest> updates;
  mutable std::vector<Model::GetItemRequest> gets;
  mutable std::vector<Model::BatchGetItemRequest> batches;
  std::size_t most_keys_answered = 100;
  std::optional<DynamoDBError> error;
  /// Whether a failed condition says what is stored.
  bool says_stored = true;

  Model::QueryOutcome Query(const Model::QueryRequest& request) const override {
    const std::lock_guard lock(mutex_);
    queries.push_back(request);
    if (error) return DynamoDBError(*error);
    const Item& values = request.GetExpressionAttributeValues();
    const std::string partition = text_of(values, ":ek_partition");
    const std::string sort = text_of(values, ":ek_sort"), upper = text_of(values, ":ek_sort_upper");
    const std::string condition = from_sdk(request.GetKeyConditionExpression());
    const auto matches = [&](const std::string& key) {
      const auto has = [&](const char* text) { return condition.find(text) != std::string::npos; };
      if (has("begins_with")) return key.starts_with(sort);
      if (has("BETWEEN")) return sort <= key && key <= upper;
      if (has("#ek_sort >= ")) return key >= sort;
      if (has("#ek_sort > ")) return key > sort;
      if (has("#ek_sort <= ")) return key <= sort;
      if (has("#ek_sort < ")) return key < sort;
      return !has("#ek_sort") || key == sort;
    };
    std::vector<Item> found;
    for (const Item& item : rows)
      if (text_of(item, "gsi_pk") == partition && matches(text_of(item, "gsi_sk"))) found.push_back(item);
    const auto place = [](const Item& item) { return text_of(item, "gsi_sk") + "|" + text_of(item, "id"); };
    std::sort(found.begin(), found.end(),
              [&](const Item& left, const Item& right) { return place(left) < place(right); });
    if (request.ScanIndexForwardHasBeenSet() && !request.GetScanIndexForward())
      std::reverse(found.begin(), found.end());
    std::size_t first = 0;
    if (request.ExclusiveStartKeyHasBeenSet())
      while (first < found.size() && place(found[first]) != place(request.GetExclusiveStartKey()))
        ++first;
    if (request.ExclusiveStartKeyHasBeenSet()) ++first;
    std::size_t last = found.size();
    if (request.LimitHasBeenSet())
      last = (std::min)(last, first + static_cast<std::size_t>(request.GetLimit()));
    Model::QueryResult result;
    Aws::Vector<Item> items(found.begin() + static_cast<std::ptrdiff_t>((std::min)(first, last)),
                            found.begin() + static_cast<std::ptrdiff_t>(last));
    if (last < found.size()) result.SetLastEvaluatedKey(items.back());
    result.SetCount(static_cast<int>(items.size()));
    result.SetScannedCount(static_cast<int>(items.size()) + 1);
    result.SetItems(std::move(items));
    result.SetConsumedCapacity(capacity(0.5));
    return result;
  }

  Model::ScanOutcome Scan(const Model::ScanRequest& request) const override {
    scans.push_back(request);
    if (error) return DynamoDBError(*error);
    Model::ScanResult result;
    result.SetItems(Aws::Vector<Item>(rows.begin(), rows.end()));
    return result;
  }

  Model::UpdateItemOutcome UpdateItem(const Model::UpdateItemRequest& request) const override {
    updates.push_back(request);
    if (error) return DynamoDBError(*error);
    const Item& values = request.GetExpressionAttributeValues();
    Item* const stored = find(request.GetKey());
    const bool first_stamp = values.find(to_sdk(":from")) == values.end();
    const std::string from = first_stamp ? "" : text_of(values, ":from");
    if (stored != nullptr && text_of(*stored, "gsi_pk") == from) {
      (*stored)[to_sdk("gsi_pk")] = string_value(text_of(values, ":to"));
      return Model::UpdateItemResult();
    }
    DynamoDBError failed(DynamoDBErrors::CONDITIONAL_CHECK_FAILED, "ConditionalCheckFailedException", "no",
                         400);
    if (stored != nullptr && says_stored) {
      Model::ConditionalCheckFailedException modeled;
      modeled.SetItem(*stored);
      failed.with(modeled);
    }
    return failed;
  }

  Model::GetItemOutcome GetItem(const Model::GetItemRequest& request) const override {
    gets.push_back(request);
    Model::GetItemResult result;
    if (const Item* const stored = find(request.GetKey())) result.SetItem(*stored);
    return result;
  }

  Model::BatchGetItemOutcome BatchGetItem(const Model::BatchGetItemRequest& request) const override {
    batches.push_back(request);
    if (error) return DynamoDBError(*error);
    Model::BatchGetItemResult result;
    Aws::Map<Aws::String, Aws::Vector<Item>> responses;
    Aws::Map<Aws::String, Model::KeysAndAttributes> left;
    for (const auto& [table, keys] : request.GetRequestItems()) {
      Aws::Vector<Item> items, left_keys;
      for (const Item& key : keys.GetKeys()) {
        if (items.size() == most_keys_answered) {
          left_keys.push_back(key);
        } else if (const Item* const stored = find(key)) {
          items.push_back(*stored);
        }
      }
      responses.emplace(table, std::move(items));
      if (left_keys.empty()) continue;
      Model::KeysAndAttributes rest(keys);
      rest.SetKeys(std::move(left_keys));
      left.emplace(table, std::move(rest));
    }
    result.SetResponses(std::move(responses));
    result.SetUnprocessedKeys(std::move(left));
    result.SetConsumedCapacity(Aws::Vector<Model::ConsumedCapacity>{capacity(1.5)});
    return result;
  }

 private:
  static Model::ConsumedCapacity capacity(double units) {
    Model::ConsumedCapacity consumed;
    consumed.SetCapacityUnits(units);
    return consumed;
  }
  Item* find(const Item& key) const {
    for (Item& item : rows)
      if (text_of(item, "id") == text_of(key, "id")) return &item;
    return nullptr;
  }

  mutable std::mutex mutex_;
};

}  // namespace sdk_tests
