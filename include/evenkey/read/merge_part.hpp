// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/page.hpp>
#include <evenkey/page/key_range.hpp>
#include <evenkey/read/limit_plan.hpp>
#include <evenkey/read/ordered_merge.hpp>
#include <evenkey/read/settings.hpp>
#include <evenkey/read/windows.hpp>

#include <cstddef>
#include <optional>
#include <utility>

namespace evenkey::detail {

/// One merge of a read: the lanes it takes its items from, which rows it is about, and, where its lanes are
/// of two groups, the window that is open.
template <class Index>
struct MergePart {
  OrderedMerge<Index> merge;
  LaneRange lanes;
  ReadScope scope;
  SortKeyCondition condition;  // covers the scope's range
  std::optional<Windows<Index>> windows = {};
  Deadline window_opened = {};  // when the last page of the source came before it

  /// The lanes that share what a limited read asks at one time.
  LaneRange peers_of(std::size_t lane) const noexcept {
    if (!windows) return lanes;
    return windows->source().contains(lane) ? windows->source() : windows->destination();
  }
  /// The lanes whose turn it is.
  LaneRange turn() const noexcept {
    if (!windows) return lanes;
    return windows->at_source() ? windows->source() : windows->destination();
  }
  bool is_source(std::size_t lane) const noexcept { return windows && windows->source().contains(lane); }
  /// What a lane's requests ask for now, and which of the items that come are wanted.
  const SortKeyCondition& condition_of(std::size_t lane) const noexcept {
    return windows && !is_source(lane) ? windows->condition() : condition;
  }
  const KeyRange& range_of(std::size_t lane) const noexcept {
    return windows && !is_source(lane) ? windows->range() : scope.range;
  }

  /// Opens the next window: the destination's lanes may be asked within it.
  /// @param source_answered when the source answered last
  template <class Lanes>
  void open_window(const typename OrderedMerge<Index>::IndexType& index, Lanes& all,
                   Deadline source_answered) {
    using Lane = typename Lanes::value_type;
    windows->open(index, all, scope.range);
    window_opened = source_answered;
    if (windows->is_last()) {
      merge.give_all();
    } else {
      merge.hold_back_from(windows->end());
    }
    if (windows->range().empty()) return;
    for (std::size_t lane = windows->destination().first; lane < windows->destination().end; ++lane) {
      if (all[lane].state() != Lane::State::parked) continue;
      all[lane].reopen(windows->is_last() ? Lane::AtEnd::ends : Lane::AtEnd::parks);
      merge.await();
    }
  }
};

}  // namespace evenkey::detail
