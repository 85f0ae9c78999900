// SPDX-License-Identifier: BSL-1.0
// expect: answers_query_request
#include <vector>

#include "index_parts.hpp"

struct Index : parts::WithName,
               parts::WithTypes,
               parts::WithSortKey,
               parts::WithPrimaryKey,
               parts::WithShardBy {};

int main() {
#ifdef EVENKEY_REJECT
  const auto query = [](const std::string&) { return evenkey::Page<parts::Row>{}; };
#else
  const auto query = [](const auto&) { return evenkey::Page<parts::Row>{}; };
#endif
  (void)evenkey::find_many(Index{}, query, std::vector<std::string>{"id"});
}
