// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string_view>

namespace evenkey {

/// Text as a template argument: `UnshardedKey<"RenewalSaga">`, `Literal<"OUTBOX">`.
///
/// Use it by writing a string literal where a template parameter has this type.
/// Shape: holds all bytes of the literal, zeros among them too, without the zero that ends it.
template <std::size_t N>
struct FixedString {
  char bytes[N + 1];  ///< public, so that the type may be a template parameter

  /// Of a string literal, without its closing zero.
  constexpr FixedString(const char (&literal)[N + 1]) noexcept : bytes{} {  // NOLINT: implicit, for literals
    for (std::size_t i = 0; i < N; ++i)
      bytes[i] = literal[i];
  }

  /// The text.
  constexpr std::string_view view() const noexcept { return {bytes, N}; }
  /// In bytes.
  static constexpr std::size_t size() noexcept { return N; }
};

template <std::size_t M>
FixedString(const char (&)[M]) -> FixedString<M - 1>;

}  // namespace evenkey
