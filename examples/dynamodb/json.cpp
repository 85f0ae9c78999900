// SPDX-License-Identifier: BSL-1.0
#include "json.hpp"

#include <array>
#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace dynamodb {

namespace {

using Json = nlohmann::json;

constexpr std::string_view base64_letters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::invalid_argument no_value(const std::string& what) {
  return std::invalid_argument("not an attribute value of DynamoDB: " + what);
}

std::string& text_in(Json& json) {
  if (!json.is_string()) throw no_value("text is expected, not " + std::string(json.type_name()));
  return json.get_ref<std::string&>();
}

std::vector<std::string> texts_in(Json& json) {
  if (!json.is_array()) throw no_value("a set is an array");
  std::vector<std::string> texts;
  texts.reserve(json.size());
  for (Json& each : json)
    texts.push_back(std::move(text_in(each)));
  return texts;
}

/// DynamoDB nests values 32 levels deep. What a server or a page token holds is not trusted to do so: each level
/// takes some of the stack here, and text of a few hundred kilobytes could have used up all of it.
constexpr std::size_t most_levels = 64;

AttributeValue value_at(Json& json, std::size_t level);

Item item_at(Json& json, std::size_t level) {
  if (!json.is_object()) throw no_value("an item is an object");
  if (level > most_levels) throw no_value("it is nested too deeply");
  Item item;
  for (auto member = json.begin(); member != json.end(); ++member)
    item.emplace_hint(item.end(), member.key(), value_at(member.value(), level));  // both are in order
  return item;
}

List list_at(Json& json, std::size_t level) {
  if (level > most_levels) throw no_value("it is nested too deeply");
  List list;
  list.reserve(json.size());
  for (Json& each : json)
    list.push_back(value_at(each, level));
  return list;
}

AttributeValue value_at(Json& json, std::size_t level) {
  if (!json.is_object() || json.size() != 1) throw no_value("an object with one member is expected");
  const std::string& type = json.begin().key();
  Json& value = json.begin().value();
  if (type == "S") return std::move(text_in(value));
  if (type == "N") return Number{std::move(text_in(value))};
  if (type == "M") return item_at(value, level + 1);
  if (type == "NULL") return Null{};
  if (type == "B") return Binary{from_base64(text_in(value))};
  if (type == "SS") return StringSet{texts_in(value)};
  if (type == "NS") return NumberSet{texts_in(value)};
  if (type == "BOOL" && value.is_boolean()) return value.get<bool>();
  if (type == "BS") {
    BinarySet set{texts_in(value)};
    for (std::string& bytes : set.values)
      bytes = from_base64(bytes);
    return set;
  }
  if (type == "L" && value.is_array()) return list_at(value, level + 1);
  throw no_value("type " + type);
}

struct ToJson {
  Json operator()(const Null&) const { return {{"NULL", true}}; }
  Json operator()(const std::string& text) const { return {{"S", text}}; }
  Json operator()(const Number& number) const { return {{"N", number.text}}; }
  Json operator()(const Binary& binary) const { return {{"B", to_base64(binary.bytes)}}; }
  Json operator()(bool value) const { return {{"BOOL", value}}; }
  Json operator()(const StringSet& set) const { return {{"SS", set.values}}; }
  Json operator()(const NumberSet& set) const { return {{"NS", set.values}}; }
  Json operator()(const BinarySet& set) const {
    Json values = Json::array();
    for (const std::string& bytes : set.values)
      values.push_back(to_base64(bytes));
    return {{"BS", std::move(values)}};
  }
  Json operator()(const List& list) const {
    Json values = Json::array();
    for (const AttributeValue& value : list)
      values.push_back(to_json(value));
    return {{"L", std::move(values)}};
  }
  Json operator()(const Item& item) const { return {{"M", to_json(item)}}; }
};

}  // namespace

std::string_view AttributeValue::type() const noexcept {
  static constexpr std::array<std::string_view, std::variant_size_v<Variant>> names{
      "NULL", "S", "N", "B", "BOOL", "SS", "NS", "BS", "L", "M"};
  return names[value_.index()];
}

bool operator==(const AttributeValue& left, const AttributeValue& right) {
  return left.value_ == right.value_;
}

std::string to_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::string_view three = bytes.substr(i, 3);
    std::uint32_t bits = 0;
    for (std::size_t j = 0; j < 3; ++j)
      bits = bits << 8U | (j < three.size() ? static_cast<unsigned char>(three[j]) : 0U);
    for (std::size_t j = 0; j < 4; ++j)
      text += j <= three.size() ? base64_letters[bits >> (18 - 6 * j) & 63U] : '=';
  }
  return text;
}

std::string from_base64(std::string_view text) {
  std::string bytes;
  std::uint32_t bits = 0;
  unsigned held = 0;
  for (const char letter : text) {
    if (letter == '=') break;
    const auto place = base64_letters.find(letter);
    if (place == std::string_view::npos) throw no_value("a binary value is not base64");
    bits = bits << 6U | static_cast<std::uint32_t>(place);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes += static_cast<char>(static_cast<unsigned char>(bits >> held & 255U));
  }
  return bytes;
}

Json to_json(const AttributeValue& value) { return std::visit(ToJson{}, value.get()); }

Json to_json(const Item& item) {
  Json json = Json::object();
  for (const auto& [name, value] : item)
    json.emplace(name, to_json(value));
  return json;
}

AttributeValue value_from_json(Json& json) { return value_at(json, 0); }

Item item_from_json(Json& json) { return item_at(json, 0); }

std::string to_json_text(const Item& item) {
  try {
    return to_json(item).dump();
  } catch (const Json::exception&) {
    throw std::invalid_argument("an item's text is not valid UTF-8");
  }
}

Item from_json_text(std::string_view text) {
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) throw no_value("it is not JSON");
  return item_from_json(json);
}

}  // namespace dynamodb
