// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/index.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/request_log.hpp"

namespace support {

/// The same bits of the same numbers, on every platform.
constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b, std::uint64_t c = 0) {
  std::uint64_t x = a * 0x9E3779B97F4A7C15u ^ b * 0xC2B2AE3D27D4EB4Fu ^ c * 0x165667B19E3779F9u;
  for (int round = 0; round < 2; ++round) {
    x ^= x >> 29;
    x *= 0xBF58476D1CE4E5B9u;
    x ^= x >> 32;
  }
  return x;
}

struct StoreSettings {
  std::size_t page_size = 3;
  bool varies_page_size = false;  // from 1 to page_size
  bool honours_limit = true;
  /// Of ten places before a page, in how many an empty page (or two) with a last_evaluated_key comes first.
  unsigned empty_pages_in_ten = 0;
  /// The last page has a last_evaluated_key too, and an empty page follows.
  bool key_after_the_last = false;
  /// The last page has a last_evaluated_key that is there, but empty.
  bool empty_key_at_the_end = false;
  std::uint64_t seed = 0;
};

/// A store in memory: partitions in sort-key order, pages cut by count, empty pages and failures where they
/// are wanted. Rows of one sort key come in an order that has nothing to do with their primary keys, and
/// another one in each direction.
///
/// Threads: `operator()` from any number of threads; all else from one, before.
template <class Index>
class SortedStore {
 public:
  using Item = typename Index::Item;
  using StartKey = typename Index::StartKey;
  using Request = evenkey::QueryRequest<StartKey>;

  explicit SortedStore(Index index, StoreSettings settings = {})
      : index_(std::move(index)), settings_(settings) {
    const auto& keys = evenkey::detail::partition_keys_of(index_);
    for (std::uint32_t shard = 0; shard < keys.size(); ++shard)
      partitions_[std::string(keys.at(evenkey::ShardId{shard}))];
  }

  const Index& index() const { return index_; }
  RequestLog& log() { return log_; }
  StoreSettings& settings() { return settings_; }

  /// Where its sharding id puts it. @returns the partition key
  std::string put(Item item) {
    const auto& keys = evenkey::detail::partition_keys_of(index_);
    const std::string partition(keys.of(index_.shard_by(item)));
    put_in(partition, std::move(item));
    return partition;
  }
  void put_in(std::string_view partition, Item item) {
    std::vector<Stored>& rows = partitions_.find(partition)->second;
    const std::uint64_t serial = serial_++;
    rows.push_back({std::move(item), mix(settings_.seed, serial, 1), mix(settings_.seed, serial, 2)});
  }

  /// What the partition holds, in the store's own order.
  std::vector<Item> rows(std::string_view partition, evenkey::Direction direction) const {
    std::vector<Item> items;
    for (const Stored* stored : in_order(partition, {}, direction))
      items.push_back(stored->item);
    return items;
  }
  std::vector<std::string> partition_keys() const {
    std::vector<std::string> all;
    const auto& keys = evenkey::detail::partition_keys_of(index_);
    for (std::uint32_t shard = 0; shard < keys.size(); ++shard)
      all.emplace_back(keys.at(evenkey::ShardId{shard}));
    return all;
  }

  /// The partition's request number `first`, from 0, and all that follow throw.
  template <class Error = std::runtime_error>
  void fail(std::string_view partition, std::size_t first = 0, const Error& error = Error("throttled")) {
    failures_[std::string(partition)] = {first, std::make_exception_ptr(error)};
  }
  void heal() { failures_.clear(); }
  /// Which of the evaluated items the store's filter lets through.
  void filter(std::function<bool(const Item&)> keep) { keep_ = std::move(keep); }
  /// Called for each request before it is answered.
  void on_request(std::function<void(const Request&)> hook) { hook_ = std::move(hook); }

  evenkey::Page<Item, StartKey> operator()(const Request& request) {
    const RequestLog::Visit visit = log_.enter(request);
    if (hook_) hook_(request);
    throw_if_due(request.partition_key);
    return answer(request);
  }

