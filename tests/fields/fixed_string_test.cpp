// SPDX-License-Identifier: BSL-1.0
#include <evenkey/fields/fixed_string.hpp>

#include <doctest/doctest.h>

#include <string_view>
#include <type_traits>

namespace {

template <evenkey::FixedString Name>
struct Named {
  static constexpr std::string_view name = Name.view();
};

static_assert(Named<"RenewalSaga">::name == "RenewalSaga");
static_assert(Named<"">::name.empty());
static_assert(Named<"a\0b">::name == std::string_view("a\0b", 3));
static_assert(Named<"\xC8\xFF">::name == "\xC8\xFF");
static_assert(std::is_same_v<Named<"a">, Named<"a">> && !std::is_same_v<Named<"a">, Named<"b">>);

}  // namespace

TEST_SUITE("fields") {
  TEST_CASE("text as a template argument keeps every byte at run time too") {
    CHECK(Named<"a\0b">::name.size() == 3);
    CHECK(Named<"a\0b">::name.data() == Named<"a\0b">::name.data());
  }
}
