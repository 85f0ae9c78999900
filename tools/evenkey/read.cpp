// SPDX-License-Identifier: BSL-1.0
#include <evenkey/read/read_page.hpp>

#include <charconv>
#include <iostream>
#include <system_error>

#include "commands.hpp"
#include "output.hpp"
#include "target.hpp"

namespace evenkey_cli {

namespace {

/// Of a bound of the sort key; of a number it is read as one.
template <class Index>
auto bound(const char* option, const std::string& text) {
  if constexpr (std::is_same_v<Index, NumberIndex>) {
    refuse_long_number(text);
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size())
      throw usage_error(std::string(option) + " is no number: " + text);
    return number;
  } else {
    (void)option;
    return std::string_view(text);
  }
}

template <class Index>
evenkey::SortKeyCondition range_of(const Options& options, const Target& target) {
  using evenkey::SortKeyCondition;
  const bool from = !options.sk_from.empty(), to = !options.sk_to.empty();
  if (!options.sk_begins_with.empty()) {
    if (from || to) throw usage_error("--sk-begins-with goes without --sk-from and --sk-to");
    if (target.sort_key_type != "S")
      throw usage_error("--sk-begins-with needs a sort key that is text, and the index's is " +
                        (target.sort_key_type.empty() ? "none" : target.sort_key_type));
    return SortKeyCondition::begins_with(options.sk_begins_with);
  }
  if (!from && !to) return {};
  if (target.sort_key_type.empty() || target.sort_key_type == "B")
    throw usage_error("--sk-from and --sk-to need a sort key that is text or a number, and the index's is " +
                      (target.sort_key_type.empty() ? "none" : target.sort_key_type));
  if (!to) return SortKeyCondition::greater_equal(bound<Index>("--sk-from", options.sk_from));
  if (!from) return SortKeyCondition::less_equal(bound<Index>("--sk-to", options.sk_to));
  return SortKeyCondition::between(bound<Index>("--sk-from", options.sk_from),
                                   bound<Index>("--sk-to", options.sk_to));
}

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
  if (options.second_index && phase != evenkey::Phase::destination)
    refuse_for_second_index("--phase", "before destination readers read the old index, by its own keys");
  OneMigration migration(index, source_of(options), assumed);
  if (options.back) migration = migration.reversed();
  evenkey::PageOptions paging;
  paging.limit = options.limit;
  paging.direction = options.descending ? evenkey::Direction::descending : evenkey::Direction::ascending;
  paging.max_concurrency = options.concurrency;
  paging.stop = stop;
  paging.range = range_of<Index>(options, target);
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
