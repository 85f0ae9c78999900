// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cmath>
#include <compare>
#include <concepts>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace evenkey {

/// What can be a sort key of type Number: an integer of at most 64 bits, or a float or double. Characters,
/// bool and `std::uint64_t` (which does not fit every comparison below) are not.
template <class T>
concept sort_key_number =
    (std::integral<std::remove_cvref_t<T>> && !std::same_as<std::remove_cvref_t<T>, bool> &&
     !std::same_as<std::remove_cvref_t<T>, char> && !std::same_as<std::remove_cvref_t<T>, wchar_t> &&
     !std::same_as<std::remove_cvref_t<T>, char8_t> && !std::same_as<std::remove_cvref_t<T>, char16_t> &&
     !std::same_as<std::remove_cvref_t<T>, char32_t> &&
     (std::signed_integral<std::remove_cvref_t<T>> || sizeof(T) < sizeof(std::int64_t))) ||
    std::same_as<std::remove_cvref_t<T>, double> || std::same_as<std::remove_cvref_t<T>, float>;

namespace detail {

/// `const T&`, under a name: clang-format 14 takes a `&` among the arguments of a concept for an operator.
template <class T>
using ConstRef = const std::remove_reference_t<T>&;

}  // namespace detail

/// What can be a sort key of type String or Binary: anything that converts to a `std::string_view` of its
/// bytes.
template <class T>
concept sort_key_text = std::convertible_to<detail::ConstRef<T>, std::string_view>;

/// One value that a sort key is compared with.
/// @note Text and Binary are bytes; a Number is exact as an integer, and a double where the program's own key
/// is one.
using SortKeyValue = std::variant<std::string, std::int64_t, double>;

namespace detail {

constexpr std::strong_ordering compare_numbers(std::int64_t left, std::int64_t right) noexcept {
  return left <=> right;
}

/// Exact for all pairs: converting a 64-bit integer to double would make neighbours equal.
constexpr std::strong_ordering compare_numbers(std::int64_t left, double right) noexcept {
  constexpr double two_to_63 = 9223372036854775808.0;
  if (right >= two_to_63) return std::strong_ordering::less;
  if (right < -two_to_63) return std::strong_ordering::greater;
  const auto whole = static_cast<std::int64_t>(right);  // toward zero
  if (left != whole) return left <=> whole;
  const double fraction = right - static_cast<double>(whole);
  if (fraction > 0) return std::strong_ordering::less;
  if (fraction < 0) return std::strong_ordering::greater;
  return std::strong_ordering::equal;
}

constexpr std::strong_ordering compare_numbers(double left, std::int64_t right) noexcept {
  return 0 <=> compare_numbers(right, left);
}

constexpr std::strong_ordering compare_numbers(double left, double right) noexcept {
  if (left < right) return std::strong_ordering::less;
  if (left > right) return std::strong_ordering::greater;
  return std::strong_ordering::equal;  // NaN is refused where a value is made; -0.0 is 0.0, as in DynamoDB
}

template <sort_key_number T>
constexpr auto widen(T number) noexcept {
  if constexpr (std::integral<T>) {
    return static_cast<std::int64_t>(number);
  } else {
    return static_cast<double>(number);
  }
}

inline std::invalid_argument sort_key_mismatch() {
  return std::invalid_argument(
      "evenkey: a condition on text was put to a number, or the reverse; the sort key has one type");
}

inline std::strong_ordering compare_to_value(std::string_view key, const SortKeyValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) throw sort_key_mismatch();
  return key.compare(*text) <=> 0;  // char_traits<char> compares unsigned bytes, as the store does
}
template <sort_key_number Number>
std::strong_ordering compare_to_value(Number key, const SortKeyValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return compare_numbers(widen(key), *integer);
  if (const auto* real = std::get_if<double>(&value)) return compare_numbers(widen(key), *real);
  throw sort_key_mismatch();
}
inline std::strong_ordering compare_values(const SortKeyValue& left, const SortKeyValue& right) {
  return std::visit([&](const auto& key) { return compare_to_value(key, right); }, left);
}

}  // namespace detail

/// The one condition on the sort key that a DynamoDB query may carry, with its values.
///
/// The engine makes it and the query functor renders it; a functor over a store of its own can ask `matches`.
/// Order: text by unsigned bytes, numbers by value; `between` includes both ends. Text is below all longer
/// text that begins with it, so a bound that is only the beginning of composite keys, such as a
/// `CompositeKey`'s `prefix(…)`, lies just below the keys that begin with it: none of them is equal to it.
/// Errors: NaN as a value, a prefix of a number, or `matches` with text where the condition holds a number
/// (or the reverse) is `std::invalid_argument`: DynamoDB refuses such a query too.
/// Source: AWS Developer Guide, "Key condition expressions for the Query operation".
class SortKeyCondition {
 public:
  /// The eight forms. `none` asks for the whole partition.
  enum class Form : std::uint8_t {
    none,
    equal,
    less,
    less_equal,
    greater,
    greater_equal,
    between,
    begins_with
  };

