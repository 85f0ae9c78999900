// SPDX-License-Identifier: BSL-1.0
// expect: sort_key_text
#include <vector>

#include "index_parts.hpp"

struct Index : parts::WithName,
               parts::WithTypes,
               parts::WithSortKey,
               parts::WithPrimaryKey,
               parts::WithShardBy {};

int main() {
#ifdef EVENKEY_REJECT
  // An integer's bytes are for its owner to choose: see canonical ids.
  const std::vector<int> ids{42};
#else
  const std::vector<std::string> ids{"42"};
#endif
  (void)evenkey::find_many(Index{}, parts::query, ids);
}
