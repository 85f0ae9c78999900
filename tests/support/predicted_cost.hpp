// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/read/options.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "support/predicted_read.hpp"

namespace support {

/// Foretells the requests and read units of a read from each shard's rows, by the documented rules alone: it
/// shares no code with the engine, so that neither can become dearer unnoticed.
///
/// Limited reads are foretold for one request at a time: with more under way, the later ones of a round know
/// less. Sort keys of two shards must differ there, since the order of their ties is not foretold.
class CostPredictor {
 public:
  using Shards = std::vector<std::vector<CostRow>>;
  using Direction = evenkey::Direction;
  using Order = evenkey::Order;

  /// @param shards each in the store's ascending order
  /// @param shard_of the shard of an id
  /// @param separator what follows the id in a sort key; empty: it does not begin with the id
  CostPredictor(Shards shards, std::function<std::size_t(std::string_view)> shard_of, std::string separator,
                std::size_t page_bytes)
      : shards_(std::move(shards)),
        shard_of_(std::move(shard_of)),
        separator_(std::move(separator)),
        page_bytes_(page_bytes) {}

  Bill enumerate(const evenkey::EnumerateOptions& options = {}) const {
    return one_page(options.order, options.direction, options.limit, options.range);
  }
  /// A stream that is walked to its end.
  Bill stream(const evenkey::PageOptions& options = {}) const {
    return one_page(options.order, options.direction, options.limit, options.range);
  }
  Bill count(const evenkey::CountOptions& options = {}) const {
    return one_page(Order::by_shard, Direction::ascending, 0, options.range);
  }
  /// `read_page` from the first page to the last.
  Bill pages(const evenkey::PageOptions& options) const {
    return options.order == Order::by_shard ? pages_by_shard(options)
                                            : pages_by_sort_key(options, every_shard(), {});
  }
  Bill find(std::string_view id, const evenkey::FindOptions& options = {}) const {
    PredictedRead read = begin({shard_of_(id)}, options.direction, options.range, id, nullptr);
    return read.finish(options.limit);
  }
  /// `find_page` from the first page to the last.
  Bill find_pages(std::string_view id, const evenkey::PageOptions& options) const {
    return pages_by_sort_key(options, {shard_of_(id)}, id);
  }
  Bill find_many(const std::vector<std::string>& ids, const evenkey::FindManyOptions& options = {}) const {
    std::map<std::size_t, std::vector<std::string>> by_shard;
    for (const std::string& id : ids) {
      auto& here = by_shard[shard_of_(id)];
      if (std::find(here.begin(), here.end(), id) == here.end()) here.push_back(id);
    }
    Bill bill;
    for (const auto& [shard, here] : by_shard) {
      if (whole_is_cheaper(here.size(), options.expected_rows_per_id, options.expected_rows_per_shard)) {
        PredictedRead read = begin({shard}, options.direction, {}, {}, nullptr);
        add(bill, read.finish(0));
      } else {
        for (const std::string& id : here)
          add(bill, find(id, {.direction = options.direction}));
      }
    }
    return bill;
  }

 private:
  using Lane = PredictedRead::Lane;

  static void add(Bill& sum, const Bill& bill) {
    sum.requests += bill.requests;
    sum.read_units += bill.read_units;
  }

  // Rows of 1 KiB, four to half a unit.
  static bool whole_is_cheaper(std::size_t ids, std::size_t rows_of_id, std::size_t rows_of_shard) {
    if (rows_of_id == 0 || rows_of_shard == 0) return false;
    const std::size_t one_by_one = ids * ((rows_of_id + 3) / 4);
    const std::size_t whole = (rows_of_shard + 3) / 4;
    return one_by_one > whole || (one_by_one == whole && ids > 1);
  }

  std::vector<std::size_t> every_shard() const {
    std::vector<std::size_t> all(shards_.size());
    for (std::size_t shard = 0; shard < all.size(); ++shard)
      all[shard] = shard;
    return all;
  }

  // A query has one condition: one that is bounded at both ends includes both.
  static bool evaluates(const evenkey::SortKeyCondition& range, const CostRow& row, bool bounded) {
    using Form = evenkey::SortKeyCondition::Form;
    if (range.matches(row.sort_key)) return true;
    const bool excludes_its_end = range.form() == Form::less || range.form() == Form::greater;
    return bounded && excludes_its_end && std::get<std::string>(range.value()) == row.sort_key;
  }

