// SPDX-License-Identifier: BSL-1.0
#pragma once

// An audit log: who did what at a tenant, the newest first, a day a bucket, as many shards as the tenant
// needs.
//
//   table   id (S), actor, action, audit_pk, audit_sk
//   index   `audit-by-day`: audit_pk (S), audit_sk (S); projects all
//   keys    audit_pk = AUDIT#{tenant}#{day}#{shard}, shard = XXH3-64(id) % N    AUDIT#acme#2026-07-08#5
//           audit_sk = {at}#{id}                                  2026-07-08T00:00:03.000Z#e-17
//           The day is that of `at`, never that of the writer's clock, so a late event has its place.
//
//   request   what it costs, for events of up to 1 KB
//   append    1 write unit of the table, 1 of the index
//   newest k  N queries of each day that it looks at, at least N / 2 read units a day, and those of about k
//             events. Days without events cost that too: where they are many, take months for buckets.
//
// N by tenant: one whose worst second has fewer than 700 events takes 1 (1,000 write units a partition, at
// 70 %), one with 5,000 takes 8. With one N for all, a thousand small tenants would pay 4 read units for each
// page to no end. Day buckets alone spread nothing: all of a tenant's writes go to today's; the shards do.
// What the days buy: old ones can be exported and deleted by themselves, and **N changes at midnight without
// a migration**, because every day keeps the N that it was written with.
//
// Promised: every page is exact, across midnight and across a change of N; a token of one tenant is refused
// for another. Not promised: a snapshot; an event that comes late behind the token's place is in this
// listing, one that is newer than its first page is not.
#include <evenkey/composite_key.hpp>
#include <evenkey/hash.hpp>
#include <evenkey/key.hpp>
#include <evenkey/read/page_token.hpp>
#include <evenkey/read/read_page.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace audit_log {

using Time = std::chrono::sys_time<std::chrono::milliseconds>;
using Day = std::chrono::sys_days;

struct Event {
  std::string id;
  std::string actor;
  std::string action;
  std::string audit_pk;
  std::string audit_sk;
  bool operator==(const Event&) const = default;
};

/// From this day on. Add one for a day to come, when all writers will know it; never change one that began.
struct ShardsFrom {
  Day first_day;
  std::uint32_t shards;
};

/// What a service knows of its tenants, such as from a table of them.
struct Tenant {
  std::string name;
  std::vector<ShardsFrom> shards;  // by day, the first is the day the tenant came
};

/// `2026-07-08`: the beginning of each of that day's timestamps.
inline std::string text_of(Day day) {
  return evenkey::CompositeKey<evenkey::Timestamp>::encode(Time(day)).substr(0, 10);
}

/// The index definition of a tenant's day. @tparam StoreKey the store's start key
template <class StoreKey>
struct EventsOfDay {
  static constexpr std::string_view name = "audit-by-day";
  using PartitionKey = evenkey::DynamicShardedKey;  // prefix and N at run time
  using SortKey = evenkey::CompositeKey<evenkey::Timestamp, evenkey::Text>;
  using Item = Event;
  using StartKey = StoreKey;
  evenkey::DynamicShardedKey keys;
  const evenkey::DynamicShardedKey& partition_keys() const { return keys; }
  static std::string_view sort_key(const Event& event) { return event.audit_sk; }
  static std::string_view primary_key(const Event& event) { return event.id; }
  static std::string_view shard_by(const Event& event) { return event.id; }  // spreads evenly
  static std::string_view partition_key(const Event& event) { return event.audit_pk; }
};

/// `AUDIT#acme#2026-07-08`: what the keys of a tenant's day begin with, and what its tokens are bound to.
/// Errors: a tenant's name with `#` in it → `key_error`.
inline std::string prefix_of(const Tenant& tenant, Day day) {
  using Prefix = evenkey::CompositeKey<evenkey::Literal<"AUDIT">, evenkey::Text, evenkey::Text>;
  return Prefix::encode(tenant.name, text_of(day));
}

