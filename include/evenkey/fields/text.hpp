// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <version>
#if !defined(__cpp_lib_constexpr_string) || __cpp_lib_constexpr_string < 201907L
#error "evenkey needs a std::string for constant expressions: libc++ has it from 15 on, libstdc++ from 12 on"
#endif

#include <evenkey/fields/digits.hpp>
#include <evenkey/fields/fixed_string.hpp>
#include <evenkey/fields/key_error.hpp>
#include <evenkey/fields/key_field.hpp>
#include <evenkey/fields/utf8.hpp>

#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace evenkey {

namespace detail {

template <class Value>
inline constexpr bool is_text =
    std::convertible_to<const Value&, std::string_view> && !std::same_as<Value, std::nullptr_t>;

template <class Value>
constexpr std::string_view take_text(const Value& value) {
  static_assert(
      is_text<Value>,
      "evenkey: Text and EscapedText take text, that is what converts to std::string_view; for a number take "
      "Number<Width> or SignedNumber<Width>, for a time Timestamp");
  if constexpr (is_text<Value>) {
    return value;
  } else {
    return {};
  }
}

}  // namespace detail

/// Text as it stands; text with the separator in it is refused.
///
/// Use it for ids that cannot contain the separator, and where the stored bytes must be readable or are there
/// already.
/// Shape: what converts to `std::string_view` → itself → a `std::string_view` into the decoded text.
/// Order: by unsigned bytes, field by field only where no text is a prefix of another or all other bytes are
/// above the separator (`a!#t` is before `a#t`).
/// Errors: empty, containing the separator, or not UTF-8 → `key_error`.
/// Source: docs/format/keys.md.
struct Text {
  using argument_type = std::string_view;
  using value_type = std::string_view;
  static constexpr std::string_view name = "Text";
  static constexpr std::string_view takes =
      "UTF-8 text that is not empty and has no separator (EscapedText takes the separator too)";

  static constexpr bool separable_by(char) noexcept { return true; }

  template <class Value>
  static constexpr std::string_view take(const Value& value) {
    return detail::take_text(value);
  }

  static constexpr std::optional<KeyErrorReason> fault(std::string_view text, char separator) noexcept {
    if (text.empty()) return KeyErrorReason::empty;
    if (text.find(separator) != std::string_view::npos) return KeyErrorReason::contains_separator;
    if (!detail::is_utf8(text)) return KeyErrorReason::not_utf8;
    return std::nullopt;
  }

  static constexpr std::size_t size(std::string_view text, char) noexcept { return text.size(); }

  static constexpr char* write(std::string_view text, char, char* out) noexcept {
    return detail::write_bytes(text, out);
  }

  static constexpr std::optional<std::string_view> read(std::string_view text, char separator) noexcept {
    if (fault(text, separator)) return std::nullopt;
    return text;
  }
};

/// Text that may contain the separator: it and `%` are written as `%` and two upper-case hexadecimal digits.
///
/// Use it for ids that come from outside.
/// Shape: what converts to `std::string_view` → `a#b` becomes `a%23b` → an owned `std::string`.
/// Order: of the escaped bytes, which is not that of the text: `a#b` (`a%23b`) comes after `a$b`, before
/// `a&b`.
/// Errors: empty or not UTF-8 → `key_error`.
/// Source: docs/format/keys.md.
struct EscapedText {
  using argument_type = std::string_view;
  using value_type = std::string;
  static constexpr std::string_view name = "EscapedText";
  static constexpr std::string_view takes = "UTF-8 text that is not empty";

  static constexpr bool separable_by(char separator) noexcept { return separator != '%'; }

  template <class Value>
  static constexpr std::string_view take(const Value& value) {
    return detail::take_text(value);
  }

  static constexpr std::optional<KeyErrorReason> fault(std::string_view text, char) noexcept {
    if (text.empty()) return KeyErrorReason::empty;
    if (!detail::is_utf8(text)) return KeyErrorReason::not_utf8;
    return std::nullopt;
  }

  static constexpr std::size_t size(std::string_view text, char separator) noexcept {
    std::size_t size = text.size();
    for (const char c : text)
      size += c == separator || c == '%' ? 2 : 0;
    return size;
  }

  static constexpr char* write(std::string_view text, char separator, char* out) noexcept {
    for (const char c : text) {
      if (c == separator || c == '%') {
        *out++ = '%';
        *out++ = hex(static_cast<unsigned char>(c) >> 4);
        *out++ = hex(static_cast<unsigned char>(c) & 0xF);
      } else {
        *out++ = c;
      }
    }
    return out;
  }

  static constexpr std::optional<std::string> read(std::string_view text, char separator) {
    std::string plain;
    plain.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == separator) return std::nullopt;
      if (text[i] != '%') {
        plain.push_back(text[i]);
        continue;
      }
      if (text.size() - i < 3) return std::nullopt;
      const std::optional<char> escaped = unescape(text[i + 1], text[i + 2], separator);
      if (!escaped) return std::nullopt;
      plain.push_back(*escaped);
      i += 2;
    }
    if (fault(plain, separator)) return std::nullopt;
    return plain;
  }

 private:
  static constexpr char hex(int digit) noexcept { return "0123456789ABCDEF"[digit]; }

  // Only the two bytes that `write` escapes, in the one form that it gives, or two texts would decode to one
  // value.
  static constexpr std::optional<char> unescape(char high, char low, char separator) noexcept {
    for (const char c : {separator, '%'}) {
      if (high == hex(static_cast<unsigned char>(c) >> 4) && low == hex(static_cast<unsigned char>(c) & 0xF))
        return c;
    }
    return std::nullopt;
  }
};

/// The same text in every key: a field that takes no value and gives none.
///
/// Use it for the constant parts of a key: `CompositeKey<Literal<"SAGA">, Text>` is `SAGA#{id}`. It may
/// contain the separator.
/// Source: docs/format/keys.md.
template <FixedString Literally>
struct Literal {
  static_assert(Literally.size() > 0, "evenkey: a Literal has at least one byte");
  static_assert(detail::is_utf8(Literally.view()),
                "evenkey: a Literal is valid UTF-8, or DynamoDB refuses the key");
  static constexpr std::string_view name = "Literal";
  static constexpr std::string_view text = Literally.view();
};

}  // namespace evenkey
