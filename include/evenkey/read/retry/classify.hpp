// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/page/store_error.hpp>

#include <concepts>
#include <exception>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <vector>

namespace evenkey {

/// An exception that says its DynamoDB name by `name()`.
template <class Exception>
concept has_name = requires(const Exception& e) {
  { e.name() } -> std::convertible_to<std::string_view>;
};

/// An exception that says its DynamoDB name by `error_name()`; preferred where it has both.
template <class Exception>
concept has_error_name = requires(const Exception& e) {
  { e.error_name() } -> std::convertible_to<std::string_view>;
};

/// An exception that evenkey can classify by its DynamoDB name.
template <class Exception>
concept says_its_name = has_error_name<Exception> || has_name<Exception>;

/// An exception that gives DynamoDB's `ThrottlingReasons` by `reasons()`: a range of `{reason, resource}`.
template <class Exception>
concept gives_throttling_reasons = requires(const Exception& e) {
  { e.reasons().begin()->reason } -> std::convertible_to<std::string_view>;
  { e.reasons().begin()->resource } -> std::convertible_to<std::string_view>;
  e.reasons().end();
};

/// An exception that gives the codes of a cancelled transaction by `cancellation_reasons()`: a range of text.
template <class Exception>
concept gives_cancellation_reasons = requires(const Exception& e) {
  { *e.cancellation_reasons().begin() } -> std::convertible_to<std::string_view>;
  { e.cancellation_reasons().end() } -> std::same_as<decltype(e.cancellation_reasons().begin())>;
};

/// An exception that says the HTTP status of the answer by `http_status()`.
template <class Exception>
concept says_http_status = requires(const Exception& e) {
  { e.http_status() } -> std::convertible_to<int>;
};

/// What an exception object says of itself.
///
/// @tparam Exception any type that `says_its_name`; the other members are used where it has them
template <says_its_name Exception>
ErrorDetails describe_error(const Exception& e) {
  ErrorDetails details;
  if constexpr (has_error_name<Exception>) {
    details.name = std::string_view(e.error_name());
  } else {
    details.name = std::string_view(e.name());
  }
  if constexpr (gives_throttling_reasons<Exception>) {
    const auto& reasons = e.reasons();
    for (const auto& reason : reasons)
      details.throttling_reasons.push_back(
          {std::string(std::string_view(reason.reason)), std::string(std::string_view(reason.resource))});
  }
  if constexpr (says_http_status<Exception>) details.http_status = static_cast<int>(e.http_status());
  if constexpr (gives_cancellation_reasons<Exception>) {
    const auto& reasons = e.cancellation_reasons();
    // Owned: a getter may give its texts by value.
    const std::vector<std::string> codes(reasons.begin(), reasons.end());
    const std::vector<std::string_view> views(codes.begin(), codes.end());
    details.kind = classify_error(details.name, views, details.http_status);
  } else {
    details.kind = classify_error(details.name, {}, details.http_status);
  }
  return details;
}

/// How evenkey reads exceptions unless it is told otherwise: `store_error` by what it says, a
/// `std::system_error` of the network as transient, all else as fatal.
struct ClassifyStoreErrors {
  /// What is known of the error, and whether another attempt may help.
  ErrorDetails operator()(const std::exception_ptr& error) const {
    if (!error) return {};
    try {
      std::rethrow_exception(error);
    } catch (const store_error& e) {
      return e.details();
    } catch (const std::system_error& e) {
      return {is_network_failure(e.code()) ? ErrorKind::transient : ErrorKind::fatal, {}, {}, 0};
    } catch (...) {
      return {};
    }
  }

 private:
  static bool is_network_failure(const std::error_code& code) {
    for (const std::errc failure :
         {std::errc::timed_out, std::errc::connection_reset, std::errc::connection_refused,
          std::errc::connection_aborted, std::errc::broken_pipe, std::errc::host_unreachable,
          std::errc::network_unreachable, std::errc::network_down, std::errc::network_reset}) {
      if (code == failure) return true;
    }
    return false;
  }
};

/// Reads a client's own exceptions by their members, and others as `ClassifyStoreErrors` does:
/// `ClassifyAs<MyClientError>{}`.
///
/// @tparam Exceptions types that `says_its_name`; they are tried in the order given, so a derived class goes
/// before its base
template <says_its_name... Exceptions>
struct ClassifyAs {
  /// What is known of the error, and whether another attempt may help.
  ErrorDetails operator()(const std::exception_ptr& error) const {
    ErrorDetails details;
    if (error && (describes<Exceptions>(error, details) || ...)) return details;
    return ClassifyStoreErrors{}(error);
  }

 private:
  template <class Exception>
  static bool describes(const std::exception_ptr& error, ErrorDetails& details) {
    try {
      std::rethrow_exception(error);
    } catch (const Exception& e) {
      details = describe_error(e);
      return true;
    } catch (...) {
      return false;
    }
  }
};

/// A callable that says what an exception means, by an `ErrorKind` alone or by `ErrorDetails`.
///
/// Threads: called from several threads at once, hence const.
template <class Classifier>
concept error_classifier = requires(const Classifier& classifier, const std::exception_ptr& error) {
  { classifier(error) } -> std::convertible_to<ErrorDetails>;
}
|| requires(const Classifier& classifier, const std::exception_ptr& error) {
  { classifier(error) } -> std::same_as<ErrorKind>;
};

/// What an exception means.
///
/// Errors: what the classifier throws; evenkey's own throw only when memory is out.
/// @param error may be null: fatal
template <error_classifier Classifier = ClassifyStoreErrors>
ErrorDetails classify(const std::exception_ptr& error, const Classifier& classifier = {}) {
  if constexpr (std::is_same_v<decltype(classifier(error)), ErrorKind>) {
    ErrorDetails details;
    details.kind = classifier(error);
    return details;
  } else {
    return classifier(error);
  }
}

}  // namespace evenkey
