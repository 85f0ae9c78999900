// SPDX-License-Identifier: BSL-1.0
#include <evenkey/fields/text.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/field_text.hpp"
#include "support/key_vectors.hpp"

namespace {

using evenkey::EscapedText;
using evenkey::KeyErrorReason;
using evenkey::Text;
using support::fault;
using support::write;

/// All strings of up to `length` characters of the alphabet.
std::vector<std::string> all_strings(std::string_view alphabet, std::size_t length) {
  std::vector<std::string> all{""};
  for (std::size_t begin = 0; length > 0; --length) {
    const std::size_t end = all.size();
    for (; begin < end; ++begin) {
      for (const char c : alphabet)
        all.push_back(all[begin] + c);
    }
  }
  return all;
}

static_assert(evenkey::value_field<Text> && evenkey::value_field<EscapedText>);
static_assert(evenkey::literal_field<evenkey::Literal<"OUTBOX">> && !evenkey::literal_field<Text>);
static_assert(!evenkey::key_field<int> && !evenkey::key_field<std::string>);
static_assert(Text::read("a", '#') == "a" && !Text::read("a#", '#'));

}  // namespace

TEST_SUITE("fields") {
  TEST_CASE("Text and EscapedText write the golden bytes and read them back") {
    for (const auto& row : support::read_key_vectors("text")) {
      CAPTURE(row.value);
      CHECK(write<Text>(row.value, row.parameter.at(0)) == row.text);
      CHECK(Text::read(row.text, row.parameter.at(0)) == row.value);
    }
    for (const auto& row : support::read_key_vectors("escaped")) {
      CAPTURE(row.value);
      CHECK(write<EscapedText>(row.value, row.parameter.at(0)) == row.text);
      CHECK(EscapedText::read(row.text, row.parameter.at(0)) == row.value);
    }
  }

  TEST_CASE("Text refuses what would not be read back, and says why") {
    CHECK(fault<Text>("") == KeyErrorReason::empty);
    CHECK(fault<Text>("a#b") == KeyErrorReason::contains_separator);
    CHECK(fault<Text>("#") == KeyErrorReason::contains_separator);
    CHECK(fault<Text>("a|b") == std::nullopt);
    CHECK(fault<Text>("a|b", '|') == KeyErrorReason::contains_separator);
    CHECK(fault<Text>("\xC8") == KeyErrorReason::not_utf8);
    CHECK(fault<Text>("\xED\xA0\x80") == KeyErrorReason::not_utf8);
    CHECK(fault<Text>(std::string_view("a\0b", 3)) == std::nullopt);
  }

  TEST_CASE("EscapedText refuses the empty text and what is no UTF-8, and nothing else") {
    CHECK(fault<EscapedText>("") == KeyErrorReason::empty);
    CHECK(fault<EscapedText>("\xC3") == KeyErrorReason::not_utf8);
    for (const std::string& text : all_strings("#%\\A|", 3)) {
      if (!text.empty()) CHECK(fault<EscapedText>(text) == std::nullopt);
    }
  }

  TEST_CASE("EscapedText reads only what it writes, and no two values share a text") {
    std::map<std::string, std::string> value_of;
    for (const std::string& value : all_strings("#%2357CA", 4)) {
      if (value.empty()) continue;
      const std::string text = write<EscapedText>(value).value();
      CHECK(value_of.emplace(text, value).second);
      CHECK(text.find('#') == std::string::npos);
    }
    std::size_t read = 0;
    for (const std::string& text : all_strings("#%2357CA", 5)) {
      const std::optional<std::string> value = EscapedText::read(text, '#');
      if (!value) {
        CHECK(!value_of.contains(text));
        continue;
      }
      ++read;
      CHECK(write<EscapedText>(*value) == text);
    }
    CHECK(read > 1000);
  }

  TEST_CASE("lower-case, needless and broken escapes are refused") {
    for (const std::string_view text :
         {"%7c", "%41", "%", "%2", "a%", "a%2", "%2G", "%%23", "%00", "%C3%A9", "%7C", ""}) {
      CAPTURE(text);
      CHECK(!EscapedText::read(text, '#'));
    }
    // The bytes behind the text are not its own, even if they would complete the escape.
    CHECK(!EscapedText::read(std::string_view("%23").substr(0, 2), '#'));
    CHECK(!EscapedText::read(std::string_view("a%23").substr(0, 2), '#'));
    CHECK(EscapedText::read("%7C", '|') == "|");
    CHECK(!EscapedText::read("%7c", '|'));
  }

  TEST_CASE("text may come as any type that converts to a view") {
    struct SdkString {
      std::string text;
      operator std::string_view() const { return text; }  // NOLINT: implicit, as in SDKs
    };
    CHECK(write<Text>(SdkString{"p1"}) == "p1");
    CHECK(write<Text>(std::string("p1")) == "p1");
    CHECK(write<Text>(static_cast<const char*>("p1")) == "p1");
  }
}
