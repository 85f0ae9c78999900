// SPDX-License-Identifier: BSL-1.0
//
// Merges of text and of numbers against one stable sort. The input: how many sources, a direction, the length of a
// prefix that most keys share, then keys: one byte for source and length, and the bytes.
#include <evenkey/merge.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fuzz/fuzz.hpp"
#include "support/merge_reference.hpp"

namespace {

struct Numbered {
  std::int64_t key;
  std::size_t source;
  std::size_t place;
  bool operator==(const Numbered&) const = default;
};

/// The same keys as numbers: their first bytes, so that ties are many.
void merge_numbers(const std::vector<std::vector<std::string>>& keys, evenkey::Direction direction) {
  const bool ascending = direction == evenkey::Direction::ascending;
  const auto before = [ascending](const Numbered& a, const Numbered& b) {
    return ascending ? a.key < b.key : b.key < a.key;
  };
  std::vector<std::vector<Numbered>> sources(keys.size());
  std::vector<Numbered> expected;
  for (std::size_t source = 0; source < keys.size(); ++source) {
    for (const std::string& key : keys[source]) {
      std::int64_t number = 0;
      for (const char c : std::string_view(key).substr(0, 1))
        number = static_cast<signed char>(c);
      if (key.size() % 7 == 6) number <<= 56;  // at both ends of what there is
      sources[source].push_back({number, source, 0});
    }
    std::stable_sort(sources[source].begin(), sources[source].end(), before);
    for (std::size_t place = 0; place < sources[source].size(); ++place)
      sources[source][place].place = place;
    expected.insert(expected.end(), sources[source].begin(), sources[source].end());
  }
  std::stable_sort(expected.begin(), expected.end(), before);
  std::vector<Numbered> merged;
  evenkey::merge_sorted(sources, std::back_inserter(merged), &Numbered::key, direction);
  fuzz::require(merged == expected, "a merge of numbers is one stable sort");

  merged.clear();
  evenkey::merge_sorted(sources, std::back_inserter(merged), std::identity(), before);
  fuzz::require(merged == expected, "a merge by a comparison is one stable sort");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  std::vector<std::vector<std::string>> keys(1 + input.below(40));
  const auto direction = input.below(2) == 0 ? evenkey::Direction::ascending : evenkey::Direction::descending;
  const std::string prefix(input.below(32), 'p');
  while (!input.empty()) {
    auto& source = keys[input.below(keys.size())];
    const std::size_t shape = input.byte();
    std::string key = shape >= 240 ? std::string() : prefix;
    key += input.text(shape % 24);
    source.push_back(std::move(key));
  }

  const support::MergeSources sources = support::merge_sources_of(keys, direction);
  std::vector<support::MergeItem> merged;
  evenkey::merge_sorted(sources, std::back_inserter(merged), &support::MergeItem::key, direction);
  fuzz::require(merged == support::one_sorted_list(sources, direction), "a merge of text is one stable sort");
  merge_numbers(keys, direction);

  // Sources that are not sorted: any order, but nothing lost and nothing read that is not there.
  std::vector<std::string_view> in_any_order;
  evenkey::merge_sorted(keys, std::back_inserter(in_any_order), std::identity(), direction);
  std::vector<std::string_view> given;
  for (const auto& source : keys)
    given.insert(given.end(), source.begin(), source.end());
  std::sort(in_any_order.begin(), in_any_order.end());
  std::sort(given.begin(), given.end());
  fuzz::require(in_any_order == given, "a merge of what is not sorted gives all of it");
  return 0;
}
