// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/adapters/aws_sdk/item.hpp>
#include <evenkey/page/error_kind.hpp>
#include <evenkey/page/store_error.hpp>

#include <aws/core/client/CoreErrors.h>
#include <aws/dynamodb/DynamoDBErrors.h>
#include <aws/dynamodb/model/ConditionalCheckFailedException.h>
#if __has_include(<aws/dynamodb/model/ProvisionedThroughputExceededException.h>)
#include <aws/dynamodb/model/ProvisionedThroughputExceededException.h>
#endif
#if __has_include(<aws/dynamodb/model/ThrottlingException.h>)
#include <aws/dynamodb/model/ThrottlingException.h>
#endif

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace evenkey::aws_sdk {

/// What an answer said besides the error.
struct ErrorExtras {
  std::string request_id = {};  ///< of AWS, for its support
  /// What was stored, where a condition failed and the server says so.
  std::optional<Item> stored = {};
};

/// An error of the store or of the way to it. evenkey knows by its base what it means.
///
/// Names that DynamoDB does not have: `NetworkConnection`, `RequestTimeout`, `Stopped`, `InvalidResponse`.
class Error : public evenkey::store_error {
 public:
  /// @param message the store's own words
  Error(evenkey::ErrorDetails details, std::string_view message, ErrorExtras extras = {})
      : store_error(std::move(details), message),
        extras_(std::make_shared<const ErrorExtras>(std::move(extras))) {}

  /// By which AWS finds a request again; empty where there was no answer.
  const std::string& request_id() const noexcept { return extras_->request_id; }
  /// The item as it is stored, where a failed condition told it.
  const std::optional<Item>& stored() const noexcept { return extras_->stored; }

 private:
  std::shared_ptr<const ErrorExtras> extras_;
};

/// What an error means, by its type; empty where the type does not tell, but the name or the status may.
///
/// `ShouldThrottle()` is no help: it is false for ProvisionedThroughputExceeded and RequestLimitExceeded.
inline std::optional<ErrorKind> kind_of(Aws::DynamoDB::DynamoDBErrors type) noexcept {
  using Type = Aws::DynamoDB::DynamoDBErrors;
  switch (type) {
    case Type::PROVISIONED_THROUGHPUT_EXCEEDED:
    case Type::REQUEST_LIMIT_EXCEEDED:
    case Type::LIMIT_EXCEEDED:
    case Type::THROTTLING:
    case Type::SLOW_DOWN:
      return ErrorKind::throttled;
    case Type::INTERNAL_FAILURE:
    case Type::SERVICE_UNAVAILABLE:
    case Type::REQUEST_TIMEOUT:
    case Type::NETWORK_CONNECTION:
    case Type::TRANSACTION_CONFLICT:
    case Type::TRANSACTION_IN_PROGRESS:
      return ErrorKind::transient;
    case Type::CONDITIONAL_CHECK_FAILED:
      return ErrorKind::condition_failed;
    case Type::VALIDATION:
    case Type::ACCESS_DENIED:
    case Type::RESOURCE_NOT_FOUND:
      return ErrorKind::fatal;
    default:
      return std::nullopt;
  }
}

namespace detail {

inline std::string name_of(const Aws::DynamoDB::DynamoDBError& error, int status) {
  using Type = Aws::DynamoDB::DynamoDBErrors;
  const Type type = error.GetErrorType();
  if (std::string name = from_sdk(error.GetExceptionName()); !name.empty()) return name;
  if (type == Type::NETWORK_CONNECTION) return "NetworkConnection";
  if (type == Type::REQUEST_TIMEOUT) return "RequestTimeout";
  if (static_cast<int>(type) == static_cast<int>(Aws::Client::CoreErrors::USER_CANCELLED)) return "Stopped";
  return status > 0 ? "HTTP " + std::to_string(status) : "SdkError " + std::to_string(static_cast<int>(type));
}

template <class Modeled>
std::vector<ThrottlingReason> reasons_in(
    Aws::DynamoDB::DynamoDBError error) {  // a copy: the getter is not const
  std::vector<ThrottlingReason> reasons;
  const Modeled modeled = error.GetModeledError<Modeled>();
  for (const auto& reason : modeled.GetThrottlingReasons())
    reasons.push_back({from_sdk(reason.GetReason()), from_sdk(reason.GetResource())});
  return reasons;
}

/// Newer SDKs tell why a request was throttled.
inline std::vector<ThrottlingReason> throttling_reasons_of(const Aws::DynamoDB::DynamoDBError& error) {
  [[maybe_unused]] const Aws::DynamoDB::DynamoDBErrors type = error.GetErrorType();
#if __has_include(<aws/dynamodb/model/ProvisionedThroughputExceededException.h>)
  if (type == Aws::DynamoDB::DynamoDBErrors::PROVISIONED_THROUGHPUT_EXCEEDED)
    return reasons_in<Aws::DynamoDB::Model::ProvisionedThroughputExceededException>(error);
#endif
#if __has_include(<aws/dynamodb/model/ThrottlingException.h>)
  if (type == Aws::DynamoDB::DynamoDBErrors::THROTTLING)
    return reasons_in<Aws::DynamoDB::Model::ThrottlingException>(error);
#endif
  return {};
}

inline std::optional<Item> stored_of(const Aws::DynamoDB::DynamoDBError& error) {
  using Modeled = Aws::DynamoDB::Model::ConditionalCheckFailedException;
  if (error.GetErrorType() != Aws::DynamoDB::DynamoDBErrors::CONDITIONAL_CHECK_FAILED) return std::nullopt;
  Aws::DynamoDB::DynamoDBError copy(error);  // the getter is not const
  const Modeled modeled = copy.GetModeledError<Modeled>();
  if (!modeled.ItemHasBeenSet()) return std::nullopt;
  return modeled.GetItem();
}

}  // namespace detail

/// The SDK's error as one that evenkey understands.
inline Error error_of(const Aws::DynamoDB::DynamoDBError& error) {
  const int status = static_cast<int>(error.GetResponseCode());
  evenkey::ErrorDetails details;
  details.name = detail::name_of(error, status);
  details.http_status = status > 0 ? status : 0;  // -1: the request was not made
  details.throttling_reasons = detail::throttling_reasons_of(error);
  const std::optional<ErrorKind> kind = kind_of(error.GetErrorType());
  details.kind = kind ? *kind : evenkey::classify_error(details.name, {}, details.http_status);
  std::string message = from_sdk(error.GetMessage());
  for (const ThrottlingReason& reason : details.throttling_reasons)
    message += " (" + reason.reason + " of " + reason.resource + ")";
  return {std::move(details), message, {from_sdk(error.GetRequestId()), detail::stored_of(error)}};
}

/// The result of an outcome.
/// Errors: throws `Error` where there is none. An outcome holds both at once, so it has to be asked.
template <class Outcome>
decltype(auto) result_of(const Outcome& outcome) {
  if (!outcome.IsSuccess()) throw error_of(outcome.GetError());
  return outcome.GetResult();
}

}  // namespace evenkey::aws_sdk
