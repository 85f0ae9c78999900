// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
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

/// Why a request was throttled: DynamoDB's `ThrottlingReasons`.
struct ThrottlingReason {
  /// Such as `IndexWriteKeyRangeThroughputExceeded`, which is the hot partition.
  std::string reason;
  /// An ARN-like text that ends with the table's name, or with `/index/` and the index's name.
  std::string resource;

  friend bool operator==(const ThrottlingReason&, const ThrottlingReason&) = default;
};

/// What the table in memory throws where DynamoDB answers with an error.
///
/// `name()` is the exception's name as on the wire, without a prefix: `ValidationException`,
/// `ConditionalCheckFailedException`, `ProvisionedThroughputExceededException`, `ThrottlingException`,
/// `InternalServerError`, `RequestTimeout` and so on.
/// Source: AWS Developer Guide, "Error handling with DynamoDB".
class dynamodb_error : public std::runtime_error {
 public:
  dynamodb_error(std::string name, std::string_view message, RequestKind request,
                 std::vector<ThrottlingReason> reasons = {})
      : std::runtime_error(name + ": " + std::string(message) + " [" +
                           std::string(testing::to_string(request)) + "]"),
        details_(std::make_shared<const Details>(Details{std::move(name), std::move(reasons), request})) {}

  const std::string& name() const noexcept { return details_->name; }
  const std::vector<ThrottlingReason>& reasons() const noexcept { return details_->reasons; }
  RequestKind request() const noexcept { return details_->request; }

 private:
  struct Details {
    std::string name;
    std::vector<ThrottlingReason> reasons;
    RequestKind request;
  };
  std::shared_ptr<const Details> details_;  // so that copying an exception cannot throw
};

}  // namespace evenkey::testing

namespace evenkey::testing::detail {

inline dynamodb_error validation_error(RequestKind request, std::string_view message) {
  return {"ValidationException", message, request};
}

}  // namespace evenkey::testing::detail
