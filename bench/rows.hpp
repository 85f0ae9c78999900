// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/index.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// What the benchmarks of reading read: rows in 16 shards, each shard sorted, cut into pages.
namespace bench {

inline constexpr std::size_t shard_count = 16;

/// The least a row can be: the peers that sort move and swap whole rows.
struct SmallRow {
  std::string id, sort_key;
};
/// A row of ADR-0085's index.
struct SagaRow {
  std::string id, sort_key, person_id, opened_at, partition_key, state;
};

template <class Row>
struct RowIndex {
  static constexpr std::string_view name = "renewal-saga-person-index";
  using PartitionKey = evenkey::ShardedKey<"RenewalSaga", evenkey::ShardPolicy<shard_count>>;
  using SortKey = evenkey::CompositeKey<evenkey::Text, evenkey::Text>;
  using Item = Row;
  using StartKey = std::string;
  static std::string_view sort_key(const Row& row) { return row.sort_key; }
  static std::string_view primary_key(const Row& row) { return row.id; }
  static std::string_view shard_by(const Row& row) { return std::string_view(row.sort_key).substr(0, 36); }
};

template <class Row>
using Pages = std::vector<std::vector<evenkey::Page<Row>>>;  // by shard

inline std::string uuid(std::mt19937_64& random) {
  char text[40];
  const unsigned long long a = random();
  const unsigned long long b = random();
  std::snprintf(text, sizeof text, "%08llx-%04llx-%04llx-%04llx-%012llx", a >> 32, a >> 16 & 0xFFFF,
                a & 0xFFFF, b >> 48, b & 0xFFFF'FFFF'FFFF);
  return text;
}

template <class Row>
Row make_row(std::mt19937_64& random) {
  const std::string person = uuid(random);
  char opened[40];
  std::snprintf(opened, sizeof opened, "2026-07-%02dT%02d:%02d:%02d.%03dZ",
                static_cast<int>(random() % 28 + 1), static_cast<int>(random() % 24),
                static_cast<int>(random() % 60), static_cast<int>(random() % 60),
                static_cast<int>(random() % 1000));
  Row row;
  row.id = "RSAGA#" + uuid(random);
  row.sort_key = person + "#" + opened;
  if constexpr (requires { row.person_id; }) {
    row.person_id = person;
    row.opened_at = opened;
    row.partition_key = RowIndex<Row>::PartitionKey::of(person);
    row.state = "AwaitingDecision";
  }
  return row;
}

/// `rows` rows a shard, in pages of `page_size`. The ids are random, so every shard's rows lie among all
/// others'.
template <class Row>
Pages<Row> make_pages(std::size_t rows, std::size_t page_size) {
  std::mt19937_64 random(85);
  std::vector<std::vector<Row>> shards(shard_count);
  for (std::size_t made = 0; made < rows * shard_count; ++made) {
    shards[made % shard_count].push_back(make_row<Row>(random));
  }
  Pages<Row> pages(shard_count);
  for (std::size_t shard = 0; shard < shard_count; ++shard) {
    auto& sorted = shards[shard];
    std::sort(sorted.begin(), sorted.end(),
              [](const Row& a, const Row& b) { return a.sort_key < b.sort_key; });
    for (std::size_t begin = 0; begin < rows; begin += page_size) {
      const std::size_t end = (std::min)(rows, begin + page_size);
      evenkey::Page<Row> page;
      page.items.assign(sorted.begin() + static_cast<std::ptrdiff_t>(begin),
                        sorted.begin() + static_cast<std::ptrdiff_t>(end));
      page.scanned_count = page.items.size();
      if (end != rows) page.last_evaluated_key = std::to_string(end / page_size);
      pages[shard].push_back(std::move(page));
    }
  }
  return pages;
}

/// A store that gives each of its pages away, once. Requests of one shard come one after another, so that
/// nothing needs a lock.
template <class Row>
class PageStore {
 public:
  explicit PageStore(Pages<Row> pages) : pages_(std::move(pages)), next_(pages_.size()) {}
  evenkey::Page<Row> operator()(const evenkey::QueryRequest<std::string>& request) {
    const std::size_t shard = request.shard->value;
    return std::move(pages_[shard][next_[shard]++]);
  }

 private:
  Pages<Row> pages_;
  std::vector<std::size_t> next_;
};

}  // namespace bench
