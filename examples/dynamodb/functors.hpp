// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/migrate/restamp.hpp>
#include <evenkey/page.hpp>
#include <evenkey/read/hydrate/batch_get.hpp>
#include <evenkey/read/start_key_traits.hpp>

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "client.hpp"

// The client as evenkey wants it: a query, a scan, a restamp and a batch-get functor. An index definition for
// them has `using StartKey = dynamodb::Item`.

/// Start keys in page tokens and checkpoints are DynamoDB's own JSON.
template <>
struct evenkey::start_key_traits<dynamodb::Item> {
  static std::string encode(const dynamodb::Item& key) { return dynamodb::to_json_text(key); }
  static std::optional<dynamodb::Item> decode(std::string_view bytes) {
    try {
      return dynamodb::from_json_text(bytes);
    } catch (const std::invalid_argument&) {
      return std::nullopt;
    }
  }
};

namespace dynamodb {

/// The attributes of the index's keys.
struct IndexKeyNames {
  std::string partition_key;
  std::string sort_key = {};  // empty: the index has none
};

/// Gives items as they are; where the definition's `Item` is a type of the program's own, write one that
/// makes it from an `Item&&`.
struct AsItem {
  Item operator()(Item&& item) const { return std::move(item); }
};

/// A server-side filter and a projection beside the key condition. Their placeholders may not begin with
/// `#ek_` and `:ek_`. A projection must name what the definition's accessors look at.
struct ReadExpressions {
  std::string filter = {};
  std::string projection = {};
  Placeholders placeholders = {};
};

/// A page of the store as one of evenkey's.
template <class Decode>
auto page_of(ItemsOutput&& output, const Decode& decode) {
  using Row = std::remove_cvref_t<std::invoke_result_t<const Decode&, Item&&>>;
  evenkey::Page<Row, Item> page;
  page.items.reserve(output.items.size());
  for (Item& item : output.items)
    page.items.push_back(decode(std::move(item)));
  if (!output.last_evaluated_key.empty()) page.last_evaluated_key = std::move(output.last_evaluated_key);
  page.scanned_count = output.scanned_count;
  page.consumed_read_units = output.consumed_units;
  page.count = output.count;
  return page;
}

inline Placeholders placeholders_of(const evenkey::KeyConditionExpression& condition) {
  Placeholders placeholders;
  for (const auto& [placeholder, name] : condition.names)
    placeholders.names.emplace(placeholder, name);
  for (const auto& [placeholder, value] : condition.values) {
    if (value.type == evenkey::KeyAttributeValue::Type::number) {
      placeholders.values.emplace(placeholder, Number{value.text});
    } else {
      placeholders.values.emplace(placeholder, value.text);
    }
  }
  return placeholders;
}

/// The query functor of an index. Shape: keeps the client, which is cheap to copy.
template <class Decode = AsItem>
auto query_functor(Client client, std::string table, IndexKeyNames keys, Decode decode = {},
                   ReadExpressions extra = {}) {
  return [client = std::move(client), table = std::move(table), keys = std::move(keys),
          decode = std::move(decode), extra = std::move(extra)](const evenkey::QueryRequest<Item>& request) {
    const evenkey::KeyConditionExpression condition = evenkey::key_condition_expression(
        {keys.partition_key, keys.sort_key}, request.partition_key, request.sort_key);
    QueryInput input{.table = table,
                     .index = std::string(request.index_name),
                     .key_condition = condition.text,
                     .filter = extra.filter,
                     .placeholders = placeholders_of(condition),
                     .exclusive_start_key = request.exclusive_start_key.value_or(Item{}),
                     .limit = request.limit};
    if (request.direction == evenkey::Direction::descending) input.forward = ScanForward::no;
    if (request.select == evenkey::Select::count) {
      input.select = Selected::count;  // which may not stand beside a projection
    } else {
      input.projection = extra.projection;
    }
    input.placeholders.names.insert(extra.placeholders.names.begin(), extra.placeholders.names.end());
    input.placeholders.values.insert(extra.placeholders.values.begin(), extra.placeholders.values.end());
    return page_of(client.query(input, {request.deadline, request.stop}), decode);
  };
}

/// The scan functor of a base table, strongly consistent, as backfill and checks want it.
template <class Decode = AsItem>
auto scan_functor(Client client, std::string table, Decode decode = {}) {
  return [client = std::move(client), table = std::move(table),
          decode = std::move(decode)](const evenkey::ScanRequest<Item>& request) {
    const ScanInput input{.table = table,
                          .exclusive_start_key = request.exclusive_start_key.value_or(Item{}),
                          .limit = request.limit,
                          .segment = request.segment,
                          .total_segments = request.total_segments,
                          .consistency = Consistency::strong};
    return page_of(client.scan(input, {request.deadline, request.stop}), decode);
  };
}

/// The restamp functor of an index's mover.
///
/// @param key_of gives an item's key in the base table, as an `Item`
/// @param partition_key the attribute of the index's partition key
template <class Row, class KeyOf>
auto restamp_functor(Client client, std::string table, std::string partition_key, KeyOf key_of) {
  return [client = std::move(client), table = std::move(table), partition_key = std::move(partition_key),
          key_of = std::move(key_of)](const evenkey::Restamp<Row>& restamp) {
    WriteInput input{.table = table,
                     .item = key_of(restamp.item),
                     .update = evenkey::restamp_update_expression(),
                     .condition = evenkey::restamp_condition_expression(),
                     .placeholders = {{{"#pk", partition_key}}, {{":to", restamp.to}}}};
    if (restamp.from.empty()) {
      input.condition = evenkey::first_stamp_condition_expression();
      input.placeholders.names.emplace("#id", input.item.begin()->first);
    } else {
      input.placeholders.values.emplace(":from", restamp.from);
    }
    try {
      client.update(input);
      return evenkey::RestampResult::moved();
    } catch (const Error& error) {
      if (error.kind() != evenkey::ErrorKind::condition_failed) throw;
      if (error.stored())
        return evenkey::RestampResult::found(std::string(text_of(*error.stored(), partition_key)));
    }
    // It was deleted, or the server does not say what is stored.
    const std::optional<Item> stored = client.get(table, input.item, Consistency::strong);
    if (!stored) return evenkey::RestampResult::gone();
    return evenkey::RestampResult::found(std::string(text_of(*stored, partition_key)));
  };
}

/// The functor with which `evenkey::hydrate` completes items of an index from the base table.
inline auto batch_get_functor(Client client, std::string table) {
  return
      [client = std::move(client), table = std::move(table)](const evenkey::BatchGetRequest<Item>& request) {
        const Consistency consistency =
            request.consistency == evenkey::Consistency::strong ? Consistency::strong : Consistency::eventual;
        BatchGetOutput output =
            client.batch_get_once(table, request.keys, consistency, {request.deadline, request.stop});
        return evenkey::BatchGetAnswer<Item, Item>{std::move(output.items),
                                                   std::move(output.unprocessed_keys), output.consumed_units};
      };
}

/// The part of an item that these attributes are: its key in the base table, as `evenkey::hydrate` and
/// `restamp_functor` want it. Attributes that the item lacks are left out.
class TableKey {
 public:
  explicit TableKey(std::vector<std::string> attributes) : attributes_(std::move(attributes)) {}
  Item operator()(const Item& item) const {
    Item key;
    for (const std::string& name : attributes_)
      if (const auto found = item.find(name); found != item.end()) key.insert(*found);
    return key;
  }

 private:
  std::vector<std::string> attributes_;
};

/// Whether an index's entry and its row still have the same values of these attributes, for
/// `evenkey::unchanged_if`.
class SameAttributes {
 public:
  explicit SameAttributes(std::vector<std::string> attributes) : attributes_(std::move(attributes)) {}
  bool operator()(const Item& entry, const Item& row) const { return attributes_(entry) == attributes_(row); }

 private:
  TableKey attributes_;
};

}  // namespace dynamodb
