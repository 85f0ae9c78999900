// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/fields/digits.hpp>
#include <evenkey/fields/key_error.hpp>
#include <evenkey/fields/key_field.hpp>
#include <evenkey/fields/utf8.hpp>
#include <evenkey/shard_policy.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace evenkey {

/// How a shard's number follows the prefix of a partition key: by default `RenewalSaga#7`.
///
/// Use a generation to move to another N, hash or format: old and new keys then never share a name. Use a
/// width where people sort keys as text. All of it is part of the stored bytes.
/// Source: docs/format/keys.md.
struct KeyFormat {
  char separator = '#';          ///< printable ASCII, no letter or digit
  std::uint32_t width = 0;       ///< 0: no padding; else the shard has this many digits, zeros in front
  std::uint32_t generation = 0;  ///< 0: not written; else `RenewalSaga#g2#7`

  friend constexpr bool operator==(const KeyFormat&, const KeyFormat&) = default;
};

namespace detail {

/// The text of the partition keys of one prefix: the one piece of code that renders and parses them, whatever
/// of it the compiler knows. A key is its stem (prefix, separator, generation), then the shard's number.
struct KeyText {
  static constexpr std::size_t max_size = 2048;  // DynamoDB's limit for a partition key, in bytes

  std::string_view prefix;
  KeyFormat format;
  std::uint32_t shard_count;

  constexpr bool width_fits() const noexcept {
    return shard_count > 0 && (format.width == 0 || format.width >= decimal_width(shard_count - 1));
  }

  constexpr std::size_t stem_size() const noexcept {
    const std::size_t generation = format.generation == 0 ? 0 : 2 + decimal_width(format.generation);
    return prefix.size() + 1 + generation;
  }

  constexpr std::size_t digits(std::uint32_t shard) const noexcept {
    return format.width == 0 ? decimal_width(shard) : format.width;
  }

  /// The size of the last shard's key, which is the longest.
  constexpr std::size_t longest() const noexcept { return stem_size() + digits(shard_count - 1); }

  /// Each part first: with a width near 2^32 the sum would wrap around where std::size_t has 32 bits.
  constexpr bool length_fits() const noexcept {
    return prefix.size() < max_size && digits(shard_count - 1) <= max_size && longest() <= max_size;
  }

  constexpr char* write_stem(char* out) const noexcept { return write_suffix_stem(write_bytes(prefix, out)); }

  constexpr char* write_number(std::uint32_t shard, char* out) const noexcept {
    return write_digits(shard, digits(shard), out);
  }

  /// Only what was written: no sign, no blank, no zero too many, no shard that does not exist.
  constexpr std::optional<ShardId> parse(std::string_view stem, std::string_view text) const noexcept {
    if (!text.starts_with(stem)) return std::nullopt;
    const std::string_view number = text.substr(stem.size());
    const std::optional<std::uint64_t> value = read_digits(number);
    if (!value || *value >= shard_count) return std::nullopt;
    const auto shard = static_cast<std::uint32_t>(*value);
    if (number.size() != digits(shard)) return std::nullopt;
    return ShardId{shard};
  }

  /// The layout is the policy's fingerprint, a blank, and what follows the prefix, `n` for each digit that is
  /// always there: `xxh3_64/mod/16 #g2#n`. Equal layouts with equal prefixes give equal keys.
  constexpr std::size_t layout_size(std::string_view fingerprint) const noexcept {
    return fingerprint.size() + 1 + stem_size() - prefix.size() + digits(0);
  }

  constexpr char* write_layout(std::string_view fingerprint, char* out) const noexcept {
    out = write_bytes(fingerprint, out);
    *out++ = ' ';
    out = write_suffix_stem(out);
    for (std::size_t i = 0; i < digits(0); ++i)
      *out++ = 'n';
    return out;
  }

  /// Throws what does not compile where prefix, format and N are constants. @pre N is not 0
  void check() const {
    if (!is_key_separator(format.separator)) {
      throw key_error(KeyErrorReason::format,
                      "evenkey: KeyFormat::separator must be printable ASCII and no letter or digit");
    }
    if (!width_fits()) {
      throw key_error(KeyErrorReason::format, "evenkey: KeyFormat::width is " + std::to_string(format.width) +
                                                  ", but the last shard is " +
                                                  std::to_string(shard_count - 1) +
                                                  ": widen it, or take 0 for no padding");
    }
    if (prefix.empty()) {
      throw key_error(KeyErrorReason::empty,
                      "evenkey: the prefix of a partition key is empty: give it a name");
    }
    if (!is_utf8(prefix)) {
      throw key_error(KeyErrorReason::not_utf8,
                      "evenkey: the prefix of a partition key is not valid UTF-8, which DynamoDB refuses");
    }
    if (!length_fits()) {
      throw key_error(KeyErrorReason::too_long, "evenkey: the key of the last shard has " +
                                                    std::to_string(longest()) +
                                                    " bytes, DynamoDB allows 2048: shorten the prefix");
    }
  }

 private:
  constexpr char* write_suffix_stem(char* out) const noexcept {
    *out++ = format.separator;
    if (format.generation == 0) return out;
    *out++ = 'g';
    out = write_digits(format.generation, decimal_width(format.generation), out);
    *out++ = format.separator;
    return out;
  }
};

[[noreturn]] inline void refuse_shard(ShardId shard, std::size_t shard_count) {
  throw key_error(KeyErrorReason::out_of_range, "evenkey: there is no shard " + std::to_string(shard.value) +
                                                    ": the shards are 0 to " +
                                                    std::to_string(shard_count - 1));
}

}  // namespace detail
}  // namespace evenkey