/// Errors: as `prefix_of`; a day before the tenant came → `std::invalid_argument`.
inline evenkey::DynamicShardedKey keys_of(const Tenant& tenant, Day day) {
  std::uint32_t shards = 0;
  for (const ShardsFrom& each : tenant.shards)
    if (each.first_day <= day) shards = each.shards;
  return {prefix_of(tenant, day), shards};
}

struct EventPage {
  std::vector<Event> events;
  std::string next_token;  // empty: that was all
  std::size_t requests = 0;
};

/// One tenant's log, over any store that has:
///   `StartKey`              and `query(request)`: one page of the index
///   `bool put_new(event)`   false where the id is there already
template <class Store>
class AuditLog {
 public:
  AuditLog(Store& store, Tenant tenant) : store_(store), tenant_(std::move(tenant)) {}

  /// @returns false where an event of this id was appended before
  bool append(std::string id, Time at, std::string actor, std::string action) {
    Event event;
    const evenkey::DynamicShardedKey keys = keys_of(tenant_, std::chrono::floor<std::chrono::days>(at));
    event.audit_pk = keys.of(id);
    event.audit_sk = Index::SortKey::encode(at, id);
    event.id = std::move(id);
    event.actor = std::move(actor);
    event.action = std::move(action);
    return store_.put_new(event);
  }

  /// The newest `limit` events, from today backward, or those that follow a token: the day, `~`, a mark of
  /// tenant and day, `~` and evenkey's token within the day. That one has tenant and day for its tag; the
  /// mark binds a token that has none, because its page ended with a day. A page looks at 31 days at most, so
  /// it may be short and still have a token.
  /// Errors: a token that is damaged or another tenant's → `evenkey::token_error`, before any request. That
  /// keeps tokens from being mixed up, and is no login: whoever knows a tenant's name can make one.
  EventPage newest(std::size_t limit, Day today, std::string_view token = {}) {
    EventPage page;
    Day day = token.empty() ? today : day_of(token, today);
    std::string within(token.empty() ? token : token.substr(token_head_size));
    for (int days = 0; days < 31 && day >= first_day() && page.events.size() < limit;) {
      const std::string tag = prefix_of(tenant_, day);
      auto part = evenkey::read_page(
          Index{keys_of(tenant_, day)}, query(),
          {.limit = limit - page.events.size(), .direction = evenkey::Direction::descending, .tag = tag},
          within);
      page.requests += part.requests;
      for (Event& event : part.items)
        page.events.push_back(std::move(event));
      within = std::move(part.next_token);
      if (!within.empty()) continue;  // more of this day
      day -= std::chrono::days(1);
      ++days;
    }
    if (day >= first_day()) page.next_token = token_head(day) + within;
    return page;
  }

 private:
  using Index = EventsOfDay<typename Store::StartKey>;
  static constexpr std::size_t token_head_size = 10 + 1 + 16 + 1;

  Day first_day() const { return tenant_.shards.front().first_day; }
  /// `2026-07-08~0f3c…~`
  std::string token_head(Day day) const {
    std::uint64_t mark = evenkey::Xxh3_64{}(prefix_of(tenant_, day));
    std::string digits(16, '0');
    for (std::size_t i = digits.size(); i-- != 0; mark /= 16)
      digits[i] = "0123456789abcdef"[mark % 16];
    return text_of(day) + "~" + digits + "~";
  }
  Day day_of(std::string_view token, Day today) const {
    const std::string midnight = std::string(token.substr(0, 10)) + "T00:00:00.000Z";
    const auto day = evenkey::CompositeKey<evenkey::Timestamp>::decode(midnight);
    if (!day) throw evenkey::token_error("no token of an audit log");
    const Day found = std::chrono::floor<std::chrono::days>(std::get<0>(*day));
    if (!token.starts_with(token_head(found)))
      throw evenkey::token_error("a token of another tenant's log, or a damaged one");
    if (found < first_day() || found > today) throw evenkey::token_error("a token of no day of this log");
    return found;
  }
  auto query() {
    return [this](const evenkey::QueryRequest<typename Store::StartKey>& request) {
      return store_.query(request);
    };
  }

  Store& store_;
  Tenant tenant_;
};

}  // namespace audit_log
