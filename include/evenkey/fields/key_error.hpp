// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace evenkey {

/// Why a key was refused.
enum class KeyErrorReason : std::uint8_t {
  empty,               ///< a field or a prefix without a byte
  contains_separator,  ///< a field would be read back as two
  not_utf8,            ///< DynamoDB takes only valid UTF-8 for strings
  too_long,            ///< more than 1024 bytes of sort key, or 2048 of partition key
  negative,            ///< a number below 0 in a field that has no sign
  out_of_range,        ///< a number, a time or a shard outside what its field or key holds
  shard_count,         ///< a number of shards that is 0, negative, or too large
  format,              ///< a `KeyFormat` that does not fit: its separator, or a width below that of N-1
};

/// A value that would misroute, overflow or be read back as another; thrown before anything is sent.
///
/// Use `reason()` to decide and `field()` to tell the user which value is meant; `what()` says both, and what
/// to do.
class key_error : public std::invalid_argument {
 public:
  /// @param field the number of the field at fault, from 0, where there are several
  key_error(KeyErrorReason reason, const std::string& what, std::optional<std::size_t> field = std::nullopt)
      : std::invalid_argument(what), reason_(reason), field_(field) {}

  /// What is wrong with the value, for a program.
  KeyErrorReason reason() const noexcept { return reason_; }

  /// The field's place among the key's fields, from 0, literals counted. Nothing where no field is to blame.
  std::optional<std::size_t> field() const noexcept { return field_; }

 private:
  KeyErrorReason reason_;
  std::optional<std::size_t> field_;
};

namespace detail {

constexpr std::string_view describe(KeyErrorReason reason) noexcept {
  switch (reason) {
    case KeyErrorReason::empty:
      return "is empty, and DynamoDB has no empty keys";
    case KeyErrorReason::contains_separator:
      return "contains the separator, so it would be read back as two fields";
    case KeyErrorReason::not_utf8:
      return "is not valid UTF-8, which DynamoDB refuses";
    case KeyErrorReason::too_long:
      return "makes the key longer than DynamoDB allows";
    case KeyErrorReason::negative:
      return "is negative";
    case KeyErrorReason::out_of_range:
      return "is out of range";
    case KeyErrorReason::shard_count:
      return "is no usable number of shards";
    case KeyErrorReason::format:
      return "does not fit the key format";
  }
  return "is refused";
}

/// "evenkey: field 1 (Number) is negative; it takes …"
[[noreturn]] inline void refuse_field(KeyErrorReason reason, std::size_t field, std::string_view name,
                                      std::string_view takes) {
  std::string what = "evenkey: field " + std::to_string(field) + " (";
  what.append(name).append(") ").append(describe(reason)).append("; it takes ").append(takes);
  throw key_error(reason, what, field);
}

[[noreturn]] inline void refuse_length(std::size_t bytes, std::size_t limit, std::size_t field,
                                       std::string_view name) {
  std::string what = "evenkey: the key has " + std::to_string(bytes) + " bytes, DynamoDB allows " +
                     std::to_string(limit) + "; shorten field " + std::to_string(field) + " (";
  what.append(name).append("), its longest");
  throw key_error(KeyErrorReason::too_long, what, field);
}

}  // namespace detail
}  // namespace evenkey
