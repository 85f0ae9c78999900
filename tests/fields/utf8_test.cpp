// SPDX-License-Identifier: BSL-1.0
#include <evenkey/fields/utf8.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace {

std::string encoded(std::uint32_t point) {
  const auto byte = [](std::uint32_t bits) { return static_cast<char>(static_cast<unsigned char>(bits)); };
  if (point < 0x80) return {byte(point)};
  if (point < 0x800) return {byte(0xC0 | point >> 6), byte(0x80 | (point & 0x3F))};
  if (point < 0x10000) {
    return {byte(0xE0 | point >> 12), byte(0x80 | (point >> 6 & 0x3F)), byte(0x80 | (point & 0x3F))};
  }
  return {byte(0xF0 | point >> 18), byte(0x80 | (point >> 12 & 0x3F)), byte(0x80 | (point >> 6 & 0x3F)),
          byte(0x80 | (point & 0x3F))};
}

/// Another way to the same answer: take the bits as they come, and see whether they are encoded like that.
bool is_one_code_point(const std::string& text) {
  const auto bits = [&text](std::size_t i) -> std::uint32_t { return static_cast<unsigned char>(text[i]); };
  std::uint32_t point = bits(0);
  if (text.size() > 1) point &= 0x7FU >> text.size();
  for (std::size_t i = 1; i < text.size(); ++i)
    point = point << 6 | (bits(i) & 0x3F);
  const bool surrogate = point >= 0xD800 && point < 0xE000;
  return point <= 0x10FFFF && !surrogate && encoded(point) == text;
}

}  // namespace

TEST_SUITE("fields") {
  TEST_CASE("every code point but the surrogates is valid UTF-8, of its length") {
    std::size_t wrong = 0;
    for (std::uint32_t point = 0; point <= 0x10FFFF; ++point) {
      const std::string text = encoded(point);
      const bool surrogate = point >= 0xD800 && point < 0xE000;
      wrong += evenkey::detail::utf8_length(text + "\x80") == (surrogate ? 0 : text.size()) ? 0U : 1U;
    }
    CHECK(wrong == 0);
  }

  TEST_CASE("any two and three bytes are one code point or refused") {
    std::size_t wrong = 0, valid = 0;
    for (unsigned first = 0xC0; first < 0x100; ++first) {
      for (unsigned second = 0; second < 0x100; ++second) {
        const std::string two{static_cast<char>(first), static_cast<char>(second)};
        wrong += (evenkey::detail::utf8_length(two) == 2) == is_one_code_point(two) ? 0U : 1U;
        for (unsigned third = 0x40; third < 0x100; third += 3) {
          const std::string three = two + static_cast<char>(third);
          const bool one = is_one_code_point(three);
          valid += one ? 1U : 0U;
          wrong += (evenkey::detail::utf8_length(three) == 3) == one ? 0U : 1U;
        }
      }
    }
    CHECK(wrong == 0);
    CHECK(valid > 1000);
  }

  TEST_CASE("four bytes at each bound are one code point or refused") {
    std::size_t wrong = 0;
    for (unsigned first = 0xEF; first < 0x100; ++first) {
      for (unsigned second = 0; second < 0x100; ++second) {
        for (const unsigned third : {0x00U, 0x7FU, 0x80U, 0xBFU, 0xC0U, 0xFFU}) {
          for (const unsigned fourth : {0x00U, 0x7FU, 0x80U, 0xBFU, 0xC0U, 0xFFU}) {
            const std::string four{static_cast<char>(first), static_cast<char>(second),
                                   static_cast<char>(third), static_cast<char>(fourth)};
            wrong += (evenkey::detail::utf8_length(four) == 4) == is_one_code_point(four) ? 0U : 1U;
          }
        }
      }
    }
    CHECK(wrong == 0);
  }

  TEST_CASE("text that ends within a code point is no UTF-8") {
    CHECK(evenkey::detail::is_utf8(""));
    CHECK(evenkey::detail::is_utf8(std::string_view("a\0b", 3)));
    for (const std::string_view cut : {"\xC3", "a\xC3", "\xE4\xB8", "\xF0\x9F\x98", "\xF1", "a\xF3\x80",
                                       "\xE4", "\xC8", "\x80", "a\xFF"}) {
      CAPTURE(cut);
      CHECK(!evenkey::detail::is_utf8(cut));
    }
  }
}
