// SPDX-License-Identifier: BSL-1.0
#include <evenkey/fields/key_error.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace {

using evenkey::key_error;
using evenkey::KeyErrorReason;

static_assert(std::is_base_of_v<std::invalid_argument, key_error>);

}  // namespace

TEST_SUITE("fields") {
  TEST_CASE("a key error tells reason and field to code, and to people what to do") {
    try {
      evenkey::detail::refuse_field(KeyErrorReason::negative, 3, "Number", "integers from 0 up");
    } catch (const key_error& error) {
      CHECK(error.reason() == KeyErrorReason::negative);
      CHECK(error.field() == std::size_t{3});
      CHECK(std::string_view(error.what()) ==
            "evenkey: field 3 (Number) is negative; it takes integers from 0 up");
    }
  }

  TEST_CASE("each reason has words of its own") {
    std::set<std::string_view> words;
    for (const auto reason :
         {KeyErrorReason::empty, KeyErrorReason::contains_separator, KeyErrorReason::not_utf8,
          KeyErrorReason::too_long, KeyErrorReason::negative, KeyErrorReason::out_of_range,
          KeyErrorReason::shard_count, KeyErrorReason::format}) {
      CHECK(words.insert(evenkey::detail::describe(reason)).second);
    }
    CHECK(words.insert(evenkey::detail::describe(static_cast<KeyErrorReason>(200))).second);  // of no reason
  }
}
