// SPDX-License-Identifier: BSL-1.0
//
// Reads against one sorted list: rows with many ties over a few shards, pages of any cut, empty ones among them;
// then all at once, and page by page through tokens with a limit, a range, in both directions, by sort key and by
// shard.
#include <evenkey/read/enumerate.hpp>
#include <evenkey/read/read_page.hpp>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "fuzz/fuzz.hpp"
#include "support/rows.hpp"
#include "support/sorted_store.hpp"

namespace {

using namespace evenkey;
using fuzz::require;
using support::ByTime;
using support::Row;
using Query = std::function<Page<Row>(const QueryRequest<std::string>&)>;

support::StoreSettings settings_of(fuzz::Input& input) {
  support::StoreSettings settings;
  const std::size_t bits = input.byte();
  settings.page_size = 1 + input.below(5);
  settings.varies_page_size = (bits & 1) != 0;
  settings.honours_limit = (bits & 2) != 0;
  settings.key_after_the_last = (bits & 4) != 0;
  settings.empty_key_at_the_end = (bits & 8) != 0;
  settings.empty_pages_in_ten = static_cast<unsigned>(bits >> 4) % 6;
  settings.seed = input.byte();
  return settings;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const auto shards = static_cast<std::uint32_t>(1 + input.below(6));
  support::SortedStore<ByTime> store(ByTime(shards), settings_of(input));
  const Query query = [&](const auto& request) { return store.answer(request); };

  PageOptions options;
  const std::size_t how = input.byte();
  options.direction = (how & 1) != 0 ? Direction::descending : Direction::ascending;
  options.order = (how & 2) != 0 ? Order::by_shard : Order::by_sort_key;
  options.limit = input.below(8);
  options.max_concurrency = 1;
  options.max_read_units = (how & 4) != 0 ? static_cast<double>(input.below(6)) / 2 : 0;
  const std::string bound(1, static_cast<char>('a' + input.below(6)));
  if ((how & 8) != 0) options.range = SortKeyCondition::greater(bound);
  if ((how & 16) != 0) options.range = SortKeyCondition::less_equal(bound);
  if ((how & 32) != 0) options.range = SortKeyCondition::begins_with(bound);

  // By shard no token can name a place in the middle of a page.
  if (options.order == Order::by_shard) store.settings().honours_limit = true;

  std::vector<Row> rows;
  while (!input.empty() && rows.size() < 30) {
    Row row;
    const std::size_t key = input.byte();
    row.time = std::string(1, static_cast<char>('a' + key % 6));
    if (key >= 128) row.time += static_cast<char>('a' + key / 6 % 3);
    row.id = std::string(1, static_cast<char>('a' + input.below(8)));
    // No two the same, and in another order than that in which they came.
    row.primary = std::to_string(rows.size() * 17 % 31);
    store.put(row);
    if (options.range.matches(row.time)) rows.push_back(row);
  }
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return a.time != b.time ? a.time < b.time : a.primary < b.primary;
  });
  if (options.direction == Direction::descending) std::reverse(rows.begin(), rows.end());
  const bool by_shard = options.order == Order::by_shard;
  const auto names = [&](const std::vector<Row>& given) {
    std::vector<std::string> keys = support::primary_keys(given);
    if (by_shard) std::sort(keys.begin(), keys.end());
    return keys;
  };
  const std::vector<std::string> expected = names(rows);

  std::vector<Row> paged;
  std::string token;
  std::size_t pages = 0;
  do {
    const auto page = read_page(store.index(), query, options, token);
    require(options.limit == 0 || page.items.size() <= options.limit, "a page keeps its limit");
    require(page.complete(), "a page without a failure is complete");
    require(page.next_token.empty() || page.next_token != token, "a token moves");
    paged.insert(paged.end(), page.items.begin(), page.items.end());
    token = page.next_token;
    require(++pages < 1'000, "pages come to an end");
  } while (!token.empty());
  require(names(paged) == expected, "all pages together are the whole list, in order, each row once");

  EnumerateOptions whole;
  whole.limit = options.limit;
  whole.direction = options.direction;
  whole.order = options.order;
  whole.range = options.range;
  whole.max_concurrency = 1;
  const auto all = enumerate(store.index(), query, whole);
  const std::size_t wanted = options.limit == 0 ? rows.size() : (std::min)(rows.size(), options.limit);
  require(all.items.size() == wanted, "a listing is as long as it was asked for");
  if (!by_shard)
    require(std::equal(all.items.begin(), all.items.end(), rows.begin(),
                       [](const Row& a, const Row& b) { return a.primary == b.primary; }),
            "a listing is the beginning of the list");
  return 0;
}
