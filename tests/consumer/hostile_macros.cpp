// SPDX-License-Identifier: BSL-1.0
// A program whose other headers define what they please. The standard library comes first: it undefines some
// of these (libstdc++ does with min and max), and is not what is tried here.
#if __has_include(<bits/stdc++.h>)
#include <bits/stdc++.h>
#endif
#include <xxhash.h>

#define min(a, b) this_is_min(a, b)
#define max(a, b) this_is_max(a, b)
#define CHECK(x) this_is_check(x)
#define REQUIRE(x) this_is_require(x)
#define ERROR this is error
#define IN this is in
#define OUT this is out
#define DELETE this is delete
#define OPTIONAL this is optional
#define interface this is interface
#define near this is near
#define far this is far
#define emit this is emit
#define slots this is slots
#define None this is none
#define Bool this is bool
#define Status this is status
#define Success this is success

#include <all_headers.hpp>

int use_with_hostile_macros();

int use_with_hostile_macros() {
  using Key = evenkey::ShardedKey<"RenewalSaga", evenkey::ShardPolicy<16>>;
  using SortKey = evenkey::CompositeKey<evenkey::Text, evenkey::Number<4>>;
  static_assert(Key::of("person-42") == "RenewalSaga#13");
  const std::string text = SortKey::encode("person-42", 13U);
  const auto fields = SortKey::decode(text);
  return fields ? static_cast<int>(std::get<1>(*fields)) : -1;
}
