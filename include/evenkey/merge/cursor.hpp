// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/page.hpp>

#include <functional>
#include <iterator>
#include <optional>
#include <ranges>
#include <string_view>
#include <type_traits>
#include <utility>

namespace evenkey::detail {

/// What the projection gives for an item that lies still. It is never given an rvalue: it might move out of
/// it.
template <class Item, class Projection>
using ProjectedKey = std::invoke_result_t<Projection&, std::remove_reference_t<Item>&>;

/// The item lives in its source, and the key in the item: both stay where they are.
template <class Item, class Projection>
constexpr bool key_stays =
    std::is_reference_v<Item>&& std::is_lvalue_reference_v<ProjectedKey<Item, Projection>>;

/// A text key that is a view into an item which is gone when it is used.
template <class Item, class Projection>
constexpr bool key_dangles =
    !std::is_reference_v<Item> && !std::is_trivially_copyable_v<Item> &&
    sort_key_text<ProjectedKey<Item, Projection>> &&
    std::is_trivially_copyable_v<std::remove_reference_t<ProjectedKey<Item, Projection>>>;

/// A place in one source, and the key there. It must stay where it is once its key was asked.
template <class Source, class Projection>
class Cursor {
 public:
  using Item = std::ranges::range_reference_t<Source>;
  using Key = std::remove_cvref_t<ProjectedKey<Item, Projection>>;

  explicit Cursor(Source& source) : position_(std::ranges::begin(source)), end_(std::ranges::end(source)) {}

  bool at_end() const { return position_ == end_; }
  const auto& position() const noexcept { return position_; }
  void advance() { ++position_; }

  /// Fetches the bytes of the text key behind the one here, if that takes no more than following references.
  /// The outcome of a game is needed for the next and is not guessed, so nothing else hides the way to
  /// memory.
  void prefetch_next(Projection& projection) const {
    if constexpr (std::ranges::forward_range<Source> && key_stays<Item, Projection> && std::is_class_v<Key>) {
      if (const auto next = std::ranges::next(position_); next != end_) {
        [[maybe_unused]] const std::string_view key(invoke_at(projection, next));
#if defined(__GNUC__)
        __builtin_prefetch(key.data());
#endif
      }
    }
  }

  /// The key of the item here. Valid until the cursor is asked again. @pre !at_end()
  const Key& key(Projection& projection) {
    auto&& item = *position_;
    if constexpr (key_stays<Item, Projection>) {
      return std::invoke(projection, item);
    } else {
      return held_.emplace(std::invoke(projection, item));
    }
  }

 private:
  struct Nothing {};

  static decltype(auto) invoke_at(Projection& projection, const std::ranges::iterator_t<Source>& position) {
    auto&& item = *position;
    return std::invoke(projection, item);
  }

  std::ranges::iterator_t<Source> position_;
  [[no_unique_address]] std::ranges::sentinel_t<Source> end_;
  [[no_unique_address]] std::conditional_t<key_stays<Item, Projection>, Nothing, std::optional<Key>> held_;
};

}  // namespace evenkey::detail
