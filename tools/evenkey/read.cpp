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

using QueryPage = evenkey::Page<dynamodb::Item, dynamodb::Item>;

/// Of a bound of the sort key; of a number it is read as one.
template <class Index>
auto bound(const char* option, const std::string& text) {
  if constexpr (std::is_same_v<Index, NumberIndex>) {
    from_command_line([&] { refuse_long_number(text); });
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

/// @param type of the sort key; empty: the index has none
template <class Index>
evenkey::SortKeyCondition range_of(const Options& options, const std::string& type) {
  using evenkey::SortKeyCondition;
  const bool from = !options.sk_from.empty(), to = !options.sk_to.empty();
  if (!options.sk_begins_with.empty()) {
    if (type != "S")
      throw usage_error("--sk-begins-with needs a sort key that is text, and the index's is " +
                        (type.empty() ? "none" : type));
    return SortKeyCondition::begins_with(options.sk_begins_with);
  }
  if (!from && !to) return {};
  if (type.empty() || type == "B")
    throw usage_error("--sk-from and --sk-to need a sort key that is text or a number, and the index's is " +
                      (type.empty() ? "none" : type));
  if (!to) return SortKeyCondition::greater_equal(bound<Index>("--sk-from", options.sk_from));
  if (!from) return SortKeyCondition::less_equal(bound<Index>("--sk-to", options.sk_to));
  return SortKeyCondition::between(bound<Index>("--sk-from", options.sk_from),
                                   bound<Index>("--sk-to", options.sk_to));
}

/// The phase that is read in.
evenkey::Phase phase_of(const Options& options) {
  return options.phase.empty() ? evenkey::Phase::destination : *evenkey::parse_phase(options.phase);
}

/// What must be known of the index to read in this phase.
VisibilityIs visibility_for(evenkey::Phase phase) {
  using evenkey::Phase;
  return phase == Phase::dual_read || phase == Phase::destination_writes ? VisibilityIs::needed
                                                                         : VisibilityIs::unused;
}

template <class Index, class Query>
evenkey::ReadResult<dynamodb::Item> read_index(const Options& options, const TableNames& names,
                                               const std::string& type, Query query,
                                               const std::stop_token& stop = {}) {
  using OneMigration = evenkey::Migration<Index, RuntimeKeys, RuntimeKeys>;
  const evenkey::Phase phase = phase_of(options);
  evenkey::Visibility assumed = evenkey::insert_visible_first;
  if (visibility_for(phase) == VisibilityIs::needed)
    assumed = migration_of(options, names, VisibilityIs::needed).visibility();
  OneMigration migration(Index(names, destination_of(options)), source_of(options), assumed);
  if (options.back) migration = migration.reversed();
  evenkey::PageOptions paging;
  paging.limit = options.limit;
  paging.direction = options.descending ? evenkey::Direction::descending : evenkey::Direction::ascending;
  paging.max_concurrency = options.concurrency;
  paging.stop = stop;
  paging.range = range_of<Index>(options, type);
  if (type.empty()) paging.order = evenkey::Order::by_shard;
  const auto place = migration.at(phase);
  try {
    if (!options.id.empty()) return evenkey::find_page(place, query, options.id, paging, options.token);
    return evenkey::read_page(place, query, paging, options.token);
  } catch (const evenkey::token_error& error) {
    throw usage_error(error.what());
  }
}

/// Whether the token may be one of this query, if the index has a sort key of that type.
template <class Index>
bool token_fits(const Options& options, const std::string& type) {
  std::stop_source stopped;  // so that nothing is asked
  stopped.request_stop();
  const auto query = [](const evenkey::QueryRequest<dynamodb::Item>&) -> QueryPage {
    throw std::runtime_error("nothing is asked before the token is seen");
  };
  try {
    (void)read_index<Index>(options, names_said(options), type, query, stopped.get_token());
  } catch (const usage_error&) {
    return false;
  } catch (const std::exception&) {  // it was taken, and nothing could be read
  }
  return true;
}

/// Errors: what no index could answer, before any request → `usage_error`.
void check_read(const Options& options) {
  if (!options.sk_begins_with.empty() && (!options.sk_from.empty() || !options.sk_to.empty()))
    throw usage_error("--sk-begins-with goes without --sk-from and --sk-to");
  if (options.second_index && phase_of(options) != evenkey::Phase::destination)
    refuse_for_second_index("--phase", "before destination readers read the old index, by its own keys");
  if (!options.token.empty() && !token_fits<TextIndex>(options, "S") &&
      !token_fits<NumberIndex>(options, "N") && !token_fits<TextIndex>(options, ""))
    throw usage_error(
        "--token is damaged, or of another index, order, range or id: give it with the options of its page, "
        "or "
        "begin again without it");
}

evenkey::ReadResult<dynamodb::Item> read_of(const Options& options, const Target& target) {
  const auto query = target.query();
  if (target.sort_key_type != "N")
    return read_index<TextIndex>(options, target.names, target.sort_key_type, query);
  const auto page_of = [&](const evenkey::QueryRequest<dynamodb::Item>& request) {
    auto page = query(request);
    for (const dynamodb::Item& item : page.items)
      refuse_long_number(dynamodb::text_of(item, target.names.sort_key));
    return page;
  };
  return read_index<NumberIndex>(options, target.names, target.sort_key_type, page_of);
}

}  // namespace

int read(const Options& options) {
  check_read(options);
  const Target target = open(options, visibility_for(phase_of(options)));
  const auto rows = read_of(options, target);
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
