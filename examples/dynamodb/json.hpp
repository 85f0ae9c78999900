// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "attribute_value.hpp"

namespace dynamodb {

/// Attribute values as the wire has them: `{"S": "text"}`, `{"N": "42"}`, `{"L": [ … ]}`.
/// Errors of the way back: another shape → `std::invalid_argument`.
nlohmann::json to_json(const AttributeValue& value);
nlohmann::json to_json(const Item& item);
AttributeValue value_from_json(nlohmann::json& json);
Item item_from_json(nlohmann::json& json);

std::string to_base64(std::string_view bytes);
std::string from_base64(std::string_view text);

}  // namespace dynamodb
