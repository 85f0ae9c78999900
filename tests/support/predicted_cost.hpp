// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/read/options.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace support {

/// What a read costs.
struct Bill {
  std::size_t requests = 0;
  double read_units = 0;

  friend bool operator==(const Bill&, const Bill&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Bill& bill) {
    return out << bill.requests << " requests, " << bill.read_units << " read units";
  }
};

/// What the cost of a read depends on, of one row.
struct CostRow {
  std::string id;
  std::string sort_key;
  std::string primary_key;
  std::size_t bytes = 0;
};

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
    Read read = begin({shard_of_(id)}, options.direction, options.range, id, nullptr);
    return finish(read, options.limit);
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
        Read read = begin({shard}, options.direction, {}, {}, nullptr);
        add(bill, finish(read, 0));
      } else {
        for (const std::string& id : here)
          add(bill, find(id, {.direction = options.direction}));
      }
    }
    return bill;
  }

 private:
  struct Evaluated {
    const CostRow* row;
    bool kept;  // belongs to the answer
  };
  struct Lane {
    std::vector<Evaluated> rows;
    std::size_t at = 0;
    std::size_t times_asked = 0;
    bool open = true;
    const CostRow* last = nullptr;  // the last that was kept
  };
  struct Read {
    std::vector<Lane> lanes;
    Direction direction = Direction::ascending;
    bool resumed = false;
    std::vector<const CostRow*> fetched;  // and kept
    std::size_t given = 0;                // of these, in order
    std::size_t evaluated = 0;
    Bill bill = {};
  };

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

  // A page ends with the row that reaches the limit or the page's size, and leads on even where that row is
  // the last of all. Rounded up once to 4 KiB, at half a unit each.
  void ask(Read& read, Lane& lane, std::optional<std::size_t> limit) const {
    std::size_t bytes = 0;
    std::size_t rows = 0;
    lane.open = false;
    while (lane.at < lane.rows.size() && !lane.open) {
      const Evaluated& next = lane.rows[lane.at++];
      bytes += next.row->bytes;
      ++rows;
      if (next.kept) read.fetched.push_back(lane.last = next.row);
      lane.open = rows == limit || bytes >= page_bytes_;
    }
    ++lane.times_asked;
    read.evaluated += rows;
    ++read.bill.requests;
    read.bill.read_units += (std::max)(0.5, std::ceil(static_cast<double>(bytes) / 4096) / 2);
  }

  static bool before(Direction direction, const std::string& a, const std::string& b) {
    return direction == Direction::ascending ? a < b : b < a;
  }
  static bool before(Direction direction, const CostRow& a, const CostRow& b) {
    if (a.sort_key != b.sort_key) return before(direction, a.sort_key, b.sort_key);
    return before(direction, a.primary_key, b.primary_key);
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

  Read begin(const std::vector<std::size_t>& shards, Direction direction,
             const evenkey::SortKeyCondition& range, std::string_view id, const CostRow* after) const {
    Read read;
    read.direction = direction;
    read.resumed = after != nullptr;
    const std::string prefix =
        id.empty() || separator_.empty() ? std::string() : std::string(id) + separator_;
    const bool bounded = read.resumed || !prefix.empty();
    for (const std::size_t shard : shards) {
      Lane& lane = read.lanes.emplace_back();
      lane.open = can_meet(prefix, range);
      for (const CostRow& row : shards_[shard]) {
        if (!row.sort_key.starts_with(prefix) || !evaluates(range, row, bounded)) continue;
        if (after && before(direction, row.sort_key, after->sort_key)) continue;
        const bool kept = (id.empty() || row.id == id) && range.matches(row.sort_key) &&
                          (!after || before(direction, *after, row));
        lane.rows.push_back({&row, kept});
      }
      if (direction == Direction::descending) std::reverse(lane.rows.begin(), lane.rows.end());
    }
    return read;
  }

  Bill finish(Read& read, std::size_t limit) const {
    if (limit == 0) {
      for (Lane& lane : read.lanes)
        while (lane.open)
          ask(read, lane, std::nullopt);
      read.given = read.fetched.size();
    } else {
      merge(read, limit);
    }
    return read.bill;
  }

  Bill one_page(Order order, Direction direction, std::size_t limit,
                const evenkey::SortKeyCondition& range) const {
    Read read = begin(every_shard(), direction, range, {}, nullptr);
    if (order == Order::by_sort_key || limit == 0) return finish(read, limit);
    for (Lane& lane : read.lanes)
      while (lane.open && read.fetched.size() < limit)
        ask(read, lane, limit - read.fetched.size());
    return read.bill;
  }

  Bill pages_by_shard(const evenkey::PageOptions& options) const {
    Read read = begin(every_shard(), options.direction, options.range, {}, nullptr);
    std::size_t lane = 0;
    do {
      const std::size_t begin = read.fetched.size();
      while (lane < read.lanes.size() &&
             (options.limit == 0 || read.fetched.size() - begin < options.limit)) {
        std::optional<std::size_t> left;
        if (options.limit != 0) left = options.limit - (read.fetched.size() - begin);
        ask(read, read.lanes[lane], left);
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
      Read read = begin(shards, options.direction, options.range, id, after);
      add(bill, finish(read, options.limit));
      const bool ended = std::none_of(read.lanes.begin(), read.lanes.end(), [](auto& l) { return l.open; });
      if (ended && read.given == read.fetched.size()) return bill;
      after = read.fetched[read.given - 1];
    }
  }

  // --- limited reads by sort key ---

  // A row is given when every shard that may go on has shown one behind it.
  // @returns the rows of the next sort key that are here, while no shard has shown what follows it
  std::size_t settle(Read& read, std::size_t limit) const {
    const auto in_order = [&](const CostRow* a, const CostRow* b) { return before(read.direction, *a, *b); };
    std::sort(read.fetched.begin(), read.fetched.end(), in_order);
    const std::string* frontier = nullptr;
    for (const Lane& lane : read.lanes) {
      if (!lane.open) continue;
      if (!lane.last) return 0;
      if (!frontier || before(read.direction, lane.last->sort_key, *frontier))
        frontier = &lane.last->sort_key;
    }
    std::size_t waiting = 0;
    while (read.given < (std::min)(limit, read.fetched.size()) &&
           (!frontier || before(read.direction, read.fetched[read.given]->sort_key, *frontier)))
      ++read.given;
    if (!frontier || read.given == limit) return 0;
    for (const CostRow* row : read.fetched)
      waiting += row->sort_key == *frontier ? 1U : 0U;
    return waiting;
  }

  std::size_t page_limit(const Read& read, const Lane& lane, std::size_t limit, std::size_t waiting) const {
    const auto lanes = static_cast<double>(read.lanes.size());
    // The most that can be of use: what is left and its follower, what comes again, as many ties as there
    // are; more where the store looks at rows that do not count, but never for more than it has looked at.
    double most = static_cast<double>(limit - read.given) + 1;
    if (read.evaluated == 0 && read.resumed) most += 1;
    if (waiting > 1) most += static_cast<double>(waiting);
    const double looks = static_cast<double>(read.evaluated) + 1;
    const double kept = static_cast<double>(read.fetched.size()) + 1;
    most = (std::min)(std::ceil(most * (looks / kept)), most + looks - 1);
    // Its share and a margin; then for as much again as it was asked for so far.
    const double share = static_cast<double>(limit) / lanes;
    double items = lanes == 1 ? most : std::ceil(share + std::sqrt(share));
    for (std::size_t i = 1; i < lane.times_asked; ++i)
      items *= 2;
    // What a unit covers is free.
    if (read.evaluated != 0) {
      const double item_bytes = read.bill.read_units * 8192 / static_cast<double>(read.evaluated);
      items = (std::max)(items, std::floor(std::ceil(items * item_bytes / 4096) * 4096 / item_bytes));
    }
    return static_cast<std::size_t>((std::min)(items, most));
  }

  void merge(Read& read, std::size_t limit) const {
    std::vector<Lane*> round;
    for (Lane& lane : read.lanes)
      if (lane.open) round.push_back(&lane);
    while (!round.empty()) {
      for (Lane* lane : round) {
        const std::size_t waiting = settle(read, limit);
        if (read.given == limit) return;
        ask(read, *lane, page_limit(read, *lane, limit, waiting));
      }
      settle(read, limit);
      if (read.given == limit) return;
      round = next_round(read, limit);
    }
  }

  // The lower half of the shards that may hold one of the rows left.
  std::vector<Lane*> next_round(Read& read, std::size_t limit) const {
    const CostRow* last_wanted = limit <= read.fetched.size() ? read.fetched[limit - 1] : nullptr;
    std::vector<Lane*> open;
    for (Lane& lane : read.lanes)
      if (lane.open &&
          !(last_wanted && lane.last && before(read.direction, last_wanted->sort_key, lane.last->sort_key)))
        open.push_back(&lane);
    std::stable_sort(open.begin(), open.end(), [&](const Lane* a, const Lane* b) {
      if (!a->last || !b->last) return !a->last && b->last;
      return before(read.direction, a->last->sort_key, b->last->sort_key);
    });
    open.resize((open.size() + 1) / 2);
    return open;
  }

  Shards shards_;
  std::function<std::size_t(std::string_view)> shard_of_;
  std::string separator_;
  std::size_t page_bytes_;
};

}  // namespace support
