// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <any>
#include <memory>
#include <utility>

#include "core.hpp"

namespace Aws::DynamoDB {

namespace Model {

/// Getters give copies; a copy of a value shares what it holds; an empty one has no type to ask for.
class AttributeValue {
 public:
  AttributeValue() = default;
  explicit AttributeValue(const String& s) { SetS(s); }
  AttributeValue(Utils::Json::JsonView json) {
    for (const char* type : {"S", "N"})
      if (json.ValueExists(type)) held_ = std::make_shared<const Held>(Held{type, json.GetString(type)});
  }
  const String GetS() const { return text("S"); }
  AttributeValue& SetS(const String& s) { return set("S", s); }
  AttributeValue& SetS(const char* s) { return SetS(String(s)); }
  const String GetN() const { return text("N"); }
  AttributeValue& SetN(const String& n) { return set("N", n); }
  AttributeValue& SetN(const char* n) { return SetN(String(n)); }
  AttributeValue& SetN(int) = delete;  // numbers go through text here
  Utils::Json::JsonValue Jsonize() const {
    Utils::Json::JsonValue json;
    if (held_) json.WithString(held_->type, held_->value);
    return json;
  }
  bool operator==(const AttributeValue& other) const {
    if (!held_ || !other.held_) return held_ == other.held_;
    return held_->type == other.held_->type && held_->value == other.held_->value;
  }

 private:
  struct Held {
    String type;
    String value;
  };
  String text(const char* type) const { return held_ && held_->type == type ? held_->value : String(); }
  AttributeValue& set(const char* type, const String& value) {
    held_ = std::make_shared<const Held>(Held{type, value});
    return *this;
  }
  std::shared_ptr<const Held> held_;
};

using SdkItem = Map<String, AttributeValue>;
using SdkNames = Map<String, String>;
using SdkItems = Vector<SdkItem>;

enum class Select { NOT_SET, ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES, SPECIFIC_ATTRIBUTES, COUNT };
enum class ReturnConsumedCapacity { NOT_SET, INDEXES, TOTAL, NONE };
enum class ReturnValuesOnConditionCheckFailure { NOT_SET, ALL_OLD, NONE };

class ConsumedCapacity {
  SDK_DOUBLE_PLAIN_MEMBER(double, CapacityUnits);
};

class SdkRequest {
 public:
  virtual ~SdkRequest() = default;
  virtual void SetContinueRequestHandler(const Http::ContinueRequestHandler& handler) { handler_ = handler; }
  virtual void SetContinueRequestHandler(Http::ContinueRequestHandler&& handler) {
    handler_ = std::move(handler);
  }
  virtual const Http::ContinueRequestHandler& GetContinueRequestHandler() const { return handler_; }

