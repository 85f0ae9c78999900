// SPDX-License-Identifier: BSL-1.0
#include <evenkey/composite_key.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <new>
#include <string>
#include <string_view>

#include "support/counting_new.hpp"

namespace {

using Timed = evenkey::CompositeKey<evenkey::Text, evenkey::Timestamp>;
using Escaped = evenkey::CompositeKey<evenkey::EscapedText, evenkey::SignedNumber<10>>;

}  // namespace

TEST_SUITE("composite_key") {
  TEST_CASE("encode and prefix allocate the string that they give and nothing else") {
    CHECK(support::allocations_in([] { ::operator delete(::operator new(1)); }) == 1);
    const std::string id(200, 'x'), odd(200, '#');
    const std::chrono::sys_time<std::chrono::milliseconds> time{};
    CHECK(support::allocations_in([&] { (void)Timed::encode(id, time); }) == 1);
    CHECK(support::allocations_in([&] { (void)Timed::prefix(id); }) == 1);
    CHECK(support::allocations_in([&] { (void)Escaped::encode(odd, -5); }) == 1);
    CHECK(support::allocations_in([&] { (void)Escaped::prefix("p1"); }) ==
          0);  // short strings live in the object
  }

  TEST_CASE("decoding text into views allocates nothing") {
    const std::string key =
        Timed::encode(std::string(200, 'x'), std::chrono::sys_time<std::chrono::milliseconds>());
    std::size_t bytes = 0;
    CHECK(support::allocations_in([&] { bytes += std::get<0>(*Timed::decode(key)).size(); }) == 0);
    CHECK(bytes == 200);
  }
}
