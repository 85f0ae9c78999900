// SPDX-License-Identifier: BSL-1.0
// expect: specialise evenkey::start_key_traits for its type
#include <evenkey/read/hydrate.hpp>

#include <string>
#include <vector>

struct Row {
  std::string id;
  int number = 0;
};

int main() {
#ifdef EVENKEY_REJECT
  // How a number becomes bytes is for its owner to say.
  using Key = int;
  const auto key_of = [](const Row& row) { return row.number; };
#else
  using Key = std::string;
  const auto key_of = [](const Row& row) { return row.id; };
#endif
  const auto batch_get = [](const evenkey::BatchGetRequest<Key>&) {
    return evenkey::BatchGetAnswer<Row, Key>();
  };
  (void)evenkey::hydrate(std::vector<Row>{}, batch_get, key_of);
}
