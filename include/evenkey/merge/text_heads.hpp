// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/merge/loser_tree.hpp>
#include <evenkey/page.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace evenkey::detail {

/// Eight bytes as a number that orders as they do.
inline std::uint64_t big_endian_word(const char* bytes) noexcept {
  const auto byte = [bytes](int i) { return std::uint64_t{static_cast<unsigned char>(bytes[i])}; };
  // Written out, compilers make it one load and a swap; as a loop, g++ does not.
  return byte(0) << 56 | byte(1) << 48 | byte(2) << 40 | byte(3) << 32 | byte(4) << 24 | byte(5) << 16 |
         byte(6) << 8 | byte(7);
}

/// The first eight bytes of `text` behind `offset`, zeros where there are none. @pre offset <= text.size()
inline std::uint64_t window_of(std::string_view text, std::size_t offset) noexcept {
  const std::size_t left = text.size() - offset;
  if (left >= 8) return big_endian_word(text.data() + offset);
  if (left == 0) return 0;
  if (text.size() >= 8) return big_endian_word(text.data() + text.size() - 8) << 8 * (8 - left);
  std::uint64_t word = 0;
  for (std::size_t i = offset; i < text.size(); ++i)
    word = word << 8 | static_cast<unsigned char>(text[i]);
  return word << 8 * (8 - left);
}

/// How many bytes both texts begin with, at most `limit`. @pre limit <= both sizes
inline std::size_t shared_length(std::string_view a, std::string_view b, std::size_t limit) noexcept {
  std::size_t length = 0;
  for (; length + 8 <= limit; length += 8) {
    const std::uint64_t difference = big_endian_word(&a[length]) ^ big_endian_word(&b[length]);
    if (difference != 0) return length + static_cast<std::size_t>(std::countl_zero(difference)) / 8;
  }
  while (length < limit && a[length] == b[length])
    ++length;
  return length;
}

/// Heads of a `LoserTree` that are text, ordered by unsigned bytes as the store does.
///
/// All heads share a prefix; the code of a head is the eight bytes behind it (less two bits, which are kept
/// for what follows). Where two codes differ they order the heads, whatever lengths and zero bytes there are;
/// where they are equal the heads are compared in full.
///
/// A head that leaves the prefix follows one that had it, so it goes after every head that still has it: that
/// is its code. (A code of several bytes relative to the last winner, instead of a prefix that all share,
/// would have to be mended in the loser of each game; leaving that out is fast and wrong.) When full
/// comparisons have become frequent, because many heads left the prefix or because all share more by now, the
/// prefix and the codes are made anew.
///
/// Shape: keeps views; a head must stay where it is until its leaf gets the next, or is removed.
class TextHeads {
 public:
  using Key = std::string_view;
  static constexpr std::uint64_t no_head = ~std::uint64_t{0} >> 1;

  TextHeads(std::size_t leaves, Direction direction)
      : flip_(direction == Direction::ascending ? 0 : ~std::uint64_t{0}),
        fewest_ties_(2 * (std::max)(leaves, std::size_t{8})),
        ties_allowed_(fewest_ties_),
        heads_(leaves) {
    prefix_.reserve(longest_prefix);
  }

  std::uint64_t place(std::size_t leaf, std::string_view key) noexcept {
    heads_[leaf] = key;
    return code_of(key);
  }

