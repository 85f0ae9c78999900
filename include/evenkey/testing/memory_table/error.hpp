// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/page/store_error.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace evenkey::testing {

/// What a request asks the table to do, in DynamoDB's terms.
enum class RequestKind : std::uint8_t { get_item, put_item, update_item, delete_item, query, scan };

constexpr std::string_view to_string(RequestKind kind) noexcept {
  switch (kind) {
    case RequestKind::get_item:
      return "GetItem";
    case RequestKind::put_item:
      return "PutItem";
    case RequestKind::update_item:
      return "UpdateItem";
    case RequestKind::delete_item:
      return "DeleteItem";
    case RequestKind::query:
      return "Query";
    case RequestKind::scan:
      return "Scan";
  }
  return "?";
}

constexpr bool is_write(RequestKind kind) noexcept {
  return kind == RequestKind::put_item || kind == RequestKind::update_item ||
         kind == RequestKind::delete_item;
}

using evenkey::ThrottlingReason;

/// What the table in memory throws where DynamoDB answers with an error.
///
/// A `store_error`, so that evenkey's retries know what it means, with the kind of request that met it.
/// `name()` is the exception's name as on the wire, without a prefix: `ValidationException`,
/// `ProvisionedThroughputExceededException`, `InternalServerError`, `RequestTimeout` and so on.
/// Source: AWS Developer Guide, "Error handling with DynamoDB".
class dynamodb_error : public store_error {
 public:
  /// @param name DynamoDB's name of the exception @param reasons why, where it is throttling
  dynamodb_error(std::string name, std::string_view message, RequestKind request,
                 std::vector<ThrottlingReason> reasons = {})
      : store_error(std::move(name), std::string(message).append(" [").append(to_string(request)).append("]"),
                    std::move(reasons)),
        request_(request) {}

  /// What was asked.
  RequestKind request() const noexcept { return request_; }

 private:
  RequestKind request_;
};

}  // namespace evenkey::testing

namespace evenkey::testing::detail {

inline dynamodb_error validation_error(RequestKind request, std::string_view message) {
  return {"ValidationException", message, request};
}

}  // namespace evenkey::testing::detail