  SortKeyCondition() = default;

  /// Sort keys that are the value.
  template <class T>
  static SortKeyCondition equal(const T& value) {
    return {Form::equal, make(value), {}};
  }
  /// Sort keys below the value. None that begins with it is.
  template <class T>
  static SortKeyCondition less(const T& value) {
    return {Form::less, make(value), {}};
  }
  /// Sort keys below the value, and the value itself: of the keys that begin with it, only the one that is no
  /// longer, which no composite key is where the value is a prefix. So `less_equal("2026-07#")` has no key of
  /// July; `less("2026-07$")` has them all, `$` being the byte after `#`.
  template <class T>
  static SortKeyCondition less_equal(const T& value) {
    return {Form::less_equal, make(value), {}};
  }
  /// Sort keys above the value: also all that begin with it and are longer. `greater("2026-07#")` has July's
  /// keys; `greater_equal("2026-07$")` has not.
  template <class T>
  static SortKeyCondition greater(const T& value) {
    return {Form::greater, make(value), {}};
  }
  /// Sort keys above the value, and the value itself: so all keys that begin with it. Where it is a prefix of
  /// composite keys, this is the same as `greater`.
  template <class T>
  static SortKeyCondition greater_equal(const T& value) {
    return {Form::greater_equal, make(value), {}};
  }
  /// Both ends included, as `greater_equal` and `less_equal` are: all keys that begin with the lower end, but
  /// of those that begin with the upper end only the one that is no longer.
  /// Errors: a lower end above the upper one is `std::invalid_argument`, as DynamoDB refuses it.
  template <class T, class U>
  static SortKeyCondition between(const T& lower, const U& upper) {
    SortKeyCondition condition{Form::between, make(lower), make(upper)};
    if (detail::compare_values(condition.value_, condition.upper_) > 0)
      throw std::invalid_argument("evenkey: between needs its lower end first; swap the two values");
    return condition;
  }
  /// Sort keys that begin with the text.
  static SortKeyCondition begins_with(std::string_view prefix) {
    return {Form::begins_with, std::string(prefix), {}};
  }

  /// Which operator it is.
  Form form() const noexcept { return form_; }
  /// The value of every form but `none`; the lower end of `between`.
  const SortKeyValue& value() const noexcept { return value_; }
  /// The upper end of `between`.
  const SortKeyValue& upper() const noexcept { return upper_; }

  /// Whether a text meets it, by unsigned bytes.
  template <sort_key_text T>
  bool matches(const T& key) const {
    const std::string_view text(key);
    if (form_ == Form::none) return true;
    if (form_ == Form::begins_with) return text.starts_with(std::get<std::string>(value_));
    return holds(text);
  }
  /// Whether a number meets it, by value.
  template <sort_key_number T>
  bool matches(T key) const {
    refuse_nan(key);
    if (form_ == Form::none) return true;
    if (form_ == Form::begins_with) throw detail::sort_key_mismatch();
    return holds(key);
  }

  friend bool operator==(const SortKeyCondition&, const SortKeyCondition&) = default;

 private:
  SortKeyCondition(Form form, SortKeyValue value, SortKeyValue upper)
      : form_(form), value_(std::move(value)), upper_(std::move(upper)) {}

  static SortKeyValue make(const SortKeyValue& value) {
    std::visit([](const auto& held) { refuse_nan(held); }, value);
    return value;
  }
  template <class T>
  requires(!std::same_as<T, SortKeyValue>) static SortKeyValue make(const T& value) {
    static_assert(
        sort_key_number<T> || sort_key_text<T>,
        "evenkey: a sort key is text (convertible to std::string_view) or a number of at most 64 bits");
    if constexpr (sort_key_number<T>) {
      refuse_nan(value);
      return detail::widen(value);
    } else {
      return std::string(std::string_view(value));
    }
  }

  template <class Value>
  static void refuse_nan(const Value& number) {
    if constexpr (std::floating_point<Value>) {
      if (std::isnan(number)) throw std::invalid_argument("evenkey: NaN is not a DynamoDB number");
    }
  }

  template <class Key>
  bool holds(const Key& key) const {
    const auto to_value = detail::compare_to_value(key, value_);
    switch (form_) {
      case Form::equal:
        return to_value == 0;
      case Form::less:
        return to_value < 0;
      case Form::less_equal:
        return to_value <= 0;
      case Form::greater:
        return to_value > 0;
      case Form::greater_equal:
        return to_value >= 0;
      case Form::between:
        return to_value >= 0 && detail::compare_to_value(key, upper_) <= 0;
      case Form::none:
      case Form::begins_with:
        break;
    }
    return true;
  }

  Form form_ = Form::none;
  SortKeyValue value_;
  SortKeyValue upper_;
};

}  // namespace evenkey
