// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/merge/cursor.hpp>
#include <evenkey/merge/heads_for.hpp>
#include <evenkey/merge/loser_tree.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

namespace evenkey {

/// A range of ranges: `std::vector<std::span<const T>>`, `std::vector<std::vector<T>>`. Sources that are made
/// on the way must be views that do not own their items.
template <class Sources>
concept merge_sources = std::ranges::input_range<Sources> &&
    std::ranges::input_range<std::ranges::range_reference_t<Sources>> &&
    (std::is_lvalue_reference_v<std::ranges::range_reference_t<Sources>> ||
     std::ranges::borrowed_range<std::ranges::range_reference_t<Sources>>);

namespace detail {

template <class Sources>
using SourceOf = std::remove_reference_t<std::ranges::range_reference_t<Sources>>;

template <class Sources, class Projection>
using MergeKey =
    std::remove_cvref_t<ProjectedKey<std::ranges::range_reference_t<SourceOf<Sources>>, Projection>>;

/// A container: what is const in it is const for its items too. Spans and pairs of iterators pass it on not
/// at all, also those that do not say that they are views.
template <class Range>
concept owns_its_items =
    !std::ranges::view<Range> && !std::ranges::borrowed_range<Range> &&
    std::ranges::input_range<const Range> &&
    !std::same_as<std::ranges::range_reference_t<Range>, std::ranges::range_reference_t<const Range>>;

/// An rvalue container of containers, given away with all that is in it.
template <class Sources>
concept gives_its_items =
    !std::is_reference_v<Sources> && owns_its_items<Sources> && owns_its_items<SourceOf<Sources>>;

template <bool Move, class Iterator>
constexpr decltype(auto) item_at(const Iterator& position) {
  if constexpr (Move) {
    return std::ranges::iter_move(position);
  } else {
    return *position;
  }
}

}  // namespace detail

/// `compare` orders the keys: `compare(a, b)` says whether `a` goes before `b`; or it is a `Direction`.
template <class Compare, class Key>
concept merge_order = std::same_as<Compare, Direction> || std::predicate<Compare&, const Key&, const Key&>;

/// The projection of an item gives a key that outlives the call.
template <class Sources, class Projection>
concept merge_key_stays =
    !detail::key_dangles<std::ranges::range_reference_t<detail::SourceOf<Sources>>, Projection>;

/// Merges sorted ranges into one.
///
/// When to use it: on pages, runs or shards that are in memory and each in order. Reading an index needs none
/// of it: `enumerate` merges by itself.
/// Shape: items are copied to `out`, or moved: where `sources` is an rvalue container of containers
/// (`std::move(pages)`), or where a source's iterators are move iterators. The sources stay as long as they
/// are.
/// Order: by key; of equal keys the lower source first, within a source as they were. Text keys (all that
/// converts to `std::string_view`) go by unsigned bytes, as the store does; other keys by `compare`. A source
/// that is not sorted gives all its items, in no order to rely on.
/// Cost: O(n log k), at most ceil(log2 k) comparisons an item; of text mostly of 8 bytes in an integer. A few
/// allocations in all, none per item, besides what copying an item or a key needs.
/// Errors: what the iterators, `projection` and `compare` throw; what was written to `out` stays.
/// @param projection gives an item's key; a reference that it returns must stay valid while the item does
/// @param compare for text and numbers, `std::less`, `std::greater` and `Direction` are the fast ones
/// @returns `out` behind the last item
template <class Sources, std::weakly_incrementable Out, class Projection = std::identity,
          class Compare = std::ranges::less>
requires merge_sources<Sources> && merge_key_stays<Sources, Projection> &&
    merge_order<Compare, detail::MergeKey<Sources, Projection>>
        Out merge_sorted(Sources&& sources, Out out, Projection projection = {}, Compare compare = {}) {
  using Source = detail::SourceOf<Sources>;
  using Cursor = detail::Cursor<Source, Projection>;
  constexpr bool moves = detail::gives_its_items<Sources>;

  std::vector<Cursor> cursors;
  if constexpr (std::ranges::sized_range<Sources> || std::ranges::forward_range<Sources>)
    cursors.reserve(static_cast<std::size_t>(std::ranges::distance(sources)));
  for (auto&& source : sources)
    if (Cursor cursor(source); !cursor.at_end()) cursors.push_back(std::move(cursor));

  if (cursors.size() == 1) {
    for (Cursor& only = cursors.front(); !only.at_end(); only.advance(), ++out)
      *out = detail::item_at<moves>(only.position());
    return out;
  }

  auto heads = detail::heads_for<typename Cursor::Key>(cursors.size(), std::move(compare));
  using Heads = decltype(heads);
  detail::LoserTree<Heads> tree(cursors.size(), std::move(heads));
  // Only now, because the tree may point to keys that the cursors hold.
  for (std::size_t leaf = 0; leaf < cursors.size(); ++leaf)
    tree.insert(leaf, detail::head_of<Heads>(cursors[leaf].key(projection)));
  while (tree.has_top()) {
    Cursor& cursor = cursors[tree.top()];
    *out = detail::item_at<moves>(cursor.position());
    ++out;
    cursor.advance();
    if (cursor.at_end()) {
      tree.remove_top();
    } else {
      if constexpr (std::same_as<Heads, detail::TextHeads>) cursor.prefetch_next(projection);
      tree.replace_top(detail::head_of<Heads>(cursor.key(projection)));
    }
  }
  return out;
}

}  // namespace evenkey