  // All codes are below 2^63, so the difference has the sign of the comparison. Written as a comparison,
  // clang makes a branch of it.
  std::uint64_t mask_if_first(Contender a, Contender b) noexcept {
    if (a.code == b.code) [[unlikely]]
      return std::uint64_t{0} - std::uint64_t{goes_first_in_full(a, b)};
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(a.code - b.code) >> 63);
  }

  bool are_equal(std::size_t a, std::size_t b) const noexcept { return heads_[a] == heads_[b]; }

  bool codes_are_worn() const noexcept { return ties_ >= ties_allowed_; }

  /// Chooses the prefix anew and gives every leaf its code.
  void encode(std::span<const std::uint32_t> ids, std::span<std::uint64_t> codes) noexcept {
    const std::string_view* first = nullptr;
    std::size_t shared = 0;
    for (const std::uint32_t id : ids) {
      if (id >= heads_.size()) continue;
      const std::string_view& head = heads_[id];
      if (first == nullptr) {
        first = &head;
        shared = (std::min)(head.size(), longest_prefix);
      } else {
        shared = shared_length(*first, head, (std::min)(shared, head.size()));
      }
    }
    const bool worn = codes_are_worn();
    // A prefix one byte shorter is left far more seldom; the whole of it lets the codes tell more heads
    // apart.
    if (worn) slack_ = 2 * ties_of_leavers_ > ties_ ? 1 : 0;
    const std::string_view prefix =
        first == nullptr ? std::string_view() : first->substr(0, shared - (std::min)(slack_, shared));
    if (prefix != prefix_) {
      ties_allowed_ = fewest_ties_;
    } else if (worn) {
      ties_allowed_ *= 2;  // ties are in the nature of the keys: look again twice as late
    }
    ties_ = 0;
    ties_of_leavers_ = 0;
    prefix_ = prefix;
    for (const std::uint32_t id : ids)
      if (id < heads_.size()) codes[id] = code_of(heads_[id]);
  }

  /// For tests: how often two heads were compared in full.
  std::size_t full_comparisons() const noexcept { return full_comparisons_; }

 private:
  // The longest sort key of DynamoDB. Heads that share more are merged all the same, by full comparisons.
  static constexpr std::size_t longest_prefix = 1024;
  static constexpr int spare_bits = 2;
  static constexpr std::uint64_t left_prefix = std::uint64_t{1} << 62;

  // As key.starts_with(prefix_); but most prefixes are shorter than a call of memcmp is worth.
  bool begins_with_prefix(std::string_view key) const noexcept {
    const std::size_t size = prefix_.size();
    if (key.size() < size) return false;
    std::uint64_t difference = 0;
    if (size >= 8) {
      for (std::size_t i = 0; i + 8 < size; i += 8)
        difference |= big_endian_word(&key[i]) ^ big_endian_word(&prefix_[i]);
      difference |= big_endian_word(&key[size - 8]) ^ big_endian_word(&prefix_[size - 8]);
    } else {
      for (std::size_t i = 0; i < size; ++i)
        difference |= static_cast<unsigned char>(key[i] ^ prefix_[i]);
    }
    return difference == 0;
  }

  std::uint64_t code_of(std::string_view key) const noexcept {
    if (!begins_with_prefix(key)) [[unlikely]]
      return left_prefix;
    return (window_of(key, prefix_.size()) ^ flip_) >> spare_bits;
  }

  [[gnu::noinline]] bool goes_first_in_full(Contender a, Contender b) noexcept {
    if (a.code == no_head) return a.id < b.id;
    ++ties_;
    ++full_comparisons_;
    if (a.code == left_prefix) ++ties_of_leavers_;
    const std::size_t known = a.code == left_prefix ? 0 : prefix_.size();
    const int order = heads_[a.id].substr(known).compare(heads_[b.id].substr(known));
    if (order == 0) return a.id < b.id;
    return flip_ == 0 ? order < 0 : order > 0;
  }

  std::uint64_t flip_;  // all ones turns the order of the codes round
  std::size_t fewest_ties_;
  std::size_t ties_allowed_;
  std::size_t slack_ = 1;            // by how much the prefix is shorter than what the heads share
  std::size_t ties_ = 0;             // full comparisons since the codes were made
  std::size_t ties_of_leavers_ = 0;  // of these, of heads that left the prefix
  std::size_t full_comparisons_ = 0;
  std::vector<std::string_view> heads_;
  std::string prefix_;  // a copy: the head that it came from may be gone
};

}  // namespace evenkey::detail
