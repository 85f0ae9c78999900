// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/hash.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

// The text form that phase and layout records share: a first line that says what it is and its version, then
// `name: value` lines in a fixed order, then the checksum of all bytes before it. A person can read it, and
// one text is the only one of its values.
namespace evenkey::detail {

/// A 64-bit number as 16 lower-case hexadecimal digits.
inline std::string hex64(std::uint64_t value) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text(16, '0');
  for (std::size_t i = 16; i-- > 0; value >>= 4U)
    text[i] = digits[value & 15U];
  return text;
}

class RecordWriter {
 public:
  explicit RecordWriter(std::string_view kind) : text_(kind) { text_ += '\n'; }

  /// Control bytes would break the line, and `%` the escape: they become `%0A`.
  RecordWriter& line(std::string_view name, std::string_view value) {
    text_.append(name).append(": ");
    for (const char c : value) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte < 0x20 || byte == 0x7F || c == '%') {
        const std::string hex = hex64(byte);
        text_ += '%';
        for (const char digit : std::string_view(hex).substr(14))
          text_ += digit >= 'a' ? static_cast<char>(digit - 'a' + 'A') : digit;
      } else {
        text_ += c;
      }
    }
    text_ += '\n';
    return *this;
  }

  std::string finish() {
    text_ += "checksum: " + hex64(Xxh3_64{}(text_)) + "\n";
    return std::move(text_);
  }

 private:
  std::string text_;
};

/// Reads what `RecordWriter` wrote; any other text ends with `done()` being false.
class RecordReader {
 public:
  RecordReader(std::string_view kind, std::string_view text) : text_(text), whole_(text) {
    good_ = take_line() == kind;
  }

  std::string line(std::string_view name) {
    const std::string_view read = take_line();
    if (!read.starts_with(name) || !read.substr(name.size()).starts_with(": ")) {
      good_ = false;
      return {};
    }
    return unescape(read.substr(name.size() + 2));
  }

  /// Reads the checksum, which must be all that is left. Whoever has read the lines writes the record again
  /// and compares: so a text that is not the only one of its values is refused.
  bool done() {
    const std::size_t covered = whole_.size() - text_.size();
    const std::string sum = line("checksum");
    return good_ && text_.empty() && sum == hex64(Xxh3_64{}(whole_.substr(0, covered)));
  }

 private:
  std::string_view take_line() {
    const std::size_t end = text_.find('\n');
    if (end == std::string_view::npos) {
      good_ = false;
      return {};
    }
    const std::string_view taken = text_.substr(0, end);
    text_.remove_prefix(end + 1);
    return taken;
  }

  static std::optional<unsigned> hex_digit(char c) {
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A') + 10U;
    return std::nullopt;
  }
  std::string unescape(std::string_view value) {
    std::string plain;
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (value[i] != '%') {
        plain += value[i];
        continue;
      }
      const auto high = i + 2 < value.size() ? hex_digit(value[i + 1]) : std::nullopt;
      const auto low = i + 2 < value.size() ? hex_digit(value[i + 2]) : std::nullopt;
      if (!high || !low) {
        good_ = false;
        return {};
      }
      plain += static_cast<char>(static_cast<unsigned char>(*high * 16U + *low));
      i += 2;
    }
    return plain;
  }

  std::string_view text_;
  std::string_view whole_;
  bool good_ = true;
};

}  // namespace evenkey::detail
