// SPDX-License-Identifier: BSL-1.0
#include <evenkey/read/read_page.hpp>

#include <iostream>

#include "commands.hpp"
#include "output.hpp"
#include "target.hpp"

namespace evenkey_cli {

namespace {

template <class Index>
evenkey::ReadResult<dynamodb::Item> read_index(const Options& options, const Target& target,
                                               const std::stop_token& stop) {
  using OneMigration = evenkey::Migration<Index, RuntimeKeys, RuntimeKeys>;
  const Index index(target.names, destination_of(options));
  evenkey::Phase phase = evenkey::Phase::destination;
  evenkey::Visibility assumed = evenkey::insert_visible_first;
  if (!options.phase.empty()) {
    const auto said = evenkey::parse_phase(options.phase);
    if (!said)
      throw usage_error("a phase is source, dual_read, destination_writes or destination, not " +
                        options.phase);
    phase = *said;
    if (phase != evenkey::Phase::destination && phase != evenkey::Phase::source)
      assumed = migration_of(options, target, VisibilityIs::needed).visibility();
  }
  OneMigration migration(index, source_of(options), assumed);
  if (options.back) migration = migration.reversed();
  evenkey::PageOptions paging;
  paging.limit = options.limit;
  paging.direction = options.descending ? evenkey::Direction::descending : evenkey::Direction::ascending;
  paging.max_concurrency = options.concurrency;
  paging.stop = stop;
  if (target.sort_key_type.empty()) paging.order = evenkey::Order::by_shard;
  auto query = [page_of = target.query(),
                names = target.names](const evenkey::QueryRequest<dynamodb::Item>& request) {
    auto page = page_of(request);
    if constexpr (std::is_same_v<Index, NumberIndex>)
      for (const dynamodb::Item& item : page.items)
        refuse_long_number(dynamodb::text_of(item, names.sort_key));
    return page;
  };
  const auto place = migration.at(phase);
  if (!options.id.empty()) {
    auto rows = evenkey::find_page(place, query, options.id, paging, options.token);
    return rows;
  }
  return evenkey::read_page(place, query, paging, options.token);
}

}  // namespace

int read(const Options& options, const std::stop_token& stop) {
  const Target target = open(options);
  const auto rows = target.sort_key_type == "N" ? read_index<NumberIndex>(options, target, stop)
                                                : read_index<TextIndex>(options, target, stop);
  const TextIndex index(target.names, destination_of(options));
  if (options.json) {
    Json items = Json::array();
    for (const dynamodb::Item& item : rows.items)
      items.push_back(Json::parse(dynamodb::to_json_text(item)));
    print(options, {{"items", std::move(items)},
                    {"next_token", rows.next_token},
                    {"requests", rows.requests},
                    {"consumed_read_units", rows.consumed_read_units}});
    return 0;
  }
  for (const dynamodb::Item& item : rows.items)
    std::cout << key_bytes(item, target.names.sort_key) << '\t' << index.primary_key(item) << '\t'
              << index.partition_key(item) << '\n';
  std::cout.flush();
  if (!std::cout) throw std::runtime_error("stdout cannot be written to");
  if (!rows.next_token.empty()) note("more: --token " + rows.next_token);
  return 0;
}

}  // namespace evenkey_cli