  // Whether a key can begin with the prefix and lie in the range; if none can, nothing is asked.
  static bool can_meet(const std::string& prefix, const evenkey::SortKeyCondition& range) {
    using Form = evenkey::SortKeyCondition::Form;
    if (prefix.empty() || range.form() == Form::none) return true;
    const std::string& value = std::get<std::string>(range.value());
    const bool value_within = value.starts_with(prefix);
    switch (range.form()) {
      case Form::equal:
        return value_within;
      case Form::less:
        return prefix < value;
      case Form::less_equal:
        return prefix <= value;
      case Form::greater:
      case Form::greater_equal:
        return value < prefix || value_within;
      case Form::between:
        return (value < prefix || value_within) && prefix <= std::get<std::string>(range.upper());
      case Form::begins_with:
        return value_within || prefix.starts_with(value);
      case Form::none:
        break;
    }
    return true;
  }

  PredictedRead begin(const std::vector<std::size_t>& shards, Direction direction,
                      const evenkey::SortKeyCondition& range, std::string_view id,
                      const CostRow* after) const {
    PredictedRead read{page_bytes_, direction, after != nullptr};
    const std::string prefix =
        id.empty() || separator_.empty() ? std::string() : std::string(id) + separator_;
    const bool bounded = read.resumed || !prefix.empty();
    for (const std::size_t shard : shards) {
      Lane& lane = read.lanes.emplace_back();
      lane.open = can_meet(prefix, range);
      for (const CostRow& row : shards_[shard]) {
        if (!row.sort_key.starts_with(prefix) || !evaluates(range, row, bounded)) continue;
        if (after && PredictedRead::before(direction, row.sort_key, after->sort_key)) continue;
        const bool kept = (id.empty() || row.id == id) && range.matches(row.sort_key) &&
                          (!after || PredictedRead::before(direction, *after, row));
        lane.rows.push_back({&row, kept});
      }
      if (direction == Direction::descending) std::reverse(lane.rows.begin(), lane.rows.end());
    }
    return read;
  }

  Bill one_page(Order order, Direction direction, std::size_t limit,
                const evenkey::SortKeyCondition& range) const {
    PredictedRead read = begin(every_shard(), direction, range, {}, nullptr);
    if (order == Order::by_sort_key || limit == 0) return read.finish(limit);
    for (Lane& lane : read.lanes)
      while (lane.open && read.fetched.size() < limit)
        read.ask(lane, limit - read.fetched.size());
    return read.bill;
  }

  Bill pages_by_shard(const evenkey::PageOptions& options) const {
    PredictedRead read = begin(every_shard(), options.direction, options.range, {}, nullptr);
    std::size_t lane = 0;
    do {
      const std::size_t begin = read.fetched.size();
      const double paid = read.bill.read_units;
      const auto spent = [&] {
        const double units = read.bill.read_units - paid;
        return options.max_read_units > 0 && units >= options.max_read_units;
      };
      while (lane < read.lanes.size() && !spent() &&
             (options.limit == 0 || read.fetched.size() - begin < options.limit)) {
        std::optional<std::size_t> left;
        if (options.limit != 0) left = options.limit - (read.fetched.size() - begin);
        read.ask(read.lanes[lane], left);
        if (!read.lanes[lane].open) ++lane;
      }
    } while (lane < read.lanes.size());
    return read.bill;
  }

  Bill pages_by_sort_key(const evenkey::PageOptions& options, const std::vector<std::size_t>& shards,
                         std::string_view id) const {
    Bill bill;
    const CostRow* after = nullptr;
    for (;;) {
      PredictedRead read = begin(shards, options.direction, options.range, id, after);
      read.budget = options.max_read_units;
      add(bill, read.finish(options.limit));
      const bool ended = std::none_of(read.lanes.begin(), read.lanes.end(), [](auto& l) { return l.open; });
      if (ended && read.given == read.fetched.size()) return bill;
      after = read.fetched[read.given - 1];
    }
  }

  Shards shards_;
  std::function<std::size_t(std::string_view)> shard_of_;
  std::string separator_;
  std::size_t page_bytes_;
};

}  // namespace support
