// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/page/error_kind.hpp>

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace evenkey {

/// One of DynamoDB's `ThrottlingReasons`: why a request was throttled, and by what.
///
/// Source: AWS API reference, ThrottlingReason.
struct ThrottlingReason {
  /// Such as `IndexReadKeyRangeThroughputExceeded`.
  std::string reason;
  /// The ARN of the table or index: for a base write it may name an index (back-pressure).
  std::string resource;

  friend bool operator==(const ThrottlingReason&, const ThrottlingReason&) = default;
};

/// Whether a throttling reason says that one physical partition was at its limit: a hot key.
///
/// More capacity of the table does not help then. More shards do, unless it is one id that is hot.
constexpr bool is_hot_key(std::string_view reason) noexcept {
  return reason.ends_with("KeyRangeThroughputExceeded");
}

/// Whether any of the throttling reasons is a hot key. Takes `ThrottlingReason`s or alike.
template <class Reasons>
requires requires(const Reasons& reasons) { std::string_view(reasons.begin()->reason); }
constexpr bool is_hot_key(const Reasons& reasons) {
  for (const auto& reason : reasons) {
    if (is_hot_key(std::string_view(reason.reason))) return true;
  }
  return false;
}

/// What evenkey knows of an error of the store.
struct ErrorDetails {
  ErrorKind kind = ErrorKind::fatal;  ///< whether another attempt may help
  /// As the store named it; empty where nothing is known.
  std::string name = {};
  std::vector<ThrottlingReason> throttling_reasons = {};  ///< what lacked capacity, where the store told
  int http_status = 0;                                    ///< 0 where there was none
};

/// Whether the error was a hot key.
inline bool is_hot_key(const ErrorDetails& details) { return is_hot_key(details.throttling_reasons); }

/// An error of the store, as a query functor or a writer can throw it so that evenkey knows what it means.
///
/// Throw it, or a class derived from it, where the client gives error codes; for a client with exceptions of
/// its own see `ClassifyAs` in `<evenkey/read/retry.hpp>`.
/// Shape: copying shares the details and cannot throw.
class store_error : public std::runtime_error {
 public:
  /// The kind is worked out from the name: `store_error("ThrottlingException", "Rate exceeded")`.
  store_error(std::string name, std::string_view message, std::vector<ThrottlingReason> reasons = {},
              int http_status = 0)
      : store_error(details_of(std::move(name), std::move(reasons), http_status), message) {}

  /// For who knows better than the name: a cancelled transaction, a client's own code for a time-out.
  store_error(ErrorDetails details, std::string_view message)
      : std::runtime_error(details.name + ": " + std::string(message)),
        details_(std::make_shared<const ErrorDetails>(std::move(details))) {}

  /// As the store named it.
  const std::string& name() const noexcept { return details_->name; }
  /// Whether another attempt may help.
  ErrorKind kind() const noexcept { return details_->kind; }
  /// What lacked capacity, where the store told.
  const std::vector<ThrottlingReason>& reasons() const noexcept { return details_->throttling_reasons; }
  /// 0 where there was none.
  int http_status() const noexcept { return details_->http_status; }
  const ErrorDetails& details() const noexcept { return *details_; }

 private:
  static ErrorDetails details_of(std::string name, std::vector<ThrottlingReason> reasons, int http_status) {
    const ErrorKind kind = classify_error(name, {}, http_status);
    return {kind, std::move(name), std::move(reasons), http_status};
  }

  std::shared_ptr<const ErrorDetails> details_;
};

}  // namespace evenkey
