// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace protocol {

/// A small number within a state: states are compared and hashed as bytes, so they hold nothing else.
using Small = std::uint8_t;

template <class Number>
constexpr Small small(Number number) {
  return static_cast<Small>(number);
}

constexpr bool has(Small mask, std::size_t bit) { return (unsigned{mask} >> bit & 1u) != 0; }
constexpr void add(Small& mask, std::size_t bit) { mask = small(unsigned{mask} | 1u << bit); }
constexpr void drop(Small& mask, std::size_t bit) { mask = small(unsigned{mask} & ~(1u << bit)); }

/// What a search found: how many states there are, and the shortest way to one that must not be.
struct Verdict {
  std::size_t states = 0;
  std::size_t transitions = 0;
  std::string broken;              // empty: nothing is
  std::vector<std::string> steps;  // to the state that is broken

  bool holds() const { return broken.empty(); }
};

/// The states found so far, each once, with the one that it was first reached from.
template <class State>
class StateSet {
  static_assert(std::is_trivially_copyable_v<State> && alignof(State) == 1,
                "a state is bytes without padding");

 public:
  using Number = std::uint32_t;

  std::size_t size() const { return states_.size(); }
  // A copy: the vector moves when it grows.
  State operator[](std::size_t number) const { return states_[number]; }
  Number parent(Number number) const { return parents_[number]; }

  /// @return whether it is new
  bool add(const State& state, Number parent) {
    if ((states_.size() + 1) * 2 > slots_.size()) grow();
    Number& slot = slots_[slot_of(state)];
    if (slot != 0) return false;
    states_.push_back(state);
    parents_.push_back(parent);
    if (states_.size() == (std::numeric_limits<Number>::max)()) throw std::length_error("too many states");
    slot = static_cast<Number>(states_.size());  // 0 is an empty slot
    return true;
  }

 private:
  static std::uint64_t hash(const State& state) {
    std::uint64_t hash = 0x9e3779b97f4a7c15u;
    const char* const bytes = reinterpret_cast<const char*>(&state);
    for (std::size_t at = 0; at < sizeof(State); at += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes + at, (std::min)(sizeof(word), sizeof(State) - at));
      hash = (hash ^ word) * 0xff51afd7ed558ccdu;
      hash ^= hash >> 32;
    }
    return hash;
  }
  std::size_t slot_of(const State& state) const {
    std::size_t slot = hash(state) & (slots_.size() - 1);
    while (slots_[slot] != 0 && std::memcmp(&states_[slots_[slot] - 1], &state, sizeof(State)) != 0)
      slot = (slot + 1) & (slots_.size() - 1);
    return slot;
  }
  void grow() {
    slots_.assign((std::max<std::size_t>)(1024, slots_.size() * 2), 0);
    for (std::size_t i = 0; i < states_.size(); ++i)
      slots_[slot_of(states_[i])] = static_cast<Number>(i + 1);
  }

  std::vector<State> states_;
  std::vector<Number> parents_;
  std::vector<Number> slots_;
};

/// Goes through all states of a model, breadth first, and stops at the first that is broken: no shorter way
/// leads to a broken one.
///
/// A model has a `State`; `first()`, the state to start in; `each_step(state, sink)`, which calls
/// `sink(next, say)` for everything that can happen next, where `say()` tells it in words; and
/// `broken(state)`, which names the invariant that does not hold, or is empty.
template <class Model>
Verdict check(const Model& model) {
  using State = typename Model::State;
  StateSet<State> found;
  Verdict verdict;
  const auto tell_way_to = [&](std::uint32_t last) {
    std::vector<std::uint32_t> way{last};
    while (way.back() != 0)
      way.push_back(found.parent(way.back()));
    std::reverse(way.begin(), way.end());
    for (std::size_t i = 0; i + 1 < way.size(); ++i) {
      const State before = found[way[i]];
      const State after = found[way[i + 1]];
      std::string said;
      model.each_step(before, [&](const State& next, auto say) {
        if (said.empty() && std::memcmp(&next, &after, sizeof(State)) == 0) said = say();
      });
      verdict.steps.push_back(said);
    }
  };
  found.add(model.first(), 0);
  for (std::uint32_t at = 0; at < found.size(); ++at) {
    const State state = found[at];
    const std::string_view broken = model.broken(state);
    if (!broken.empty()) {
      verdict.broken = broken;
      tell_way_to(at);
      break;
    }
    model.each_step(state, [&](const State& next, auto) {
      ++verdict.transitions;
      found.add(next, at);
    });
  }
  verdict.states = found.size();
  return verdict;
}

/// The search of a model, to be run later.
template <class Model>
std::function<Verdict()> run_of(Model model) {
  return [model = std::move(model)] { return check(model); };
}

}  // namespace protocol
