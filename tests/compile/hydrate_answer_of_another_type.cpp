// SPDX-License-Identifier: BSL-1.0
// expect: must take a BatchGetRequest<Key> and return a BatchGetAnswer<Row, Key>
#include <evenkey/read/hydrate.hpp>

#include <string>
#include <vector>

int main() {
  const auto key_of = [](const std::string& row) { return row; };
  const auto batch_get = [](const evenkey::BatchGetRequest<std::string>&) {
#ifdef EVENKEY_REJECT
    return std::vector<std::string>();  // what was left over could not be told
#else
    return evenkey::BatchGetAnswer<std::string, std::string>();
#endif
  };
  (void)evenkey::hydrate(std::vector<std::string>{}, batch_get, key_of);
}
