// SPDX-License-Identifier: BSL-1.0
// expect: views_outlive_the_call
#include "index_parts.hpp"

struct Index : parts::WithName, parts::WithTypes, parts::WithPrimaryKey, parts::WithShardBy {
#ifdef EVENKEY_REJECT
  // The view points into the parameter, which is gone when the call returns.
  static std::string_view sort_key(parts::Row row) { return row.key; }
#else
  static std::string sort_key(parts::Row row) { return row.key; }
#endif
};

int main() { (void)evenkey::enumerate(Index{}, parts::query); }
