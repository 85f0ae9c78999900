// SPDX-License-Identifier: BSL-1.0
#include <evenkey/index/accessors.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <concepts>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace accessors_test {

using evenkey::detail::keep_text;

struct SdkString {
  std::string bytes;
  operator std::string_view() const { return bytes; }
};

template <class T>
using Kept = decltype(keep_text(std::declval<T>()));

// A view is kept only of what lives in the item; all else is copied or moved into a string.
static_assert(std::same_as<Kept<std::string_view>, std::string_view>);
static_assert(std::same_as<Kept<const std::string&>, std::string_view>);
static_assert(std::same_as<Kept<const SdkString&>, std::string_view>);
static_assert(std::same_as<Kept<const char*>, std::string_view>);
static_assert(std::same_as<Kept<const char (&)[4]>, std::string_view>);
static_assert(std::same_as<Kept<std::string>, std::string>);
static_assert(std::same_as<Kept<const std::string>, std::string>);
static_assert(std::same_as<Kept<SdkString>, std::string>);

struct Item {
  std::string text;
};
template <class Key, class Result>
struct Index {
  using SortKey = Key;
  using Item = accessors_test::Item;
  Result sort_key(const Item&) const;
};
template <class Key, class Result>
using KeptKey = evenkey::detail::SortKeyOf<Index<Key, Result>>;
using Composite = evenkey::CompositeKey<evenkey::Text>;

static_assert(std::same_as<KeptKey<Composite, std::string_view>, std::string_view>);
static_assert(std::same_as<KeptKey<Composite, const std::string&>, std::string_view>);
static_assert(std::same_as<KeptKey<Composite, std::string>, std::string>);
static_assert(std::same_as<KeptKey<evenkey::NumberKey, int>, std::int64_t>);
static_assert(std::same_as<KeptKey<evenkey::NumberKey, const std::int64_t&>, std::int64_t>);
static_assert(std::same_as<KeptKey<evenkey::NumberKey, float>, double>);
static_assert(std::same_as<KeptKey<evenkey::NoSortKey, void>, std::monostate>);

}  // namespace accessors_test

TEST_SUITE("index") {
  using accessors_test::SdkString;
  using evenkey::detail::keep_text;

  TEST_CASE("a sort key that is NaN is refused: it would compare as equal to every other") {
    struct Nameless {
      using SortKey = evenkey::NumberKey;
      using Item = double;
      static double sort_key(double item) { return item; }
    };
    CHECK(evenkey::detail::sort_key_of(Nameless{}, 1.5) == 1.5);
    CHECK_THROWS_WITH_AS((void)evenkey::detail::sort_key_of(Nameless{}, std::nan("")),
                         doctest::Contains("sort_key(item) is NaN"), std::invalid_argument);
  }

  TEST_CASE("text that is kept has the bytes it had, zeros included") {
    const std::string bytes("a\0b", 3);
    CHECK(keep_text(bytes) == std::string_view("a\0b", 3));
    CHECK(keep_text(bytes).data() == bytes.data());
    CHECK(keep_text(SdkString{bytes}) == bytes);
    CHECK(keep_text(std::string(bytes)) == bytes);
  }
}