  /// The answer alone, which is not logged and does not fail.
  evenkey::Page<Item, StartKey> answer(const Request& request) const {
    const auto rows = in_order(request.partition_key, request.sort_key, request.direction);
    std::uint64_t where = 0;
    for (const char c : request.partition_key)
      where = mix(where, static_cast<unsigned char>(c));
    std::size_t begin = 0;
    std::size_t empty_before = 0;
    if (request.exclusive_start_key) {
      const std::string start = start_key_text<StartKey>::read(*request.exclusive_start_key);
      begin = std::stoul(start);
      empty_before = std::stoul(start.substr(start.find(':') + 1));
    }

    evenkey::Page<Item, StartKey> page;
    page.consumed_read_units = 0.5;
    const std::uint64_t chance = mix(settings_.seed, where, begin);
    if (chance % 10 < settings_.empty_pages_in_ten && empty_before < 1 + (chance >> 32) % 2) {
      page.last_evaluated_key = key_of(begin, empty_before + 1);
      return page;
    }
    std::size_t count = settings_.page_size;
    if (settings_.varies_page_size) count = 1 + (chance >> 16) % count;
    if (settings_.honours_limit && request.limit) count = (std::min<std::size_t>)(count, *request.limit);
    const std::size_t end = (std::min)(rows.size(), begin + count);
    for (std::size_t i = begin; i < end; ++i)
      if (!keep_ || keep_(rows[i]->item)) page.items.push_back(rows[i]->item);
    page.scanned_count = end - begin;
    if (end < rows.size() || (settings_.key_after_the_last && begin < end)) {
      page.last_evaluated_key = key_of(end, 0);
    } else if (settings_.empty_key_at_the_end) {
      page.last_evaluated_key = start_key_text<StartKey>::make("");
    }
    return page;
  }

 private:
  struct Stored {
    Item item;
    std::uint64_t ascending_tie;
    std::uint64_t descending_tie;
  };
  struct FailureScript {
    std::size_t first;
    std::exception_ptr error;
    std::size_t seen = 0;
  };

  static StartKey key_of(std::size_t position, std::size_t empty_before) {
    return start_key_text<StartKey>::make(std::to_string(position) + ":" + std::to_string(empty_before));
  }

  std::vector<const Stored*> in_order(std::string_view partition, const evenkey::SortKeyCondition& condition,
                                      evenkey::Direction direction) const {
    std::vector<const Stored*> rows;
    for (const Stored& stored : partitions_.find(partition)->second)
      if (matches(condition, stored.item)) rows.push_back(&stored);
    const bool ascending = direction == evenkey::Direction::ascending;
    std::sort(rows.begin(), rows.end(), [&](const Stored* a, const Stored* b) {
      if constexpr (has_sort_key) {
        const auto left = index_.sort_key(a->item);
        const auto right = index_.sort_key(b->item);
        if (left < right || right < left) return ascending ? left < right : right < left;
      }
      return ascending ? a->ascending_tie < b->ascending_tie : a->descending_tie < b->descending_tie;
    });
    return rows;
  }

  static constexpr bool has_sort_key = !std::is_same_v<typename Index::SortKey, evenkey::NoSortKey>;
  bool matches(const evenkey::SortKeyCondition& condition, const Item& item) const {
    if constexpr (has_sort_key) {
      return condition.matches(index_.sort_key(item));
    } else {
      return condition.form() == evenkey::SortKeyCondition::Form::none;
    }
  }

  void throw_if_due(std::string_view partition) {
    const std::scoped_lock lock(mutex_);
    const auto script = failures_.find(partition);
    if (script == failures_.end()) return;
    if (script->second.seen++ >= script->second.first) std::rethrow_exception(script->second.error);
  }

  Index index_;
  StoreSettings settings_;
  std::map<std::string, std::vector<Stored>, std::less<>> partitions_;
  std::uint64_t serial_ = 0;
  std::mutex mutex_;  // guards failures_
  std::map<std::string, FailureScript, std::less<>> failures_;
  std::function<bool(const Item&)> keep_;
  std::function<void(const Request&)> hook_;
  RequestLog log_;
};

}  // namespace support
