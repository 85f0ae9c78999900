// SPDX-License-Identifier: BSL-1.0
//
// Merges of text against one stable sort. The input: how many sources, a direction, the length of a prefix
// that most keys share, then keys: one byte for source and length, and the bytes.
#include <evenkey/merge.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/merge_reference.hpp"

namespace {

class Input {
 public:
  explicit Input(std::string_view bytes) : bytes_(bytes) {}
  bool empty() const { return bytes_.empty(); }
  std::size_t byte() { return bytes_.empty() ? 0 : static_cast<unsigned char>(text(1)[0]); }
  std::string_view text(std::size_t size) {
    const std::string_view text = bytes_.substr(0, size);
    bytes_.remove_prefix(text.size());
    return text;
  }

 private:
  std::string_view bytes_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input({reinterpret_cast<const char*>(data), size});
  std::vector<std::vector<std::string>> keys(1 + input.byte() % 40);
  const auto direction =
      input.byte() % 2 == 0 ? evenkey::Direction::ascending : evenkey::Direction::descending;
  const std::string prefix(input.byte() % 32, 'p');
  while (!input.empty()) {
    auto& source = keys[input.byte() % keys.size()];
    const std::size_t shape = input.byte();
    std::string key = shape >= 240 ? std::string() : prefix;
    key += input.text(shape % 24);
    source.push_back(std::move(key));
  }

  const support::MergeSources sources = support::merge_sources_of(keys, direction);
  std::vector<support::MergeItem> merged;
  evenkey::merge_sorted(sources, std::back_inserter(merged), &support::MergeItem::key, direction);
  if (merged != support::one_sorted_list(sources, direction)) std::abort();

  // Sources that are not sorted: any order, but nothing lost and nothing read that is not there.
  std::vector<std::string_view> in_any_order;
  evenkey::merge_sorted(keys, std::back_inserter(in_any_order), std::identity(), direction);
  if (in_any_order.size() != merged.size()) std::abort();
  return 0;
}
