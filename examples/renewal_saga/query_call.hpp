// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <evenkey/evenkey.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "clock.hpp"
#include "ledger.hpp"
#include "query_key.hpp"
#include "saga.hpp"
#include "sdk_client.hpp"

namespace lab {

/// Whether a call that is made anew must be given the pages that it had got: `enumerate` reads them all
/// again, while `find_many` is asked again only for the ids that failed.
enum class Pages : std::uint8_t { forgotten, remembered };

/// The query functor of one call of evenkey's, on a clock that stands still meanwhile.
///
/// A client waits and asks again within a request. Here nothing can wait, so a throttled request fails, and
/// the call is made anew when the next attempt is due: the table gets the same requests at the same times.
template <class Table>
class QueryCall {
 public:
  using Page = evenkey::Page<Saga>;

  /// @param coalesced what identical queries of other calls answered a moment ago; null: each asks the table
  QueryCall(Table& table, SdkClient& client, Ledger& ledger, Caller caller, Pages pages,
            CoalescedQueries* coalesced = nullptr)
      : table_(&table),
        client_(&client),
        ledger_(&ledger),
        coalesced_(coalesced),
        caller_(caller),
        pages_(pages) {}

  Page operator()(const evenkey::QueryRequest<std::string>& request) {
    if (pages_ == Pages::forgotten && entries_.empty()) {  // nearly always
      RequestState state;
      try {
        return ask(request, state);
      } catch (const unanswered_error&) {
        entries_[key_of(request)].state = state;
        throw;
      }
    }
    Entry& entry = entries_[key_of(request)];
    if (!entry.page) {
      Page page = ask(request, entry.state);
      entry.answered = true;
      if (pages_ == Pages::forgotten) return page;
      entry.page = std::move(page);
    }
    return *entry.page;
  }

  /// When the call must be made again; nothing: every request has its answer, or will have none.
  std::optional<Time> next_due() const {
    std::optional<Time> soonest;
    for (const auto& [key, entry] : entries_)
      if (!entry.answered && !entry.state.gave_up)
        soonest = (std::min)(soonest.value_or(entry.state.due), entry.state.due);
    return soonest;
  }

 private:
  struct Entry {
    RequestState state;
    bool answered = false;
    std::optional<Page> page;
  };

  Page ask(const evenkey::QueryRequest<std::string>& request, RequestState& state) {
    const Account account{caller_, request.shard.value_or(evenkey::ShardId{0}).value};
    if (coalesced_ == nullptr) return ask_table(request, state, account);
    bool asked = false;
    const auto page = coalesced_->get(key_of(request), [&] {
      asked = true;
      return ask_table(request, state, account);
    });
    // A request that waits for its retry may be served by another's answer.
    if (!asked && state.attempts > 0) ledger_->settled(account, state.attempts);
    return *page;
  }

  Page ask_table(const evenkey::QueryRequest<std::string>& request, RequestState& state, Account account) {
    return attempt(
        state, *client_, *ledger_, account, table_->clock().now(), [&] { return table_->query(request); },
        [](const Page& page) { return Units{.read = page.consumed_read_units, .write = 0}; });
  }

  Table* table_;
  SdkClient* client_;
  Ledger* ledger_;
  CoalescedQueries* coalesced_;
  Caller caller_;
  Pages pages_;
  std::map<QueryKey, Entry> entries_;  // of the throttled requests, and of all where pages are remembered
};

}  // namespace lab
