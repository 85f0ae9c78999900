// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/evenkey.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "clock.hpp"
#include "ledger.hpp"
#include "saga.hpp"
#include "sdk_client.hpp"

namespace lab {

/// The query functor of one call of evenkey's, on a clock that stands still meanwhile.
///
/// A client waits and asks again within a request. Here nothing can wait, so a throttled request fails, the
/// call is made anew when the next attempt is due, and what had been answered by then is answered from
/// memory: the table gets the same requests at the same times.
template <class Table>
class QueryCall {
 public:
  using Page = evenkey::Page<Saga>;

  QueryCall(Table& table, SdkClient& client, Ledger& ledger, Caller caller)
      : table_(&table), client_(&client), ledger_(&ledger), caller_(caller) {}

  Page operator()(const evenkey::QueryRequest<std::string>& request) {
    const std::string_view condition = request.sort_key.form() == evenkey::SortKeyCondition::Form::none
                                           ? std::string_view()
                                           : std::get<std::string>(request.sort_key.value());
    Entry& entry = entries_[Key{request.partition_key, condition, request.exclusive_start_key.value_or("")}];
    if (!entry.page) {
      const Account account{caller_, request.shard.value_or(evenkey::ShardId{0}).value};
      entry.page = attempt(
          entry.state, *client_, *ledger_, account, table_->clock().now(),
          [&] { return table_->query(request); },
          [](const Page& page) { return Units{.read = page.consumed_read_units}; });
    }
    return *entry.page;
  }

  /// When the call must be made again; nothing: every request has its answer, or will have none.
  std::optional<Time> next_due() const {
    std::optional<Time> soonest;
    for (const auto& [key, entry] : entries_)
      if (!entry.page && !entry.state.gave_up)
        soonest = (std::min)(soonest.value_or(entry.state.due), entry.state.due);
    return soonest;
  }
  bool gave_up() const {
    return std::any_of(entries_.begin(), entries_.end(),
                       [](const auto& entry) { return entry.second.state.gave_up; });
  }

 private:
  using Key = std::tuple<std::string, std::string, std::string>;  // partition key, condition, start key
  struct Entry {
    RequestState state;
    std::optional<Page> page;
  };

  Table* table_;
  SdkClient* client_;
  Ledger* ledger_;
  Caller caller_;
  std::map<Key, Entry> entries_;
};

}  // namespace lab
