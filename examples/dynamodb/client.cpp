// SPDX-License-Identifier: BSL-1.0
#include "client.hpp"

#include <evenkey/page/error_kind.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <iterator>
#include <mutex>
#include <random>
#include <utility>

#include "json.hpp"

namespace dynamodb {

namespace {

using evenkey::ErrorKind;
using Json = nlohmann::json;
using std::chrono::milliseconds;

std::string text_at(const Json& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::size_t count_at(const Json& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_number_unsigned() ? found->get<std::size_t>() : 0;
}

/// What an answer that is no success says.
Error error_of(const HttpAnswer& answer) {
  Json json = Json::parse(answer.body, nullptr, false);
  evenkey::ErrorDetails details;
  details.http_status = answer.status;
  std::string message = "HTTP status " + std::to_string(answer.status);
  ErrorExtras extras{answer.request_id, {}};
  std::vector<std::string> cancelled;
  if (json.is_object()) {
    details.name = text_at(json, "__type");
    if (const auto hash = details.name.rfind('#'); hash != std::string::npos) details.name.erase(0, hash + 1);
    for (const char* name : {"message", "Message"})
      if (std::string text = text_at(json, name); !text.empty()) message = std::move(text);
    for (const Json& reason : json.value("ThrottlingReasons", Json::array()))
      details.throttling_reasons.push_back({text_at(reason, "reason"), text_at(reason, "resource")});
    for (const Json& reason : json.value("CancellationReasons", Json::array()))
      cancelled.push_back(text_at(reason, "Code"));
    if (const auto item = json.find("Item"); item != json.end() && item->is_object()) {
      try {
        extras.stored = item_from_json(*item);
      } catch (const std::invalid_argument&) {
        // The error is what the answer is about; what was stored can be asked for.
      }
    }
  }
  const std::vector<std::string_view> reasons(cancelled.begin(), cancelled.end());
  details.kind = evenkey::classify_error(details.name, reasons, answer.status);
  if (details.name.empty()) details.name = "HTTP " + std::to_string(answer.status);
  for (const evenkey::ThrottlingReason& reason : details.throttling_reasons)
    message += " (" + reason.reason + " of " + reason.resource + ")";
  return {std::move(details), message, std::move(extras)};
}

double random_unit() {
  thread_local std::mt19937_64 engine{std::random_device{}()};
  return std::uniform_real_distribution<double>(0, 1)(engine);
}

/// AWS's rule for its own clients: full jitter over a doubling delay, longer where the store was full.
milliseconds delay_before(unsigned retry, ErrorKind kind) {
  const double base = kind == ErrorKind::throttled ? 1000.0 : 25.0;
  const double most = (std::min)(20'000.0, base * static_cast<double>(1U << (std::min)(retry, 20U)));
  return milliseconds(static_cast<milliseconds::rep>(random_unit() * most));
}

/// Waits; false where a stop or the deadline comes first.
bool wait(milliseconds delay, const CallOptions& options) {
  const auto until = std::chrono::steady_clock::now() + delay;
  if (options.deadline && *options.deadline <= until) return false;
  std::mutex mutex;
  std::condition_variable_any woken;
  std::unique_lock lock(mutex);
  woken.wait_until(lock, options.stop, until, [] { return false; });
  return !options.stop.stop_requested();
}

struct Answer {
  Json json;
  std::string request_id;
};

Answer attempt(const Http& http, std::string_view operation, const std::string& body,
               const CallOptions& options) {
  HttpAnswer answer = http.post(operation, body, options);
  if (answer.status != 200) throw error_of(answer);
  Json json = Json::parse(answer.body, nullptr, false);
  if (!json.is_object())
    throw Error({.kind = ErrorKind::transient, .name = "InvalidResponse"},
                http.config().endpoint + ": the answer is not a JSON object; is this DynamoDB?",
                {answer.request_id, {}});
  return {std::move(json), std::move(answer.request_id)};
}

[[noreturn]] void refuse_answer(const Http& http, std::string_view operation, const Answer& answer,
                                const std::string& why) {
  throw Error({.kind = ErrorKind::transient, .name = "InvalidResponse"},
              http.config().endpoint + ": the answer to " + std::string(operation) +
                  " says nothing that can be used: " + why + "; is this DynamoDB?",
              {answer.request_id, {}});
}

/// What `read` makes of the answer. One that it cannot read is as good as lost, and never an empty one.
template <class Read>
auto read_answer(const Http& http, std::string_view operation, Answer answer, const Read& read) {
  try {
    return read(answer);
  } catch (const std::invalid_argument& error) {
    refuse_answer(http, operation, answer, error.what());
  } catch (const Json::exception&) {
    // What the JSON library says of it helps nobody.
    refuse_answer(http, operation, answer, "it has another shape");
  }
}

/// Asks until there is an answer that `read` can read, or no try is left.
template <class Read>
auto call(const Http& http, std::string_view operation, const Json& input, const CallOptions& options,
          const Read& read) {
  std::string body;
  try {
    body = input.dump();
  } catch (const Json::exception&) {
    throw Error({.kind = ErrorKind::fatal, .name = "ValidationException"},
                "the request holds text that is not valid UTF-8");
  }
  for (unsigned retry = 0;; ++retry) {
    try {
      return read_answer(http, operation, attempt(http, operation, body, options), read);
    } catch (const Error& error) {
      if (!evenkey::is_retryable(error.kind()) || retry + 1 >= http.config().max_attempts ||
          !wait(delay_before(retry, error.kind()), options))
        throw;
    }
  }
}

Answer as_it_is(Answer& answer) { return std::move(answer); }

// Requests are put together from what is there: DynamoDB refuses members that are there but empty.
void put_text(Json& json, const char* name, const std::string& text) {
  if (!text.empty()) json[name] = text;
}
void put_item(Json& json, const char* name, const Item& item) {
  if (!item.empty()) json[name] = to_json(item);
}
void put_placeholders(Json& json, const Placeholders& placeholders) {
  if (!placeholders.names.empty()) json["ExpressionAttributeNames"] = placeholders.names;
  put_item(json, "ExpressionAttributeValues", placeholders.values);
}

template <class Input>
Json read_request(const Input& input) {
  Json json{{"TableName", input.table}, {"ReturnConsumedCapacity", "TOTAL"}};
  put_text(json, "IndexName", input.index);
  put_text(json, "FilterExpression", input.filter);
  put_text(json, "ProjectionExpression", input.projection);
  put_placeholders(json, input.placeholders);
  put_item(json, "ExclusiveStartKey", input.exclusive_start_key);
  if (input.limit) json["Limit"] = *input.limit;
  if (input.consistency == Consistency::strong) json["ConsistentRead"] = true;
  return json;
}

/// A member that every answer has: without it nothing is said, which is not the same as "nothing there".
Json& member(Json& json, const std::string& name, Json::value_t type) {
  const auto found = json.find(name);
  if (found == json.end()) throw std::invalid_argument("it has no " + name);
  if (found->type() != type) throw std::invalid_argument("its " + name + " is " + found->type_name());
  return *found;
}

double units_of(const Json& json) {
  const auto capacity = json.find("ConsumedCapacity");
  if (capacity == json.end() || !capacity->is_object()) return 0;
  const auto units = capacity->find("CapacityUnits");
  return units != capacity->end() && units->is_number() ? units->get<double>() : 0;
}

std::vector<Item> items_of(Json& array) {
  std::vector<Item> items;
  items.reserve(array.size());
  for (Json& item : array)
    items.push_back(item_from_json(item));
  return items;
}

ItemsOutput items_output(Answer& answer, Selected select) {
  ItemsOutput output;
  output.request_id = answer.request_id;
  Json& json = answer.json;
  if (select == Selected::count) {
    member(json, "Count", Json::value_t::number_unsigned);
  } else {
    output.items = items_of(member(json, "Items", Json::value_t::array));
  }
  // Absent at the end, or empty by DynamoDB's own words; anything else is no word of an end.
  if (json.contains("LastEvaluatedKey"))
    output.last_evaluated_key = item_from_json(member(json, "LastEvaluatedKey", Json::value_t::object));
  output.count = count_at(json, "Count");
  output.scanned_count = count_at(json, "ScannedCount");
  output.consumed_units = units_of(json);
  return output;
}

/// Of `asked` keys. Those that are neither answered nor left over are taken for missing, so an answer that
/// says nothing of the table must leave all of them over.
BatchGetOutput batch_output(Answer& answer, const std::string& table, std::size_t asked) {
  BatchGetOutput output;
  output.request_id = answer.request_id;
  if (answer.json.contains("UnprocessedKeys")) {
    Json& left = member(answer.json, "UnprocessedKeys", Json::value_t::object);
    if (left.contains(table))
      output.unprocessed_keys =
          items_of(member(member(left, table, Json::value_t::object), "Keys", Json::value_t::array));
  }
  Json& responses = member(answer.json, "Responses", Json::value_t::object);
  if (responses.contains(table) || output.unprocessed_keys.size() < asked)
    output.items = items_of(member(responses, table, Json::value_t::array));
  for (const Json& capacity : answer.json.value("ConsumedCapacity", Json::array()))
    output.consumed_units += capacity.value("CapacityUnits", 0.0);
  return output;
}

Json write_request(const WriteInput& input, const char* item_name) {
  Json json{
      {"TableName", input.table}, {item_name, to_json(input.item)}, {"ReturnConsumedCapacity", "TOTAL"}};
  put_text(json, "UpdateExpression", input.update);
  put_text(json, "ConditionExpression", input.condition);
  if (!input.condition.empty()) json["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD";
  put_placeholders(json, input.placeholders);
  return json;
}

WriteOutput write(const Http& http, const char* operation, const Json& json, const CallOptions& options) {
  return call(http, operation, json, options, [](const Answer& answer) {
    return WriteOutput{units_of(answer.json), answer.request_id};
  });
}

KeySchema key_schema(const Json& json) {
  KeySchema keys;
  for (const Json& each : json)
    (text_at(each, "KeyType") == "HASH" ? keys.partition_key : keys.sort_key) =
        text_at(each, "AttributeName");
  return keys;
}

Json key_schema_json(const KeySchema& keys) {
  Json json{{{"AttributeName", keys.partition_key}, {"KeyType", "HASH"}}};
  if (!keys.sort_key.empty()) json.push_back({{"AttributeName", keys.sort_key}, {"KeyType", "RANGE"}});
  return json;
}

IndexDescription index_described_by(const Json& json) {
  IndexDescription index;
  index.name = text_at(json, "IndexName");
  index.status = text_at(json, "IndexStatus");
  index.keys = key_schema(json.value("KeySchema", Json::array()));
  const Json warm = json.value("WarmThroughput", Json::object());
  index.warm_read_units = count_at(warm, "ReadUnitsPerSecond");
  index.warm_write_units = count_at(warm, "WriteUnitsPerSecond");
  const Json projection = json.value("Projection", Json::object());
  index.projection = text_at(projection, "ProjectionType");
  for (const Json& attribute : projection.value("NonKeyAttributes", Json::array()))
    if (attribute.is_string()) index.projected.push_back(attribute.get<std::string>());
  return index;
}

TableDescription described_by(const Json& json) {
  TableDescription described;
  described.name = text_at(json, "TableName");
  described.status = text_at(json, "TableStatus");
  described.keys = key_schema(json.value("KeySchema", Json::array()));
  described.item_count = count_at(json, "ItemCount");
  described.size_bytes = count_at(json, "TableSizeBytes");
  described.billing_mode = text_at(json.value("BillingModeSummary", Json::object()), "BillingMode");
  if (described.billing_mode.empty()) described.billing_mode = "PROVISIONED";
  described.stream_view = text_at(json.value("StreamSpecification", Json::object()), "StreamViewType");
  for (const Json& attribute : json.value("AttributeDefinitions", Json::array()))
    described.attribute_types[text_at(attribute, "AttributeName")] = text_at(attribute, "AttributeType");
  for (const Json& replica : json.value("Replicas", Json::array()))
    described.replicas.push_back(text_at(replica, "RegionName"));
  for (const Json& index : json.value("GlobalSecondaryIndexes", Json::array()))
    described.indexes.push_back(index_described_by(index));
  for (const Json& index : json.value("LocalSecondaryIndexes", Json::array()))
    described.local_indexes.push_back(index_described_by(index));
  return described;
}

/// Waits before what the server left over is asked for again; it was throttled, without an error.
void wait_for_unprocessed(unsigned round, const CallOptions& options) {
  constexpr unsigned most_rounds = 10;
  if (round >= most_rounds || !wait(delay_before(round, ErrorKind::transient), options))
    throw Error({.kind = ErrorKind::throttled, .name = "ThrottlingException"},
                "the server keeps leaving requests of a batch unprocessed");
}

}  // namespace

ItemsOutput Client::query(const QueryInput& input, const CallOptions& options) const {
  Json json = read_request(input);
  json["KeyConditionExpression"] = input.key_condition;
  if (input.forward == ScanForward::no) json["ScanIndexForward"] = false;
  if (input.select == Selected::count) json["Select"] = "COUNT";
  return call(*http_, "Query", json, options,
              [&](Answer& answer) { return items_output(answer, input.select); });
}

ItemsOutput Client::scan(const ScanInput& input, const CallOptions& options) const {
  Json json = read_request(input);
  if (input.total_segments > 1) {
    json["Segment"] = input.segment;
    json["TotalSegments"] = input.total_segments;
  }
  return call(*http_, "Scan", json, options,
              [](Answer& answer) { return items_output(answer, Selected::items); });
}

std::optional<Item> Client::get(const std::string& table, const Item& key, Consistency consistency,
                                const CallOptions& options) const {
  Json json{{"TableName", table}, {"Key", to_json(key)}};
  if (consistency == Consistency::strong) json["ConsistentRead"] = true;
  return call(*http_, "GetItem", json, options, [](Answer& answer) -> std::optional<Item> {
    if (!answer.json.contains("Item")) return std::nullopt;  // so DynamoDB answers where there is none
    return item_from_json(answer.json["Item"]);
  });
}

WriteOutput Client::put(const WriteInput& input, const CallOptions& options) const {
  return write(*http_, "PutItem", write_request(input, "Item"), options);
}
WriteOutput Client::update(const WriteInput& input, const CallOptions& options) const {
  return write(*http_, "UpdateItem", write_request(input, "Key"), options);
}
WriteOutput Client::remove(const WriteInput& input, const CallOptions& options) const {
  return write(*http_, "DeleteItem", write_request(input, "Key"), options);
}

BatchGetOutput Client::batch_get_once(const std::string& table, std::span<const Item> keys,
                                      Consistency consistency, const CallOptions& options) const {
  Json wanted = Json::array();
  for (const Item& key : keys)
    wanted.push_back(to_json(key));
  Json request{{table, {{"Keys", std::move(wanted)}}}};
  if (consistency == Consistency::strong) request[table]["ConsistentRead"] = true;
  return call(*http_, "BatchGetItem",
              {{"RequestItems", std::move(request)}, {"ReturnConsumedCapacity", "TOTAL"}}, options,
              [&](Answer& answer) { return batch_output(answer, table, keys.size()); });
}

std::vector<Item> Client::batch_get(const std::string& table, const std::vector<Item>& keys,
                                    Consistency consistency, const CallOptions& options) const {
  constexpr std::size_t most = 100;
  std::vector<Item> items;
  for (std::size_t first = 0; first < keys.size(); first += most) {
    std::vector<Item> wanted(
        keys.begin() + static_cast<std::ptrdiff_t>(first),
        keys.begin() + static_cast<std::ptrdiff_t>((std::min)(keys.size(), first + most)));
    for (unsigned round = 0; !wanted.empty(); ++round) {
      if (round != 0) wait_for_unprocessed(round, options);
      BatchGetOutput output = batch_get_once(table, wanted, consistency, options);
      std::move(output.items.begin(), output.items.end(), std::back_inserter(items));
      wanted = std::move(output.unprocessed_keys);
    }
  }
  return items;
}

void Client::batch_write(const std::string& table, const std::vector<Item>& puts,
                         const std::vector<Item>& deleted_keys, const CallOptions& options) const {
  constexpr std::size_t most = 25;
  const std::size_t total = puts.size() + deleted_keys.size();
  for (std::size_t first = 0; first < total; first += most) {
    Json writes = Json::array();
    for (std::size_t i = first; i < (std::min)(total, first + most); ++i) {
      if (i < puts.size()) {
        writes.push_back({{"PutRequest", {{"Item", to_json(puts[i])}}}});
      } else {
        writes.push_back({{"DeleteRequest", {{"Key", to_json(deleted_keys[i - puts.size()])}}}});
      }
    }
    Json request{{table, std::move(writes)}};
    for (unsigned round = 0; !request.empty(); ++round) {
      if (round != 0) wait_for_unprocessed(round, options);
      // Without the member nothing is said of the writes: they may all be left.
      request = call(*http_, "BatchWriteItem", {{"RequestItems", request}}, options, [](Answer& answer) {
        return std::move(member(answer.json, "UnprocessedItems", Json::value_t::object));
      });
    }
  }
}

void Client::create_table(const CreateTableInput& input) const {
  std::map<std::string, std::string> types;
  const auto add = [&](const std::string& attribute) {
    if (attribute.empty()) return;
    const auto said = input.attribute_types.find(attribute);
    types.emplace(attribute, said == input.attribute_types.end() ? "S" : said->second);
  };
  Json indexes = Json::array();
  add(input.keys.partition_key);
  add(input.keys.sort_key);
  for (const IndexDescription& index : input.indexes) {
    add(index.keys.partition_key);
    add(index.keys.sort_key);
    Json projection{{"ProjectionType", index.projection.empty() ? "ALL" : index.projection}};
    if (!index.projected.empty()) projection["NonKeyAttributes"] = index.projected;
    indexes.push_back({{"IndexName", index.name},
                       {"KeySchema", key_schema_json(index.keys)},
                       {"Projection", std::move(projection)}});
  }
  Json attributes = Json::array();
  for (const auto& [name, type] : types)
    attributes.push_back({{"AttributeName", name}, {"AttributeType", type}});
  Json json{{"TableName", input.table},
            {"BillingMode", "PAY_PER_REQUEST"},
            {"KeySchema", key_schema_json(input.keys)},
            {"AttributeDefinitions", std::move(attributes)}};
  if (!indexes.empty()) json["GlobalSecondaryIndexes"] = std::move(indexes);
  call(*http_, "CreateTable", json, {}, as_it_is);
}

TableDescription Client::describe_table(const std::string& table) const {
  return call(*http_, "DescribeTable", {{"TableName", table}}, {}, [](const Answer& answer) {
    TableDescription described = described_by(answer.json.value("Table", Json::object()));
    if (described.name.empty() || described.keys.partition_key.empty())
      throw std::invalid_argument("it describes no table");
    return described;
  });
}

void Client::delete_table(const std::string& table) const {
  call(*http_, "DeleteTable", {{"TableName", table}}, {}, as_it_is);
}

}  // namespace dynamodb
