// SPDX-License-Identifier: BSL-1.0
//
// What an error means, by its name, the reasons of a cancelled transaction and the HTTP status: the same whatever
// stands around the name, by a reference that goes through the text in another way.
#include <evenkey/page/error_kind.hpp>
#include <evenkey/read/retry/classify.hpp>

#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/fuzz.hpp"

namespace {

using namespace evenkey;
using fuzz::require;

struct ClientError : std::runtime_error {
  std::string its_name;
  std::vector<std::string> its_reasons;
  int its_status;
  ClientError(std::string name, std::vector<std::string> reasons, int status)
      : runtime_error("?"), its_name(std::move(name)), its_reasons(std::move(reasons)), its_status(status) {}
  const std::string& error_name() const { return its_name; }
  const std::vector<std::string>& cancellation_reasons() const { return its_reasons; }
  int http_status() const { return its_status; }
};

bool retryable_by_status(int status) {
  return status == 429 || status == 408 || status == 500 || (status >= 502 && status <= 504);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const int status = input.below(2) == 0 ? 0 : static_cast<int>(input.byte()) + 400;
  std::string name;
  if (const std::size_t known = input.byte(); known < detail::named_errors.size()) {
    name = detail::named_errors[known].bare_name;
  } else {
    name = input.text();
  }
  std::vector<std::string> reasons;
  while (!input.empty())
    reasons.emplace_back(input.text());
  const std::vector<std::string_view> views(reasons.begin(), reasons.end());

  const ErrorKind kind = classify_error(name, views, status);
  require(to_string(kind) != "?", "every kind has a name");
  const bool plain = name.find_first_of(":#") == std::string::npos && !name.empty();
  if (plain) {
    for (const char* suffix : {"Exception", "Error", "ErrorException"})
      require(classify_error(name + suffix, views, status) == kind, "a suffix changes nothing");
    require(classify_error("com.amazonaws.dynamodb.v20120810#" + name, views, status) == kind,
            "a prefix changes nothing");
    require(classify_error(name + ":http://internal.amazon.com/coral/", views, status) == kind,
            "what follows a colon changes nothing");
  }
  if (!detail::kind_of_name(name) && reasons.empty() &&
      detail::bare_error_name(name) != "TransactionCanceled")
    require(is_retryable(kind) == retryable_by_status(status), "an unknown name is judged by the status");

  // One reason that cannot be mended makes asking again useless.
  std::vector<std::string_view> worse(views);
  worse.push_back("ValidationError");
  require(classify_error("TransactionCanceledException", worse, status) == ErrorKind::fatal,
          "a transaction is as bad as its worst reason");

  const auto error = std::make_exception_ptr(ClientError(name, reasons, status));
  const ErrorDetails details = classify(error, ClassifyAs<ClientError>{});
  require(details.kind == kind && details.name == name, "an exception is read as what it says");
  require(classify(error).kind == ErrorKind::fatal, "an unknown exception is fatal");
  return 0;
}
