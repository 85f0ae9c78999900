// SPDX-License-Identifier: BSL-1.0
// expect: answers_with_page
#include <vector>

#include "index_parts.hpp"

struct Index : parts::WithName,
               parts::WithTypes,
               parts::WithSortKey,
               parts::WithPrimaryKey,
               parts::WithShardBy {};

int main() {
#ifdef EVENKEY_REJECT
  // A bare list of items cannot say that there are more.
  const auto query = [](const evenkey::QueryRequest<std::string>&) { return std::vector<parts::Row>{}; };
#else
  const auto query = [](const evenkey::QueryRequest<std::string>&) { return evenkey::Page<parts::Row>{}; };
#endif
  (void)evenkey::find(Index{}, query, "id");
}
