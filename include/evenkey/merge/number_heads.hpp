// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/merge/loser_tree.hpp>
#include <evenkey/page.hpp>

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace evenkey::detail {

/// What becomes an unsigned integer of the same order.
template <class T>
concept number_with_code =
    (std::integral<T> && sizeof(T) <= 8) || std::same_as<T, float> || std::same_as<T, double>;

template <number_with_code T>
constexpr std::uint64_t ordered_code(T number) noexcept {
  constexpr std::uint64_t top_bit = std::uint64_t{1} << 63;
  if constexpr (std::floating_point<T>) {
    // -0.0 equals 0.0. Of negative numbers the bits grow with the magnitude.
    const auto bits = std::bit_cast<std::uint64_t>(number == 0 ? 0.0 : static_cast<double>(number));
    return (bits & top_bit) != 0 ? ~bits : bits | top_bit;
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(number)) ^ top_bit;
  } else {
    return static_cast<std::uint64_t>(number);
  }
}

/// Heads of a `LoserTree` that are numbers: the code is the key, and nothing else is kept.
template <number_with_code T>
class NumberHeads {
 public:
  using Key = T;
  /// The largest number has this code too, and goes first because its leaf has the lower id.
  static constexpr std::uint64_t no_head = ~std::uint64_t{0};

  NumberHeads(std::size_t /*leaves*/, Direction direction) noexcept
      : flip_(direction == Direction::ascending ? 0 : ~std::uint64_t{0}) {}

  std::uint64_t place(std::size_t /*leaf*/, T key) const noexcept { return ordered_code(key) ^ flip_; }

  // The borrow of a.code - b.code - (a.id < b.id): a goes first by its code, or by its id where codes are
  // equal.
  static std::uint64_t mask_if_first(Contender a, Contender b) noexcept {
    const std::uint64_t lower_id = (a.id - b.id) >> 31;  // ids are below 2^31
    const std::uint64_t difference = a.code - b.code - lower_id;
    const std::uint64_t borrow = ((~a.code & b.code) | ((~a.code | b.code) & difference)) >> 63;
    return std::uint64_t{0} - borrow;
  }

  static bool are_equal(std::size_t /*a*/, std::size_t /*b*/) noexcept { return true; }  // their codes are
  static bool codes_are_worn() noexcept { return false; }
  static void encode(std::span<const std::uint32_t> /*ids*/, std::span<std::uint64_t> /*codes*/) noexcept {}

 private:
  std::uint64_t flip_;
};

}  // namespace evenkey::detail
