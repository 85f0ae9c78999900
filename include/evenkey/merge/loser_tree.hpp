// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

// How the tree works. Its leaves are the sources, its inner nodes games between two heads: each node keeps
// the loser, and the winner of all is kept apart. When the winner's head is replaced, only the games on its
// way up are played again: ceil(log2 k) of them.
//
// Which head wins cannot be predicted, so a branch on it would be mispredicted half of the time, and that
// costs more than everything else here. Therefore a head takes part by its `code`, an integer that orders
// most pairs, and a game ends in a swap under a mask.
//
// What `Heads` must have:
//   Key, no_head                      what a head is given by; a code that no head's goes behind
//   place(leaf, key) -> code          keeps the leaf's head
//   mask_if_first(a, b) -> mask       all ones where contender a goes before b, else zero; ids settle ties
//   are_equal(leaf, other) -> bool    for heads whose codes are equal, the first of which is the top
//   codes_are_worn() -> bool          whether the codes should be made anew
//   encode(ids, codes)                makes them, for the ids below the number of leaves
namespace evenkey::detail {

/// A leaf in a game. A smaller code goes first; what equal codes mean is for the tree's `Heads` to say.
struct Contender {
  std::uint64_t code;
  /// The leaf, if it has a head. A leaf without one plays under a number above those of all leaves.
  std::uint32_t id;
};

/// A tournament over k sorted sources, of which it knows the heads: which one goes first, and whether another
/// equals it. Of equal heads the lower leaf goes first.
///
/// When to use it: to merge sources whose heads come one at a time, and late, as pages do. `Heads` holds the
/// keys and orders them: `TextHeads`, `NumberHeads` or `PlainHeads` (`heads_for` chooses).
/// Order: a leaf's next head must not go before its last one; else the order is lost, and nothing worse.
/// Cost: `replace_top` plays ceil(log2 k) games; `insert` and `remove` of another leaf than the top let all
/// k - 1 games be played again, once for any number of them. Allocations only on construction.
template <class Heads>
class LoserTree {
 public:
  using Key = typename Heads::Key;

  LoserTree(std::size_t leaves, Heads heads)
      : heads_(std::move(heads)),
        // A whole number of levels: the number of games on the way up never changes, so it is predicted.
        width_(std::bit_ceil(leaves)),
        codes_(2 * width_, Heads::no_head),
        nodes_(2 * width_) {
    for (std::size_t leaf = 0; leaf < width_; ++leaf)
      nodes_[width_ + leaf] = absent(leaf);
  }

  /// Whether any leaf has a head. Call it before `top`, `top_is_tied`, `replace_top` and `remove_top`.
  bool has_top() {
    if (state_ != State::settled) settle();
    return top_ < width_;
  }

  /// The leaf whose head goes first. @pre has_top()
  std::size_t top() const noexcept { return top_; }

  /// Whether another leaf's head equals the top's. @pre has_top()
  bool top_is_tied() {
    // An equal head lost to the top, or to another equal one that did.
    for (std::size_t node = (width_ + top_) / 2; node != 0; node /= 2) {
      const std::uint32_t loser = nodes_[node];
      if (codes_[loser] == codes_[top_] && loser < width_ && heads_.are_equal(top_, loser)) return true;
    }
    return false;
  }

  /// The top leaf goes on to its next head. @pre has_top()
  void replace_top(Key key) {
    codes_[top_] = heads_.place(top_, key);
    replay(top_);
  }

  /// The top leaf has no head, for now or for good. Costs nothing if `insert` gives it one before `has_top`.
  /// @pre has_top()
  void remove_top() noexcept { state_ = State::vacant; }

  /// A leaf that has no head gets one.
  void insert(std::size_t leaf, Key key) {
    if (state_ == State::vacant && leaf == top_) {
      state_ = State::settled;
      replace_top(key);
    } else {
      disperse();
      codes_[leaf] = heads_.place(leaf, key);
      nodes_[width_ + leaf] = static_cast<std::uint32_t>(leaf);
    }
  }

  /// Any leaf loses its head, if it has one.
  void remove(std::size_t leaf) noexcept {
    disperse();
    nodes_[width_ + leaf] = absent(leaf);
  }

  const Heads& heads() const noexcept { return heads_; }

 private:
  enum class State : std::uint8_t {
    settled,   // every node holds the loser of its game, and top_ the winner
    vacant,    // the same, but the top has lost its head and is still to be replayed
    dispersed  // no games: all are in their leaves
  };

  std::uint32_t absent(std::size_t leaf) const noexcept { return static_cast<std::uint32_t>(width_ + leaf); }
  Contender contender(std::uint32_t id) const noexcept { return {codes_[id], id}; }

  void replay(std::uint32_t id) {
    const std::uint64_t* const codes = codes_.data();
    std::uint32_t* const nodes = nodes_.data();
    Contender winner = contender(id);
    for (std::size_t node = (width_ + (id & (width_ - 1))) / 2; node != 0; node /= 2) {
      const Contender other{codes[nodes[node]], nodes[node]};
      const std::uint64_t mask = heads_.mask_if_first(other, winner);
      const std::uint32_t swap = (other.id ^ winner.id) & static_cast<std::uint32_t>(mask);
      nodes[node] = other.id ^ swap;
      winner.id ^= swap;
      winner.code ^= (other.code ^ winner.code) & mask;
    }
    top_ = winner.id;
    if (heads_.codes_are_worn()) [[unlikely]] {
      disperse();
      settle();
    }
  }

  /// Sends all back to their leaves, where nothing else is kept.
  void disperse() noexcept {
    if (state_ == State::dispersed) return;
    if (state_ == State::vacant) top_ = absent(top_);
    const std::size_t leaf_of = width_ - 1;
    for (std::size_t node = 1; node < width_; ++node)
      nodes_[width_ + (nodes_[node] & leaf_of)] = nodes_[node];
    nodes_[width_ + (top_ & leaf_of)] = top_;
    state_ = State::dispersed;
  }

  [[gnu::noinline]] void settle() {
    if (state_ == State::vacant) {
      state_ = State::settled;
      replay(absent(top_));
      return;
    }
    heads_.encode(std::span(nodes_).subspan(width_), codes_);
    // First the winner of each game, from the leaves up; then, from the top down, its loser: the one of the
    // two below that is not the winner.
    for (std::size_t node = width_ - 1; node != 0; --node) {
      const Contender left = contender(nodes_[2 * node]);
      const Contender right = contender(nodes_[2 * node + 1]);
      nodes_[node] = heads_.mask_if_first(right, left) != 0 ? right.id : left.id;
    }
    top_ = nodes_[1];
    for (std::size_t node = 1; node < width_; ++node)
      nodes_[node] = nodes_[nodes_[2 * node] == nodes_[node] ? 2 * node + 1 : 2 * node];
    state_ = State::settled;
  }

  Heads heads_;
  std::size_t width_;
  std::vector<std::uint64_t> codes_;  // by id; those of absent leaves never change
  std::vector<std::uint32_t> nodes_;  // ids as a binary heap: [1, width_) the games, [width_, …) the leaves
  std::uint32_t top_ = 0;
  State state_ = State::dispersed;
};

}  // namespace evenkey::detail
