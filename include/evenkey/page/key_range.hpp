// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/fields.hpp>
#include <evenkey/page/sort_key_condition.hpp>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace evenkey::detail {

/// The least text that is greater than every text beginning with `prefix`: its code-point successor.
/// Surrogates are not code points in UTF-8 and are skipped; a last U+10FFFF carries to the one before.
/// Nothing where no text is greater.
/// @pre prefix is valid UTF-8
inline std::optional<std::string> prefix_successor(std::string_view prefix) {
  while (!prefix.empty()) {
    std::size_t start = prefix.size() - 1;
    while (start > 0 && (static_cast<unsigned char>(prefix[start]) & 0xC0U) == 0x80U)
      --start;
    const std::string_view last = prefix.substr(start);
    prefix.remove_suffix(last.size());
    if (last == "\xF4\x8F\xBF\xBF") continue;  // U+10FFFF
    std::string successor(prefix);
    if (last == "\x7F") return successor += "\xC2\x80";
    if (last == "\xDF\xBF") return successor += "\xE0\xA0\x80";
    if (last == "\xED\x9F\xBF") return successor += "\xEE\x80\x80";  // U+D7FF: the surrogates follow
    if (last == "\xEF\xBF\xBF") return successor += "\xF0\x90\x80\x80";
    // Within one length the next code point is the next number in base 64, continuation bytes being its
    // digits.
    successor += last;
    for (std::size_t i = successor.size(); i-- > start;) {
      const auto byte = static_cast<unsigned char>(successor[i]);
      if ((byte & 0xC0U) == 0x80U && byte == 0xBFU) {
        successor[i] = static_cast<char>(0x80);
        continue;
      }
      successor[i] = static_cast<char>(byte + 1);
      return successor;
    }
  }
  return std::nullopt;
}

/// A range of sort keys: what is left of a prefix, a caller's own range, a place to resume and a window when
/// all hold at once. DynamoDB takes one condition on the sort key, so the range is rendered as the one that
/// covers it, and `contains` drops what the condition lets through beside it.
class KeyRange {
 public:
  KeyRange() = default;

  /// Errors: a value that DynamoDB refuses (empty, no UTF-8, over 1024 bytes) → `key_error`.
  explicit KeyRange(const SortKeyCondition& condition) {
    using Form = SortKeyCondition::Form;
    if (condition.form() == Form::none) return;
    check(condition.value());
    if (condition.form() == Form::between) check(condition.upper());
    switch (condition.form()) {
      case Form::none:
        break;
      case Form::equal:
        lower_ = upper_ = Bound{condition.value(), true};
        break;
      case Form::less:
      case Form::less_equal:
        upper_ = Bound{condition.value(), condition.form() == Form::less_equal};
        break;
      case Form::greater:
      case Form::greater_equal:
        lower_ = Bound{condition.value(), condition.form() == Form::greater_equal};
        break;
      case Form::between:
        lower_ = Bound{condition.value(), true};
        upper_ = Bound{condition.upper(), true};
        break;
      case Form::begins_with:
        set_prefix(std::get<std::string>(condition.value()));
        break;
    }
  }

  void at_least(SortKeyValue value) { raise_lower({std::move(value), true}); }
  void at_most(SortKeyValue value) { lower_upper({std::move(value), true}); }
  void above(SortKeyValue value) { raise_lower({std::move(value), false}); }
  void below(SortKeyValue value) { lower_upper({std::move(value), false}); }

  void intersect(const KeyRange& other) {
    const bool whole_prefix_stays = !prefix_.empty() && !other.lower_ && !other.upper_;
    const bool becomes_prefix = !other.prefix_.empty() && !lower_ && !upper_;
    const std::string prefix = whole_prefix_stays ? prefix_ : becomes_prefix ? other.prefix_ : std::string();
    if (other.lower_) raise_lower(*other.lower_);
    if (other.upper_) lower_upper(*other.upper_);
    prefix_ = prefix;
  }

  /// No key can be in it, so no request is needed.
  bool empty() const {
    if (!lower_ || !upper_) return false;
    const auto order = compare_values(lower_->value, upper_->value);
    return order > 0 || (order == 0 && !(lower_->inclusive && upper_->inclusive));
  }

  template <class Key>
  bool contains(const Key& key) const {
    if (lower_ && !(lower_->inclusive ? compare_to_value(key, lower_->value) >= 0
                                      : compare_to_value(key, lower_->value) > 0))
      return false;
    return !upper_ || (upper_->inclusive ? compare_to_value(key, upper_->value) <= 0
                                         : compare_to_value(key, upper_->value) < 0);
  }
  bool contains_all() const noexcept { return !lower_ && !upper_; }

  /// The one condition that covers the range. @pre !empty()
  SortKeyCondition condition() const {
    if (!prefix_.empty()) return SortKeyCondition::begins_with(prefix_);
    if (lower_ && upper_) {
      if (lower_->value == upper_->value) return SortKeyCondition::equal(lower_->value);
      return SortKeyCondition::between(lower_->value, upper_->value);
    }
    if (lower_)
      return lower_->inclusive ? SortKeyCondition::greater_equal(lower_->value)
                               : SortKeyCondition::greater(lower_->value);
    if (upper_)
      return upper_->inclusive ? SortKeyCondition::less_equal(upper_->value)
                               : SortKeyCondition::less(upper_->value);
    return {};
  }

 private:
  static constexpr std::size_t max_key_size = 1024;

  struct Bound {
    SortKeyValue value;
    bool inclusive;
  };

  static void check(const SortKeyValue& value) {
    const auto* text = std::get_if<std::string>(&value);
    if (text == nullptr) return;
    if (text->empty())
      throw key_error(
          KeyErrorReason::empty,
          "evenkey: a condition on the sort key has an empty value, which DynamoDB refuses; leave it out");
    if (!is_utf8(*text))
      throw key_error(KeyErrorReason::not_utf8,
                      "evenkey: a condition on the sort key is not valid UTF-8, which DynamoDB refuses");
    if (text->size() > max_key_size)
      throw key_error(
          KeyErrorReason::too_long,
          "evenkey: a condition on the sort key has more than 1024 bytes, more than any sort key");
  }

  void set_prefix(const std::string& prefix) {
    lower_ = Bound{prefix, true};
    // No longer key exists, and its successor could be too long for a condition.
    if (prefix.size() == max_key_size) {
      upper_ = lower_;
      return;
    }
    prefix_ = prefix;
    if (std::optional<std::string> successor = prefix_successor(prefix))
      upper_ = Bound{*std::move(successor), false};
  }

  // A tighter bound makes the range something other than all keys of a prefix.
  void raise_lower(Bound bound) {
    if (lower_) {
      const auto order = compare_values(bound.value, lower_->value);
      if (order < 0 || (order == 0 && (bound.inclusive || !lower_->inclusive))) return;
    }
    lower_ = std::move(bound);
    prefix_.clear();
  }
  void lower_upper(Bound bound) {
    if (upper_) {
      const auto order = compare_values(bound.value, upper_->value);
      if (order > 0 || (order == 0 && (bound.inclusive || !upper_->inclusive))) return;
    }
    upper_ = std::move(bound);
    prefix_.clear();
  }

  std::optional<Bound> lower_;
  std::optional<Bound> upper_;
  std::string prefix_;  // not empty: the range is all keys that begin with it
};

}  // namespace evenkey::detail
