// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/fields/digits.hpp>
#include <evenkey/fields/key_error.hpp>
#include <evenkey/fields/key_field.hpp>
#include <evenkey/fields/number.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ratio>
#include <string_view>
#include <utility>

namespace evenkey {

namespace detail {

// The first and last millisecond of the years 0000 to 9999, from 1970.
inline constexpr std::int64_t first_timestamp = -62'167'219'200'000;
inline constexpr std::int64_t last_timestamp = 253'402'300'799'999;

template <class Time>
inline constexpr bool is_whole_milliseconds = false;

/// Coarser units too: they become milliseconds without loss.
template <plain_integer Rep, class Period>
inline constexpr bool is_whole_milliseconds<std::chrono::sys_time<std::chrono::duration<Rep, Period>>> =
    std::ratio_divide<Period, std::milli>::den == 1;

/// Milliseconds since 1970; a time out of range becomes one that is just out of range, so that nothing
/// overflows.
template <class Time>
constexpr std::int64_t take_milliseconds(const Time& time) noexcept {
  static_assert(is_whole_milliseconds<Time>,
                "evenkey: Timestamp takes std::chrono::sys_time of milliseconds or coarser whole units; of a "
                "finer time "
                "say what to keep: std::chrono::floor<std::chrono::milliseconds>(time)");
  if constexpr (is_whole_milliseconds<Time>) {
    constexpr std::int64_t unit = std::ratio_divide<typename Time::period, std::milli>::num;
    const auto count = time.time_since_epoch().count();
    if (std::cmp_greater(count, last_timestamp / unit)) return last_timestamp + 1;
    if (std::cmp_less(count, first_timestamp / unit)) return first_timestamp - 1;
    return static_cast<std::int64_t>(count) * unit;
  } else {
    return 0;
  }
}

}  // namespace detail

/// A time as `2026-07-08T12:00:00.000Z`: always UTC, always milliseconds, always 24 bytes.
///
/// Use it for times in sort keys: it is ADR-0085's `openedAt`, and what JavaScript's `toISOString` gives.
/// Shape: `std::chrono::sys_time` of milliseconds or a coarser unit; a finer one does not compile until it
/// says how to round (`std::chrono::floor` keeps the order) → text →
/// `std::chrono::sys_time<std::chrono::milliseconds>`.
/// Order: by time, before 1970 too.
/// Errors: a year outside 0000 to 9999 → `key_error`.
/// Source: docs/format/keys.md; ISO 8601, proleptic Gregorian calendar, no leap seconds.
struct Timestamp {
  using argument_type = std::int64_t;
  using value_type = std::chrono::sys_time<std::chrono::milliseconds>;
  static constexpr std::string_view name = "Timestamp";
  static constexpr std::string_view takes = "times of the years 0000 to 9999";

  static constexpr bool separable_by(char separator) noexcept {
    return !detail::is_digit(separator) &&
           std::string_view("-T:.Z").find(separator) == std::string_view::npos;
  }

  template <class Value>
  static constexpr std::int64_t take(const Value& value) noexcept {
    return detail::take_milliseconds(value);
  }

  static constexpr std::optional<KeyErrorReason> fault(std::int64_t time, char) noexcept {
    if (time < detail::first_timestamp || time > detail::last_timestamp) return KeyErrorReason::out_of_range;
    return std::nullopt;
  }

  static constexpr std::size_t size(std::int64_t, char) noexcept { return pattern_.size(); }

  static constexpr char* write(std::int64_t time, char, char* out) noexcept {
    using namespace std::chrono;
    const sys_time<milliseconds> point{milliseconds(time)};
    const sys_days day = floor<days>(point);  // toward the past, also before 1970
    const year_month_day date{day};
    const auto rest = static_cast<std::uint64_t>((point - day).count());
    out = field(static_cast<std::uint64_t>(static_cast<int>(date.year())), 4, '-', out);
    out = field(static_cast<unsigned>(date.month()), 2, '-', out);
    out = field(static_cast<unsigned>(date.day()), 2, 'T', out);
    out = field(rest / 3'600'000, 2, ':', out);
    out = field(rest / 60'000 % 60, 2, ':', out);
    out = field(rest / 1'000 % 60, 2, '.', out);
    return field(rest % 1'000, 3, 'Z', out);
  }

  static constexpr std::optional<value_type> read(std::string_view text, char) noexcept {
    using namespace std::chrono;
    if (text.size() != pattern_.size()) return std::nullopt;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (pattern_[i] == '0' ? !detail::is_digit(text[i]) : text[i] != pattern_[i]) return std::nullopt;
    }
    const auto number = [text](std::size_t at, std::size_t digits) noexcept {
      return static_cast<unsigned>(*detail::read_digits(text.substr(at, digits)));
    };
    const year_month_day date{year(static_cast<int>(number(0, 4))), month(number(5, 2)), day(number(8, 2))};
    const unsigned hour = number(11, 2), minute = number(14, 2), second = number(17, 2);
    if (!date.ok() || hour > 23 || minute > 59 || second > 59) return std::nullopt;
    return sys_days(date) + hours(hour) + minutes(minute) + seconds(second) + milliseconds(number(20, 3));
  }

 private:
  static constexpr std::string_view pattern_ = "0000-00-00T00:00:00.000Z";

  static constexpr char* field(std::uint64_t number, std::size_t digits, char after, char* out) noexcept {
    out = detail::write_digits(number, digits, out);
    *out++ = after;
    return out;
  }
};

}  // namespace evenkey
