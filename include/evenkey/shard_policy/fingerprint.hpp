// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace evenkey::detail {

constexpr std::size_t decimal_width(std::uint32_t value) noexcept {
  std::size_t width = 1;
  for (; value >= 10; value /= 10)
    ++width;
  return width;
}

/// Writes `hash/placement/count` and returns the end.
template <class Output>
constexpr Output write_fingerprint(Output out, std::string_view hash, std::string_view placement,
                                   std::uint32_t shard_count) {
  for (const char character : hash)
    *out++ = character;
  *out++ = '/';
  for (const char character : placement)
    *out++ = character;
  *out++ = '/';
  std::uint32_t power = 1;
  for (std::size_t digit = decimal_width(shard_count); digit > 1; --digit)
    power *= 10;
  for (; power != 0; power /= 10)
    *out++ = static_cast<char>('0' + shard_count / power % 10);
  return out;
}

template <class Hash, class Placement>
struct PolicyNames {
  static constexpr std::string_view hash = Hash::name;
  static constexpr std::string_view placement = Placement::name;
};

struct RandomNames {
  static constexpr std::string_view hash = "random";
  static constexpr std::string_view placement = "any";
};

template <class Names, std::uint32_t N>
inline constexpr auto fingerprint_text = [] {
  std::array<char, Names::hash.size() + Names::placement.size() + decimal_width(N) + 2> text{};
  write_fingerprint(text.begin(), Names::hash, Names::placement, N);
  return text;
}();

template <class Names, std::uint32_t N>
inline constexpr std::string_view static_fingerprint{fingerprint_text<Names, N>.data(),
                                                     fingerprint_text<Names, N>.size()};

}  // namespace evenkey::detail
