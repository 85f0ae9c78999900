// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/merge/loser_tree.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace evenkey::detail {

/// Heads of a `LoserTree` in an order that only `Compare` knows: one call of it for each game.
///
/// Shape: keeps pointers; a head must stay where it is until its leaf gets the next, or is removed.
/// Errors: what `Compare` throws; the tree is of no use then.
template <class T, class Compare>
class PlainHeads {
 public:
  using Key = const T*;
  static constexpr std::uint64_t no_head = 1;

  PlainHeads(std::size_t leaves, Compare compare) : compare_(std::move(compare)), heads_(leaves) {}

  std::uint64_t place(std::size_t leaf, const T* key) noexcept {
    heads_[leaf] = key;
    return 0;
  }

  std::uint64_t mask_if_first(Contender a, Contender b) {
    return std::uint64_t{0} - std::uint64_t{goes_first(a, b)};
  }

  /// @pre `b` does not go before `a`
  bool are_equal(std::size_t a, std::size_t b) { return !less(a, b); }
  static bool codes_are_worn() noexcept { return false; }
  static void encode(std::span<const std::uint32_t> /*ids*/, std::span<std::uint64_t> /*codes*/) noexcept {}

 private:
  bool less(std::size_t a, std::size_t b) { return std::invoke(compare_, *heads_[a], *heads_[b]); }
  bool goes_first(Contender a, Contender b) {
    if (a.code != b.code) return a.code < b.code;
    if (a.code == no_head) return a.id < b.id;
    return a.id < b.id ? !less(b.id, a.id) : less(a.id, b.id);
  }

  Compare compare_;
  std::vector<const T*> heads_;
};

}  // namespace evenkey::detail
