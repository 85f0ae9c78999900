// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace evenkey {

/// What an error of the store means for whoever thinks of asking again.
enum class ErrorKind : std::uint8_t {
  /// The store had no capacity for it: ask again, later.
  throttled,
  /// The store or the way to it failed, or another transaction was in the way: ask again. A *write* that
  /// ended so may have been applied.
  transient,
  /// The condition of a write did not hold: an answer, not a fault. The same request would fail again.
  condition_failed,
  /// Any other error, unknown ones too: asking again cannot help.
  fatal
};

/// The name of a kind, for a log.
constexpr std::string_view to_string(ErrorKind kind) noexcept {
  switch (kind) {
    case ErrorKind::throttled:
      return "throttled";
    case ErrorKind::transient:
      return "transient";
    case ErrorKind::condition_failed:
      return "condition_failed";
    case ErrorKind::fatal:
      return "fatal";
  }
  return "?";
}

/// Whether the same request can succeed later.
constexpr bool is_retryable(ErrorKind kind) noexcept {
  return kind == ErrorKind::throttled || kind == ErrorKind::transient;
}

namespace detail {

/// `com.amazonaws.dynamodb.v20120810#ThrottlingException:http://…` is `Throttling`: without what stands
/// before `#`, after `:`, and the suffixes.
constexpr std::string_view bare_error_name(std::string_view name) noexcept {
  if (const auto hash = name.find('#'); hash != std::string_view::npos) name.remove_prefix(hash + 1);
  name = name.substr(0, name.find(':'));
  if (const auto hash = name.rfind('#'); hash != std::string_view::npos) name.remove_prefix(hash + 1);
  for (bool cut = true; cut;) {  // InternalServerErrorException has both
    cut = false;
    for (const std::string_view suffix : {std::string_view("Exception"), std::string_view("Error")}) {
      if (!name.ends_with(suffix)) continue;
      name.remove_suffix(suffix.size());
      cut = true;
    }
  }
  return name;
}

struct NamedError {
  std::string_view bare_name;
  ErrorKind kind;
};

// An unknown name is fatal too, unless its HTTP status says otherwise; those listed as fatal are so whatever
// it says.
inline constexpr std::array named_errors{
    NamedError{"ProvisionedThroughputExceeded", ErrorKind::throttled},
    NamedError{"Throttling", ErrorKind::throttled},
    NamedError{"Throttled", ErrorKind::throttled},
    NamedError{"RequestThrottled", ErrorKind::throttled},
    NamedError{"RequestLimitExceeded", ErrorKind::throttled},
    NamedError{"LimitExceeded", ErrorKind::throttled},
    NamedError{"BandwidthLimitExceeded", ErrorKind::throttled},
    NamedError{"TooManyRequests", ErrorKind::throttled},
    NamedError{"SlowDown", ErrorKind::throttled},
    NamedError{"InternalServer", ErrorKind::transient},
    NamedError{"InternalFailure", ErrorKind::transient},
    NamedError{"Internal", ErrorKind::transient},
    NamedError{"ServiceUnavailable", ErrorKind::transient},
    NamedError{"RequestTimeout", ErrorKind::transient},
    NamedError{"RequestTimedOut", ErrorKind::transient},
    NamedError{"Timeout", ErrorKind::transient},
    NamedError{"TransactionConflict", ErrorKind::transient},
    NamedError{"TransactionInProgress", ErrorKind::transient},
    NamedError{"ReplicatedWriteConflict", ErrorKind::transient},
    NamedError{"ConditionalCheckFailed", ErrorKind::condition_failed},
    NamedError{"Validation", ErrorKind::fatal},
    NamedError{"AccessDenied", ErrorKind::fatal},
    NamedError{"ResourceNotFound", ErrorKind::fatal},
};

constexpr std::optional<ErrorKind> kind_of_name(std::string_view name) noexcept {
  const std::string_view bare = bare_error_name(name);
  for (const NamedError& known : named_errors) {
    if (known.bare_name == bare) return known.kind;
  }
  return std::nullopt;
}

constexpr ErrorKind classify_http_status(int status) noexcept {
  switch (status) {
    case 429:
      return ErrorKind::throttled;
    case 408:
    case 500:
    case 502:
    case 503:
    case 504:
      return ErrorKind::transient;
    default:
      return ErrorKind::fatal;
  }
}

/// A transaction is as bad as its worst reason: one that cannot succeed makes asking again useless, and one
/// that was throttled makes it wait the longer.
constexpr ErrorKind classify_cancelled(std::span<const std::string_view> reasons) noexcept {
  bool throttled = false, transient = false, condition_failed = false;
  for (const std::string_view reason : reasons) {
    if (reason.empty() || reason == "None") continue;
    const ErrorKind kind = kind_of_name(reason).value_or(ErrorKind::fatal);
    if (kind == ErrorKind::fatal) return kind;
    throttled |= kind == ErrorKind::throttled;
    transient |= kind == ErrorKind::transient;
    condition_failed |= kind == ErrorKind::condition_failed;
  }
  if (condition_failed) return ErrorKind::condition_failed;
  if (throttled) return ErrorKind::throttled;
  return transient ? ErrorKind::transient : ErrorKind::fatal;
}

}  // namespace detail

/// What an error of DynamoDB means, by its name, the reasons of a cancelled transaction, and the HTTP status.
///
/// A name that is known decides; the status counts where the name is empty or unknown. The reasons count for
/// a `TransactionCanceledException` and for a name left empty; without any reason a cancelled transaction is
/// fatal, since nobody can tell.
/// Errors: none; an unknown name with an unknown status is `fatal`.
/// Source: AWS Developer Guide, "Error handling with DynamoDB"; API reference, TransactWriteItems.
/// @param name with or without `Exception` or `Error` at its end, behind any prefix up to `#`
/// @param cancellation_reasons the `Code` of each of `CancellationReasons`, such as `None`, `ThrottlingError`
/// @param http_status 0 where there was none
constexpr ErrorKind classify_error(std::string_view name,
                                   std::span<const std::string_view> cancellation_reasons = {},
                                   int http_status = 0) noexcept {
  const bool cancelled = detail::bare_error_name(name) == "TransactionCanceled";
  if (cancelled || (name.empty() && !cancellation_reasons.empty()))
    return detail::classify_cancelled(cancellation_reasons);
  if (const auto kind = detail::kind_of_name(name)) return *kind;
  return detail::classify_http_status(http_status);
}

}  // namespace evenkey
