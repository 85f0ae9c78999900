// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/index.hpp>
#include <evenkey/migrate/backfill/move_cost.hpp>
#include <evenkey/migrate/backfill/report.hpp>
#include <evenkey/migrate/row_place.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace evenkey::detail {

/// A row that is to be moved.
template <class Item>
struct RowToMove {
  Item item;
  // Views of the migration's keys, not of the item, which is moved about.
  std::string_view from;
  std::string_view to;
  MoveUnits units;
  bool tried = false;  // in this run
};

/// The samples of a report: some of each kind, and no more.
class Samples {
 public:
  explicit Samples(std::size_t most) : most_(most) {}

  bool wants(std::string_view what) const {
    std::size_t held = 0;
    for (const BackfillSample& sample : samples_)
      held += sample.what == what ? 1U : 0U;
    return held < most_;
  }
  void add(std::string_view what, std::string primary_key, std::string detail = {}) {
    if (wants(what)) samples_.push_back({what, std::move(primary_key), std::move(detail)});
  }
  std::vector<BackfillSample> take() && { return std::move(samples_); }

 private:
  std::size_t most_;
  std::vector<BackfillSample> samples_;
};

/// The items of one page: those to move, and what the others are.
template <class Item>
struct PageRows {
  std::vector<RowToMove<Item>> rows;
  BackfillCounts counts;
  std::vector<BackfillSample> samples;  // at most as many of each kind as a report holds
};

/// Where to move a row from and to; nothing moves a row that is not on the source.
template <class Migration, class Item = typename Migration::Definition::Item>
RowToMove<Item> row_to_move(const Migration& migration, std::type_identity_t<Item>&& item,
                            std::string_view stored, std::string_view id, const BackfillOptions& options) {
  std::string_view from = migration.source().of(id);
  if (from != stored) from = migration.source().at(*migration.source().parse(stored));
  const std::string_view to = migration.destination().of(id);
  const MoveUnits units = move_units(migration.index(), item, options);
  return {std::move(item), from, to, units};  // last: stored and id may point into the item
}

/// Tells rows of a page apart.
template <class Migration, class Item>
PageRows<Item> sort_page(const Migration& migration, std::vector<Item>&& items,
                         const BackfillOptions& options) {
  const auto& index = migration.index();
  PageRows<Item> page;
  Samples samples(options.samples);
  page.counts.scanned = items.size();
  const auto count = [&](std::uint64_t& counter, std::string_view what, const Item& item,
                         std::string_view stored) {
    ++counter;
    if (samples.wants(what)) samples.add(what, std::string(primary_key_of(index, item)), std::string(stored));
  };
  for (Item& item : items) {
    const auto stored = keep_text(index.partition_key(item));
    const auto id = keep_text(index.shard_by(item));
    switch (place_of(migration, item, stored, id)) {
      case RowPlace::in_place:
        ++page.counts.in_place;
        break;
      case RowPlace::on_source:
        ++page.counts.to_move;
        page.rows.push_back(row_to_move(migration, std::move(item), stored, id, options));
        break;
      case RowPlace::misplaced:
        count(page.counts.misplaced, "misplaced", item, stored);
        break;
      case RowPlace::foreign:
        count(page.counts.foreign, "foreign", item, stored);
        break;
      case RowPlace::unindexed:
        count(page.counts.unindexed, "unindexed", item, stored);
        break;
    }
  }
  page.samples = std::move(samples).take();
  return page;
}

}  // namespace evenkey::detail
