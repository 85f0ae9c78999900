// SPDX-License-Identifier: BSL-1.0
// expect: has_sort_key
#include "index_parts.hpp"

struct Index : parts::WithName, parts::WithTypes, parts::WithPrimaryKey, parts::WithShardBy {
  using SortKey = evenkey::NumberKey;
#ifdef EVENKEY_REJECT
  // A number that is kept as text sorts as text: 10 before 9.
  static std::string_view sort_key(const parts::Row& row) { return row.key; }
#else
  static std::int64_t sort_key(const parts::Row& row) { return row.number; }
#endif
};

int main() { (void)evenkey::enumerate(Index{}, parts::query); }
