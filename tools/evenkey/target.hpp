// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/migrate/migration.hpp>
#include <evenkey/migrate/unstamped.hpp>

#include <atomic>
#include <memory>
#include <string>

#include "client.hpp"
#include "functors.hpp"
#include "options.hpp"
#include "runtime_index.hpp"
#include "state_store.hpp"

namespace evenkey_cli {

using TextIndex = RuntimeIndex<TextSortKey>;
using NumberIndex = RuntimeIndex<NumberSortKey>;
/// Where only the presence of a sort key counts, every index is taken for one of text.
using Migration = evenkey::Migration<TextIndex, RuntimeKeys, RuntimeKeys>;
/// To an index beside the old one, whose key no row has yet.
using SecondIndex = evenkey::Migration<TextIndex, evenkey::Unstamped, RuntimeKeys>;

/// Rows that bear a key of the index and no id: what `--shard-by` names wrongly would look like this.
using RowsWithoutId = std::shared_ptr<std::atomic<std::size_t>>;

/// The table that the options name, looked at.
struct Target {
  dynamodb::Client client;
  dynamodb::TableDescription table;
  TableNames names;
  std::string sort_key_type;  // empty: the index has none
  RowsWithoutId without_id = std::make_shared<std::atomic<std::size_t>>(0);

  /// Scans the rows; the tool's own state items are none.
  auto scan() const {
    auto page_of = dynamodb::scan_functor(client, table.name);
    return [page_of = std::move(page_of), names = names,
            without_id = without_id](const evenkey::ScanRequest<dynamodb::Item>& request) {
      auto page = page_of(request);
      std::erase_if(page.items, [](const dynamodb::Item& item) { return item.contains(state_attribute); });
      for (const dynamodb::Item& item : page.items)
        if (item.contains(names.partition_key) && dynamodb::text_of(item, names.shard_by).empty())
          ++*without_id;
      return page;
    };
  }
  auto query() const {
    return dynamodb::query_functor(client, table.name, {names.partition_key, names.sort_key});
  }
  auto restamp() const {
    return dynamodb::restamp_functor<dynamodb::Item>(
        client, table.name, names.partition_key,
        [names = names](const dynamodb::Item& item) { return table_key(names, item); });
  }
  /// Where phase, layout, checkpoint and leases lie.
  StatePlace state(const Options& options) const;
};

/// The migration that the options name; the way back where they say so. Where visibility is needed, they must
/// say what is assumed of the index.
/// Errors: what they cannot mean → `usage_error`.
enum class VisibilityIs { needed, unused };
Migration migration_of(const Options& options, const TableNames& names, VisibilityIs visibility);

SecondIndex second_index_of(const Options& options, const TableNames& names);

/// Errors: what is wrong in the command line, before any request → `usage_error`; what is missing, of the wrong
/// type, or not ready, in one sentence.
enum class Looks { at_what_is_ready, at_whatever_is_there };
Target open(const Options& options, VisibilityIs visibility = VisibilityIs::unused,
            Looks looks = Looks::at_what_is_ready);

/// The names without the table's own, before it was looked at.
TableNames names_said(const Options& options);
[[noreturn]] void refuse_for_second_index(const std::string& what, const std::string& why);

/// Calls `work(migration)` with what the options name: a migration in place, or one to a second index.
template <class Work>
auto with_migration(const Options& options, const Target& target, VisibilityIs visibility, Work work) {
  if (options.second_index) return work(second_index_of(options, target.names));
  return work(migration_of(options, target.names, visibility));
}

/// Tells of rows without an id. @returns whether there were none
bool all_rows_have_ids(const Target& target);

}  // namespace evenkey_cli