 private:
  Http::ContinueRequestHandler handler_;
};

class QueryRequest : public SdkRequest {
  SDK_DOUBLE_MEMBER(String, TableName);
  SDK_DOUBLE_MEMBER(String, IndexName);
  SDK_DOUBLE_MEMBER(Select, Select);
  SDK_DOUBLE_PLAIN_MEMBER(int, Limit);
  SDK_DOUBLE_PLAIN_MEMBER(bool, ScanIndexForward);
  SDK_DOUBLE_MEMBER(SdkItem, ExclusiveStartKey);
  SDK_DOUBLE_MEMBER(ReturnConsumedCapacity, ReturnConsumedCapacity);
  SDK_DOUBLE_MEMBER(String, ProjectionExpression);
  SDK_DOUBLE_MEMBER(String, FilterExpression);
  SDK_DOUBLE_MEMBER(String, KeyConditionExpression);
  SDK_DOUBLE_MEMBER(SdkNames, ExpressionAttributeNames);
  SDK_DOUBLE_MEMBER(SdkItem, ExpressionAttributeValues);
};
class ScanRequest : public SdkRequest {
  SDK_DOUBLE_MEMBER(String, TableName);
  SDK_DOUBLE_PLAIN_MEMBER(int, Limit);
  SDK_DOUBLE_MEMBER(SdkItem, ExclusiveStartKey);
  SDK_DOUBLE_MEMBER(ReturnConsumedCapacity, ReturnConsumedCapacity);
  SDK_DOUBLE_PLAIN_MEMBER(int, Segment);
  SDK_DOUBLE_PLAIN_MEMBER(int, TotalSegments);
  SDK_DOUBLE_PLAIN_MEMBER(bool, ConsistentRead);
};
class QueryResult {
  SDK_DOUBLE_MEMBER(SdkItems, Items);
  SDK_DOUBLE_PLAIN_MEMBER(int, Count);
  SDK_DOUBLE_PLAIN_MEMBER(int, ScannedCount);
  SDK_DOUBLE_MEMBER(SdkItem, LastEvaluatedKey);
  SDK_DOUBLE_MEMBER(ConsumedCapacity, ConsumedCapacity);
};
class ScanResult : public QueryResult {};

class UpdateItemRequest : public SdkRequest {
  SDK_DOUBLE_MEMBER(String, TableName);
  SDK_DOUBLE_MEMBER(SdkItem, Key);
  SDK_DOUBLE_MEMBER(String, UpdateExpression);
  SDK_DOUBLE_MEMBER(String, ConditionExpression);
  SDK_DOUBLE_MEMBER(SdkNames, ExpressionAttributeNames);
  SDK_DOUBLE_MEMBER(SdkItem, ExpressionAttributeValues);
  SDK_DOUBLE_MEMBER(ReturnValuesOnConditionCheckFailure, ReturnValuesOnConditionCheckFailure);
};
class UpdateItemResult {};
class GetItemRequest : public SdkRequest {
  SDK_DOUBLE_MEMBER(String, TableName);
  SDK_DOUBLE_MEMBER(SdkItem, Key);
  SDK_DOUBLE_PLAIN_MEMBER(bool, ConsistentRead);
};
class GetItemResult {
  SDK_DOUBLE_MEMBER(SdkItem, Item);
};

class KeysAndAttributes {
  SDK_DOUBLE_MEMBER(SdkItems, Keys);
  SDK_DOUBLE_PLAIN_MEMBER(bool, ConsistentRead);
};
using SdkKeys = Map<String, KeysAndAttributes>;
using SdkResponses = Map<String, SdkItems>;
using SdkCapacities = Vector<ConsumedCapacity>;
class BatchGetItemRequest : public SdkRequest {
  SDK_DOUBLE_MEMBER(SdkKeys, RequestItems);
  SDK_DOUBLE_MEMBER(ReturnConsumedCapacity, ReturnConsumedCapacity);
};
class BatchGetItemResult {
  SDK_DOUBLE_MEMBER(SdkResponses, Responses);
  SDK_DOUBLE_MEMBER(SdkKeys, UnprocessedKeys);
  SDK_DOUBLE_MEMBER(SdkCapacities, ConsumedCapacity);
};

class ConditionalCheckFailedException {
  SDK_DOUBLE_MEMBER(SdkItem, Item);
};

}  // namespace Model

enum class DynamoDBErrors {
  INTERNAL_FAILURE = 1,
  SERVICE_UNAVAILABLE = 12,
  THROTTLING = 13,
  VALIDATION = 14,
  ACCESS_DENIED = 15,
  RESOURCE_NOT_FOUND = 16,
  SLOW_DOWN = 19,
  REQUEST_TIMEOUT = 24,
  NETWORK_CONNECTION = 99,
  UNKNOWN = 100,
  CONDITIONAL_CHECK_FAILED = 131,
  LIMIT_EXCEEDED = 145,
  PROVISIONED_THROUGHPUT_EXCEEDED = 148,
  REQUEST_LIMIT_EXCEEDED = 151,
  TRANSACTION_CONFLICT = 157,
  TRANSACTION_IN_PROGRESS = 158
};

class DynamoDBError {
 public:
  DynamoDBError() = default;
  DynamoDBError(DynamoDBErrors type, const char* name, const char* message, int status)
      : type_(type), name_(name), message_(message), status_(status) {}
  DynamoDBErrors GetErrorType() const { return type_; }
  const String& GetExceptionName() const { return name_; }
  const String& GetMessage() const { return message_; }
  const String& GetRequestId() const { return request_id_; }
  Http::HttpResponseCode GetResponseCode() const { return static_cast<Http::HttpResponseCode>(status_); }
  /// As in the SDK: false for what DynamoDB throttles with.
  bool ShouldThrottle() const { return false; }
  template <class T>
  T GetModeledError() {
    const T* const held = std::any_cast<T>(&modeled_);
    return held == nullptr ? T() : *held;
  }

  // Only of the double: what the SDK reads from an answer.
  DynamoDBError& with(std::any modeled) {
    modeled_ = std::move(modeled);
    return *this;
  }
  DynamoDBError& with_request_id(const char* id) {
    request_id_ = id;
    return *this;
  }

 private:
  DynamoDBErrors type_ = DynamoDBErrors::UNKNOWN;
  String name_;
  String message_;
  String request_id_;
  int status_ = -1;
  std::any modeled_;
};

namespace Model {
using QueryOutcome = Utils::Outcome<QueryResult, DynamoDBError>;
using ScanOutcome = Utils::Outcome<ScanResult, DynamoDBError>;
using UpdateItemOutcome = Utils::Outcome<UpdateItemResult, DynamoDBError>;
using GetItemOutcome = Utils::Outcome<GetItemResult, DynamoDBError>;
using BatchGetItemOutcome = Utils::Outcome<BatchGetItemResult, DynamoDBError>;
}  // namespace Model

struct DynamoDBClientConfiguration : Client::ClientConfiguration {};

/// No server behind it: tests derive from it, as programs do for theirs.
class DynamoDBClient {
 public:
  DynamoDBClient() = default;
  explicit DynamoDBClient(const DynamoDBClientConfiguration&) {}
  virtual ~DynamoDBClient() = default;
  virtual Model::QueryOutcome Query(const Model::QueryRequest&) const { return unreachable(); }
  virtual Model::ScanOutcome Scan(const Model::ScanRequest&) const { return unreachable(); }
  virtual Model::UpdateItemOutcome UpdateItem(const Model::UpdateItemRequest&) const { return unreachable(); }
  virtual Model::GetItemOutcome GetItem(const Model::GetItemRequest&) const { return unreachable(); }
  virtual Model::BatchGetItemOutcome BatchGetItem(const Model::BatchGetItemRequest&) const {
    return unreachable();
  }

 private:
  static DynamoDBError unreachable() { return {DynamoDBErrors::NETWORK_CONNECTION, "", "no server", -1}; }
};

}  // namespace Aws::DynamoDB
