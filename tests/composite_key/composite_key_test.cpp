// SPDX-License-Identifier: BSL-1.0
#include <evenkey/composite_key.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "support/seed.hpp"

namespace {

using evenkey::BasicCompositeKey;
using evenkey::CompositeKey;
using evenkey::EscapedText;
using evenkey::key_error;
using evenkey::KeyErrorReason;
using evenkey::Literal;
using evenkey::Number;
using evenkey::SignedNumber;
using evenkey::Text;
using evenkey::Timestamp;
using std::chrono::milliseconds;
using Time = std::chrono::sys_time<milliseconds>;

using PersonKey = CompositeKey<Text, Text>;
using TimedSaga = CompositeKey<Text, Timestamp>;
using Escaped = CompositeKey<EscapedText, EscapedText>;
using Event =
    CompositeKey<Literal<"EVENT#V2">, EscapedText, Literal<"AT">, Timestamp, SignedNumber<4>, Literal<"END">>;

// Decoding works in constant expressions, and so does encoding where std::string does.
static_assert(*PersonKey::decode("p1#T1") == std::tuple("p1", "T1"));
static_assert(!PersonKey::decode("p1") && !PersonKey::decode("p1#") && !PersonKey::decode("#T1") &&
              !PersonKey::decode("p1#T1#x"));
static_assert(*CompositeKey<Text, Number<3>>::decode("p1#042") == std::tuple("p1", 42U));
#if !defined(__clang__)
static_assert(PersonKey::encode("p1", "T1") == "p1#T1" && PersonKey::prefix("p1") == "p1#");
#endif

// What decode gives: no Literals.
static_assert(std::is_same_v<PersonKey::Values, std::tuple<std::string_view, std::string_view>>);
static_assert(std::is_same_v<Event::Values, std::tuple<std::string, Time, std::int64_t>>);
static_assert(Event::value_count == 3 && PersonKey::value_count == 2);

// No views into a string that is gone; what owns its values may come from anywhere.
template <class Key, class T>
concept decodes = requires(T&& text) {
  Key::decode(std::forward<T>(text));
};
static_assert(!decodes<PersonKey, std::string> && !decodes<PersonKey, const std::string>);
static_assert(decodes<PersonKey, std::string&> && decodes<PersonKey, const std::string&> &&
              decodes<PersonKey, std::string_view>);
static_assert(decodes<PersonKey, const char*> && decodes<PersonKey, const char (&)[6]>);
static_assert(decodes<Escaped, std::string> && decodes<CompositeKey<Number<2>>, std::string>);
static_assert(!decodes<PersonKey, int> && !decodes<Escaped, int>);

// What `find` asks: may an id stand at the front of the sort key, or is it all of it?
static_assert(evenkey::begins_with_text<PersonKey> && !evenkey::is_single_text<PersonKey>);
static_assert(evenkey::begins_with_text<CompositeKey<EscapedText, Number<2>>> &&
              evenkey::begins_with_text<Event>);
static_assert(evenkey::is_single_text<CompositeKey<Text>> && !evenkey::begins_with_text<CompositeKey<Text>>);
static_assert(evenkey::is_single_text<CompositeKey<Literal<"SAGA">, EscapedText, Literal<"META">>>);
static_assert(!evenkey::begins_with_text<CompositeKey<Number<2>, Text>> &&
              !evenkey::is_single_text<CompositeKey<Timestamp>>);
static_assert(!evenkey::begins_with_text<evenkey::NumberKey> && !evenkey::is_single_text<evenkey::NoSortKey>);

static_assert(evenkey::sort_key_type<PersonKey> && evenkey::sort_key_type<evenkey::NumberKey> &&
              evenkey::sort_key_type<evenkey::NoSortKey> && !evenkey::sort_key_type<std::string>);
static_assert(PersonKey::compares_by == evenkey::SortKeyKind::text &&
              evenkey::NumberKey::compares_by == evenkey::SortKeyKind::number &&
              evenkey::NoSortKey::compares_by == evenkey::SortKeyKind::none);

struct Refusal {
  KeyErrorReason reason;
  std::optional<std::size_t> field;
  std::string what;
};

template <class Action>
std::optional<Refusal> refusal(Action action) {
  try {
    (void)action();
  } catch (const key_error& error) {
    return Refusal{error.reason(), error.field(), error.what()};
  }
  return std::nullopt;
}

}  // namespace

