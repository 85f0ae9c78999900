// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/page.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// What a merge of text must give, by the simplest means: one list, sorted once, stably.
namespace support {

struct MergeItem {
  std::string key;
  std::size_t source;
  std::size_t place;
  bool operator==(const MergeItem&) const = default;
};

using MergeSources = std::vector<std::vector<MergeItem>>;

/// Byte by byte, as the store does it; on purpose by nothing that the library uses.
inline bool goes_before(evenkey::Direction direction, std::string_view a, std::string_view b) {
  if (direction == evenkey::Direction::descending) std::swap(a, b);
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return static_cast<unsigned char>(x) < static_cast<unsigned char>(y);
  });
}

inline void sort_stably(std::vector<MergeItem>& items, evenkey::Direction direction) {
  std::stable_sort(items.begin(), items.end(), [direction](const MergeItem& a, const MergeItem& b) {
    return goes_before(direction, a.key, b.key);
  });
}

/// Sorts each source, and marks each item with where it stands.
inline MergeSources merge_sources_of(const std::vector<std::vector<std::string>>& keys,
                                     evenkey::Direction direction) {
  MergeSources sources(keys.size());
  for (std::size_t source = 0; source < keys.size(); ++source) {
    for (const std::string& key : keys[source])
      sources[source].push_back({key, source, 0});
    sort_stably(sources[source], direction);
    for (std::size_t place = 0; place < sources[source].size(); ++place)
      sources[source][place].place = place;
  }
  return sources;
}

inline std::vector<MergeItem> one_sorted_list(const MergeSources& sources, evenkey::Direction direction) {
  std::vector<MergeItem> all;
  for (const auto& source : sources)
    all.insert(all.end(), source.begin(), source.end());
  sort_stably(all, direction);
  return all;
}

}  // namespace support
