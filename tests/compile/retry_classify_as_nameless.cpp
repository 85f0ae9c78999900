// SPDX-License-Identifier: BSL-1.0
// expect: says_its_name
#include <evenkey/read/retry.hpp>

#include <stdexcept>

struct ClientError : std::runtime_error {
  using std::runtime_error::runtime_error;
#ifndef EVENKEY_REJECT
  const char* error_name() const { return "ThrottlingException"; }
#endif
};

int main() {
  const evenkey::ClassifyAs<ClientError> classifier;
  return evenkey::classify(nullptr, classifier).kind == evenkey::ErrorKind::fatal ? 0 : 1;
}