TEST_SUITE("composite_key") {
  TEST_CASE("ADR-0085's sort key comes out byte for byte") {
    CHECK(PersonKey::encode("person-42", "2026-07-08T12:00:00.000Z") == "person-42#2026-07-08T12:00:00.000Z");
    const Time noon = std::chrono::sys_days(std::chrono::year(2026) / 7 / 8) + std::chrono::hours(12);
    CHECK(TimedSaga::encode("person-42", noon) == "person-42#2026-07-08T12:00:00.000Z");
    CHECK(TimedSaga::decode("person-42#2026-07-08T12:00:00.000Z") ==
          std::tuple(std::string_view("person-42"), noon));
  }

  TEST_CASE("literals are written and matched, and take no value") {
    const std::string key = Event::encode("a#b", Time(milliseconds(-1)), -10);
    CHECK(key == "EVENT#V2#a%23b#AT#1969-12-31T23:59:59.999Z#n9989#END");
    CHECK(Event::decode(key) == std::tuple(std::string("a#b"), Time(milliseconds(-1)), std::int64_t{-10}));
    CHECK(Event::prefix() == "EVENT#V2#");
    CHECK(Event::prefix("a#b") == "EVENT#V2#a%23b#AT#");
    CHECK(Event::prefix("a#b", Time()) == "EVENT#V2#a%23b#AT#1970-01-01T00:00:00.000Z#");
    for (const std::string_view text :
         {"EVENT#V2xa#AT#1970-01-01T00:00:00.000Z#p0001#END",
          "EVENT#V2#a#AT#1970-01-01T00:00:00.000Z#p0001#EN",
          "EVENT#V2#a#AT#1970-01-01T00:00:00.000Z#p0001#ENDE", "EVENT#V2#a#AT#1970-01-01T00:00:00.000Z#p0001",
          "EVENT#V3#a#AT#1970-01-01T00:00:00.000Z#p0001#END",
          "EVENT#V2a#AT#1970-01-01T00:00:00.000Z#p0001#END",
          "EVENT#V2#a#AT1970-01-01T00:00:00.000Z#p0001#END",
          "EVENT#V2##AT#1970-01-01T00:00:00.000Z#p0001#END", "EVENT#V2", ""}) {
      CAPTURE(text);
      CHECK(!Event::decode(text));
    }
    CHECK(CompositeKey<Literal<"SAGA">, EscapedText, Number<3>>::encode("a#b", 7) == "SAGA#a%23b#007");
    CHECK(CompositeKey<Literal<"META">>::encode() == "META");
    CHECK(CompositeKey<Literal<"META">>::decode("META").has_value());
    CHECK(!CompositeKey<Literal<"META">>::decode("META#").has_value());
  }

  TEST_CASE("F04: no two pairs of texts share a key, and each comes back") {
    std::vector<std::string> texts{""};
    for (const char a : std::string_view("#\\%A")) {
      texts.push_back({a});
      for (const char b : std::string_view("#\\%A"))
        texts.push_back({a, b});
    }
    REQUIRE(texts.size() == 21);
    std::map<std::string, int> plain, escaped;
    for (const std::string& a : texts) {
      for (const std::string& b : texts) {
        CAPTURE(a);
        CAPTURE(b);
        const auto refused_plain = refusal([&] { return PersonKey::encode(a, b); });
        if (!refused_plain) {
          const std::string key = PersonKey::encode(a, b);
          CHECK(++plain[key] == 1);
          CHECK(PersonKey::decode(key) == std::tuple(std::string_view(a), std::string_view(b)));
        }
        const bool legible = !a.empty() && !b.empty() && (a + b).find('#') == std::string::npos;
        CHECK(!refused_plain == legible);
        const auto refused_escaped = refusal([&] { return Escaped::encode(a, b); });
        if (!refused_escaped) {
          const std::string key = Escaped::encode(a, b);
          CHECK(++escaped[key] == 1);
          CHECK(Escaped::decode(key) == std::tuple(a, b));
        }
        CHECK(!refused_escaped == (!a.empty() && !b.empty()));
      }
    }
    CHECK(plain.size() == 12 * 12);
    CHECK(escaped.size() == 20 * 20);
  }

  TEST_CASE("F11: bytes are counted, not characters") {
    const std::string time = "2026-07-08T12:00:00.000Z";
    std::string id;
    for (int i = 0; i < 333; ++i)
      id += "\xE4\xB8\xAD";  // U+4E2D
    CHECK(PersonKey::encode(id, time).size() == 1024);
    CHECK(PersonKey::decode(PersonKey::encode(id, time).c_str()).has_value() == true);
    const auto refused = refusal([&] { return PersonKey::encode(id + "\xE4\xB8\xAD", time); });
    REQUIRE(refused);
    CHECK(refused->reason == KeyErrorReason::too_long);
    CHECK(refused->field == std::size_t{0});
    CHECK(refused->what ==
          "evenkey: the key has 1027 bytes, DynamoDB allows 1024; shorten field 0 (Text), its longest");
    CHECK(refusal([&] { return PersonKey::encode("a", std::string(1023, 'x')); })->field == std::size_t{1});
    // A literal is not the caller's to shorten.
    using Long =
        CompositeKey<Literal<"0123456789">, Text, Literal<"0123456789012345678901234567890123456789">, Text>;
    CHECK(refusal([] { return Long::encode("ab", std::string(1000, 'x')); })->field == std::size_t{3});
    CHECK(refusal([] { return Long::encode(std::string(1000, 'x'), "ab"); })->field == std::size_t{1});
    const std::string too_long = std::string(1000, 'x') + "#" + std::string(24, 'x');
    CHECK(!PersonKey::decode(too_long));
  }

  TEST_CASE("escapes count as the bytes that are stored") {
    CHECK(CompositeKey<EscapedText>::encode(std::string(341, '#') + "x").size() == 1024);
    CHECK(refusal([] { return CompositeKey<EscapedText>::encode(std::string(342, '#')); })->reason ==
          KeyErrorReason::too_long);
  }

  TEST_CASE("F24: a prefix ends in its separator, so that p1 does not match p10") {
    CHECK(PersonKey::prefix("p1") == "p1#");
    std::vector<std::string> found;
    for (const std::string_view key : {"p1#T1", "p10#T1", "p1", "p1-b#T1"}) {
      if (key.starts_with(PersonKey::prefix("p1"))) found.emplace_back(key);
    }
    CHECK(found == std::vector<std::string>{"p1#T1"});
    CHECK(refusal([] { return PersonKey::prefix("p1#"); })->reason == KeyErrorReason::contains_separator);
    CHECK(refusal([] { return PersonKey::prefix(""); })->reason == KeyErrorReason::empty);
  }

  TEST_CASE("a refusal names the field and the reason") {
    const auto second = refusal([] { return PersonKey::encode("a", "b#c"); });
    REQUIRE(second);
    CHECK(second->field == std::size_t{1});
    CHECK(second->reason == KeyErrorReason::contains_separator);
    CHECK(second->what.find("field 1 (Text) contains the separator") != std::string::npos);
    // Literals are counted, as they are in the list of fields.
    const auto behind_literal = refusal([] { return CompositeKey<Literal<"A">, Number<2>>::encode(100); });
    REQUIRE(behind_literal);
    CHECK(behind_literal->field == std::size_t{1});
    CHECK(behind_literal->reason == KeyErrorReason::out_of_range);
    CHECK(refusal([] { return PersonKey::encode("\xC8", "b"); })->reason == KeyErrorReason::not_utf8);
    CHECK(refusal([] { return PersonKey::encode("", "b#"); })->field == std::size_t{0});  // the first of two
  }

  TEST_CASE("another separator is as good, and # is then text like any other") {
    using Piped = BasicCompositeKey<'|', EscapedText, Text>;
    CHECK(Piped::encode("a|b", "c#d") == "a%7Cb|c#d");
    CHECK(Piped::decode("a%7Cb|c#d") == std::tuple(std::string("a|b"), std::string_view("c#d")));
    CHECK(!Piped::decode("a%7Cb#c"));
    CHECK(Piped::prefix("a") == "a|");
    CHECK(Piped::separator == '|');
  }

  TEST_CASE("random values come back, and keys of fixed fields sort as their values do") {
    using Fixed = CompositeKey<SignedNumber<6>, Timestamp, Number<3>>;
    const std::uint64_t seed = support::seed();
    INFO("seed ", seed);
    std::mt19937_64 random(seed);
    const auto below = [&random](std::int64_t bound) {
      return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(bound));
    };
    const auto draw = [&] {
      // Few first values, so that the later fields decide too.
      return Fixed::Values(below(3) * 1000 - 1000 + below(2),
                           Time(milliseconds(below(5) * 86'400'000 - 172'800'001)),
                           static_cast<std::uint64_t>(below(1000)));
    };
    const auto encode = [](const auto&... values) { return Fixed::encode(values...); };
    std::size_t wrong = 0;
    for (int i = 0; i < 50'000; ++i) {
      const Fixed::Values a = draw(), b = draw();
      const std::string key = std::apply(encode, a);
      wrong += Fixed::decode(key) == a ? 0U : 1U;
      wrong += (key < std::apply(encode, b)) == (a < b) ? 0U : 1U;
    }
    CHECK(wrong == 0);
  }

  TEST_CASE("random bytes are refused or come back, and decoding takes only what was encoded") {
    const std::uint64_t seed = support::seed();
    INFO("seed ", seed);
    std::mt19937_64 random(seed);
    const auto draw = [&random] {
      std::string text(random() % 6, ' ');
      const bool ascii = random() % 2 == 0;
      for (char& c : text) {
        const std::uint64_t drawn = random();
        c = ascii ? "#%2356AFaz"[drawn % 10] : static_cast<char>(static_cast<unsigned char>(drawn));
      }
      return text;
    };
    std::size_t wrong = 0, taken = 0, read = 0;
    for (int i = 0; i < 200'000; ++i) {
      const std::string a = draw(), b = draw();
      if (!refusal([&] { return Escaped::encode(a, b); })) {
        ++taken;
        wrong += Escaped::decode(Escaped::encode(a, b)) == std::tuple(a, b) ? 0U : 1U;
        wrong += Escaped::encode(a, b).starts_with(Escaped::prefix(a)) ? 0U : 1U;
      }
      std::string text = a;
      text.append("#").append(b);
      if (const auto values = Escaped::decode(text)) {
        ++read;
        wrong += Escaped::encode(std::get<0>(*values), std::get<1>(*values)) == text ? 0U : 1U;
      }
    }
    CHECK(wrong == 0);
    CHECK(taken > 1000);
    CHECK(read > 1000);
  }
}
