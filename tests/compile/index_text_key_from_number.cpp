// SPDX-License-Identifier: BSL-1.0
// expect: has_sort_key
#include "index_parts.hpp"

struct Index : parts::WithName, parts::WithTypes, parts::WithPrimaryKey, parts::WithShardBy {
#ifdef EVENKEY_REJECT
  static std::int64_t sort_key(const parts::Row& row) { return row.number; }
#else
  static std::string sort_key(const parts::Row& row) { return std::to_string(row.number); }
#endif
};

int main() { (void)evenkey::enumerate(Index{}, parts::query); }
