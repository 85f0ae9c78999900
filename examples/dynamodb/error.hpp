// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/page/store_error.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "attribute_value.hpp"

namespace dynamodb {

/// What an answer said besides the error.
struct ErrorExtras {
  std::string request_id = {};
  /// What was stored, where a condition failed and the server says so.
  std::optional<Item> stored = {};
};

/// An error of the store or of the way to it. evenkey knows by its base what it means.
///
/// Names that DynamoDB does not have: `ConnectionFailed`, `ConnectionLost`, `RequestTimeout`, `Stopped`,
/// `ChecksumMismatch`, `InvalidResponse`, `TlsFailed`.
class Error : public evenkey::store_error {
 public:
  Error(evenkey::ErrorDetails details, std::string_view message, ErrorExtras extras = {})
      : store_error(std::move(details), message),
        extras_(std::make_shared<const ErrorExtras>(std::move(extras))) {}

  /// By which AWS finds a request again; empty where there was no answer.
  const std::string& request_id() const noexcept { return extras_->request_id; }
  const std::optional<Item>& stored() const noexcept { return extras_->stored; }

 private:
  std::shared_ptr<const ErrorExtras> extras_;
};

}  // namespace dynamodb
